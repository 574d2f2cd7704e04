"""Adding never costs a note, and what was added can be taken back."""

import threading
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_tui.errors import MemoryFailed
from openclaw_tui.memory.chunks import chunks_of
from openclaw_tui.memory.dedupe import only_new_lines
from openclaw_tui.memory.files import append_note, take_back
from openclaw_tui.memory.notebook import Notebook
from openclaw_tui.memory.places import memory_places
from tests.memory.support import note, places_at

DAY = date(2026, 1, 2)
TODAY = "memory/2026-01-02.md"


def test_the_notes_of_a_project_stay_in_it_where_it_has_some(tmp_path: Path) -> None:
    agent = tmp_path / "state" / "agents" / "main"
    for name in ("with-file", "with-folder", "with-code", "without"):
        (tmp_path / name).mkdir()
    note(tmp_path / "with-file", "MEMORY.md", "x")
    note(tmp_path / "with-folder", "memory/notes.md", "x")
    note(tmp_path / "with-code", "memory/index.py", "x")
    roots = {
        name: memory_places(tmp_path / name, agent) for name in ("with-file", "with-folder", "with-code", "without")
    }
    assert roots["with-file"].root == tmp_path / "with-file"
    assert roots["with-folder"].root == tmp_path / "with-folder"
    for name in ("with-code", "without"):
        assert roots[name].root.parent == agent / "memory"
        assert not roots[name].in_project
    assert roots["with-code"].root != roots["without"].root


def test_an_append_keeps_what_is_there_and_begins_on_a_line_of_its_own(tmp_path: Path) -> None:
    file = note(tmp_path, TODAY, "- one\n- two, no line end")
    append_note(places_at(tmp_path), file, "- three\n\n")
    assert file.read_text(encoding="utf-8") == "- one\n- two, no line end\n- three\n"


def test_new_notes_outside_a_project_are_private(tmp_path: Path) -> None:
    places = places_at(tmp_path / "state", in_project=False)
    written = append_note(places, places.daily(DAY), "- x")
    assert written.path.stat().st_mode & 0o777 == 0o600


def test_many_writers_at_once_lose_nothing(tmp_path: Path) -> None:
    places = places_at(tmp_path)
    threads = [
        threading.Thread(target=append_note, args=(places, places.long_term, f"- note {number}"))
        for number in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = (tmp_path / "MEMORY.md").read_text(encoding="utf-8").splitlines()
    assert sorted(lines) == sorted(f"- note {number}" for number in range(20))


def test_taking_back_removes_just_what_was_added(tmp_path: Path) -> None:
    file = note(tmp_path, TODAY, "- one\n")
    places = places_at(tmp_path)
    written = append_note(places, file, "- two")
    append_note(places, file, "- three")
    take_back(written)
    assert file.read_text(encoding="utf-8") == "- one\n- three\n"
    with pytest.raises(MemoryFailed, match="changed there since"):
        take_back(written)


def test_taking_back_finds_lines_that_moved_and_a_new_file_goes_away(tmp_path: Path) -> None:
    places = places_at(tmp_path)
    written = append_note(places, places.long_term, "- two")
    places.long_term.write_text("- by hand\n- two\n", encoding="utf-8")
    take_back(written)
    assert places.long_term.read_text(encoding="utf-8") == "- by hand\n"
    again = append_note(places, places.daily(DAY), "- x")
    assert "gone" in take_back(again)
    assert not places.daily(DAY).exists()


def test_only_two_files_can_be_added_to(tmp_path: Path) -> None:
    notes = Notebook(places_at(tmp_path), DAY)
    for name in ("AGENTS.md", "memory/2026-01-01.md", "memory/../AGENTS.md", "../MEMORY.md", str(tmp_path / "x.md")):
        with pytest.raises(MemoryFailed, match="only MEMORY"):
            notes.add(name, "- x")
    assert notes.add(f"./{TODAY}", "- x") is not None
    assert notes.add(str(tmp_path / "MEMORY.md"), "- x") is not None


def test_a_link_that_leads_out_is_not_written_through(tmp_path: Path) -> None:
    outside = note(tmp_path / "outside", "target.md", "theirs\n")
    places = places_at(tmp_path / "n")
    places.long_term.symlink_to(outside)
    with pytest.raises(MemoryFailed):
        Notebook(places, DAY).add("MEMORY.md", "- x")
    assert outside.read_text(encoding="utf-8") == "theirs\n"


def test_what_stands_there_is_not_written_again(tmp_path: Path) -> None:
    note(tmp_path, "MEMORY.md", "# Facts\n- Use tabs.\n* [ ] write docs\n")
    notes = Notebook(places_at(tmp_path), DAY)
    assert notes.add("MEMORY.md", "- use  TABS\n- write docs") is None
    written = notes.add("MEMORY.md", "## Style\n- Use tabs\n\n## New\n- Port 8080\n")
    assert written is not None
    assert written.text == "## New\n- Port 8080\n"


def test_secrets_and_hidden_characters_do_not_enter(tmp_path: Path) -> None:
    written = Notebook(places_at(tmp_path), DAY).add(TODAY, "- key sk-ant-" + "a" * 40 + "\n- bidi \u202e order")
    assert written is not None
    assert "a" * 40 not in written.text
    assert "\u202e" not in written.text


def test_the_day_does_not_change_in_the_middle(tmp_path: Path) -> None:
    notes = Notebook(places_at(tmp_path), DAY)
    assert notes.writable == ("MEMORY.md", TODAY)


@given(
    st.lists(st.text(alphabet="ab #-\n", max_size=20), max_size=8).map("\n".join),
    st.text(alphabet="ab #-\n", max_size=60),
)
def test_deduplication_keeps_every_new_line_and_no_old_one(existing: str, text: str) -> None:
    new = only_new_lines(existing, text)
    assert only_new_lines(f"{existing}\n{new}", text) in ("", *[new]) or "#" in new
    for line in new.splitlines():
        assert line.strip() in [known.strip() for known in text.splitlines()]


@given(st.text(alphabet="ab\n", max_size=3000), st.integers(16, 120), st.integers(0, 60))
def test_every_line_is_in_a_piece_with_its_number(text: str, tokens: int, overlap: int) -> None:
    lines = text.split("\n")
    seen: dict[int, str] = {}
    for chunk in chunks_of(text, tokens=tokens, overlap=overlap):
        assert len(chunk.text) <= max(32, tokens * 4)
        if all(len(line) <= max(32, tokens * 4) for line in lines):
            assert chunk.text.split("\n") == lines[chunk.start - 1 : chunk.end]
        for number in range(chunk.start, chunk.end + 1):
            seen[number] = lines[number - 1]
    assert all(number in seen for number, line in enumerate(lines, 1) if line.strip())
