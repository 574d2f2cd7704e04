"""What files were before they were changed: kept durably, bounded, and brought back byte for byte."""

import asyncio
import os
import stat
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from openclaw_tui.agent.file_rewind import plan_files, restore_files
from openclaw_tui.artifacts.checkpoints import ABSENT, CheckpointStore, PreImages
from openclaw_tui.errors import ToolError
from openclaw_tui.tools.apply_patch import ApplyPatchTool
from openclaw_tui.tools.base import ToolContext
from openclaw_tui.tools.edit import EditTool
from openclaw_tui.tools.file_state import FileState
from openclaw_tui.tools.workspace import Workspace
from openclaw_tui.tools.write import WriteTool

NAMES = st.sampled_from(["a.txt", "b.txt", "d/c.txt", "d/e/f.txt"])
TEXTS = st.sampled_from(["", "one\n", "two\n", "one\r\ntwo", "ümlaut\n", "x" * 3000 + "\n"])
STEPS = st.one_of(
    st.tuples(st.just("write"), NAMES, TEXTS),
    st.tuples(st.just("edit"), NAMES, TEXTS),
    st.tuples(st.just("delete"), NAMES, st.just("")),
    st.tuples(st.just("move"), NAMES, NAMES),
)


def tree_of(root: Path) -> dict[str, Any]:
    return {
        str(path.relative_to(root)): None if path.is_dir() else (stat.S_IMODE(path.stat().st_mode), path.read_bytes())
        for path in sorted(root.rglob("*"))
    }


async def act(root: Path, files: FileState, step: tuple[str, str, str]) -> None:
    """One call of a real tool; what it refuses changes nothing."""
    kind, name, text = step
    context = ToolContext(Workspace(root), f"call-{kind}", lambda _: None, None)
    path = root / name
    if path.is_file():
        files.record(path, None)
    calls: dict[str, tuple[Any, dict[str, Any]]] = {
        "write": (WriteTool(files), {"path": name, "content": text}),
        "edit": (EditTool(files), {"path": name, "edits": [{"oldText": "one", "newText": text, "replaceAll": True}]}),
        "delete": (ApplyPatchTool(files), {"input": f"*** Begin Patch\n*** Delete File: {name}\n*** End Patch"}),
        "move": (
            ApplyPatchTool(files),
            {"input": f"*** Begin Patch\n*** Update File: {name}\n*** Move to: {text}\n*** End Patch"},
        ),
    }
    tool, arguments = calls[kind]
    try:
        await tool.execute(arguments, context)
    except ToolError:
        return


