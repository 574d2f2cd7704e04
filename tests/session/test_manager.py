"""The only writer: what it puts on disk, when, and what it refuses."""

import json
import os
import resource
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from openclaw_tui.errors import SessionError, SessionNotFound, SessionWriteFailed
from openclaw_tui.messages import Message, TextBlock, user_text
from openclaw_tui.session.manager import SessionManager
from tests.session.format_validator import assert_valid
from tests.session.talk import answer, result, rich_messages, session, texts


def _reopened(manager: SessionManager) -> SessionManager:
    assert manager.path is not None
    return SessionManager.open(manager.path, read_only=True)


def test_an_empty_session_leaves_no_file_and_no_folder(tmp_path: Path) -> None:
    manager = SessionManager.create(tmp_path / "agents" / "main" / "sessions", cwd=tmp_path)
    manager.project()
    manager.close()
    assert list(tmp_path.rglob("*agents*")) == []


def test_everything_appended_is_on_disk_and_comes_back(tmp_path: Path) -> None:
    manager = SessionManager.create(tmp_path, cwd=tmp_path, session_id="my-session")
    for message in rich_messages():
        entry = manager.append_message(message)
        assert _reopened(manager).entries()[-1] == entry
    kept = manager.branch()[1].id
    manager.append_compaction(summary="s", first_kept_entry_id=kept, tokens_before=5, details={"files": ["a"]})
    manager.append_branch_summary(from_id=kept, summary="b", details={"n": 1})
    manager.append_model_change("openai", "gpt-6")
    manager.append_thinking_level_change("low")
    manager.append_label(kept, "here")
    manager.append_session_info("  my\nname ")
    manager.append_custom("state", {"a": [1]})
    manager.append_custom_message("note", (TextBlock("n"),), False, {"d": 1})
    other = _reopened(manager)
    assert list(other.entries()) == list(manager.entries())
    assert other.project() == manager.project()
    assert (other.session_id, other.cwd, other.name) == ("my-session", tmp_path, "my name")
    assert other.labels() == {kept: "here"}
    assert_valid(tmp_path / "my-session.jsonl")


def test_each_entry_is_written_by_one_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[bytes] = []
    real = os.write

    def write(descriptor: int, data: bytes) -> int:
        calls.append(data)
        return real(descriptor, data)

    monkeypatch.setattr(os, "write", write)
    manager = session(tmp_path, "one")
    assert manager.path is not None
    lines = manager.path.read_bytes().splitlines(keepends=True)
    journal_calls = [call for call in calls if b'"type"' in call]
    assert journal_calls == [lines[0] + lines[1], lines[2]]


def test_branching_keeps_the_other_branch_and_the_parent_links(tmp_path: Path) -> None:
    manager = session(tmp_path, "one", "two")
    first_answer, old_leaf = manager.branch()[1].id, manager.leaf_id
    manager.branch_to(first_answer)
    manager.append_message(user_text("other"))
    assert texts(manager) == ["one", "answer to one", "other"]
    assert manager.leaves() == [old_leaf, manager.leaf_id]
    again = _reopened(manager)
    assert again.leaf_id == manager.leaf_id
    assert texts(again) == ["one", "answer to one", "other"]
    assert [entry.id for entry in again.branch(old_leaf)] == [entry.id for entry in manager.branch(old_leaf)]


def test_labels_move_and_vanish(tmp_path: Path) -> None:
    manager = session(tmp_path, "one")
    first, second = (entry.id for entry in manager.branch())
    manager.append_label(first, "a")
    manager.append_label(second, "b")
    manager.append_label(first, None)
    assert manager.labels() == {second: "b"}
    with pytest.raises(SessionError, match="no entry nowhere"):
        manager.append_label("nowhere", "x")


