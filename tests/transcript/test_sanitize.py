"""Each message on its own: text, opaque parts, ids, empties."""

from typing import Any

import pytest
from msgspec.structs import replace

from openclaw_tui.messages import (
    AssistantContent,
    AssistantMessage,
    Message,
    StopReason,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResultMessage,
    UserMessage,
    user_text,
)
from openclaw_tui.models import ApiName, ModelInfo
from openclaw_tui.transcript.details import strip_tool_result_details
from openclaw_tui.transcript.policy import model_family, signatures_travel, transcript_policy
from openclaw_tui.transcript.sanitize import EMPTY_RESULT_TEXT, EMPTY_USER_TEXT, sanitize_session_history
from tests.transcript.legality import check_legal
from tests.transcript.preparing import prepare
from tests.transcript.strategies import APIS, model_for, reasoning_item

CLAUDE: dict[str, Any] = {"api": "anthropic", "provider": "anthropic", "model": "claude-opus-5"}
GPT: dict[str, Any] = {"api": "openai-responses", "provider": "openai", "model": "gpt-6.1-sol"}
GEMINI: dict[str, Any] = {"api": "google", "provider": "google", "model": "gemini-4-argon"}


def answer(*blocks: AssistantContent, stop: StopReason = "tool_use", **source: Any) -> AssistantMessage:
    return AssistantMessage(content=blocks, stop_reason=stop, **source)


def call(call_id: str, name: str = "read", **more: Any) -> ToolCallBlock:
    return ToolCallBlock(call_id, name, {"path": "a"}, **more)


def result(call_id: str, text: str = "out", name: str = "read", **more: Any) -> ToolResultMessage:
    return ToolResultMessage(call_id, name, (TextBlock(text),), **more)


def sanitize(*messages: Message, model: ModelInfo) -> tuple[Message, ...]:
    return sanitize_session_history(messages, transcript_policy(model), model)[0]


def blocks_of(message: Message) -> list[str]:
    return [type(block).__name__ for block in message.content]


def test_details_never_go_on_and_a_list_without_any_comes_back_as_it_was() -> None:
    stripped, report = strip_tool_result_details((result("a", details={"secret": 1}), user_text("hi")))
    assert isinstance(stripped[0], ToolResultMessage)
    assert stripped[0].details is None
    assert report.counts == {"stripped": 1}
    again, report = strip_tool_result_details(stripped)
    assert again is stripped
    assert not report.changed


@pytest.mark.parametrize("api", APIS)
def test_lone_surrogates_are_replaced_everywhere(api: ApiName) -> None:
    history = (
        user_text("cut \ud83d"),
        answer(
            TextBlock("\udc80 text"), ToolCallBlock("c", "read", {"p\ud800": ["\ud83d", {"k": "\udfff"}]}), **CLAUDE
        ),
        result("c", "bytes \udcff"),
    )
    prepared, reports = prepare(history, model_for(api))
    check_legal(prepared, model_for(api))
    assert "cut \ufffd" in str(prepared[0].content)
    assert any(report.counts.get("surrogates_replaced") for report in reports)


def test_text_that_is_whole_is_not_copied() -> None:
    history = (user_text("日本語 👩‍💻"), answer(TextBlock("ok"), **CLAUDE))
    assert sanitize(*history, model=model_for("anthropic")) is not None
    cleaned, _ = sanitize_session_history(history, transcript_policy(model_for("anthropic")), model_for("anthropic"))
    assert cleaned is history


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("blocks", [(), (TextBlock(""),), (TextBlock(" \n"),), (ThinkingBlock("hm", "sig"),)])
def test_answers_without_content_are_dropped_and_roles_stay_valid(
    api: ApiName, blocks: tuple[AssistantContent, ...]
) -> None:
    history = (user_text("one"), answer(*blocks, stop="aborted", **CLAUDE), user_text("two"))
    prepared, _ = prepare(history, model_for(api))
    check_legal(prepared, model_for(api))
    assert not any(isinstance(message, AssistantMessage) for message in prepared)
    assert [block.text for m in prepared for block in m.content if isinstance(block, TextBlock)] == ["one", "two"]


