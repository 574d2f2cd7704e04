"""The system prompt: fixed order, empty sections gone, equal bytes for equal facts, the boundary in its place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from openclaw_tui.constants import SYSTEM_PROMPT_CACHE_BOUNDARY
from openclaw_tui.messages import ToolDefinition
from openclaw_tui.prompt.cache_boundary import insert_addition, join_at_boundary, split_at_boundary, strip_boundary
from openclaw_tui.prompt.runtime_info import RuntimeInfo
from openclaw_tui.prompt.stability import (
    TOOL_ORDER,
    normalize_capabilities,
    normalize_section,
    order_tools,
    tool_names_digest,
    tool_schema_digest,
)
from openclaw_tui.prompt.system_prompt import PromptInputs, build_agent_system_prompt


def tool(name: str) -> ToolDefinition:
    return ToolDefinition(name=name, description=f"Does {name}. More words.", parameters={"type": "object"})


FULL = PromptInputs(
    tools=tuple(map(tool, ("exec", "read", "memory_search", "recall", "zeta"))),
    cwd="/p",
    time_zone="Europe/Berlin",
    runtime=RuntimeInfo(cwd="/p", model="a/b", capabilities=("Inline", "edit ")),
    skills_index="<available_skills>x</available_skills>",
    docs="docs here",
    workspace_notes=("a note",),
    context_files=(("AGENTS.md", "never commit"), ("SOUL.md", "be kind")),
    truncation_warning="[Bootstrap truncation warning]",
    heartbeat="look at the queue",
    engine_addition="from the engine",
    extra_prompt="people here: two",
    appended_prompt="and one more thing",
)
ORDER = [
    "You are a coding agent",
    "## Tools",
    "## Tool Call Style",
    "## Safety",
    "## Skills (mandatory)",
    "## Memory Recall",
    "## Recall",
    "## Documentation",
    "## Workspace",
    "## Time",
    "# Project Context",
    "## AGENTS.md",
    "## SOUL.md",
    "[Bootstrap truncation warning]",
    "and one more thing",
    SYSTEM_PROMPT_CACHE_BOUNDARY.strip(),
    "from the engine",
    "# Dynamic Project Context",
    "## HEARTBEAT.md",
    "## Group Chat Context",
    "## Runtime",
]


def test_sections_stand_in_their_order() -> None:
    text = build_agent_system_prompt(FULL).text
    places = [text.index(mark) for mark in ORDER]
    assert places == sorted(places)
    assert [text.count(mark) for mark in ORDER] == [1] * len(ORDER)


def test_empty_sections_vanish() -> None:
    bare = PromptInputs(tools=(), cwd="/p", time_zone="", runtime=RuntimeInfo(cwd="/p"))
    prompt = build_agent_system_prompt(bare)
    headings = [line for line in prompt.text.splitlines() if line.startswith("#")]
    assert headings == ["## Safety", "## Workspace", "## Runtime"]
    assert "\n\n\n" not in prompt.stable


def test_sub_agents_have_their_own_heading() -> None:
    assert "## Subagent Context\npeople here: two" in build_agent_system_prompt(replace(FULL, subagent=True)).dynamic


def test_a_custom_prompt_takes_the_place_of_identity_and_style_but_not_of_safety() -> None:
    stable = build_agent_system_prompt(replace(FULL, custom_prompt="You are a poet.")).stable
    assert stable.startswith("You are a poet.")
    assert "coding agent" not in stable
    assert "## Tool Call Style" not in stable
    assert "## Safety" in stable


@given(st.permutations(FULL.tools), st.permutations(["edit ", "Inline", "inline"]))
def test_the_order_of_registration_changes_no_byte(tools: list[ToolDefinition], capabilities: list[str]) -> None:
    runtime = replace(FULL.runtime, capabilities=tuple(capabilities))
    shuffled = build_agent_system_prompt(replace(FULL, tools=tuple(tools), runtime=runtime))
    assert shuffled == build_agent_system_prompt(FULL)
    assert shuffled.whole_digest == build_agent_system_prompt(FULL).whole_digest


def test_what_may_change_stands_below_the_line() -> None:
    changed = replace(
        FULL,
        engine_addition="other",
        heartbeat="",
        extra_prompt="three",
        runtime=replace(FULL.runtime, model="c/d", thinking="high"),
    )
    one, two = build_agent_system_prompt(FULL), build_agent_system_prompt(changed)
    assert one.stable == two.stable
    assert one.stable_digest == two.stable_digest
    assert one.dynamic != two.dynamic


def test_line_ends_and_trailing_blanks_change_no_byte() -> None:
    noisy = replace(FULL, skills_index="\r\n<available_skills>x</available_skills>  \r\n\r\n", docs="docs here\t\n")
    assert build_agent_system_prompt(noisy).stable == build_agent_system_prompt(FULL).stable


def test_tools_stand_in_the_fixed_order_and_strangers_behind_by_name() -> None:
    tools = [tool(name) for name in ("zeta", "session_status", "alpha", "exec", "read", "exec")]
    assert [t.name for t in order_tools(tools)] == ["read", "exec", "session_status", "alpha", "zeta"]
    assert TOOL_ORDER[:3] == ("read", "write", "edit")
    assert "- exec: Does exec" in build_agent_system_prompt(replace(FULL, tools=tuple(tools))).stable


def test_digests_name_what_was_sent() -> None:
    assert tool_names_digest([tool("a"), tool("b")]) == tool_names_digest([tool("b"), tool("a")])
    assert tool_names_digest([tool("a")]) != tool_names_digest([tool("a"), tool("b")])
    assert tool_schema_digest(tool("a")) != tool_schema_digest(replace(tool("a"), parameters={"type": "array"}))


def test_no_clock_stands_in_the_prompt() -> None:
    import re

    assert not re.search(r"\b\d{1,2}:\d{2}\b|\b20\d\d-\d\d-\d\d\b", build_agent_system_prompt(FULL).text)


class TestBoundary:
    def test_the_first_marker_counts(self) -> None:
        mark = SYSTEM_PROMPT_CACHE_BOUNDARY
        assert split_at_boundary(f"a{mark}b{mark}c") == ("a", "b\nc")
        assert split_at_boundary("only stable\n") == ("only stable", "")

    def test_the_marker_stands_there_also_before_nothing(self) -> None:
        assert join_at_boundary("a", "") == f"a{SYSTEM_PROMPT_CACHE_BOUNDARY}"

    def test_providers_without_a_boundary_see_no_marker(self) -> None:
        assert strip_boundary(join_at_boundary("a", "b")) == "a\nb"

    @pytest.mark.parametrize("addition", ["", "  \n"])
    def test_an_empty_addition_changes_nothing(self, addition: str) -> None:
        assert insert_addition("p", addition) == "p"

    def test_an_addition_is_the_first_text_below(self) -> None:
        prompt = build_agent_system_prompt(replace(FULL, engine_addition="")).text
        stable, dynamic = split_at_boundary(insert_addition(prompt, "new\r\n"))
        assert stable == split_at_boundary(prompt)[0]
        assert dynamic.startswith("new\n\n# Dynamic Project Context")
        assert split_at_boundary(insert_addition("no marker", "x")) == ("no marker", "x")

    @given(st.text(max_size=200))
    def test_normalising_twice_is_normalising_once(self, text: str) -> None:
        once = normalize_section(text)
        assert normalize_section(once) == once
        assert "\r" not in once

    def test_capabilities_are_a_set_of_plain_words(self) -> None:
        assert normalize_capabilities([" B", "a", "b ", ""]) == ["a", "b"]