def test_a_fork_holds_the_branch_and_its_labels_and_leaves_the_source_alone(tmp_path: Path) -> None:
    manager = session(tmp_path, "one", "two")
    branch = manager.branch()
    manager.append_label(branch[0].id, "start")
    manager.append_message(user_text("three"))
    assert manager.path is not None
    before = manager.path.read_bytes()
    fork = manager.fork(tmp_path / "forks", leaf=branch[1].id)
    assert texts(fork) == ["one", "answer to one"]
    assert fork.labels() == {branch[0].id: "start"}
    assert fork.header.parent_session == str(manager.path)
    fork.append_message(user_text("elsewhere"))
    assert manager.path.read_bytes() == before
    assert fork.path is not None
    assert_valid(fork.path)


def test_a_session_held_elsewhere_can_be_read_and_forked(tmp_path: Path) -> None:
    manager = session(tmp_path, "one")
    reader = _reopened(manager)
    with pytest.raises(SessionError, match="reading only"):
        reader.append_message(user_text("x"))
    fork = reader.fork(tmp_path)
    fork.append_message(user_text("mine"))
    assert texts(fork) == ["one", "answer to one", "mine"]


def test_a_session_in_memory_works_and_stores_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    manager = SessionManager.in_memory(cwd=tmp_path)
    manager.append_message(user_text("secret"))
    manager.append_message(answer("ok"))
    manager.sync()
    assert texts(manager) == ["secret", "ok"]
    assert manager.pending == ()
    manager.close()
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("bad", ["../x", "a/b", ".hidden", "a\nb"])
def test_ids_that_are_no_file_names_are_refused(tmp_path: Path, bad: str) -> None:
    with pytest.raises(SessionError):
        SessionManager.create(tmp_path, cwd=tmp_path, session_id=bad)


def test_an_id_in_use_and_a_missing_file_are_named(tmp_path: Path) -> None:
    manager = session(tmp_path, "one")
    with pytest.raises(SessionError, match="already"):
        SessionManager.create(tmp_path, cwd=tmp_path, session_id=manager.session_id)
    with pytest.raises(SessionNotFound, match=r"gone\.jsonl"):
        SessionManager.open(tmp_path / "gone.jsonl")


def test_a_working_folder_that_is_gone_is_told_and_the_session_opens(tmp_path: Path) -> None:
    work = tmp_path / "x"
    work.mkdir()
    manager = SessionManager.create(tmp_path / "s", cwd=work)
    manager.append_message(user_text("one"))
    manager.close()
    work.rename(tmp_path / "renamed")
    assert manager.path is not None
    again = SessionManager.open(manager.path)
    assert any(str(work) in notice for notice in again.notices)
    again.append_message(answer("still here"))
    assert texts(again) == ["one", "still here"]


def test_files_and_folders_are_private_from_the_first_byte(tmp_path: Path) -> None:
    old = os.umask(0o022)
    try:
        folder = tmp_path / "state" / "agents" / "main"
        manager = session(folder, "one")
        fork = manager.fork(folder / "forks")
        fork.close()
    finally:
        os.umask(old)
    for path in (tmp_path / "state").rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path
    assert manager.path is not None


def test_a_file_others_can_read_is_made_private_and_reported(tmp_path: Path) -> None:
    manager = session(tmp_path, "one")
    manager.close()
    assert manager.path is not None
    manager.path.chmod(0o644)
    again = SessionManager.open(manager.path)
    assert stat.S_IMODE(manager.path.stat().st_mode) == 0o600
    assert any("private" in notice for notice in again.notices)


