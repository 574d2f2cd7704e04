"""Finding sessions: fast, by any handle, and without reading whole files."""

import os
from pathlib import Path
from typing import Any

import pytest

from openclaw_tui.constants import SESSION_PEEK_BYTES, SESSION_TITLE_CHARS
from openclaw_tui.errors import SessionNotFound
from openclaw_tui.messages import user_text
from openclaw_tui.session.listing import find_sessions, newest_session, resolve_session, summarize
from openclaw_tui.session.manager import SessionManager
from tests.session.talk import answer, session


def _at(path: Path | None, seconds: float) -> Path:
    assert path is not None
    os.utime(path, (seconds, seconds))
    return path


def test_rows_are_newest_first_with_title_folder_and_count(tmp_path: Path) -> None:
    old, new = session(tmp_path, "first\nprompt"), session(tmp_path, "second", "more")
    new.append_session_info("Named by me")
    _at(old.path, 1000)
    _at(new.path, 2000)
    rows = find_sessions(tmp_path)
    assert [row.id for row in rows] == [new.session_id, old.session_id]
    assert [row.title for row in rows] == ["Named by me", "first prompt"]
    assert [row.messages for row in rows] == [4, 2]
    assert rows[0].cwd == str(tmp_path)
    assert not rows[0].foreign


def test_long_files_are_looked_at_by_their_ends_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    manager = session(tmp_path, "the prompt")
    manager.append_message(answer("x" * 3_000_000))
    manager.append_session_info("named late")
    read: list[int] = []
    real_open = Path.open

    def counting(self: Path, *args: Any, **kwargs: Any) -> Any:
        handle = real_open(self, *args, **kwargs)
        real_read = handle.read

        class Counted:
            def __enter__(self) -> "Counted":
                return self

            def __exit__(self, *error: object) -> None:
                handle.close()

            def read(self, size: int = -1) -> bytes:
                data = bytes(real_read(size))
                read.append(len(data))
                return data

            seek, fileno = handle.seek, handle.fileno

        return Counted()

    monkeypatch.setattr(Path, "open", counting)
    (row,) = find_sessions(tmp_path)
    assert (row.title, row.messages) == ("named late", None)
    assert 0 < sum(read) <= 2 * SESSION_PEEK_BYTES


def test_a_first_prompt_longer_than_what_is_read_still_gives_a_title(tmp_path: Path) -> None:
    manager = SessionManager.create(tmp_path, cwd=tmp_path)
    manager.append_message(user_text('say "hi" to ' + "wörld " * 100_000))
    assert manager.path is not None
    row = summarize(manager.path)
    assert row is not None
    assert row.title.startswith('say "hi" to wörld')
    assert len(row.title) == SESSION_TITLE_CHARS


def test_summaries_and_program_text_are_no_titles(tmp_path: Path) -> None:
    manager = SessionManager.create(tmp_path, cwd=tmp_path)
    manager.append_message(user_text("hidden", origin="subagent"))
    manager.append_message(user_text("the person's words"))
    assert find_sessions(tmp_path)[0].title == "the person's words"


def test_odd_files_are_listed_or_passed_over_without_a_fault(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "torn.jsonl").write_bytes(b"\x00\xff{broken")
    (tmp_path / "sessions.json").write_text("{}", encoding="utf-8")
    (tmp_path / "folder.jsonl").mkdir()
    (tmp_path / "gone.jsonl").symlink_to(tmp_path / "nowhere")
    good = session(tmp_path, "good")
    assert {row.id for row in find_sessions(tmp_path)} == {good.session_id, "torn"}
    assert find_sessions(tmp_path / "nothing") == []


def test_the_newest_of_a_folder_is_found_whatever_else_is_newer(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
    paths = []
    for number, folder in enumerate((here, here, there)):
        manager = SessionManager.create(tmp_path / "s", cwd=folder)
        manager.append_message(user_text("x"))
        paths.append(_at(manager.path, 1000 + number))
    link = tmp_path / "link"
    link.symlink_to(here)
    for cwd in (here, link):
        row = newest_session(tmp_path / "s", cwd)
        assert row is not None
        assert row.path == paths[1]
    assert newest_session(tmp_path / "s", tmp_path) is None


def test_a_session_is_found_by_id_beginning_and_path(tmp_path: Path) -> None:
    for session_id in ("aaa-1", "aaa-2", "bbb-1"):
        manager = SessionManager.create(tmp_path, cwd=tmp_path, session_id=session_id)
        manager.append_message(user_text("x"))
    path = tmp_path / "2026-12-01T02-46-14-422Z_01a22f7e-e296.jsonl"
    path.write_text("{}\n", encoding="utf-8")
    assert resolve_session(tmp_path, "bbb").name == "bbb-1.jsonl"
    assert resolve_session(tmp_path, "aaa-1").name == "aaa-1.jsonl"
    assert resolve_session(tmp_path, "01a22f7e") == path
    assert resolve_session(tmp_path / "elsewhere", str(path)) == path
    with pytest.raises(SessionNotFound, match="aaa-1"):
        resolve_session(tmp_path, "aaa")
    for unknown in ("zzz", "", "../bbb-1"):
        with pytest.raises(SessionNotFound):
            resolve_session(tmp_path / "x" if unknown.startswith("..") else tmp_path, unknown)
