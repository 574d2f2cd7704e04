"""`-p` on a disk that is full: one line says what could not be saved and where all of it is kept."""

import os
import subprocess
import sys
from pathlib import Path

from openclaw_tui.session.manager import SessionManager

_ROOT = Path(__file__).parents[2]
_RUN = """
import errno, os, sys
from openclaw_tui import cli
from openclaw_tui.session.journal import Journal
write = Journal._write
def full(self, data):
    if b'"assistant"' in data:
        Journal._write = refuses
    return Journal._write.__get__(self)(data) if Journal._write is refuses else write(self, data)
def refuses(self, data):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
Journal._write = full
sys.exit(cli.main(sys.argv[1:]))
"""


def test_unsaved_entries_are_kept_elsewhere_and_named(tmp_path: Path) -> None:
    environment = {**os.environ, "OPENCLAW_STATE_DIR": str(tmp_path / "state"), "TMPDIR": str(tmp_path)}
    run = subprocess.run(
        [sys.executable, "-c", _RUN, "-p", "hello there", "-m", "offline/guide", "--cwd", str(tmp_path)],
        env=environment | {"PYTHONPATH": str(_ROOT), "OPENCLAW_TUI_NO_LOCAL_PROBE": "1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert run.returncode == 1
    assert "Traceback" not in run.stderr
    (copy,) = (tmp_path / "openclaw-tui-rescued").glob("*.jsonl")
    (line,) = [line for line in run.stderr.splitlines() if "could not be saved" in line]
    assert f"go on with: openclaw-tui -r {copy}" in line
    roles = [type(m).__name__ for m in SessionManager.open(copy, read_only=True).project().messages]
    assert roles[:2] == ["UserMessage", "AssistantMessage"]
