"""The body of a Messages request: two system blocks, at most four markers, thinking as each model takes it."""

import dataclasses
import json
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_tui.constants import ANTHROPIC_MAX_CACHE_BREAKPOINTS, SYSTEM_PROMPT_CACHE_BOUNDARY
from openclaw_tui.messages import (
    AssistantMessage,
    ImageBlock,
    Message,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolDefinition,
    ToolResultMessage,
    user_text,
)
from openclaw_tui.models import ModelInfo
from openclaw_tui.providers.anthropic_request import BINDING_BETA, build_request, new_fold
from openclaw_tui.providers.base import ProviderRequest

MODEL = ModelInfo(
    "anthropic",
    "claude-x",
    "anthropic",
    context_window=200_000,
    max_output=64_000,
    thinking="adaptive",
    thinking_levels=("off", "low", "medium", "high"),
    images=True,
    cache_breakpoints=True,
)
READ = ToolDefinition("read", "Read.", {"type": "object"})


def request(*messages: Message, **changes: Any) -> ProviderRequest:
    base = ProviderRequest(MODEL, "Stable.", "Dynamic.", messages or (user_text("Hi"),), (READ,))
    return msgspec.structs.replace(base, **changes)


def body(*messages: Message, official: bool = True, **changes: Any) -> dict[str, Any]:
    return build_request(request(*messages, **changes), new_fold(), is_official=official).body


def markers(value: Any) -> list[Any]:
    """Every cache marker of a body, wherever it stands."""
    if isinstance(value, dict):
        here = [value["cache_control"]] if "cache_control" in value else []
        return here + [found for item in value.values() for found in markers(item)]
    return [found for item in value for found in markers(item)] if isinstance(value, list) else []


def step(*ids: str, thought: str | None = None) -> tuple[Message, ...]:
    blocks = [ThinkingBlock(thought, signature="sig")] if thought else []
    calls = tuple(ToolCallBlock(i, "read", {}) for i in ids)
    results = tuple(ToolResultMessage(i, "read", (TextBlock(f"result {i}"),)) for i in ids)
    return (AssistantMessage((*blocks, *calls), api="anthropic", stop_reason="tool_use"), *results)


# ── System and cache markers ──────────────────────────────────────────────────────────────────────────────────────


def test_stable_part_is_marked_and_dynamic_part_is_not() -> None:
    stable, dynamic = body()["system"]
    assert stable == {"type": "text", "text": "Stable.", "cache_control": {"type": "ephemeral"}}
    assert dynamic == {"type": "text", "text": "Dynamic."}


def test_empty_halves_vanish_and_without_a_stable_part_the_tools_are_marked() -> None:
    built = body(system_stable=" \n")
    assert [block["text"] for block in built["system"]] == ["Dynamic."]
    assert "cache_control" in built["tools"][-1]
    assert "system" not in body(system_stable="", system_dynamic="")


def test_boundary_is_taken_out_wherever_it_stands() -> None:
    text = json.dumps(
        body(system_stable=f"a{SYSTEM_PROMPT_CACHE_BOUNDARY}b", system_dynamic=SYSTEM_PROMPT_CACHE_BOUNDARY)
    )
    assert "BOUNDARY" not in text


def test_stable_bytes_do_not_depend_on_the_dynamic_part() -> None:
    today, tomorrow = body(system_dynamic="Monday, in /a"), body(system_dynamic="Tuesday, in /b")
    assert (today["system"][0], today["tools"]) == (tomorrow["system"][0], tomorrow["tools"])


def test_retention_decides_about_markers_and_the_hour_only_goes_to_the_provider_itself() -> None:
    assert markers(body(cache_retention="none")) == []
    assert markers(body(model=msgspec.structs.replace(MODEL, caches_prefix=False))) == []
    assert {marker.get("ttl") for marker in markers(body(cache_retention="long"))} == {"1h"}
    assert {marker.get("ttl") for marker in markers(body(cache_retention="long", official=False))} == {None}


def test_marker_moves_with_the_loop_and_the_last_place_keeps_one() -> None:
    built = body(user_text("Go"), *step("a"), *step("b", "c"))
    marked = [
        (index, position)
        for index, message in enumerate(built["messages"])
        for position, block in enumerate(message["content"])
        if "cache_control" in block
    ]
    assert marked == [(0, 0), (2, 0), (4, 1)]


def test_wide_turn_gets_a_marker_in_its_middle() -> None:
    ids = [f"c{n}" for n in range(30)]
    built = body(user_text("Go"), *step(*ids))
    places = [n for n, block in enumerate(built["messages"][-1]["content"]) if "cache_control" in block]
    assert len(places) == 2
    assert 10 <= places[1] - places[0] <= 20


contents = st.lists(st.sampled_from(["text", "blank", "image", "thinking", "steps", "wide", "answer"]), max_size=12)


