"""Commands end with the program on every way out; what outlives a kill is found at the next start and asked about."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from openclaw_tui.session.lock import start_time
from openclaw_tui.tools.running_notes import RunningNote, end_leftover, leave, leftovers
from tests.e2e.processes import PATIENCE, run_program
from tests.ui.test_start import terminal

BACKGROUND = "!! sleep 987"
ESCAPES = "!! setsid sh -c 'sleep 988' >/dev/null 2>&1 & echo started"


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def sleeping(seconds: str) -> list[int]:
    """Living processes `sleep SECONDS`."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                words = Path(f"/proc/{name}/cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if words[:2] == [b"sleep", seconds.encode()]:
                found.append(int(name))
    return found


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_a_command_ends_with_the_program(tmp_path: Path, number: signal.Signals) -> None:
    with terminal(tmp_path, "-m", "offline/guide") as child:
        child.until_shown("ready")
        child.type(f"{BACKGROUND}\r")
        child.until(lambda: bool(sleeping("987")))
        child.process.send_signal(number)
        child.process.wait(timeout=PATIENCE)
        until(lambda: not sleeping("987"))


def test_what_got_away_is_asked_about_at_the_next_start_and_ended(tmp_path: Path) -> None:
    with terminal(tmp_path, "-m", "offline/guide") as child:
        child.until_shown("ready")
        child.type(f"{ESCAPES}\r")
        child.until_shown("started")
        child.until(lambda: bool(sleeping("988")))
        child.process.kill()
        child.process.wait()
    assert sleeping("988")
    run = run_program("doctor", "--offline", "--json", cwd=tmp_path)
    found = next(row for row in json.loads(run.stdout) if row["subject"] == "left over")
    assert found["state"] == "note"
    with terminal(tmp_path, "-m", "offline/guide") as child:
        child.until_shown("Still running from a run that was killed")
        child.type("y")
        child.until_shown("1 of 1 ended")
        assert not sleeping("988")
        child.type("\x04")
        child.finish()
    assert list((tmp_path / "state" / "running").glob("*.json")) == []


def note(folder: Path, pid: int, began: str, *, mark: str = "m1", owner: int = 2**22 - 3) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / f"{mark}.json"
    row = RunningNote(pid, began, mark, "sleep 5", owner, "1")
    path.write_text(json.dumps({name: getattr(row, name) for name in row.__struct_fields__}), encoding="utf-8")
    return path


def test_a_recycled_number_is_nobody(tmp_path: Path) -> None:
    stranger = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True)
    try:
        path = note(tmp_path / "running", stranger.pid, "1")
        assert leftovers(tmp_path / "running") == []
        assert not path.exists()
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_the_commands_of_a_living_program_are_let_be(tmp_path: Path) -> None:
    own = os.getpid()
    folder = tmp_path / "running"
    folder.mkdir()
    began = start_time(own)
    row = {"pid": own, "began": began, "mark": "m", "command": "x", "owner": own, "owner_began": began}
    (folder / "m.json").write_text(json.dumps(row), encoding="utf-8")
    assert leftovers(folder) == []
    assert (folder / "m.json").exists()


def test_leaving_one_alone_is_remembered_and_ending_it_still_works(tmp_path: Path) -> None:
    left = subprocess.Popen(["sleep", "600"], start_new_session=True)
    try:
        began = start_time(left.pid)
        assert began is not None
        note(tmp_path / "running", left.pid, began)
        (found,) = leftovers(tmp_path / "running")
        assert found.words == f"sleep 5 (process {left.pid})"
        leave(found)
        assert leftovers(tmp_path / "running") == []
        (again,) = leftovers(tmp_path / "running", all_of_them=True)
        left_ended = []

        def reap() -> None:
            left_ended.append(left.wait(timeout=PATIENCE))

        waiting = threading.Thread(target=reap)
        waiting.start()
        assert end_leftover(again)
        waiting.join()
        assert left_ended == [-signal.SIGTERM]
    finally:
        left.kill()


@pytest.mark.parametrize("text", ["", "{", '{"pid": "x"}'])
def test_a_damaged_note_is_dropped(tmp_path: Path, text: str) -> None:
    folder = tmp_path / "running"
    folder.mkdir()
    (folder / "x.json").write_text(text, encoding="utf-8")
    assert leftovers(folder) == []
    assert list(folder.iterdir()) == []