@settings(max_examples=150, deadline=None)
@example(before=[], steps=[("write", "d/c.txt", ""), ("delete", "d/c.txt", "")], mode=0o600)
@example(before=[("write", "a.txt", "")], steps=[("delete", "a.txt", ""), ("write", "a.txt", "")], mode=0o600)
@given(
    before=st.lists(STEPS, max_size=4),
    steps=st.lists(STEPS, min_size=1, max_size=8),
    mode=st.sampled_from([0o600, 0o755]),
)
def test_after_any_changes_the_files_come_back_and_go_forward_again(
    before: list[tuple[str, str, str]], steps: list[tuple[str, str, str]], mode: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "project"
        root.mkdir()
        store = CheckpointStore(Path(folder).resolve() / "store")
        unwatched, watched = FileState(), FileState(PreImages(store, lambda: "e", lambda text: None))

        async def run(files: FileState, todo: list[tuple[str, str, str]]) -> None:
            for step in todo:
                await act(root, files, step)

        asyncio.run(run(unwatched, before))
        for path in root.rglob("*.txt"):
            path.chmod(mode)
        first = tree_of(root)
        asyncio.run(run(watched, steps))
        last = {name: found for name, found in tree_of(root).items() if found is not None}
        span = store.changes
        back = restore_files(store, plan_files(store, span), overwrite=False, call="rewind", anchor="e")
        assert (back.left, back.failed) == ((), ())
        assert tree_of(root) == first
        again = store.changes[len(span) :]
        restore_files(store, plan_files(store, again), overwrite=False, call="again", anchor="e")
        assert {name: found for name, found in tree_of(root).items() if found is not None} == last


def test_a_crash_between_the_pre_image_and_the_write_harms_nothing(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes(b"as it was\n")
    CheckpointStore(tmp_path / "store").take(file, b"as it was\n", b"never came\n", anchor="e", call="c")
    reopened = CheckpointStore(tmp_path / "store")
    assert reopened.content(reopened.changes[0].before) == b"as it was\n"
    assert plan_files(reopened, reopened.changes).files == ()
    file.write_bytes(b"by hand\n")
    assert plan_files(reopened, reopened.changes).conflicts


def test_a_torn_line_is_passed_over_and_the_next_one_stands_alone(tmp_path: Path) -> None:
    store = CheckpointStore(tmp_path / "store")
    store.take(tmp_path / "a", None, b"1", anchor="e", call="c1")
    with (store.folder / "index.jsonl").open("ab") as handle:
        handle.write(b'{"path":"/half')
    after = CheckpointStore(tmp_path / "store")
    after.take(tmp_path / "b", None, b"2", anchor="e", call="c2")
    assert [change.call for change in CheckpointStore(tmp_path / "store").changes] == ["c1", "c2"]


def test_everything_is_private_and_nothing_but_the_index_ends_in_jsonl(tmp_path: Path) -> None:
    store = CheckpointStore(tmp_path / "s.artifacts" / "checkpoints")
    store.take(tmp_path / "a", b"secret", b"2", anchor="e", call="c")
    assert stat.S_IMODE(store.folder.stat().st_mode) == 0o700
    for path in store.folder.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [path.name for path in store.folder.glob("*.jsonl")] == ["index.jsonl"]


def test_a_file_beyond_the_bound_is_told_at_the_write_and_named_at_the_rewind(tmp_path: Path) -> None:
    store = CheckpointStore(tmp_path / "store", max_file_bytes=100)
    file = tmp_path / "big.txt"
    file.write_bytes(b"y" * 50)
    change = store.take(file, b"x" * 101, b"y" * 50, anchor="e", call="c")
    assert "101 bytes" in change.lost
    assert any("big.txt" in line for line in store.untold)
    [planned] = plan_files(store, store.changes).files
    assert "101 bytes" in planned.obstacle
    restored = restore_files(store, plan_files(store, store.changes), overwrite=True, call="r", anchor="e")
    assert restored.done == ()
    assert "big.txt" in restored.failed[0]


def test_over_the_quota_the_oldest_contents_go_and_it_is_told(tmp_path: Path) -> None:
    store = CheckpointStore(tmp_path / "store", quota_bytes=700)
    contents = [os.urandom(300) for _ in range(3)]
    for number, data in enumerate(contents):
        store.take(tmp_path / f"f{number}", data, b"new", anchor="e", call="c")
    assert [store.is_kept(change.before) for change in store.changes] == [False, True, True]
    assert any("full" in line for line in store.untold)
    assert len(CheckpointStore(tmp_path / "store").changes) == 3


def test_a_place_that_cannot_be_written_is_told_and_the_span_still_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "blocked").write_text("no folder", encoding="utf-8")
    store = CheckpointStore(tmp_path / "blocked" / "checkpoints")
    change = store.take(tmp_path / "a.txt", b"1", b"2", anchor="e", call="c")
    assert change.lost
    assert store.untold
    [planned] = plan_files(store, store.changes).files
    assert planned.obstacle


@pytest.mark.parametrize("name", [b"plain.txt", "naïve \\x41.txt".encode(), b"\xff\\\xfe.txt"])
def test_any_name_a_disk_can_hold_comes_back(tmp_path: Path, name: bytes) -> None:
    path = tmp_path / os.fsdecode(name)
    CheckpointStore(tmp_path / "store").take(path, None, b"1", anchor="e", call="c")
    [change] = CheckpointStore(tmp_path / "store").changes
    assert change.place == path
    assert change.before == ABSENT


def test_a_content_that_is_not_what_its_name_says_is_never_put_back(tmp_path: Path) -> None:
    store = CheckpointStore(tmp_path / "store")
    file = tmp_path / "a.txt"
    file.write_bytes(b"2")
    change = store.take(file, b"1", b"2", anchor="e", call="c")
    (store.folder / f"{change.before}.z").write_bytes(b"rubbish")
    restored = restore_files(store, plan_files(store, store.changes), overwrite=True, call="r", anchor="e")
    assert restored.failed == ("a.txt: what it was can no longer be read",)
    assert file.read_bytes() == b"2"