@pytest.mark.parametrize("api", APIS)
def test_empty_user_messages_and_results_are_filled_with_a_neutral_note(api: ApiName) -> None:
    history = (UserMessage(content=()), answer(call("c"), **CLAUDE), ToolResultMessage("c", "read", (TextBlock(""),)))
    prepared, _ = prepare(history, model_for(api))
    check_legal(prepared, model_for(api))
    assert prepared[0].content == (TextBlock(EMPTY_USER_TEXT),)
    assert prepared[2].content == (TextBlock(EMPTY_RESULT_TEXT),)


def test_thinking_without_signature_is_never_replayed() -> None:
    half = answer(ThinkingBlock("so far"), TextBlock("I begin"), stop="aborted", **CLAUDE)
    sent = sanitize(user_text("q"), half, user_text("go on"), model=model_for("anthropic"))
    assert sent[1].content == (TextBlock("I begin"),)


def test_signatures_go_back_byte_for_byte_to_the_family_that_made_them() -> None:
    model = model_for("anthropic")
    whole = answer(ThinkingBlock("", "c2ln=="), ThinkingBlock("", "redacted", True), call("toolu_1"), **CLAUDE)
    history = (user_text("q"), whole, result("toolu_1"))
    assert sanitize(*history, model=model) == history


@pytest.mark.parametrize("source", [CLAUDE, GPT, GEMINI])
@pytest.mark.parametrize("api", APIS)
def test_signatures_never_reach_another_provider(source: dict[str, Any], api: ApiName) -> None:
    if source["api"] == api:
        return
    foreign = answer(
        ThinkingBlock("deep", reasoning_item(1)),
        TextBlock("t", "msg_1"),
        call("call_1|fc_1", thought_signature="sig"),
        **source,
    )
    prepared, _ = prepare((user_text("q"), foreign, result("call_1|fc_1")), model_for(api))
    check_legal(prepared, model_for(api))
    sent = prepared[1]
    assert isinstance(sent, AssistantMessage)
    assert blocks_of(sent) == ["TextBlock", "ToolCallBlock"]
    assert sent.content[0] == TextBlock("t")
    assert sent.tool_calls[0].thought_signature is None
    assert sent.tool_calls[0].id == "call_1"


def test_the_family_of_a_model_is_its_name_without_date() -> None:
    assert model_family("claude-opus-5-20261001") == model_family("claude-opus-5-latest") == "claude-opus-5"
    assert model_family("gpt-6.1-sol-2026-08-01") == "gpt-6.1-sol"
    assert model_family("gpt-6.1-terra") != model_family("gpt-6.1-sol")
    imported = AssistantMessage((), api="anthropic-messages", provider="anthropic", model="claude-opus-5")
    assert signatures_travel(imported, model_for("anthropic"))


def test_thinking_comes_first_and_never_last_for_anthropic() -> None:
    mixed = answer(TextBlock("a"), ThinkingBlock("t", "s1"), call("c"), ThinkingBlock("u", "s2"), **CLAUDE)
    sent = sanitize(user_text("q"), mixed, result("c"), model=model_for("anthropic"))
    assert blocks_of(sent[1]) == ["ThinkingBlock", "ThinkingBlock", "TextBlock", "ToolCallBlock"]
    trailing = answer(TextBlock("a"), call("c"), ThinkingBlock("u", "s2"), **CLAUDE)
    sent = sanitize(user_text("q"), trailing, result("c"), model=model_for("anthropic", prefix_bound=True))
    assert blocks_of(sent[1]) == ["TextBlock", "ToolCallBlock"]


