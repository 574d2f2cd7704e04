"""Layer 1, as both articles describe it: the boundary, determinism, digests, and how a cache break is recognised.

Checks 1 to 5 and 27 of the behaviour notes, as amended for this project.
"""

import dataclasses
from typing import Any

import pytest
from msgspec.structs import replace

from openclaw_tui.constants import (
    MAX_STABLE_CACHE_READ_RATIO,
    MIN_CACHE_BREAK_TOKEN_DROP,
    SYSTEM_PROMPT_CACHE_BOUNDARY,
)
from openclaw_tui.context.cache_watch import changes_between, is_break, take_snapshot
from openclaw_tui.messages import TextBlock, ToolDefinition, ToolResultMessage, UserMessage
from openclaw_tui.models import ModelInfo
from openclaw_tui.prompt.cache_boundary import insert_addition
from openclaw_tui.prompt.runtime_info import RuntimeInfo
from openclaw_tui.prompt.stability import normalize_capabilities, tool_names_digest
from openclaw_tui.prompt.system_prompt import (
    PromptInputs,
    SystemPrompt,
    build_agent_system_prompt,
    build_dynamic_part,
    build_stable_part,
)
from openclaw_tui.providers.anthropic_request import build_request, new_fold
from openclaw_tui.providers.base import ProviderRequest
from openclaw_tui.providers.catalog import find_model
from tests.context.building import asks, gives, says, user

TOOLS = tuple(
    ToolDefinition(name, f"Does {name}.", {"type": "object"}, summary=f"{name} things")
    for name in ("read", "write", "grep", "exec", "zebra", "alpha")
)
RUNTIME = RuntimeInfo(
    agent="main", cwd="/p", os_name="linux", shell="bash", model="anthropic/x", thinking="off", channel="tui",
    engine="legacy", capabilities=(),
)  # fmt: skip


def inputs(**more: Any) -> PromptInputs:
    return replace(
        PromptInputs(
            tools=TOOLS,
            cwd="/p",
            time_zone="Europe/Berlin",
            runtime=RUNTIME,
            context_files=(("AGENTS.md", "Use tabs."),),
            heartbeat="Look after the build.",
            extra_prompt="Three people are here.",
        ),
        **more,
    )


def made(given: PromptInputs) -> SystemPrompt:
    return SystemPrompt(build_stable_part(given), build_dynamic_part(given))


# ── the boundary ───────────────────────────────────────────────────────────────────────────────────────────────────
def test_boundary_is_the_articles_line() -> None:
    assert SYSTEM_PROMPT_CACHE_BOUNDARY == "\n<!-- OPENCLAW_CACHE_BOUNDARY -->\n"


def test_stable_stands_above_and_what_may_change_below() -> None:
    above, below = build_agent_system_prompt(inputs()).text.split(SYSTEM_PROMPT_CACHE_BOUNDARY)
    for stable in ("read things", "## Safety", "Use tabs.", "Europe/Berlin"):
        assert stable in above
        assert stable not in below
    for changing in ("Look after the build.", "## Group Chat Context", "Three people are here.", "model=anthropic/x"):
        assert changing in below
        assert changing not in above


# check 1
def test_same_inputs_give_the_same_bytes_and_changing_ones_stay_below() -> None:
    assert made(inputs()) == made(inputs())
    for other in (
        inputs(extra_prompt="Four people are here."),
        inputs(runtime=replace(RUNTIME, model="openai/y")),
        inputs(heartbeat="Look after nothing."),
    ):
        assert made(other).stable == made(inputs()).stable
        assert made(other).dynamic != made(inputs()).dynamic
    assert made(inputs(context_files=(("AGENTS.md", "Use spaces."),))).stable != made(inputs()).stable


# check 2
def test_order_of_registration_changes_neither_prompt_nor_digest() -> None:
    shuffled = inputs(tools=TOOLS[::-1])
    assert made(shuffled) == made(inputs())
    assert tool_names_digest(TOOLS[::-1]) == tool_names_digest(TOOLS)
    assert tool_names_digest(TOOLS[:-1]) != tool_names_digest(TOOLS)


def test_tools_stand_in_their_fixed_order_and_capabilities_are_normalised() -> None:
    stable = build_stable_part(inputs(tools=TOOLS[::-1]))
    places = [stable.index(f"- {name}: ") for name in ("read", "write", "grep", "exec", "alpha", "zebra")]
    assert places == sorted(places)
    assert normalize_capabilities([" Inline ", "b", "inline", ""]) == ["b", "inline"]


