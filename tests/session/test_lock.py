"""One process writes a session: who is told what, and when a lease may be taken over."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from openclaw_tui.errors import SessionLocked
from openclaw_tui.messages import user_text
from openclaw_tui.session.lock import lease_path, start_time
from openclaw_tui.session.manager import SessionManager
from tests.session.talk import session, texts

_ROOT = Path(__file__).parents[2]
_HOLD = """
import sys
from pathlib import Path
from openclaw_tui.session.manager import SessionManager
session = SessionManager.open(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


def _stored(tmp_path: Path) -> Path:
    manager = session(tmp_path, "one")
    manager.close()
    assert manager.path is not None
    return manager.path


@contextmanager
def _held_by_another_process(path: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", _HOLD, str(path)]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=_ROOT)
    assert child.stdout is not None
    try:
        assert child.stdout.readline() == "held\n"
        yield child
    finally:
        child.kill()
        child.communicate()


def _write_lease(path: Path, **fields: Any) -> None:
    lease_path(path).write_text(json.dumps({"createdAt": "2026-12-01T10:00:00+00:00"} | fields), encoding="utf-8")


def test_a_second_process_is_told_who_holds_the_session_and_may_read_or_fork(tmp_path: Path) -> None:
    path = _stored(tmp_path)
    with _held_by_another_process(path) as child:
        with pytest.raises(SessionLocked) as caught:
            SessionManager.open(path)
        assert caught.value.pid == child.pid
        assert caught.value.since is not None
        assert str(child.pid) in str(caught.value)
        assert caught.value.since in str(caught.value)
        assert texts(SessionManager.open(path, read_only=True)) == ["one", "answer to one"]
        fork = SessionManager.open(path, read_only=True).fork(tmp_path)
        fork.append_message(user_text("two"))


def test_a_killed_owner_is_replaced_at_once_with_a_notice(tmp_path: Path) -> None:
    path = _stored(tmp_path)
    with _held_by_another_process(path) as child:
        child.kill()
        child.communicate()
        manager = SessionManager.open(path)
    assert any(str(child.pid) in notice for notice in manager.notices)
    manager.append_message(user_text("two"))


def test_an_owner_that_ended_in_order_leaves_nothing_behind(tmp_path: Path) -> None:
    path = _stored(tmp_path)
    assert not lease_path(path).exists()
    assert SessionManager.open(path).notices == []


def test_a_process_number_given_to_another_program_is_no_owner(tmp_path: Path) -> None:
    path = _stored(tmp_path)
    _write_lease(path, pid=os.getppid(), starttime="1")
    manager = SessionManager.open(path)
    assert any("another program" in notice for notice in manager.notices)


def test_our_own_number_from_before_a_restart_is_no_owner(tmp_path: Path) -> None:
    path = _stored(tmp_path)
    _write_lease(path, pid=os.getpid(), starttime="1")
    assert SessionManager.open(path).notices != []


def test_a_live_owner_keeps_the_session_however_old_its_lease_is(tmp_path: Path) -> None:
    path = _stored(tmp_path)
    with _held_by_another_process(path):
        hours_ago = time.time() - 6 * 3600
        os.utime(lease_path(path), (hours_ago, hours_ago))
        with pytest.raises(SessionLocked):
            SessionManager.open(path)


def test_the_same_process_does_not_write_a_session_twice(tmp_path: Path) -> None:
    path = _stored(tmp_path)
    first = SessionManager.open(path)
    with pytest.raises(SessionLocked):
        SessionManager.open(path)
    first.close()
    SessionManager.open(path).close()


@pytest.mark.parametrize("content", ["", "not json", "{}", "[1]"])
def test_an_unreadable_lease_holds_while_it_is_fresh_and_falls_when_old(tmp_path: Path, content: str) -> None:
    path = _stored(tmp_path)
    lease = lease_path(path)
    lease.write_text(content, encoding="utf-8")
    with pytest.raises(SessionLocked):
        SessionManager.open(path)
    hour_ago = time.time() - 3600
    os.utime(lease, (hour_ago, hour_ago))
    assert SessionManager.open(path).notices != []


def test_a_lease_of_another_machine_lives_by_its_heartbeat(tmp_path: Path) -> None:
    path = _stored(tmp_path)
    _write_lease(path, pid=1, starttime="1", host="elsewhere")
    with pytest.raises(SessionLocked, match="elsewhere"):
        SessionManager.open(path)
    hour_ago = time.time() - 3600
    os.utime(lease_path(path), (hour_ago, hour_ago))
    manager = SessionManager.open(path)
    os.utime(lease_path(path), (hour_ago, hour_ago))
    manager.heartbeat()
    assert time.time() - lease_path(path).stat().st_mtime < 600


def test_a_lease_of_openclaw_without_a_start_time_holds_while_its_process_lives(tmp_path: Path) -> None:
    path = _stored(tmp_path)
    _write_lease(path, pid=os.getppid())
    with pytest.raises(SessionLocked):
        SessionManager.open(path)
    started = start_time(os.getppid())
    assert started is not None
    _write_lease(path, pid=os.getppid(), starttime=int(started) if started.isdigit() else started)
    with pytest.raises(SessionLocked):
        SessionManager.open(path)


def test_the_lease_is_no_session_and_is_private(tmp_path: Path) -> None:
    manager = session(tmp_path, "one")
    assert manager.path is not None
    lease = lease_path(manager.path)
    assert not lease.name.endswith(".jsonl")
    assert lease.stat().st_mode & 0o077 == 0


def test_a_process_that_does_not_exist_has_no_start() -> None:
    assert start_time(os.getpid()) is not None
    assert start_time(2**22 + 7) is None
