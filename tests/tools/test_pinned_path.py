"""A folder swapped for a link between the verdict and the use leads nowhere."""

from pathlib import Path

import pytest

from openclaw_tui.errors import ToolDenied, ToolError
from openclaw_tui.safety.permissions import Permissions, PermissionSettings
from openclaw_tui.tools.edit import EditTool
from openclaw_tui.tools.file_state import FileState
from openclaw_tui.tools.file_write import load_bytes, remove_file, store_bytes
from openclaw_tui.tools.pinned_path import pinned, pinned_place
from openclaw_tui.tools.told_intent import told_intent
from openclaw_tui.tools.workspace import Workspace


@pytest.fixture
def swapped(tmp_path: Path) -> Path:
    """A real path as it was judged; meanwhile its folder has become a link to the outside."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "a.txt").write_text("secret", encoding="utf-8")
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "sub").symlink_to(tmp_path / "outside")
    return tmp_path / "project" / "sub" / "a.txt"


def test_nothing_is_read_written_or_removed_through_it(swapped: Path) -> None:
    for act in (
        lambda: load_bytes(swapped, "a.txt"),
        lambda: store_bytes(swapped, b"x", "a.txt"),
        lambda: remove_file(swapped, "a.txt"),
    ):
        with pytest.raises(ToolError, match="became a link"):
            act()
    assert swapped.read_text(encoding="utf-8") == "secret"
    assert [path.name for path in (swapped.parent.resolve()).iterdir()] == ["a.txt"]


def test_file_that_became_a_link_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "outside.txt").write_text("old", encoding="utf-8")
    (tmp_path / "a.txt").symlink_to(tmp_path / "outside.txt")
    with pytest.raises(ToolError, match="became a link"):
        store_bytes(tmp_path / "a.txt", b"new", "a.txt")
    assert (tmp_path / "outside.txt").read_text(encoding="utf-8") == "old"


def test_pinned_file_stays_the_same_one(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("first", encoding="utf-8")
    with pinned(tmp_path / "a") as at:
        (tmp_path / "a").rename(tmp_path / "b")
        (tmp_path / "a").write_text("second", encoding="utf-8")
        assert at.read_text(encoding="utf-8") == "first"


def test_missing_folders_are_made_and_then_pinned(tmp_path: Path) -> None:
    with pinned_place(tmp_path / "x" / "y" / "z.txt") as at:
        at.write_text("made", encoding="utf-8")
    assert (tmp_path / "x" / "y" / "z.txt").read_text(encoding="utf-8") == "made"


def test_call_that_was_judged_by_one_path_reaches_no_other(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    workspace = Workspace(tmp_path, approved=frozenset((tmp_path / "a",)))
    assert workspace.resolve("a") == tmp_path / "a"
    with pytest.raises(ToolError, match="not the path this call was judged by"):
        workspace.resolve("b")


def test_why_a_call_fails_outside_is_not_told_before_the_question(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    for place in (project, tmp_path):
        (place / "notes.txt").write_text("password = hunter2\n", encoding="utf-8")
    workspace, tool = Workspace(project), EditTool(FileState())
    permissions = Permissions(PermissionSettings(), workspace)
    wrong = [{"oldText": "password = hunter3", "newText": "x"}]
    with pytest.raises(ToolError, match="hunter2"):
        told_intent(tool, {"path": "notes.txt", "edits": wrong}, workspace, permissions)
    with pytest.raises(ToolDenied) as refused:
        told_intent(tool, {"path": "../notes.txt", "edits": wrong}, workspace, permissions)
    assert "hunter2" not in str(refused.value)
