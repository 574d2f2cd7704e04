"""Every key of the one bindings table stands in a pilot test that presses keys at its place.

The tests are read, not run: a key counts when a function that calls `press` names it, in a file of its place. So this
finds a key nobody presses; whether the test that presses it looks at the outcome is for its reader to see.
"""

import ast
from functools import cache
from pathlib import Path

import pytest

from openclaw_tui.ui.textual.bindings import KEYS, Place

HERE = Path(__file__).parent
# Where the keys of a place are pressed.
FILES: dict[Place, str] = {
    "prompt": "*.py",
    "main": "**/*.py",
    "transcript": "*.py",
    "approval": "test_approval*.py",
    "panel": "panels/*.py",
    "choice": "panels/*.py",
    "look": "panels/*.py",
    "compaction": "panels/*.py",
}
ROWS = [(key.place, name) for key in KEYS for name in key.keys.split(",") if name]


@cache
def pressed(pattern: str) -> frozenset[str]:
    """All strings in functions of these files that press keys, their decorators included."""
    found: set[str] = set()
    for file in HERE.glob(pattern):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.AsyncFunctionDef) and _presses(node):
                found.update(
                    part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and type(part.value) is str
                )
    return frozenset(found)


def _presses(function: ast.AsyncFunctionDef) -> bool:
    return any(isinstance(part, ast.Attribute) and part.attr == "press" for part in ast.walk(function))


# No pilot test presses these yet; the list may only get shorter.
NOT_YET: frozenset[tuple[Place, str]] = frozenset({("compaction", "equals_sign")})


@pytest.mark.parametrize(("place", "name"), ROWS)
def test_a_pilot_test_presses(place: Place, name: str) -> None:
    assert name in pressed(FILES[place]) or (place, name) in NOT_YET, f"{name} at {place}"


def test_the_list_of_what_is_missing_names_real_keys() -> None:
    assert set(ROWS) >= NOT_YET
