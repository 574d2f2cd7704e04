"""Whatever a session holds, the request is legal for each provider, stable, and says what was changed."""

import dataclasses
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
from openclaw_tui.transcript import details, repair, sanitize, validate
from openclaw_tui.transcript.incremental import FoldCache
from openclaw_tui.transcript.policy import transcript_policy
from openclaw_tui.transcript.repair import repair_tool_use_result_pairing
from tests.transcript.legality import check_legal
from tests.transcript.preparing import prepare
from tests.transcript.strategies import APIS, IMAGES, histories, model_for, reasoning_item, tidy_histories

apis = st.sampled_from(APIS)


@settings(max_examples=200, deadline=None)
@given(histories(), apis, st.booleans(), st.sampled_from([None, None, 1, 2]))
def test_any_history_becomes_a_legal_request(
    history: tuple[Message, ...], api: ApiName, images: bool, limit: int | None
) -> None:
    model = model_for(api, images=images)
    prepared, _ = prepare(history, model, limit=limit)
    check_legal(prepared, model)


@settings(max_examples=200, deadline=None)
@given(histories(), apis)
def test_preparing_twice_changes_nothing_more(history: tuple[Message, ...], api: ApiName) -> None:
    model = model_for(api)
    once, _ = prepare(history, model)
    twice, reports = prepare(once, model)
    assert twice == once
    assert not any(report.changed for report in reports)
    assert twice is once


@settings(max_examples=150, deadline=None)
@given(histories(), apis)
def test_growing_by_one_message_at_a_time_gives_what_a_fresh_start_gives(
    history: tuple[Message, ...], api: ApiName
) -> None:
    model = model_for(api)
    grown: tuple[Message, ...] = ()
    for end in range(len(history) + 1):
        grown, reports = prepare(history[:end], model)
    _forget()
    fresh, fresh_reports = prepare(history, model)
    if history:
        assert grown == fresh
        assert reports == fresh_reports


def _forget() -> None:
    for module, name in ((details, "_folds"), (sanitize, "_folds"), (validate, "_folds"), (repair, "_checks")):
        setattr(module, name, FoldCache())


@settings(max_examples=100, deadline=None)
@given(histories(), apis)
def test_the_order_of_what_people_said_is_kept(history: tuple[Message, ...], api: ApiName) -> None:
    marked = tuple(
        dataclasses.replace(message, content=(*message.content, TextBlock(f"<{number}>")))
        if isinstance(message, UserMessage)
        else message
        for number, message in enumerate(history)
    )
    said = [
        block.text
        for message in prepare(marked, model_for(api))[0]
        if isinstance(message, UserMessage)
        for block in message.content
        if isinstance(block, TextBlock) and block.text.startswith("<") and block.text.endswith(">")
    ]
    numbers = [int(text[1:-1]) for text in said if text[1:-1].isdigit()]
    assert numbers == [n for n, message in enumerate(history) if isinstance(message, UserMessage)]


@settings(max_examples=60, deadline=None)
@given(tidy_histories(), apis)
def test_a_healthy_history_keeps_every_result_and_its_entry(history: tuple[Message, ...], api: ApiName) -> None:
    prepared, _ = prepare(history, model_for(api))
    before = [m.entry_id for m in history if isinstance(m, ToolResultMessage)]
    assert [m.entry_id for m in prepared if isinstance(m, ToolResultMessage)] == before


@settings(max_examples=60, deadline=None)
@given(tidy_histories(), apis, st.integers(1, 30))
def test_what_was_sent_is_the_beginning_of_what_is_sent_next(
    history: tuple[Message, ...], api: ApiName, step: int
) -> None:
    """The provider's cache lives from this: a longer history begins with the same messages."""
    model = model_for(api)
    cut = min(step, len(history) - 1)
    if not isinstance(history[cut - 1], UserMessage):
        return
    shorter, _ = prepare(history[:cut], model)
    longer, _ = prepare(history, model)
    assert longer[: len(shorter)] == shorter


@pytest.mark.parametrize("api", APIS)
def test_repair_returns_the_same_tuple_for_a_clean_list(api: ApiName) -> None:
    model = model_for(api)
    clean, _ = prepare((UserMessage(content=(), entry_id="a"),), model)
    same, report = repair_tool_use_result_pairing(clean, transcript_policy(model))
    assert same is clean
    assert not report.changed


@pytest.mark.parametrize(("source", "target"), list(permutations(APIS, 2)))
def test_a_session_goes_on_with_any_other_provider_and_back(source: ApiName, target: ApiName) -> None:
    """Thinking, parallel calls and a picture in the history, in each of the twelve ordered pairs."""
    history = _session(source, 0)
    for api in (target, source, target):
        model = model_for(api)
        prepared, _ = prepare((*history, user_text("go on")), model)
        check_legal(prepared, model)
        history += _session(api, len(history))
    own = [m for m in prepare(history, model_for(source))[0] if isinstance(m, AssistantMessage) and m.api == source]
    assert all(any(isinstance(block, ThinkingBlock) for block in m.content) for m in own if m.tool_calls)


def _session(api: ApiName, number: int) -> tuple[Message, ...]:
    model = model_for(api)
    made_by: dict[str, Any] = {"api": api, "provider": model.provider, "model": model.id}
    signature = reasoning_item(number) if api == "openai-responses" else "c2ln"
    ids = [f"call_{number}_{n}|fc_{n}" if api == "openai-responses" else f"call.{number}:{n}" for n in (1, 2)]
    calls = tuple(ToolCallBlock(call_id, "read", {"path": "a.png"}) for call_id in ids)
    results = [ToolResultMessage(call_id, "read", (TextBlock("seen"), IMAGES[0])) for call_id in ids]
    asked = AssistantMessage((ThinkingBlock("hm", signature), *calls), stop_reason="tool_use", **made_by)
    told = AssistantMessage((TextBlock("done"),), **made_by)
    return (UserMessage((TextBlock("look"), IMAGES[0])), asked, *results, told)
