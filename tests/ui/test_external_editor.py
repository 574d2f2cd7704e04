"""The user's editor: what it leaves is taken, and when it fails nothing is."""

import sys
from pathlib import Path

import pytest

from openclaw_tui.errors import OpenClawError
from openclaw_tui.ui.external_editor import edited, editor_command, opened


def editor(code: str) -> list[str]:
    return [sys.executable, "-c", f"import sys, os, pathlib\npath = pathlib.Path(sys.argv[1])\n{code}"]


def test_what_the_editor_left_is_taken() -> None:
    assert edited("one", editor("path.write_text(path.read_text() + ' two\\n')")) == "one two"


@pytest.mark.parametrize("code", ["sys.exit(3)", "os.unlink(path)"])
def test_an_editor_that_fails_changes_nothing(code: str) -> None:
    with pytest.raises(OpenClawError, match="the prompt is as it was"):
        edited("one", editor(code))


def test_a_file_is_opened_with_its_folder_and_a_failure_is_told(tmp_path: Path) -> None:
    file = tmp_path / "new" / "notes.md"
    opened(file, editor("path.write_text('x')"))
    assert file.read_text(encoding="utf-8") == "x"
    with pytest.raises(OpenClawError, match="ended with code 4"):
        opened(file, editor("sys.exit(4)"))
    with pytest.raises(OpenClawError, match="cannot be edited"):
        opened(file, ["/no/such/editor"])


def test_a_broken_command_line_is_named() -> None:
    with pytest.raises(OpenClawError, match="VISUAL is no command line"):
        editor_command({"VISUAL": "vi 'x"})