def test_a_prefix_bound_model_gets_whole_answers_in_their_own_order() -> None:
    mixed = answer(TextBlock("a"), ThinkingBlock("t", "s1"), call("c"), **CLAUDE)
    history = (user_text("q"), mixed, result("c"))
    assert sanitize(*history, model=model_for("anthropic", prefix_bound=True)) == history


def test_reasoning_and_the_item_after_it_go_together_or_not_at_all() -> None:
    model = model_for("openai-responses")
    whole = answer(ThinkingBlock("", reasoning_item(1)), call("call_1|fc_1"), **GPT)
    assert sanitize(user_text("q"), whole, result("call_1|fc_1"), model=model)[1] == whole
    halves = answer(
        ThinkingBlock("", reasoning_item(1)), call("call_1|fc_1"), call("call_2|fc_2"), stop="aborted", **GPT
    )
    sent = sanitize(user_text("q"), halves, result("call_1|fc_1"), model=model)
    assert isinstance(sent[1], AssistantMessage)
    assert [block.id for block in sent[1].tool_calls] == ["call_1"]
    assert blocks_of(sent[1]) == ["ToolCallBlock"]


def test_the_tail_kept_by_a_compaction_travels_without_its_reasoning() -> None:
    model = model_for("anthropic", prefix_bound=True)
    tail = answer(ThinkingBlock("t", "s"), TextBlock("done"), entry_id="e7", **CLAUDE)
    later = answer(ThinkingBlock("t", "s"), TextBlock("more"), entry_id="e9", **CLAUDE)
    history = (user_text("q"), tail, user_text("r"), later, user_text("s"))
    sent, _ = sanitize_session_history(history, transcript_policy(model), model, unbound=frozenset({"e7"}))
    assert [blocks_of(sent[1]), blocks_of(sent[3])] == [["TextBlock"], ["ThinkingBlock", "TextBlock"]]


def test_gemini_keeps_an_empty_part_that_carries_a_signature() -> None:
    signed = answer(TextBlock("done"), TextBlock("", "c2ln"), stop="stop", **GEMINI)
    history = (user_text("q"), signed, user_text("r"))
    assert sanitize(*history, model=model_for("google")) == history
    assert sanitize(*history, model=model_for("anthropic"))[1].content == (TextBlock("done"),)


def test_calls_of_a_cut_off_answer_stay_out_unless_answered() -> None:
    half = answer(TextBlock("I try"), call("a"), call("b"), stop="aborted", **CLAUDE)
    sent = sanitize(user_text("q"), half, result("b"), user_text("r"), model=model_for("anthropic"))
    assert isinstance(sent[1], AssistantMessage)
    assert [block.id for block in sent[1].tool_calls] == ["b"]


def test_nameless_and_unanswered_broken_calls_go_and_every_later_step_agrees() -> None:
    broken = ToolCallBlock("a", "", {})
    torn = ToolCallBlock("t", "exec", {}, invalid_arguments='{"comm')
    history = (user_text("q"), answer(broken, torn, call("b"), **CLAUDE), result("a"))
    once, _ = prepare(history, model_for("anthropic"))
    assert [getattr(message, "tool_call_id", None) for message in once] == [None, None, "b"]
    assert prepare(once, model_for("anthropic"))[0] == once


@pytest.mark.parametrize("api", APIS)
def test_a_session_whose_reasoning_was_refused_goes_on_without_any(api: ApiName) -> None:
    model = model_for(api)
    policy = replace(transcript_policy(model), drop_thinking_blocks=True)
    source: dict[str, Any] = {"api": api, "provider": model.provider, "model": model.id}
    block = ThinkingBlock("t", reasoning_item(1))
    history = (
        user_text("q"),
        answer(block, call("call_1|fc_1", thought_signature="s"), **source),
        result("call_1|fc_1"),
    )
    sent, report = sanitize_session_history(history, policy, model)
    assert sent[1].content == (call("call_1"),)
    assert report.counts["thinking_dropped"] == 1
