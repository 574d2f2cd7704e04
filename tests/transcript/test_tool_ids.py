"""Ids in a request: legal, unique, equal in call and result, stable; the file's ids stay what they were."""

import re

import pytest

from openclaw_tui.messages import AssistantMessage, Message, ThinkingBlock, ToolResultMessage, user_text
from openclaw_tui.models import ApiName
from tests.transcript.legality import check_legal
from tests.transcript.preparing import prepare
from tests.transcript.strategies import APIS, model_for, reasoning_item
from tests.transcript.test_sanitize import CLAUDE, GPT, answer, call, result

STRANGE = ("call_a|fc_b", "i" * 90, "functions.exec:0", "a.b", "a:b", "")


def call_ids(messages: tuple[Message, ...]) -> list[str]:
    return [block.id for m in messages if isinstance(m, AssistantMessage) for block in m.tool_calls]


def result_ids(messages: tuple[Message, ...]) -> list[str]:
    return [m.tool_call_id for m in messages if isinstance(m, ToolResultMessage)]


@pytest.mark.parametrize("api", APIS)
def test_ids_of_any_provider_are_accepted_by_every_other_and_back(api: ApiName) -> None:
    history: tuple[Message, ...] = (
        user_text("q"),
        answer(*(call(i) for i in STRANGE), **GPT),
        *(result(i, i) for i in STRANGE),
    )
    prepared, _ = prepare(history, model_for(api))
    check_legal(prepared, model_for(api))
    assert call_ids(prepared) == result_ids(prepared)
    assert len(set(call_ids(prepared))) == len(STRANGE)
    assert call_ids(history) == list(STRANGE)


@pytest.mark.parametrize("api", APIS)
def test_an_id_stays_the_same_while_the_history_grows(api: ApiName) -> None:
    history: tuple[Message, ...] = (user_text("q"),)
    known: list[str] = []
    for raw in ("a.b", "a:b", "a_b", "a.b"):
        history += (answer(call(raw), **CLAUDE), result(raw))
        ids = call_ids(prepare(history, model_for(api))[0])
        assert ids[: len(known)] == known
        known = ids
    assert len(set(known)) == 4


def test_legal_ids_are_left_alone() -> None:
    history = (user_text("q"), answer(call("toolu_01Ab-c"), **CLAUDE), result("toolu_01Ab-c"))
    assert prepare(history, model_for("anthropic"))[0] is history


def test_a_server_that_counts_from_zero_each_turn_gets_its_own_results_back() -> None:
    history = (
        user_text("q"),
        answer(call("call_0"), call("call_1"), **CLAUDE),
        result("call_0", "first"),
        result("call_1", "second"),
        answer(call("call_0"), **CLAUDE),
        result("call_0", "third"),
    )
    prepared, _ = prepare(history, model_for("openai-chat"))
    check_legal(prepared, model_for("openai-chat"))
    results = [m for m in prepared if isinstance(m, ToolResultMessage)]
    assert [str(m.content[0]) for m in results] == [
        str(m.content[0]) for m in history if isinstance(m, ToolResultMessage)
    ]
    assert results[0].tool_call_id == "call_0"
    assert re.fullmatch(r"call_0_[0-9a-f]{8}", results[2].tool_call_id)


def test_calls_without_ids_are_paired_by_order_and_name() -> None:
    history = (
        user_text("q"),
        answer(call("", "read"), call("", "exec"), call("", "read"), **CLAUDE),
        result("", "of exec", "exec"),
        result("", "of read 1", "read"),
        result("", "of read 2", "read"),
    )
    prepared, _ = prepare(history, model_for("google"))
    check_legal(prepared, model_for("google"))
    texts = [getattr(m.content[0], "text", "") for m in prepared if isinstance(m, ToolResultMessage)]
    assert texts == ["of read 1", "of exec", "of read 2"]


def test_an_item_id_travels_only_beside_its_reasoning() -> None:
    model = model_for("openai-responses")
    other = answer(call("call_1|fc_1"), **{**GPT, "model": "gpt-6-luna"})
    assert call_ids(prepare((user_text("q"), other, result("call_1|fc_1")), model)[0]) == ["call_1"]
    bare = answer(call("call_1|fc_1"), **GPT)
    assert call_ids(prepare((user_text("q"), bare, result("call_1|fc_1")), model)[0]) == ["call_1"]
    whole = answer(ThinkingBlock("", reasoning_item(1)), call("call_1|fc_1"), **GPT)
    assert call_ids(prepare((user_text("q"), whole, result("call_1|fc_1")), model)[0]) == ["call_1|fc_1"]
