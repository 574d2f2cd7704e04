"""Line mode's question about a folder: only a clear yes trusts it, and leaving is no answer."""

from pathlib import Path

import pytest

from openclaw_tui.config.paths import resolve_paths
from openclaw_tui.ui.line.plain_reader import PlainReader
from openclaw_tui.ui.line.reader import TypedLine
from openclaw_tui.ui.line.trusting import ask_trust
from tests.safety.trusting import look, put, strange_folder, trust


class Typed(PlainReader):
    """A reader whose line is given."""

    def __init__(self, line: str | None) -> None:
        self._line = line

    async def read(self) -> TypedLine:
        if self._line is None:
            raise EOFError
        return TypedLine(self._line)


async def asked(project: Path, line: str | None) -> tuple[bool, str]:
    said: list[str] = []
    answer = await ask_trust(resolve_paths(project), look(project), Typed(line), said.append)
    return answer, "\n".join(said)


@pytest.mark.parametrize(
    ("line", "state"),
    [
        ("y", "trusted"),
        (" YES ", "trusted"),
        ("never", "never"),
        ("n", "unasked"),
        ("", "unasked"),
        ("trust", "unasked"),
    ],
)
async def test_only_a_clear_yes_trusts(tmp_path: Path, line: str, state: str) -> None:
    project = strange_folder(tmp_path / "p")
    answer, said = await asked(project, line)
    assert answer
    assert "permissions.allow: exec(make:*)" in said
    assert look(project).state == state


async def test_leaving_is_no_answer(tmp_path: Path) -> None:
    project = strange_folder(tmp_path / "p")
    assert not (await asked(project, None))[0]
    assert look(project).state == "unasked"


async def test_a_store_that_cannot_be_written_trusts_nothing(tmp_path: Path) -> None:
    project = strange_folder(tmp_path / "p")
    for name in ("trust.json", "trust.json.damaged"):
        put(tmp_path / "state" / name / "in-the-way", "")
    answer, said = await asked(project, "y")
    assert answer
    assert "cannot be written" in said
    assert look(project).state == "unasked"


async def test_a_change_is_named(tmp_path: Path) -> None:
    project = strange_folder(tmp_path / "p")
    trust(project)
    put(project / ".claude" / "commands" / "ship.md", "Other.")
    _, said = await asked(project, "n")
    assert "changed since you trusted it" in said
    assert "command .claude/commands/ship.md (changed)" in said
