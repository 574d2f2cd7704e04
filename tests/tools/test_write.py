"""A written file is there whole or as it was, and nobody's unseen work is overwritten."""

import asyncio
import os
import resource
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from openclaw_tui.errors import ToolError
from openclaw_tui.messages import text_of
from openclaw_tui.tools.file_state import FileState
from openclaw_tui.tools.read import ReadTool
from openclaw_tui.tools.workspace import Workspace
from openclaw_tui.tools.write import WriteTool
from tests.tools.support import call, call_text, context_for


@pytest.fixture
def files() -> FileState:
    return FileState()


@pytest.fixture
def write(files: FileState) -> WriteTool:
    return WriteTool(files)


async def test_a_new_file_in_new_folders(write: WriteTool, tmp_path: Path) -> None:
    text = await call_text(write, tmp_path, path="src/deep/a.py", content="é\n")
    assert text == "Created src/deep/a.py: 3 bytes, +1 -0 lines."
    assert (tmp_path / "src/deep/a.py").read_bytes() == "é\n".encode()


async def test_a_new_file_follows_the_umask(write: WriteTool, tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        await call(write, tmp_path, path="a.txt", content="x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a.txt").stat().st_mode) == 0o640


async def test_an_unread_file_is_not_overwritten(write: WriteTool, files: FileState, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("precious", encoding="utf-8")
    with pytest.raises(ToolError, match=r"a\.txt exists and was not read in this session"):
        await call(write, tmp_path, path="a.txt", content="x")
    assert path.read_text(encoding="utf-8") == "precious"
    await call(ReadTool(files), tmp_path, path="a.txt")
    assert (await call_text(write, tmp_path, path="a.txt", content="x")).startswith("Replaced a.txt: 1 bytes")
    await call(write, tmp_path, path="a.txt", content="y")
    path.write_text("changed by a person", encoding="utf-8")
    with pytest.raises(ToolError, match="has changed on disk"):
        await call(write, tmp_path, path="a.txt", content="z")


async def test_an_empty_file_may_be_filled(write: WriteTool, tmp_path: Path) -> None:
    (tmp_path / "a.txt").touch()
    await call(write, tmp_path, path="a.txt", content="x")
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == "x"


async def test_mode_and_links_stay_and_hard_links_are_told(write: WriteTool, files: FileState, tmp_path: Path) -> None:
    target = tmp_path / "real.sh"
    target.write_text("old", encoding="utf-8")
    target.chmod(0o755)
    (tmp_path / "link.sh").symlink_to(target)
    os.link(target, tmp_path / "twin.sh")
    await call(ReadTool(files), tmp_path, path="link.sh")
    text = await call_text(write, tmp_path, path="link.sh", content="new")
    assert (tmp_path / "link.sh").is_symlink()
    assert (target.read_text(encoding="utf-8"), stat.S_IMODE(target.stat().st_mode)) == ("new", 0o755)
    assert (tmp_path / "twin.sh").read_text(encoding="utf-8") == "old"
    assert "one of 2 hard links; the other names keep the old content" in text


async def test_a_dangling_link_is_judged_by_where_it_leads(write: WriteTool, tmp_path: Path) -> None:
    root = tmp_path / "work"
    root.mkdir()
    (root / "d").symlink_to(tmp_path / "outside" / "b.txt")
    (root / "out").symlink_to(tmp_path / "outside")
    workspace = Workspace(root)
    for name in ("d", "out/newdir/a.txt"):
        (path,) = write.intent({"path": name, "content": "x"}, workspace).paths
        assert not workspace.contains(path)
    assert not (tmp_path / "outside").exists()


@pytest.mark.parametrize(
    ("path", "match"),
    [
        ("file/inside", "file/inside: Not a directory"),
        ("folder", "is a directory"),
        ("/proc/no-such-place", "cannot write"),
    ],
)
async def test_places_that_cannot_be_written_are_named(write: WriteTool, tmp_path: Path, path: str, match: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    with pytest.raises(ToolError, match=match):
        await call(write, tmp_path, path=path, content="x")
    assert sorted(os.listdir(tmp_path)) == ["file", "folder", "home"]


async def test_a_lone_surrogate_is_refused(write: WriteTool, tmp_path: Path) -> None:
    with pytest.raises(ToolError, match=r"U\+D800"):
        await call(write, tmp_path, path="a.txt", content="x\ud800")
    assert not (tmp_path / "a.txt").exists()


async def test_a_full_disk_leaves_the_old_file_and_nothing_else(
    write: WriteTool, files: FileState, tmp_path: Path
) -> None:
    root = tmp_path / "work"
    root.mkdir()
    (root / "a.txt").write_text("old", encoding="utf-8")
    await call(ReadTool(files), root, path="a.txt")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        with pytest.raises(ToolError, match=r"cannot write a\.txt: .*; the file is as it was"):
            await call(write, root, path="a.txt", content="n" * 1_000_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, handler)
    assert os.listdir(root) == ["a.txt"]
    assert (root / "a.txt").read_text(encoding="utf-8") == "old"


def test_a_kill_in_mid_write_leaves_old_or_new(tmp_path: Path) -> None:
    target = tmp_path / "big.txt"
    program = (
        "import sys; from pathlib import Path; from openclaw_tui.tools.file_write import store_bytes\n"
        "while True:\n"
        "    for letter in (b'a', b'b'):\n"
        "        store_bytes(Path(sys.argv[1]), letter * 50_000_000, 'big'); print('.', flush=True)\n"
    )
    child = subprocess.Popen([sys.executable, "-c", program, str(target)], stdout=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.readline()
    time.sleep(0.02)
    child.kill()
    child.wait()
    child.stdout.close()
    data = target.read_bytes()
    assert len(data) == 50_000_000
    assert data.count(data[:1]) == len(data)


async def test_a_cancelled_write_ends_before_the_next_begins(write: WriteTool, tmp_path: Path) -> None:
    root = tmp_path / "work"
    root.mkdir()
    for delay in (0.0, 0.0005, 0.002):
        first = asyncio.ensure_future(write.execute({"path": "a.txt", "content": "a" * 5_000_000}, context_for(root)))
        await asyncio.sleep(delay)
        first.cancel()
        await asyncio.wait([first])
        assert [name for name in os.listdir(root) if name.endswith(".tmp")] == []
        (root / "a.txt").unlink(missing_ok=True)


def test_the_preview_shows_what_would_be_lost(files: FileState, write: WriteTool, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\ntwo\n", encoding="utf-8")
    asyncio.run(call(ReadTool(files), tmp_path, path="a.txt"))
    intent = write.intent({"path": "a.txt", "content": "one\nthree"}, Workspace(tmp_path))
    assert intent.title == "Replace a.txt (+1 -1 lines)"
    assert intent.preview.split("\n")[2:] == [
        "@@ -1,2 +1,2 @@",
        " one",
        "-two",
        "+three",
        "\\ No newline at end of file",
    ]
    created = write.intent({"path": "b.txt", "content": "x\n"}, Workspace(tmp_path))
    assert created.preview == "--- /dev/null\n+++ b/b.txt\n@@ -0,0 +1,1 @@\n+x"


async def test_details_are_kept_apart_from_what_the_model_reads(write: WriteTool, tmp_path: Path) -> None:
    outcome = await call(write, tmp_path, path="a.txt", content="x\n")
    assert outcome.details["created"] is True
    assert "+++" not in text_of(outcome.content)
