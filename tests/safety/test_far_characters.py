"""Characters that the grammar's scanner cannot look up never reach it: one of them could end the whole process."""

import subprocess
import sys

import pytest

from openclaw_tui.safety.shell_commands import parse_command

PROBE = """
from openclaw_tui.safety.shell_commands import parse_command
for code in range(0x20000, 0x110000, 997):
    for start in ("{", "echo ${", "$", "<<", "a "):
        assert not parse_command(start + chr(code)).parseable
"""


def test_no_far_character_ends_the_process() -> None:
    run = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, encoding="utf-8")
    assert run.returncode == 0, run.stderr[-500:]


@pytest.mark.parametrize("command", ["git commit -m 'done \U0001f389'", "echo 你好", "cat 'ünïcode.txt'"])
def test_emoji_and_scripts_in_use_are_read(command: str) -> None:
    assert parse_command(command).parseable
