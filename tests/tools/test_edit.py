"""An edit changes what it names and not one byte more, or nothing at all."""

import asyncio
import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_tui.errors import ToolError
from openclaw_tui.messages import text_of
from openclaw_tui.tools.edit import EditTool
from openclaw_tui.tools.file_state import FileState
from openclaw_tui.tools.read import ReadTool
from openclaw_tui.tools.workspace import Workspace
from tests.tools.support import call, call_now, call_text


@pytest.fixture
def files() -> FileState:
    return FileState()


@pytest.fixture
def edit(files: FileState) -> EditTool:
    return EditTool(files)


@pytest.fixture
def read(files: FileState) -> ReadTool:
    return ReadTool(files)


def one(old: str, new: str, **more: bool) -> list[dict[str, object]]:
    return [{"oldText": old, "newText": new, **more}]


async def refused(edit: EditTool, path: Path, edits: list[dict[str, object]], match: str) -> None:
    before = path.read_bytes()
    with pytest.raises(ToolError, match=match):
        await call(edit, path.parent, path=path.name, edits=edits)
    assert path.read_bytes() == before


async def test_several_edits_in_one_call_and_a_short_diff_back(edit: EditTool, tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("one\ntwo\nthree\nfour\n", encoding="utf-8")
    outcome = await call(edit, tmp_path, path="a.py", edits=[*one("four", "4"), *one("two\n", "2\n2b\n")])
    assert path.read_text(encoding="utf-8") == "one\n2\n2b\nthree\n4\n"
    assert text_of(outcome.content).startswith("Edited a.py: 2 replacements, +3 -2 lines.\n@@ -1,4 +1,5 @@")
    assert outcome.details["firstChangedLine"] == 2


async def test_fuzzy_match_replaces_once_and_never_appends(edit: EditTool, tmp_path: Path) -> None:
    path = tmp_path / "a.rs"
    path.write_bytes(b"struct S {\r\n    loading: bool,  \r\n    name: String,\r\n}\r\n")
    await call(edit, tmp_path, path="a.rs", edits=one("loading: bool,\n    name", "load_lock: Mutex,\n    name"))
    assert path.read_bytes() == b"struct S {\r\n    load_lock: Mutex,\r\n    name: String,\r\n}\r\n"


async def test_typographic_quotes_dashes_and_spaces_are_forgiven(edit: EditTool, tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("“Hello” — it’s\u00a0fine ﬁrst\nrest “kept” —\n", encoding="utf-8")
    text = await call_text(edit, tmp_path, path="a.md", edits=one('"Hello" - it\'s fine first', "Bye"))
    assert path.read_text(encoding="utf-8") == "Bye\nrest “kept” —\n"
    assert "note: matched ignoring trailing blanks and quote style" in text


async def test_half_a_ligature_is_no_match(edit: EditTool, tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("é ﬁn\n", encoding="utf-8")
    await refused(edit, path, one("in", "x"), "not found")


async def test_a_block_indented_differently_is_moved_as_a_whole(edit: EditTool, tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("class A:\n    def f(self):\n        return 1\n", encoding="utf-8")
    await call(
        edit,
        tmp_path,
        path="a.py",
        edits=one("def f(self):\n    return 1", "def f(self):\n    if x:\n\n        return 2"),
    )
    assert path.read_text(encoding="utf-8") == "class A:\n    def f(self):\n        if x:\n\n            return 2\n"


async def test_irregular_indentation_is_refused(edit: EditTool, tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("    a = 1\n  b = 2\n", encoding="utf-8")
    await refused(edit, path, one("a = 1\nb = 2", "c"), "not found")


async def test_no_unique_place_is_refused_with_the_lines(edit: EditTool, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("x = 1\ny\nx = 1\n", encoding="utf-8")
    await refused(edit, path, one("x = 1", "x = 2"), r"stands 2 times in a\.txt \(lines 1, 3\)")
    await call(edit, tmp_path, path="a.txt", edits=one("x = 1", "x = 2", replaceAll=True))
    assert path.read_text(encoding="utf-8") == "x = 2\ny\nx = 2\n"


async def test_no_match_shows_the_nearest_passages_with_their_lines(edit: EditTool, tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("import os\n\ndef total_price(items):\n    return sum(items)\n", encoding="utf-8")
    await refused(
        edit,
        path,
        one("def total_prices(item):\n    return sum(item)", "x"),
        r"(?s)lines 3-4 \(9\d % alike\):\ndef total_price",
    )


async def test_one_bad_edit_spoils_all(edit: EditTool, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("alpha\nbeta\n", encoding="utf-8")
    await refused(edit, path, [*one("alpha", "A"), *one("gamma", "G")], "edit 2 of 2: oldText was not found")
    await refused(edit, path, [*one("alpha\nb", "A"), *one("beta", "B")], "two edits touch the same text at line 2")
    await refused(edit, path, one("alpha", "alpha"), "are the same")
    await refused(edit, path, one("", "x"), "oldText is empty")


@pytest.mark.parametrize("new", ["$& $1 $$", r"\1 \g<0> \n", "{} {0} %s %(a)s", "\\", "$`$'"])
@pytest.mark.parametrize("replace_all", [False, True])
async def test_new_text_is_written_letter_by_letter(
    edit: EditTool, tmp_path: Path, new: str, replace_all: bool
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("before OLD after", encoding="utf-8")
    await call(edit, tmp_path, path="a.txt", edits=one("OLD", new, replaceAll=replace_all))
    assert path.read_text(encoding="utf-8") == f"before {new} after"


@pytest.mark.parametrize(
    "data",
    [
        b"\xe9" * 300 + b"\na == b\n",
        "été où ça naïf\na == b\n".encode("latin-1"),
        "# 这是一个中文注释\na == b\n".encode("gbk"),
        "# これは日本語です ソ表\na == b\n".encode("cp932"),
        "中文 ✓\n".encode() + b"\xe4\xb8\na == b\n",
        "literal \ufffd here\na == b\n".encode(),
        b"\xef\xbb\xbfbom\r\na == b\r\n",
        "wide é\r\na == b\r\n".encode("utf-16"),
        "wide\na == b\n".encode("utf-16-be"),
        b"old mac\ra == b\r",
    ],
)
async def test_an_ascii_edit_leaves_every_other_byte(edit: EditTool, tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(data)
    await call(edit, tmp_path, path="a.txt", edits=one("a == b", "a != b"))
    wide = b"=\0" if data.startswith(b"\xff\xfe") else b"\0=" if b"\0" in data else b"="
    changed = {b"=": b"!"}.get(wide, wide.replace(b"=", b"!"))
    assert path.read_bytes() == data.replace(wide + wide, changed + wide)


async def test_a_character_the_encoding_lacks_is_refused(edit: EditTool, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("café\n".encode("latin-1"))
    await refused(edit, path, one("caf", "→"), r"Windows-1252, which has no '→' \(U\+2192\)")


async def test_binary_files_are_refused(edit: EditTool, tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(b"abc\0\x01def" * 50)
    await refused(edit, path, one("abc", "x"), "binary")


_LINES = st.lists(st.text(st.sampled_from(list("abcé ü=()\t'’-–€")), max_size=12), min_size=1, max_size=12)


@given(
    _LINES,
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252", "utf-16-le"]),
    st.lists(st.sampled_from(["\n", "\r\n"]), min_size=12, max_size=12),
    st.text(st.sampled_from(list("xyzé\\$1{}\n ")), max_size=20),
    st.data(),
)
def test_outside_the_match_no_byte_changes(
    tmp_path_factory: pytest.TempPathFactory,
    lines: list[str],
    encoding: str,
    ends: list[str],
    new: str,
    data: st.DataObject,
) -> None:
    root = tmp_path_factory.mktemp("edit")
    at = data.draw(st.integers(0, len(lines)))
    before = "".join(line + end for line, end in zip(lines[:at], ends, strict=False))
    after = "".join(line + end for line, end in zip(lines[at:], ends[at:], strict=False))
    raw = f"{before}NEEDLE{after}".encode(encoding)
    (root / "a.txt").write_bytes(raw)
    plain = encoding.removesuffix("-sig")
    tail = after.encode("utf-16-le" if encoding == "utf-16" else plain)
    head = raw[: len(raw) - len(tail) - len("NEEDLE".encode("utf-16-le" if encoding == "utf-16" else plain))]
    try:
        call_now(EditTool(FileState()), root, {"path": "a.txt", "edits": one("NEEDLE", new)})
    except ToolError:
        assert (root / "a.txt").read_bytes() == raw
        return
    result = (root / "a.txt").read_bytes()
    assert result.startswith(head)
    assert result.endswith(tail)
    assert len(os.listdir(root)) == 1


async def test_edits_of_one_file_under_several_names_all_land(edit: EditTool, tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("one two three\n", encoding="utf-8")
    (tmp_path / "link.py").symlink_to(path)
    await asyncio.gather(
        call(edit, tmp_path, path="a.py", edits=one("one", "1")),
        call(edit, tmp_path, path="./a.py", edits=one("two", "2")),
        call(edit, tmp_path, path="link.py", edits=one("three", "3")),
    )
    assert path.read_text(encoding="utf-8") == "1 2 3\n"
    assert (tmp_path / "link.py").is_symlink()


async def test_a_second_edit_needs_no_new_read(edit: EditTool, read: ReadTool, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one two\n", encoding="utf-8")
    await call(read, tmp_path, path="a.txt")
    await call(edit, tmp_path, path="a.txt", edits=one("one", "1"))
    await call(edit, tmp_path, path="a.txt", edits=one("two", "2"))
    assert path.read_text(encoding="utf-8") == "1 2\n"


async def test_a_touch_or_the_same_bytes_anew_are_no_change(edit: EditTool, read: ReadTool, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one two\n", encoding="utf-8")
    await call(read, tmp_path, path="a.txt")
    path.unlink()
    path.write_text("one two\n", encoding="utf-8")
    os.utime(path, (1, 1))
    await call(edit, tmp_path, path="a.txt", edits=one("one", "1"))
    assert path.read_text(encoding="utf-8") == "1 two\n"


@pytest.mark.parametrize("content", ["one two\nother line changed\n", "ONE two\nother\n"])
async def test_a_file_changed_since_it_was_read_is_refused(
    edit: EditTool, read: ReadTool, tmp_path: Path, content: str
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one two\nother\n", encoding="utf-8")
    await call(read, tmp_path, path="a.txt")
    stamp = path.stat()
    path.write_text(content, encoding="utf-8")
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    await refused(edit, path, one("two", "2"), r"a\.txt has changed on disk since it was read")
    await call(read, tmp_path, path="a.txt")
    await call(edit, tmp_path, path="a.txt", edits=one("two", "2"))


async def test_mode_and_link_stay(edit: EditTool, tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    target = folder / "tool.sh"
    target.write_text("echo a\n", encoding="utf-8")
    target.chmod(0o755)
    (tmp_path / "tool.sh").symlink_to(target)
    await call(edit, tmp_path, path="tool.sh", edits=one("a", "b"))
    assert (tmp_path / "tool.sh").is_symlink()
    assert stat.S_IMODE(target.stat().st_mode) == 0o755
    assert target.read_text(encoding="utf-8") == "echo b\n"


def test_the_preview_is_a_diff_and_writes_nothing(edit: EditTool, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one\ntwo\n", encoding="utf-8")
    intent = edit.intent({"path": "a.txt", "edits": one("two", "2")}, Workspace(tmp_path))
    assert intent.preview == "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2"
    assert (intent.preview_kind, intent.paths, intent.title) == ("diff", (path,), "Edit a.txt (+1 -1 lines)")
    assert path.read_text(encoding="utf-8") == "one\ntwo\n"
    with pytest.raises(ToolError, match="does not exist"):
        edit.intent({"path": "b.txt", "edits": one("two", "2")}, Workspace(tmp_path))
