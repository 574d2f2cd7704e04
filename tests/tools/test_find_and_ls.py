"""Listing and finding: sorted, bounded, honest about what git ignores."""

import sysconfig
from pathlib import Path

import pytest

from openclaw_tui.errors import ToolError
from openclaw_tui.tools.find import FindTool
from openclaw_tui.tools.globs import compile_glob
from openclaw_tui.tools.ls import LsTool
from openclaw_tui.tools.ripgrep import find_ripgrep
from openclaw_tui.tools.search import Searcher
from tests.tools.support import call, call_text


@pytest.fixture(params=["ripgrep", "wheel", "python"])
def find(request: pytest.FixtureRequest) -> FindTool:
    programs = {"ripgrep": find_ripgrep(), "wheel": Path(sysconfig.get_path("scripts")) / "rg", "python": None}
    return FindTool(Searcher(programs[request.param]))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    for name in ("src/app/main.py", "src/app/test_main.py", "src/tests/x.ts", "README.md", ".env", "node_modules/a.py"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x", encoding="utf-8")
    (folder / ".gitignore").write_text("node_modules/\n*.log\n!keep.log\n", encoding="utf-8")
    (folder / "src/.gitignore").write_text("/app/secret.py\n", encoding="utf-8")
    for name in ("a.log", "keep.log", "src/app/secret.py"):
        (folder / name).write_text("x", encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*.py", "src/app/main.py\nsrc/app/test_main.py"),
        ("src/**/*.py", "src/app/main.py\nsrc/app/test_main.py"),
        ("app/*.py", "src/app/main.py\nsrc/app/test_main.py"),
        ("**/x.ts", "src/tests/x.ts"),
        ("test*", "src/app/test_main.py\nsrc/tests/"),
        ("*.{ts,md}", "README.md\nsrc/tests/x.ts"),
        (".env", ".env"),
        ("tests/", "src/tests/"),
        ("*.log", "keep.log"),
        ("/*.md", "README.md"),
    ],
)
async def test_patterns(find: FindTool, root: Path, pattern: str, found: str) -> None:
    assert await call_text(find, root, pattern=pattern) == found


async def test_a_name_nobody_has_exactly_finds_the_names_that_hold_it(find: FindTool, root: Path) -> None:
    text = await call_text(find, root, pattern="Readme")
    assert text == "[Nothing has exactly this name; these names hold 'Readme'.]\nREADME.md"


async def test_nothing_found_names_the_ignored_files(find: FindTool, root: Path) -> None:
    text = await call_text(find, root, pattern="a.py")
    assert text.startswith("No files found matching 'a.py' in .")
    assert "3 files here are ignored by git rules and not searched" in text
    assert "a.py" in (await call_text(find, root, pattern="*.py", path="node_modules")).split("\n")[-1]


async def test_results_are_capped_and_it_is_told(find: FindTool, root: Path) -> None:
    for number in range(30):
        (root / f"f{number:02}.txt").touch()
    lines = (await call_text(find, root, pattern="*.txt", limit=10)).split("\n")
    assert lines[:10] == [f"f{number:02}.txt" for number in range(10)]
    assert lines[10].startswith("[First 10 results; there are more.")


async def test_strange_names_are_shown_safely(find: FindTool, root: Path) -> None:
    (root / "a\x1b]52;c;eA==\x07\nb.txt").touch()
    (root / "-n.txt").touch()
    assert await call_text(find, root, pattern="*.txt") == "-n.txt\na b.txt"


async def test_a_file_is_no_place_to_search(find: FindTool, root: Path) -> None:
    with pytest.raises(ToolError, match="give a folder"):
        await call(find, root, pattern="*", path="README.md")
    with pytest.raises(ToolError, match="does not exist"):
        await call(find, root, pattern="*", path="nowhere")


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("[!a]*.py", "b.py", True),
        ("[!a]*.py", "a.py", False),
        ("a?c", "abc", True),
        ("a?c", "a/c", False),
        ("*.py", "deep/er/x.py", True),
        ("src/*", "src/a/b", False),
        ("src/**", "src/a/b", True),
        ("**/*.py", "x.py", True),
        ("a/**/b", "a/b", True),
        ("a+b(c).txt", "a+b(c).txt", True),
        ("x{1,2}{a,b}", "x2a", True),
        ("[", "[", True),
    ],
)
def test_globs(pattern: str, path: str, matches: bool) -> None:
    assert (compile_glob(pattern).fullmatch(path) is not None) is matches


async def test_ls_sorts_marks_folders_and_shows_where_links_lead(root: Path) -> None:
    (root / "link").symlink_to("README.md")
    assert await call_text(LsTool(), root) == (
        ".env\n.gitignore\na.log\nkeep.log\nlink -> README.md\nnode_modules/\nREADME.md\nsrc/"
    )


async def test_ls_is_bounded_and_says_of_how_many(root: Path) -> None:
    (root / "many").mkdir()
    for number in range(700):
        (root / f"many/{number:04}").touch()
    lines = (await call_text(LsTool(), root, path="many")).split("\n")
    assert lines[-1] == "[500 of 700 entries; raise limit, or use find with a pattern.]"
    assert len(lines) == 501


async def test_ls_of_other_things(root: Path) -> None:
    (root / "empty").mkdir()
    assert await call_text(LsTool(), root, path="empty") == "(empty folder)"
    assert await call_text(LsTool(), root, path="README.md") == "README.md is a file, 1 bytes"
    with pytest.raises(ToolError, match="near names there: src"):
        await call(LsTool(), root, path="sr")
