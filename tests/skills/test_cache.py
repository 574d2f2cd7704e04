"""The cache saves reading and never changes what is found."""

import os
from pathlib import Path
from typing import IO, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from openclaw_tui.skills.discovery import SkillSet
from tests.skills.support import look, write_skill

PAST = 1_600_000_000


def aged(file: Path) -> Path:
    os.utime(file, (PAST, PAST))
    return file


def test_an_unchanged_file_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, cache = aged(write_skill(tmp_path / "skills", "a")), tmp_path / "c" / "heads"
    first = look(tmp_path / "skills", cache=cache)
    opened: list[str] = []
    really = open

    def watched(path: str, mode: str = "r") -> IO[Any]:
        opened.append(path)
        return really(path, mode)

    monkeypatch.setattr("openclaw_tui.skills.cache.open", watched, raising=False)
    assert look(tmp_path / "skills", cache=cache) == first
    assert opened == []
    file.write_text(file.read_text(encoding="utf-8") + "More.", encoding="utf-8")
    look(tmp_path / "skills", cache=cache)
    assert opened == [str(file)]


def test_a_changed_file_is_seen_at_once_even_with_the_same_size(tmp_path: Path) -> None:
    cache = tmp_path / "c" / "heads"
    write_skill(tmp_path / "skills", "a", "Version one.")
    look(tmp_path / "skills", cache=cache)
    write_skill(tmp_path / "skills", "a", "Version two.")
    assert look(tmp_path / "skills", cache=cache).active[0].head.description == "Version two."


def test_a_damaged_or_foreign_cache_is_built_anew(tmp_path: Path) -> None:
    cache = tmp_path / "c" / "heads"
    aged(write_skill(tmp_path / "skills", "a"))
    whole = look(tmp_path / "skills", cache=cache)
    for damage in (b"", b"\x00\xff nonsense", b"\x92\x63\x80"):
        cache.write_bytes(damage)
        assert look(tmp_path / "skills", cache=cache) == whole
    assert len(cache.read_bytes()) > 20


def test_a_folder_that_cannot_be_written_costs_only_the_cache(tmp_path: Path) -> None:
    write_skill(tmp_path / "skills", "a")
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert len(look(tmp_path / "skills", cache=tmp_path / "file" / "heads").active) == 1


_TEXTS = st.sampled_from(
    ["---\ndescription: one\n---\n", "---\ndescription: two\n---\n", "no head", "---\nname: x\n---\n"]
)
_STEPS = st.lists(st.tuples(st.sampled_from(["a", "b"]), st.one_of(st.none(), _TEXTS)), max_size=8)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=_STEPS)
def test_with_and_without_cache_the_same_is_found(tmp_path: Path, steps: list[tuple[str, str | None]]) -> None:
    root, cache = tmp_path / "skills", tmp_path / "c" / "heads"

    def both() -> tuple[SkillSet, SkillSet]:
        return look(root, cache=cache), look(root)

    for name, text in steps:
        file = root / name / "SKILL.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        if text is None:
            file.unlink(missing_ok=True)
        else:
            file.write_text(text, encoding="utf-8")
        cached, plain = both()
        assert cached == plain
