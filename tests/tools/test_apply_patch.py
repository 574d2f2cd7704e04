"""A patch applies whole, keeps what it does not name, or changes nothing."""

import os
import stat
from collections.abc import Iterable
from difflib import SequenceMatcher
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_tui.errors import ToolError
from openclaw_tui.tools.apply_patch import ApplyPatchTool
from openclaw_tui.tools.file_state import FileState
from openclaw_tui.tools.read import ReadTool
from openclaw_tui.tools.workspace import Workspace
from tests.tools.support import call, call_now, call_text


@pytest.fixture
def patch() -> ApplyPatchTool:
    return ApplyPatchTool(FileState())


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def wrapped(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch"])


def contents(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


async def test_add_update_move_and_delete_in_one_patch(patch: ApplyPatchTool, root: Path) -> None:
    (root / "a.py").write_text("def f():\n    return 1\n\n\ndef g():\n    return 1\n", encoding="utf-8")
    (root / "old.sh").write_text("echo hi\n", encoding="utf-8")
    (root / "old.sh").chmod(0o755)
    (root / "gone.txt").write_text("x", encoding="utf-8")
    text = await call_text(
        patch,
        root,
        input=wrapped(
            "*** Add File: new/n.txt",
            "+one",
            "+",
            "*** Update File: a.py",
            "@@ def g():",
            "-    return 1",
            "+    return 2",
            "*** Update File: old.sh",
            "*** Move to: bin/new.sh",
            " echo hi",
            "+echo ho",
            "*** Delete File: gone.txt",
        ),
    )
    assert text == "Success. Updated the following files:\nA new/n.txt\nM a.py\nM bin/new.sh\nD gone.txt"
    assert contents(root) == {
        "new/n.txt": b"one\n\n",
        "a.py": b"def f():\n    return 1\n\n\ndef g():\n    return 2\n",
        "bin/new.sh": b"echo hi\necho ho\n",
    }
    assert stat.S_IMODE((root / "bin/new.sh").stat().st_mode) == 0o755


async def test_kept_lines_stay_as_the_file_has_them(patch: ApplyPatchTool, root: Path) -> None:
    (root / "a.txt").write_bytes("say “hi”  \r\n\tkeep\r\nold – x\r\nend".encode())
    await call(patch, root, input=wrapped("*** Update File: a.txt", "@@", ' say "hi"', " keep", "-old - x", "+new"))
    assert (root / "a.txt").read_bytes() == "say “hi”  \r\n\tkeep\r\nnew\r\nend".encode()


async def test_encoding_and_mark_are_kept(patch: ApplyPatchTool, root: Path) -> None:
    (root / "a.txt").write_bytes("é\nold\n".encode("utf-16"))
    (root / "b.txt").write_bytes(b"\xe9\xe8 x\nold\n")
    lines = ["-old", "+new"]
    await call(patch, root, input=wrapped("*** Update File: a.txt", *lines, "*** Update File: b.txt", *lines))
    assert (root / "a.txt").read_bytes() == "é\nnew\n".encode("utf-16")
    assert (root / "b.txt").read_bytes() == b"\xe9\xe8 x\nnew\n"


async def test_a_heredoc_around_the_patch_and_empty_kept_lines(patch: ApplyPatchTool, root: Path) -> None:
    (root / "a.txt").write_text("one\n\ntwo\n", encoding="utf-8")
    inner = wrapped("*** Update File: a.txt", "@@ -1,3 +1,3 @@", " one", "", "-two", "+2", "")
    await call(patch, root, input=f"<<'EOF'\n{inner}\nEOF\n")
    assert (root / "a.txt").read_text(encoding="utf-8") == "one\n\n2\n"


async def test_new_lines_without_old_ones_go_to_the_end_or_behind_their_context(
    patch: ApplyPatchTool, root: Path
) -> None:
    (root / "a.txt").write_text("one\ntwo", encoding="utf-8")
    await call(patch, root, input=wrapped("*** Update File: a.txt", "@@ one", "+1.5", "@@", "+three"))
    assert (root / "a.txt").read_text(encoding="utf-8") == "one\n1.5\ntwo\nthree\n"


async def test_end_of_file_prefers_the_last_place(patch: ApplyPatchTool, root: Path) -> None:
    (root / "a.txt").write_text("x\ny\nx\n", encoding="utf-8")
    await call(patch, root, input=wrapped("*** Update File: a.txt", "@@", "-x", "+z", "*** End of File"))
    assert (root / "a.txt").read_text(encoding="utf-8") == "x\ny\nz\n"


async def test_a_second_update_sees_the_first(patch: ApplyPatchTool, root: Path) -> None:
    update = ["*** Update File: n.txt", "-one", "+two"]
    await call(patch, root, input=wrapped("*** Add File: n.txt", "+one", *update))
    assert contents(root) == {"n.txt": b"two\n"}


@pytest.mark.parametrize(
    ("lines", "match"),
    [
        (["*** Update File: a.txt", "-absent", "+x"], r"failed to find these lines in a\.txt"),
        (["*** Update File: a.txt", "@@ nowhere", "-one", "+x"], "failed to find the context 'nowhere'"),
        (["*** Update File: a.txt"], r"update of a\.txt holds no change"),
        (["*** Update File: a.txt", "one"], "must begin with"),
        (["*** Update File: b.txt", "-one", "+x"], r"b\.txt does not exist; near names there: a\.txt"),
        (["*** Add File: a.txt", "+x"], r"a\.txt exists already"),
        (["*** Add File: c.txt", "x"], r"patch line 3: each line of the new file c\.txt must begin with \+"),
        (["*** Delete File: b.txt"], "does not exist"),
        (["*** Rename File: a.txt"], "is no header"),
        (["*** Update File: a.txt", "*** Move to: b/../d.txt"], r"cannot move a\.txt to d\.txt"),
    ],
)
async def test_what_cannot_apply_changes_nothing(
    patch: ApplyPatchTool, root: Path, lines: list[str], match: str
) -> None:
    for name in ("a.txt", "d.txt"):
        (root / name).write_text("one\n", encoding="utf-8")
    before = contents(root)
    first = [] if "Add File: c" in lines[0] else ["*** Add File: first.txt", "+would be written"]
    with pytest.raises(ToolError, match=match):
        await call(patch, root, input=wrapped(*first, *lines))
    assert contents(root) == before


async def test_text_without_marks_is_refused(patch: ApplyPatchTool, root: Path) -> None:
    with pytest.raises(ToolError, match="must begin with the line"):
        await call(patch, root, input="--- a\n+++ b\n")
    with pytest.raises(ToolError, match="must end with the line"):
        await call(patch, root, input="*** Begin Patch\n*** Delete File: a")


async def test_a_failure_in_mid_write_puts_everything_back(patch: ApplyPatchTool, root: Path) -> None:
    (root / "a.txt").write_text("one\n", encoding="utf-8")
    (root / "a.txt").chmod(0o640)
    before = contents(root)
    with pytest.raises(ToolError, match="The patch was not applied; every file is as it was"):
        await call(
            patch,
            root,
            input=wrapped("*** Update File: a.txt", "-one", "+two", "*** Add File: n", "+x", "*** Add File: n/m", "+y"),
        )
    assert contents(root) == before
    assert stat.S_IMODE((root / "a.txt").stat().st_mode) == 0o640
    assert sorted(os.listdir(root)) == ["a.txt"]


async def test_a_file_changed_since_it_was_read_is_refused(root: Path) -> None:
    files = FileState()
    (root / "a.txt").write_text("one\ntwo\n", encoding="utf-8")
    await call(ReadTool(files), root, path="a.txt")
    (root / "a.txt").write_text("one\n2\n", encoding="utf-8")
    with pytest.raises(ToolError, match="changed on disk since it was read"):
        await call(ApplyPatchTool(files), root, input=wrapped("*** Update File: a.txt", "-one", "+1"))


def test_the_intent_names_every_file_and_shows_the_diff(patch: ApplyPatchTool, root: Path) -> None:
    (root / "a.txt").write_text("one\n", encoding="utf-8")
    text = wrapped("*** Update File: a.txt", "*** Move to: ../b.txt", "-one", "+two", "*** Add File: c", "+c")
    intent = patch.intent({"input": text}, Workspace(root))
    assert intent.paths == (root / "a.txt", root.parent / "b.txt", root / "c")
    assert "-one\n+two" in intent.preview
    assert contents(root) == {"a.txt": b"one\n"}


def as_patch(old: list[str], new: list[str]) -> Iterable[str]:
    """A patch as a careful model would write it: every change with all that stands between."""
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            yield from (f" {line}" for line in old[a:b])
        else:
            yield from (f"-{line}" for line in old[a:b])
            yield from (f"+{line}" for line in new[c:d])


_LINES = st.lists(st.text(st.sampled_from(list("ab +-@*é\t“")), max_size=8), min_size=1, max_size=15)


@given(_LINES, _LINES, st.sampled_from(["\n", "\r\n"]))
def test_round_trip(tmp_path_factory: pytest.TempPathFactory, old: list[str], new: list[str], end: str) -> None:
    root = tmp_path_factory.mktemp("patch")
    path = root / "f.txt"
    before, after = ("".join(line + end for line in lines).encode() for lines in (old, new))
    path.write_bytes(before)
    if old == new:
        return
    tool = ApplyPatchTool(FileState())
    call_now(tool, root, {"input": wrapped("*** Update File: f.txt", "@@", *as_patch(old, new), "*** End of File")})
    assert path.read_bytes() == after
    call_now(tool, root, {"input": wrapped("*** Update File: f.txt", "@@", *as_patch(new, old), "*** End of File")})
    assert path.read_bytes() == before
