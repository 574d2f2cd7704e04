"""`/memory edit`: which file the editor is given, and what is refused."""

from datetime import date
from pathlib import Path

import pytest

from openclaw_tui.app.compose import build_app
from openclaw_tui.cli_options import Options
from openclaw_tui.commands.help_command import all_commands
from openclaw_tui.commands.registry import CommandOutput
from openclaw_tui.errors import OpenClawError
from openclaw_tui.ui.external_editor import editor_command, opened


async def memory(project: Path, argument: str) -> CommandOutput:
    app = build_app(Options(cwd=project), channel="tui", interactive=True)
    try:
        command = next(command for command in all_commands().commands if command.name == "memory")
        return await command.run(app, argument)
    finally:
        await app.session.close()


async def test_the_editor_is_given_the_notes_and_what_changed_is_taken_in(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text("- one\n", encoding="utf-8")
    output = await memory(tmp_path, "edit")
    assert output.action == "edit_file"
    assert Path(output.payload) == tmp_path / "MEMORY.md"
    assert output.draft == "/memory reload"


async def test_notes_of_a_day_are_named_by_it(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    today = await memory(tmp_path, "edit today")
    assert Path(today.payload) == tmp_path / "memory" / f"{date.today().isoformat()}.md"
    assert (await memory(tmp_path, "edit 2026-11-30")).payload.endswith("2026-11-30.md")
    assert (await memory(tmp_path, "edit yesterday")).is_error


def test_the_editor_makes_the_file_and_one_that_cannot_start_is_told(tmp_path: Path) -> None:
    script = tmp_path / "editor"
    script.write_text('#!/bin/sh\necho "- noted" > "$1"\n', encoding="utf-8")
    script.chmod(0o755)
    file = tmp_path / "new" / "MEMORY.md"
    opened(file, editor_command({"EDITOR": str(script)}))
    assert file.read_text(encoding="utf-8") == "- noted\n"
    with pytest.raises(OpenClawError, match="cannot be edited"):
        opened(file, [str(tmp_path / "missing")])
