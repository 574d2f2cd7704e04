"""A search says what it found, what it did not look at, and when it failed: three different answers."""

import os
import sysconfig
import time
from pathlib import Path

import pytest

from openclaw_tui.errors import ToolError, ToolTimeout
from openclaw_tui.tools.grep import GrepTool
from openclaw_tui.tools.output import SpillStore
from openclaw_tui.tools.ripgrep import find_ripgrep
from openclaw_tui.tools.search import Searcher
from tests.tools.support import call, call_text, context_for

WHEEL = Path(sysconfig.get_path("scripts")) / "rg"


@pytest.fixture(params=["ripgrep", "python"])
def grep(request: pytest.FixtureRequest) -> GrepTool:
    return GrepTool(Searcher(find_ripgrep() if request.param == "ripgrep" else None))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    (folder / "src").mkdir(parents=True)
    (folder / "src/a.py").write_text("def alpha():\n    return 1\n\nalpha()\n", encoding="utf-8")
    (folder / "src/b.ts").write_text("const alpha = 1;\n", encoding="utf-8")
    (folder / ".hidden").write_text("alpha in hidden\n", encoding="utf-8")
    return folder


async def test_matches_come_sorted_with_path_and_line(grep: GrepTool, root: Path) -> None:
    assert await call_text(grep, root, pattern="alpha") == (
        ".hidden:1: alpha in hidden\nsrc/a.py:1: def alpha():\nsrc/a.py:4: alpha()\nsrc/b.ts:1: const alpha = 1;"
    )


async def test_context_lines_have_dashes_and_groups_are_parted(grep: GrepTool, root: Path) -> None:
    (root / "long.txt").write_text("\n".join(f"row {n}" for n in range(1, 30)) + "\n", encoding="utf-8")
    text = await call_text(grep, root, pattern="row (5|20)$", path="long.txt", context=1)
    assert text == (
        "long.txt-4- row 4\nlong.txt:5: row 5\nlong.txt-6- row 6\n--\n"
        "long.txt-19- row 19\nlong.txt:20: row 20\nlong.txt-21- row 21"
    )


@pytest.mark.parametrize(("glob", "files"), [("*.py", 2), ("src/**/*.ts", 1), ("*.{py,ts}", 3), ("!*.py", 2)])
async def test_a_file_pattern_narrows(grep: GrepTool, root: Path, glob: str, files: int) -> None:
    assert len((await call_text(grep, root, pattern="alpha", glob=glob)).split("\n")) == files


async def test_a_file_pattern_does_not_bring_ignored_files_back(grep: GrepTool, root: Path) -> None:
    (root / ".gitignore").write_text("*.log\n", encoding="utf-8")
    (root / "x.log").write_text("alpha\n", encoding="utf-8")
    assert "No matches found" in await call_text(grep, root, pattern="alpha", glob="*.log")


@pytest.mark.parametrize("pattern", ["-77", "--flag", "->", "- [ ]", "-n"])
async def test_a_pattern_that_begins_with_a_dash(grep: GrepTool, root: Path, pattern: str) -> None:
    (root / "-n").write_text(f"first\nhas {pattern} inside\n", encoding="utf-8")
    assert f"-n:2: has {pattern} inside" in await call_text(grep, root, pattern=pattern, path="-n")


@pytest.mark.parametrize("pattern", ["foo(", "html(json.data)", "a[0", "**/*.py"])
async def test_text_that_is_no_expression_is_found_and_it_is_said(grep: GrepTool, root: Path, pattern: str) -> None:
    (root / "c.js").write_text(f"x {pattern} y\n", encoding="utf-8")
    text = await call_text(grep, root, pattern=pattern)
    assert f"c.js:1: x {pattern} y" in text
    assert "literal text" in text


async def test_a_repetition_that_means_code_finds_its_line(grep: GrepTool, root: Path) -> None:
    (root / "c.js").write_text("x i++ y\n", encoding="utf-8")
    assert "c.js:1: x i++ y" in await call_text(grep, root, pattern="i++")


async def test_an_alternative_is_an_expression_unless_asked_otherwise(grep: GrepTool, root: Path) -> None:
    (root / "c.txt").write_text("a|b\nb\n", encoding="utf-8")
    assert len((await call_text(grep, root, pattern="a|b", path="c.txt")).split("\n")) == 2
    assert await call_text(grep, root, pattern="a|b", path="c.txt", literal=True) == "c.txt:1: a|b"


async def test_an_invalid_expression_found_nowhere_is_an_error(grep: GrepTool, root: Path) -> None:
    with pytest.raises(ToolError, match="not a valid regular expression"):
        await call(grep, root, pattern="zzz(")


async def test_no_match_is_no_error_and_upper_case_counts(grep: GrepTool, root: Path) -> None:
    assert await call_text(grep, root, pattern="ALPHA") == "No matches found for 'ALPHA' in ."
    assert "src/b.ts:1" in await call_text(grep, root, pattern="ALPHA", ignoreCase=True)