def test_line_ends_and_trailing_blanks_of_a_file_make_no_difference() -> None:
    appended = [inputs(appended_prompt=text) for text in ("One.  \r\nTwo.\r\n", "One.\nTwo.")]
    assert made(appended[0]) == made(appended[1])


def test_no_clock_in_the_prompt_only_the_zone() -> None:
    assert "Time zone: Europe/Berlin" in build_stable_part(inputs())


# ── on the wire ────────────────────────────────────────────────────────────────────────────────────────────────────
def _markers(value: Any) -> int:
    if isinstance(value, dict):
        return ("cache_control" in value) + sum(_markers(item) for item in value.values())
    return sum(_markers(item) for item in value) if isinstance(value, list) else 0


def _body(**more: Any) -> dict[str, Any]:
    prompt = made(inputs())
    request = ProviderRequest(
        find_model("anthropic/claude-sonnet-5-5"),
        prompt.stable,
        prompt.dynamic,
        (user("hi"), asks(1), gives(1, "out"), says("so"), user("more")),
        TOOLS,
    )
    return build_request(replace(request, **more), new_fold()).body


# check 3, amended
def test_one_marker_ends_the_stable_part_and_messages_carry_at_most_three() -> None:
    body = _body()
    stable, dynamic = body["system"]
    assert (_markers(stable), _markers(dynamic)) == (1, 0)
    assert _markers(body["messages"][-1]) == 1
    assert 1 <= _markers(body["messages"]) <= 3
    assert SYSTEM_PROMPT_CACHE_BOUNDARY.strip() not in repr(body)


def test_without_retention_there_is_no_marker_and_no_boundary() -> None:
    body = _body(cache_retention="none")
    assert _markers(body) == 0
    assert "OPENCLAW_CACHE_BOUNDARY" not in repr(body)


# check 27
def test_addition_of_an_engine_lands_right_below_the_boundary() -> None:
    prompt = made(inputs())
    above, below = insert_addition(prompt.text, "Relevant: the door is green.").split(SYSTEM_PROMPT_CACHE_BOUNDARY)
    assert above == prompt.stable
    assert below.startswith("Relevant: the door is green.")
    assert below.endswith(prompt.dynamic)


# ── observability ──────────────────────────────────────────────────────────────────────────────────────────────────
def test_thresholds_are_the_articles() -> None:
    assert (MAX_STABLE_CACHE_READ_RATIO, MIN_CACHE_BREAK_TOKEN_DROP) == (0.95, 1000)


# check 4
@pytest.mark.parametrize(
    ("previous", "now", "broken"),
    [(10_000, 9_499, False), (20_000, 19_000, False), (20_000, 18_999, True), (20_000, 0, True), (900, 0, False)],
)
def test_break_is_a_read_under_95_percent_and_at_least_a_thousand_less(previous: int, now: int, broken: bool) -> None:
    assert is_break(previous, now) is broken


def _snapshot(**more: Any) -> Any:
    model = ModelInfo("anthropic", "claude", "anthropic", context_window=200_000, max_output=8_000)
    return take_snapshot(replace(ProviderRequest(model, "s", "d", (user("hi"),), TOOLS), **more))


# check 5
def test_provider_change_has_the_code_model_and_same_count_is_said() -> None:
    other = ModelInfo("openai", "gpt", "openai-responses", context_window=200_000, max_output=8_000)
    (change,) = changes_between(_snapshot(), _snapshot(model=other))
    assert (change.code, change.detail) == ("model", "anthropic/claude -> openai/gpt")
    renamed = (*TOOLS[:-1], replace(TOOLS[-1], name="beta"))
    (change,) = changes_between(_snapshot(), _snapshot(tools=renamed))
    assert (change.code, change.detail) == ("tools", "tool set changed with same count")
    (change,) = changes_between(_snapshot(), _snapshot(tools=TOOLS[:-2]))
    assert (change.code, change.detail) == ("tools", "6 -> 4 tools")


def test_digest_is_sha256_of_the_prompt_and_of_the_sorted_names() -> None:
    assert len(_snapshot().stable) == len(_snapshot().tools) == 64
    assert _snapshot(tools=TOOLS[::-1]).tools == _snapshot().tools


def test_details_and_times_of_a_result_are_no_part_of_what_is_cached() -> None:
    result = ToolResultMessage("c1", "exec", (TextBlock("out"),))
    messages: tuple[Any, ...] = (UserMessage((TextBlock("hi"),)), asks(1), result)
    later = (*messages[:2], dataclasses.replace(result, details={"exitCode": 0}, timestamp=99))
    assert changes_between(_snapshot(messages=messages), _snapshot(messages=later)) == ()