@contextmanager
def full_disk(limit: int) -> Iterator[None]:
    """Files cannot grow beyond `limit` bytes: writes come short, then fail, as on a full file system."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("room", [0, 1, 57])
def test_a_full_disk_cuts_back_to_the_last_whole_line_and_later_writes_all_in_order(tmp_path: Path, room: int) -> None:
    manager = session(tmp_path, "one")
    assert manager.path is not None
    good = manager.path.read_bytes()
    waiting: list[Message] = [
        user_text("two"),
        answer("calls", ("c1", "exec")),
        result("c1", "No space left on device"),
    ]
    with full_disk(len(good) + room):
        for message in waiting:
            with pytest.raises(SessionWriteFailed, match="waits in memory"):
                manager.append_message(message)
        assert manager.path.read_bytes() == good
        assert [type(entry).__name__ for entry in manager.pending] == ["MessageEntry"] * 3
        assert texts(manager)[2:] == ["two", "calls", "No space left on device"]
    manager.append_message(user_text("three"))
    assert not manager.pending
    assert texts(_reopened(manager))[2:] == ["two", "calls", "No space left on device", "three"]
    assert_valid(manager.path)


def test_a_disk_full_from_the_start_stores_the_session_once_there_is_room(tmp_path: Path) -> None:
    manager = SessionManager.create(tmp_path, cwd=tmp_path, session_id="s")
    with full_disk(10), pytest.raises(SessionWriteFailed):
        manager.append_message(user_text("one"))
    manager.flush()
    assert texts(_reopened(manager)) == ["one"]
    assert_valid(tmp_path / "s.jsonl")


def test_a_failed_fsync_is_an_error_and_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    manager = session(tmp_path, "one")

    def fail(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", fail)
        with pytest.raises(SessionWriteFailed, match="durable"):
            manager.append_compaction(summary="s", first_kept_entry_id=manager.branch()[0].id, tokens_before=1)
    manager.sync()
    assert _reopened(manager).project().summary_text == "s"


def test_a_compaction_costs_its_summary_and_no_copy_of_the_history(tmp_path: Path) -> None:
    manager = SessionManager.create(tmp_path, cwd=tmp_path)
    assert manager.leaf_id is None
    for number in range(62):
        manager.append_message(user_text("x" * 20_000))
        last = manager.branch()[-1].id
        assert manager.path is not None
        size = manager.path.stat().st_size
        manager.append_compaction(summary=f"summary {number}", first_kept_entry_id=last, tokens_before=1, durable=False)
        assert manager.path.stat().st_size - size < 1_000


def test_what_another_program_appended_meanwhile_is_taken_in(tmp_path: Path) -> None:
    manager = session(tmp_path, "one")
    assert manager.path is not None
    mine = manager.leaf_id
    foreign = {"type": "future.thing", "id": "feedbeef", "parentId": mine, "timestamp": "2026-12-01T10:00:00.000Z"}
    with manager.path.open("a", encoding="utf-8") as handle:
        handle.write(json.dumps(foreign) + "\n")
    entry = manager.append_message(user_text("two"))
    assert entry.parent_id == mine
    assert manager.entry("feedbeef") is not None
    assert {entry.id for entry in _reopened(manager).entries()} == {entry.id for entry in manager.entries()}
    assert_valid(manager.path)


def test_a_replaced_file_is_noticed_before_anything_is_written(tmp_path: Path) -> None:
    manager = session(tmp_path, "one")
    assert manager.path is not None
    other = tmp_path / "other"
    other.write_bytes(manager.path.read_bytes())
    other.replace(manager.path)
    with pytest.raises(SessionWriteFailed, match="replaced"):
        manager.append_message(user_text("two"))


def test_an_unknown_entry_in_mid_chain_is_kept_and_its_children_are_reached(tmp_path: Path) -> None:
    manager = session(tmp_path, "one")
    manager.close()
    assert manager.path is not None
    stamp = '"timestamp":"2026-12-01T10:00:00.000Z"'
    line = f'{{"type":"future.thing","id":"f1","parentId":"{manager.leaf_id}",{stamp},"deep": {{"x":1.50}} }}\n'
    message = '"message":{"role":"user","content":"two","timestamp":1}'
    child = f'{{"type":"message","id":"f2","parentId":"f1",{stamp},{message}}}\n'
    with manager.path.open("a", encoding="utf-8") as handle:
        handle.write(line + child)
    again = SessionManager.open(manager.path)
    assert again.damage is None
    assert texts(again) == ["one", "answer to one", "two"]
    again.append_message(answer("ok"))
    assert line in manager.path.read_text(encoding="utf-8")


def test_names_are_the_last_ones_given(tmp_path: Path) -> None:
    manager = session(tmp_path, "one")
    assert manager.name is None
    manager.append_session_info("first")
    manager.append_session_info("second")
    assert _reopened(manager).name == "second"
    manager.append_session_info("")
    assert manager.name is None
