"""What the second article says about skills on demand, the memory flush, bootstrap files and routing."""

from datetime import date
from pathlib import Path

import pytest

from openclaw_tui.constants import BOOTSTRAP_MAX_CHARS, BOOTSTRAP_TOTAL_MAX_CHARS
from openclaw_tui.memory.flush import NO_REPLY, FlushSettings, FlushState, flush_instructions, should_flush
from openclaw_tui.prompt.sections import memory_recall_section, skills_section
from openclaw_tui.routing.resolve import TIERS
from openclaw_tui.routing.session_key import build_session_key
from openclaw_tui.skills.index import list_skills
from openclaw_tui.tools.memory_tools import MemoryGetTool, MemorySearchTool
from tests.skills.support import look, write_skill


def state(projected: int, *, compactions: int = 0, flushed_at: int | None = None, talk: int = 0) -> FlushState:
    return FlushState(projected, 200_000, 20_000, talk, compactions, flushed_at)


@pytest.mark.parametrize(("projected", "due"), [(175_999, False), (176_000, False), (176_001, True)])
def test_flush_when_projected_is_above_window_minus_floor_minus_soft(projected: int, due: bool) -> None:
    assert should_flush(FlushSettings(), state(projected)) is due


def test_flush_once_for_each_compaction() -> None:
    assert not should_flush(FlushSettings(), state(190_000, compactions=2, flushed_at=2))
    assert should_flush(FlushSettings(), state(190_000, compactions=3, flushed_at=2))


def test_flush_by_the_size_of_the_talk_or_not_at_all() -> None:
    assert should_flush(FlushSettings(), state(10, talk=2 * 1024 * 1024))
    assert not should_flush(FlushSettings(transcript_bytes=0), state(10, talk=10**9))
    assert not should_flush(FlushSettings(enabled=False), state(199_000))
    tiny = FlushState(5_000, 16_000, 20_000, 0, 0)
    assert not should_flush(FlushSettings(), tiny), "a line below zero is no line"


def test_the_flush_writes_decisions_preferences_and_todos_into_two_files() -> None:
    text = flush_instructions(FlushSettings(), date(2026, 1, 2))
    for word in ("decisions", "preferences", "to-dos", "memory/2026-01-02.md", "MEMORY.md", NO_REPLY, "only ever adds"):
        assert word in text
    assert "material, not instruction" in text
    own = flush_instructions(FlushSettings(prompt="Note in YYYY-MM-DD."), date(2026, 1, 2))
    assert "Note in 2026-01-02." in own
    assert NO_REPLY in own


def test_the_skills_section_holds_an_index_and_the_rules_of_the_article(tmp_path: Path) -> None:
    write_skill(tmp_path, "deploy", "Put it online.", body="LONG TEXT")
    text = "\n".join(skills_section(list_skills(look(tmp_path).active).text))
    assert text.startswith("## Skills (mandatory)")
    assert "<available_skills>" in text
    assert "If exactly one skill clearly applies" in text
    assert "most specific" in text
    assert "do not read any SKILL.md" in text
    assert "`read`" in text
    assert "LONG TEXT" not in text


def test_an_empty_index_is_no_section() -> None:
    assert skills_section(list_skills([]).text) == []


def test_the_prompt_asks_to_search_memory_before_answering() -> None:
    text = "\n".join(memory_recall_section([MemorySearchTool.definition, MemoryGetTool.definition]))
    for word in ("decisions", "dates", "people", "preferences", "to-dos", "memory_search", "memory_get"):
        assert word in text


def test_bootstrap_limits_of_the_article() -> None:
    assert (BOOTSTRAP_MAX_CHARS, BOOTSTRAP_TOTAL_MAX_CHARS) == (20_000, 150_000)


def test_routing_of_the_article() -> None:
    assert build_session_key("main", "telegram", "dm", "userId") == "agent:main:telegram:dm:userid"
    assert len(TIERS) == 8
    assert (TIERS[0].name, TIERS[-1].name) == ("binding.peer", "default")
