"""Layering: a package may import only from rows below its own (and from itself). The table is the rule."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "openclaw_tui"

ROWS: dict[str, int] = {
    **dict.fromkeys(["constants", "errors", "messages", "models", "report", "events", "tokens", "atomic_write"], 0),
    "options": 0,
    "visible_text": 0,
    **dict.fromkeys(
        ["session", "transcript", "providers", "skills", "routing", "artifacts", "ledger", "safety"],
        1,
    ),
    **dict.fromkeys(["compaction", "memory", "prompt", "log"], 2),
    "context": 3,
    "tools": 4,
    **dict.fromkeys(["agent", "integrations"], 5),
    "config": 6,
    **dict.fromkeys(["app", "commands"], 7),
    **dict.fromkeys(["cli", "cli_options", "ui", "subcommands", "__main__"], 8),
}
"""`app` stands for the composition root and what belongs to it. `options` is the record of what was asked for."""

SAME_ROW_EDGES = {
    ("compaction", "session"),
    ("app", "commands"),
    ("commands", "app"),
    ("cli", "cli_options"),
    ("cli", "ui"),
    ("cli", "subcommands"),
    ("__main__", "cli"),
    ("ui", "cli_options"),
    ("subcommands", "cli_options"),
    ("agent", "integrations"),
}
TOOLKITS = {
    "textual": ("ui/textual", "ui/start.py"),
    "prompt_toolkit": ("ui/line",),
    "anthropic": ("providers",),
    "openai": ("providers",),
    "google": ("providers",),
    "pydantic": (),
}


def modules() -> Iterator[Path]:
    return (path for path in sorted(PACKAGE.rglob("*.py")) if "_data" not in path.parts)


def row_name(path: Path) -> str:
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def imports(path: Path) -> Iterator[tuple[str, int]]:
    """Imported module names with their line, those inside functions included."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno} uses a relative import"
            yield node.module or "", node.lineno


def test_every_package_has_a_row() -> None:
    names = {row_name(path) for path in modules()} - {"__init__"}
    assert names <= set(ROWS), f"give these a row in the table: {sorted(names - set(ROWS))}"


@pytest.mark.parametrize("path", list(modules()), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_downward(path: Path) -> None:
    own = row_name(path)
    if own == "__init__":
        return
    for name, line in imports(path):
        if not name.startswith("openclaw_tui."):
            continue
        other = name.split(".")[1]
        vocabulary = ROWS[other] == 0
        allowed = other == own or vocabulary or ROWS[other] < ROWS[own] or (own, other) in SAME_ROW_EDGES
        assert allowed, f"{path}:{line}: {own} (row {ROWS[own]}) may not import {other} (row {ROWS[other]})"


@pytest.mark.parametrize("path", list(modules()), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_toolkits_stay_in_their_places(path: Path) -> None:
    place = str(path.relative_to(PACKAGE))
    for name, line in imports(path):
        top = name.split(".")[0]
        if top in TOOLKITS:
            assert place.startswith(TOOLKITS[top] or ("?",)), f"{place}:{line} may not import {top}"


def test_the_two_front_ends_do_not_know_each_other() -> None:
    for path in modules():
        place = str(path.relative_to(PACKAGE))
        for name, line in imports(path):
            if place.startswith("ui/line"):
                assert not name.startswith("openclaw_tui.ui.textual"), f"{place}:{line}"
            if place.startswith("ui/textual"):
                assert not name.startswith("openclaw_tui.ui.line"), f"{place}:{line}"


def test_sdks_are_imported_inside_functions_only() -> None:
    for path in modules():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in tree.body:
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            tops = {name.split(".")[0] for name in names}
            assert not tops & {"anthropic", "openai", "google", "pydantic"}, f"{path}:{node.lineno}"
