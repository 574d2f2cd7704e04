"""Two owners, no locks, a disk that is full or cannot be written: the session opens and nothing is lost."""

import errno
import fcntl
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from openclaw_tui.errors import SessionError, SessionLocked, SessionWriteFailed
from openclaw_tui.messages import text_of, user_text
from openclaw_tui.session import journal as journal_module
from openclaw_tui.session import lock as lock_module
from openclaw_tui.session.lock import lease_path
from openclaw_tui.session.manager import SessionManager


def session(folder: Path, *texts: str) -> SessionManager:
    manager = SessionManager.create(folder, cwd=folder)
    for text in texts:
        manager.append_message(user_text(text))
    return manager


def texts(manager: SessionManager) -> list[str]:
    return [text_of(message.content) for message in manager.project().messages]


def path_of(manager: SessionManager) -> Path:
    assert manager.path is not None
    return manager.path


def as_another_process(manager: SessionManager, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lease of `manager` as one that a second process of this machine sees: process 1 lives."""
    started = lock_module.start_time(1)
    path = lease_path(path_of(manager))
    path.write_text(f'{{"pid":1,"createdAt":"2026-12-01T10:00:00","starttime":"{started}"}}', encoding="utf-8")
    assert manager.lease is not None
    found = path.stat()
    manager.lease.stamp = (found.st_dev, found.st_ino)
    monkeypatch.setattr(lock_module, "_held", set())


def test_session_taken_over_is_not_written_by_its_old_owner_any_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = session(tmp_path, "one")
    as_another_process(old, monkeypatch)
    with pytest.raises(SessionLocked, match=r"--read-only.*--fork.*--take-over"):
        SessionManager.open(path_of(old))
    new = SessionManager.open(path_of(old), take_over=True)
    assert any("taken over from process 1" in notice for notice in new.notices)
    new.append_message(user_text("two"))
    with pytest.raises(SessionWriteFailed, match="taken this session over"):
        old.append_message(user_text("lost?"))
    old.heartbeat()
    with pytest.raises(SessionWriteFailed):
        old.close()
    new.append_message(user_text("three"))
    new.close()
    assert texts(SessionManager.open(path_of(new))) == ["one", "two", "three"]


def test_session_of_this_very_process_is_never_taken_over(tmp_path: Path) -> None:
    first = session(tmp_path, "one")
    with pytest.raises(SessionLocked):
        SessionManager.open(path_of(first), take_over=True)
    first.close()


def test_lease_that_was_only_deleted_does_not_stop_its_owner(tmp_path: Path) -> None:
    manager = session(tmp_path, "one")
    lease_path(path_of(manager)).unlink()
    manager.append_message(user_text("two"))
    manager.close()
    assert texts(SessionManager.open(path_of(manager), read_only=True)) == ["one", "two"]


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.ENOTSUP])
def test_file_system_without_locks_is_no_obstacle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    def no_locks(descriptor: int, what: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "flock", no_locks)
    manager = session(tmp_path, "one", "two")
    manager.close()
    again = SessionManager.open(path_of(manager))
    assert texts(again) == ["one", "two"]
    again.close()


def test_lock_that_nobody_gives_back_costs_a_bounded_wait_and_no_entry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("openclaw_tui.session.file_lock.FILE_LOCK_WAIT_SECONDS", 0.05)
    manager = session(tmp_path, "one")
    other = os.open(path_of(manager), os.O_RDONLY)
    fcntl.flock(other, fcntl.LOCK_EX)
    with pytest.raises(SessionWriteFailed, match="has held its lock"):
        manager.append_message(user_text("two"))
    os.close(other)
    manager.close()
    assert texts(SessionManager.open(path_of(manager), read_only=True)) == ["one", "two"]


def _refusing(number: int) -> Callable[..., Any]:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    return refuse


def test_disk_that_cannot_be_written_gives_a_session_to_read_and_fork(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = session(tmp_path, "one")
    made.close()
    monkeypatch.setattr(lock_module, "atomic_write_bytes", _refusing(errno.EROFS))
    manager = SessionManager.open(path_of(made))
    assert manager.read_only
    assert any("reading only" in notice for notice in manager.notices)
    with pytest.raises(SessionError, match="fork"):
        manager.append_message(user_text("two"))
    monkeypatch.undo()
    fork = manager.fork(tmp_path / "elsewhere")
    fork.append_message(user_text("two"))
    assert texts(fork) == ["one", "two"]
    fork.close()


def test_full_disk_opens_a_session_whose_new_entries_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = session(tmp_path, "one")
    made.close()
    monkeypatch.setattr(lock_module, "atomic_write_bytes", _refusing(errno.ENOSPC))
    manager = SessionManager.open(path_of(made))
    assert any("disk is full" in notice for notice in manager.notices)
    monkeypatch.setattr(journal_module.Journal, "_write", _refusing(errno.ENOSPC))
    with pytest.raises(SessionWriteFailed):
        manager.append_message(user_text("two"))
    assert len(manager.pending) == 1
    copy = manager.rescue(tmp_path / "rescued")
    assert texts(SessionManager.open(copy, read_only=True)) == ["one", "two"]
    monkeypatch.undo()
    manager.close()
    assert texts(SessionManager.open(path_of(made), read_only=True)) == ["one", "two"]


def test_clock_set_back_makes_no_dead_owner_alive(tmp_path: Path) -> None:
    made = session(tmp_path, "one")
    made.close()
    path = lease_path(path_of(made))
    path.write_text('{"pid":1,"createdAt":"2026-12-01T10:00:00","host":"elsewhere"}', encoding="utf-8")
    os.utime(path, (4_000_000_000, 4_000_000_000))
    manager = SessionManager.open(path_of(made))
    assert any("elsewhere" in notice for notice in manager.notices)
    manager.close()


def test_session_that_could_never_be_written_is_rescued_with_its_refused_prompt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager = SessionManager.create(tmp_path, cwd=tmp_path)
    monkeypatch.setattr(journal_module.Journal, "_write", _refusing(errno.ENOSPC))
    with pytest.raises(SessionWriteFailed):
        manager.append_message(user_text("one"))
    manager.branch_to(None)
    assert texts(SessionManager.open(manager.rescue(tmp_path / "rescued"), read_only=True)) == ["one"]


def test_session_file_that_was_deleted_is_rescued_whole(tmp_path: Path) -> None:
    manager = session(tmp_path, "one", "two")
    path_of(manager).unlink()
    with pytest.raises(SessionWriteFailed, match="waits in memory"):
        manager.append_message(user_text("three"))
    assert texts(SessionManager.open(manager.rescue(tmp_path / "rescued"), read_only=True)) == ["one", "two", "three"]
