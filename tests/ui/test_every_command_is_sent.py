"""Every slash command stands in a test that sends it on the full screen.

The tests are read, not run, as in `test_every_key_is_pressed.py`: whether a test
looks at the outcome is for its reader to see.
"""

import ast
import re
from pathlib import Path

from openclaw_tui.commands.help_command import all_commands
from tests.ui.test_commands_on_the_screen import SAYS

HERE = Path(__file__).parent


def sent() -> frozenset[str]:
    """The names of commands in functions that send or type something on the screen."""
    found = {line.split()[0].removeprefix("/") for line in [*SAYS, "/copy"]}
    for file in HERE.rglob("test_*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.AsyncFunctionDef) and _sends(node):
                texts = [part.value for part in ast.walk(node) if isinstance(part, ast.Constant)]
                names = [re.match(r"/([a-z-]+)", text) for text in texts if isinstance(text, str)]
                found.update(name[1] for name in names if name is not None)
    return frozenset(found)


def _sends(function: ast.AsyncFunctionDef) -> bool:
    return any(isinstance(part, ast.Name) and part.id in ("send", "type_text") for part in ast.walk(function))


def test_every_command_is_sent_by_some_test() -> None:
    known = {command.name for command in all_commands().commands}
    assert known - sent() == set()
