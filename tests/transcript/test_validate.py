"""The order of turns, per provider; the file keeps the real entries."""

import pytest

from openclaw_tui.messages import (
    AssistantMessage,
    Message,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResultMessage,
    UserMessage,
    user_text,
)
from openclaw_tui.models import ApiName
from openclaw_tui.transcript.policy import transcript_policy
from openclaw_tui.transcript.validate import CLOSING_TEXT, OPENING_TEXT, UNANSWERED_TEXT, validate_replay_turns
from tests.transcript.legality import check_legal
from tests.transcript.preparing import prepare
from tests.transcript.strategies import APIS, model_for
from tests.transcript.test_sanitize import CLAUDE, answer, call, result

STRICT: list[ApiName] = ["anthropic", "google", "openai-chat"]


def turned(api: ApiName, *messages: Message) -> tuple[Message, ...]:
    return validate_replay_turns(messages, transcript_policy(model_for(api)))[0]


def said(text: str) -> AssistantMessage:
    return answer(TextBlock(text), stop="stop", **CLAUDE)


@pytest.mark.parametrize("api", STRICT)
def test_two_user_messages_in_a_row_become_one_with_both_texts(api: ApiName) -> None:
    first, second = user_text("one"), user_text("two")
    assert turned(api, first, second) == (UserMessage((TextBlock("one"), TextBlock("two"))),)


def test_responses_needs_no_alternation() -> None:
    history = (user_text("one"), user_text("two"), said("a"), said("b"))
    assert turned("openai-responses", *history) is history or turned("openai-responses", *history) == history


@pytest.mark.parametrize("api", STRICT)
def test_a_history_that_opens_with_an_answer_gets_a_user_before_it(api: ApiName) -> None:
    sent = turned(api, said("hello"), user_text("hi"))
    assert sent[0].content == (TextBlock(OPENING_TEXT),)
    check_legal(prepare((answer(call("c"), **CLAUDE), result("c")), model_for(api))[0], model_for(api))


@pytest.mark.parametrize("api", STRICT)
def test_a_history_that_ends_with_the_model_is_closed_neutrally(api: ApiName) -> None:
    sent = turned(api, user_text("q"), said("half of"))
    assert sent[-1].content == (TextBlock(CLOSING_TEXT),)


def test_a_half_answer_gives_way_to_the_one_that_came_in_its_place() -> None:
    half = answer(TextBlock("I beg"), stop="error", **CLAUDE)
    sent = turned("anthropic", user_text("q"), half, said("I begin"), user_text("r"))
    assert [m.content[0] for m in sent] == [TextBlock("q"), TextBlock("I begin"), TextBlock("r")]


def test_neighbouring_answers_merge_and_thinking_stays_first() -> None:
    signed = answer(ThinkingBlock("t", "s"), TextBlock("b"), stop="stop", **CLAUDE)
    sent = turned("anthropic", user_text("q"), signed, said("c"), user_text("r"))
    assert [type(block).__name__ for block in sent[1].content] == ["ThinkingBlock", "TextBlock", "TextBlock"]
    sent = turned("anthropic", user_text("q"), said("a"), signed, user_text("r"))
    assert [type(block).__name__ for block in sent[1].content] == ["TextBlock", "TextBlock"]


def test_strict_templates_get_a_word_of_the_assistant_between_result_and_prompt() -> None:
    history = (user_text("q"), answer(call("c"), **CLAUDE), result("c"), user_text("wait"))
    prepared, _ = prepare(history, model_for("openai-chat"))
    check_legal(prepared, model_for("openai-chat"))
    assert prepared[3].content == (TextBlock(UNANSWERED_TEXT),)
    assert prepare(history, model_for("anthropic"))[0] is history


@pytest.mark.parametrize("api", APIS)
def test_parallel_results_stay_one_batch_and_no_prompt_is_folded_into_them(api: ApiName) -> None:
    history = (
        user_text("one"),
        user_text("two"),
        answer(call("a"), call("b"), **CLAUDE),
        result("a"),
        user_text("three"),
        result("b"),
        said("done"),
    )
    prepared, _ = prepare(history, model_for(api))
    check_legal(prepared, model_for(api))
    batch = [index for index, message in enumerate(prepared) if isinstance(message, ToolResultMessage)]
    assert batch[1] == batch[0] + 1
    assert isinstance(prepared[batch[0] - 1], AssistantMessage)
    prompts = [
        block.text
        for m in prepared
        if isinstance(m, UserMessage)
        for block in m.content
        if isinstance(block, TextBlock)
    ]
    assert prompts[:3] == ["one", "two", "three"]


def test_a_merged_summary_is_still_known_as_one() -> None:
    summary = user_text("so far", origin="compaction_summary")
    (merged,) = turned("anthropic", summary, user_text("next"))
    assert isinstance(merged, UserMessage)
    assert merged.origin == "compaction_summary"


def test_the_file_and_its_messages_are_not_touched() -> None:
    history = (user_text("one"), user_text("two"), answer(ToolCallBlock("a.b", "x y", {}), **CLAUDE))
    before = repr(history)
    for api in APIS:
        prepare(history, model_for(api))
    assert repr(history) == before