async def test_an_ignored_file_named_outright_is_searched(grep: GrepTool, root: Path) -> None:
    (root / ".gitignore").write_text("notes.local\nbuild/\n", encoding="utf-8")
    (root / "notes.local").write_text("secret plan\n", encoding="utf-8")
    (root / "build").mkdir()
    (root / "build/out.txt").write_text("secret build\n", encoding="utf-8")
    assert await call_text(grep, root, pattern="secret", path="notes.local") == "notes.local:1: secret plan"
    folder = await call_text(grep, root, pattern="secret")
    assert "No matches found" in folder
    assert "2 files here are ignored by git rules and not searched" in folder
    named = await call_text(grep, root, pattern="secret", path="build")
    assert "build/out.txt:1: secret build" in named


async def test_a_minified_line_is_shown_in_pieces_with_its_count(grep: GrepTool, root: Path) -> None:
    (root / "bundle.js").write_text("".join(f"{'x' * 260}needle" for _ in range(3_000)), encoding="utf-8")
    text = await call_text(grep, root, pattern="needle", path="bundle.js")
    assert len(text) < 800
    assert "[3,000 matches in this line of 798,000 bytes, 3 shown]" in text
    assert text.count("needle") == 3


async def test_one_match_far_inside_a_huge_line(grep: GrepTool, root: Path) -> None:
    (root / "big.json").write_text("é" * 1_000_000 + "needle" + "y" * 1_000_000, encoding="utf-8")
    text = await call_text(grep, root, pattern="needle", path="big.json")
    assert len(text) < 500
    assert "éneedley" in text
    assert "[1 match in this line of 3,000,006 bytes]" in text


async def test_a_line_too_long_to_hold_is_counted_not_loaded(grep: GrepTool, root: Path) -> None:
    (root / "huge.txt").write_text("x" * 20_000_000 + "needle", encoding="utf-8")
    assert "1 matching lines are too long to show" in await call_text(grep, root, pattern="needle", path="huge.txt")


async def test_many_matches_are_capped_and_it_is_told(grep: GrepTool, root: Path) -> None:
    (root / "many.txt").write_text("hit\n" * 5_000, encoding="utf-8")
    lines = (await call_text(grep, root, pattern="hit", path="many.txt")).split("\n")
    assert len(lines) == 101
    assert lines[-1].startswith("[First 100 matching lines; there are more.")
    exactly = await call_text(grep, root, pattern="hit", path="many.txt", limit=5_000)
    assert "there are more" not in exactly


async def test_a_long_answer_is_kept_whole_on_disk(root: Path, tmp_path: Path) -> None:
    (root / "many.txt").write_text(f"hit {'x' * 400}\n" * 500, encoding="utf-8")
    tool = GrepTool(Searcher.find(), SpillStore(tmp_path / "spill"))
    outcome = await call(tool, root, pattern="hit", path="many.txt", limit=500)
    assert outcome.full_output is not None
    assert outcome.full_output.read_text(encoding="utf-8").count("hit") == 500


async def test_an_endless_pattern_is_really_stopped(root: Path) -> None:
    (root / "trap.txt").write_text("a" * 4_000 + "X\n", encoding="utf-8")
    context = context_for(root, deadline=time.monotonic() + 0.7)
    with pytest.raises(ToolTimeout, match="stopped"):
        await GrepTool(Searcher(None)).execute({"pattern": "(a+)+$", "path": "trap.txt"}, context)
    assert not [name for name in os.listdir("/proc") if name.isdigit() and _is_searcher(name)]
    found = await call_text(GrepTool(Searcher.find()), root, pattern="(a+)+$", path="trap.txt")
    assert found.startswith("No matches found")


def _is_searcher(pid: str) -> bool:
    try:
        command = Path("/proc", pid, "cmdline").read_bytes()
        parent = Path("/proc", pid, "stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[1]
    except OSError:
        return False
    return b"python_search.py" in command and int(parent) == os.getpid()


async def test_other_encodings_and_terminal_commands_are_readable(grep: GrepTool, root: Path) -> None:
    (root / "l.txt").write_bytes(b"caf\xe9 needle \x1b]0;x\x07\n")
    text = await call_text(grep, root, pattern="needle", path="l.txt")
    assert "needle ␛]0;x␇" in text


async def test_a_link_is_not_followed_out_of_the_folder(grep: GrepTool, root: Path) -> None:
    outside = root.parent / "outside"
    outside.mkdir()
    (outside / "s.txt").write_text("alpha outside\n", encoding="utf-8")
    (root / "out").symlink_to(outside)
    assert "outside" not in await call_text(grep, root, pattern="alpha")
    intent = grep.intent({"pattern": "alpha", "path": "out"}, context_for(root).workspace)
    assert intent.paths == (outside,)


async def test_a_missing_path_is_named(grep: GrepTool, root: Path) -> None:
    with pytest.raises(ToolError, match=r"near names there: src"):
        await call(grep, root, pattern="x", path="srcs")


async def test_both_programs_are_understood(root: Path) -> None:
    assert WHEEL.is_file()
    wheel = await call_text(GrepTool(Searcher(WHEEL)), root, pattern="alpha", context=1)
    plain = await call_text(GrepTool(Searcher(None)), root, pattern="alpha", context=1)
    assert wheel == plain


def test_a_program_of_the_project_is_never_started(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "rg").write_text("#!/bin/sh\n", encoding="utf-8")
    (root / "rg").chmod(0o755)
    monkeypatch.chdir(root)
    monkeypatch.setenv("PATH", ".")
    assert find_ripgrep() == WHEEL