@given(contents, st.booleans(), st.booleans(), st.sampled_from(["short", "long"]))
def test_never_more_than_four_markers_and_never_on_a_block_that_cannot_carry_one(
    kinds: list[str], system: bool, tools: bool, retention: str
) -> None:
    messages: list[Message] = [user_text("Begin")]
    for number, kind in enumerate(kinds):
        added: dict[str, tuple[Message, ...]] = {
            "text": (user_text("more"),),
            "blank": (user_text("  "),),
            "image": (dataclasses.replace(user_text("see"), content=(ImageBlock("aGk=", "image/png"),)),),
            "thinking": (AssistantMessage((ThinkingBlock("t", signature="s"),), api="anthropic"),),
            "steps": step(f"{number}a", f"{number}b", f"{number}c", thought="hm"),
            "wide": step(*(f"{number}w{n}" for n in range(25))),
            "answer": (AssistantMessage((TextBlock("ok"),)),),
        }
        messages += added[kind]
    changes: dict[str, Any] = {"cache_retention": retention, "tools": (READ,) if tools else ()}
    built = body(*messages, system_stable="Stable." if system else "", **changes)
    assert 1 <= len(markers(built)) <= ANTHROPIC_MAX_CACHE_BREAKPOINTS
    blocks = [block for message in built["messages"] for block in message["content"]]
    assert not any("cache_control" in block for block in blocks if block["type"] == "thinking")
    assert all(block.get("text", "x").strip() for block in blocks)
    roles = [message["role"] for message in built["messages"]]
    assert all(one != two for one, two in pairwise(roles))


def test_encoding_is_the_body_and_marks_nothing_that_is_shared() -> None:
    fold = new_fold()
    messages = (user_text("Go"), *step("a"), *step("b"))
    for length in (1, 3, 5, 5, 3):
        wire = build_request(request(*messages[:length]), fold)
        assert json.loads(wire.encoded(fold)) == wire.body
        assert len(markers(wire.messages)) <= 2


# ── Messages ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_results_come_first_and_text_after_them() -> None:
    built = body(user_text("Go"), *step("a", "b"), user_text("and hurry"))
    kinds = [block["type"] for block in built["messages"][-1]["content"]]
    assert kinds == ["tool_result", "tool_result", "text"]


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        (
            AssistantMessage((ThinkingBlock("cut off"), TextBlock("a")), api="anthropic", stop_reason="aborted"),
            ["text"],
        ),
        (AssistantMessage((ThinkingBlock("x", signature="s"), TextBlock("a")), api="anthropic"), ["thinking", "text"]),
        (AssistantMessage((ThinkingBlock("", signature="s"), TextBlock("a")), api="anthropic"), ["thinking", "text"]),
        (
            AssistantMessage((ThinkingBlock("", signature="data", redacted=True), TextBlock("a")), api="anthropic"),
            ["redacted_thinking", "text"],
        ),
        (AssistantMessage((ThinkingBlock("x", signature="{}"), TextBlock("a")), api="openai-responses"), ["text"]),
        (AssistantMessage((ThinkingBlock("x", signature="s"), TextBlock("a")), api="google"), ["text"]),
    ],
    ids=["unsigned", "signed", "signed, empty text", "redacted", "from OpenAI", "from Gemini"],
)
def test_only_whole_thinking_of_this_api_goes_back(message: AssistantMessage, kept: list[str]) -> None:
    built = body(user_text("Hi"), message, user_text("Go on"))
    assert [block["type"] for block in built["messages"][1]["content"]] == kept


def test_tools_of_the_history_are_named_where_none_are_offered() -> None:
    built = body(user_text("Go"), *step("a"), tools=())
    assert [tool["name"] for tool in built["tools"]] == ["read"]
    assert built["tool_choice"] == {"type": "none"}
    assert "tools" not in body(tools=())


def test_diagnostics_are_asked_for_where_they_are_known() -> None:
    assert body(previous_response_id="msg_1")["diagnostics"] == {"previous_message_id": "msg_1"}
    assert body(previous_response_id="resp_1")["diagnostics"] == {"previous_message_id": None}
    assert "diagnostics" not in body(official=False)


# ── Thinking ──────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("mode", "level", "thinking", "effort"),
    [
        ("none", "high", None, None),
        ("adaptive", "off", {"type": "disabled"}, None),
        ("adaptive", "minimal", {"type": "adaptive", "display": "summarized"}, "low"),
        ("adaptive", "max", {"type": "adaptive", "display": "summarized"}, "high"),
        ("adaptive_always", "off", {"type": "adaptive", "display": "summarized"}, "low"),
        ("between_tools", "off", {"type": "between_tools"}, None),
        ("between_tools", "medium", {"type": "adaptive", "display": "summarized"}, "medium"),
        ("budget", "off", None, None),
        ("budget", "low", {"type": "enabled", "budget_tokens": 2048}, None),
        ("budget", "max", {"type": "enabled", "budget_tokens": 3072}, None),
    ],
)
def test_each_kind_of_model_is_told_its_way(mode: Any, level: Any, thinking: Any, effort: str | None) -> None:
    built = body(model=msgspec.structs.replace(MODEL, thinking=mode), thinking=level)
    assert built.get("thinking") == thinking
    assert built.get("output_config", {}).get("effort") == effort


def test_dropping_mismatched_thinking_needs_its_beta_and_adaptive_thinking() -> None:
    bound = msgspec.structs.replace(MODEL, prefix_bound=True, thinking="between_tools")
    wire = build_request(request(model=bound, drop_mismatched_thinking=True), new_fold())
    assert wire.betas == (BINDING_BETA,)
    assert wire.body["thinking"]["block_binding"] == {"prefix_mismatch_behavior": "drop_block"}
    unbound = build_request(request(drop_mismatched_thinking=True), new_fold())
    assert unbound.betas == ()
    assert "block_binding" not in json.dumps(unbound.body)


def test_budget_is_left_out_where_the_open_step_was_begun_without_thinking() -> None:
    old = msgspec.structs.replace(MODEL, thinking="budget")
    assert "thinking" not in body(user_text("Go"), *step("a"), model=old, thinking="high")
    assert "thinking" in body(user_text("Go"), *step("a", thought="hm"), model=old, thinking="high")
    assert "thinking" not in body(model=old, thinking="high", max_output_tokens=1500)
