"""The files around the code agree with it: README, constraints, `.ci/run`, the example in CONTRIBUTING."""

import asyncio
import importlib.util
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from openclaw_tui.commands.help_command import all_commands
from openclaw_tui.context.engine import AssembleRequest, CompactRequest, CompactResult, SessionRef
from openclaw_tui.context.engine_registry import EngineDeps, EngineRegistry
from openclaw_tui.messages import Message, TextBlock, ToolResultMessage, text_of

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CONSTRAINT = re.compile(r"[a-z0-9][a-z0-9.-]*==[\w.]+")


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)


def load_licences() -> ModuleType:
    spec = importlib.util.spec_from_file_location("licences", ROOT / ".ci" / "licences.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_readme_opens_with_two_commands_of_one_line_each() -> None:
    start, tests = blocks(README, "sh")[:2]
    for command in (start, tests):
        assert command.count("\n") == 1
        assert command.startswith("python3 -m venv .venv && .venv/bin/python -m pip install")
    assert start.rstrip().endswith(".venv/bin/openclaw-tui")
    assert "[test]" in tests
    assert tests.rstrip().endswith("-m pytest")
    assert "--cwd" in README.split("```")[4], "the third line says how to call it from elsewhere"


@pytest.mark.skipif(shutil.which("awk") is None, reason="needs awk, as .ci/run does")
def test_ci_runs_the_test_command_of_the_readme() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    extract = re.search(r"^test_command=\$\((awk '.*?' README\.md)\)$", script, re.M)
    assert extract, ".ci/run takes the command out of README.md"
    run = subprocess.run(
        ["bash", "-c", extract[1]], cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=True
    )
    assert run.stdout == blocks(README, "sh")[1]
    assert re.search(r'bash -euo pipefail -c "\$test_command"', script)
    assert "set -euo pipefail" in script


def test_constraints_are_plain_lines_that_fit_the_ranges() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if not CONSTRAINT.fullmatch(line)] == []
    assert lines == sorted(lines, key=lambda line: line.split("==")[0])
    pinned = dict(line.split("==") for line in lines)
    wanted = [Requirement(text) for text in PROJECT["dependencies"] + PROJECT["optional-dependencies"]["test"]]
    missing = [r.name for r in wanted if canonicalize_name(r.name) not in pinned]
    assert missing == []
    outside = [str(r) for r in wanted if not r.specifier.contains(pinned[canonicalize_name(r.name)])]
    assert outside == []
    assert not {"pip", "setuptools", "openclaw-tui"} & set(pinned)


@pytest.mark.parametrize(
    ("licence", "allowed"),
    [
        ("MIT", True),
        ("Apache-2.0 OR BSD-3-Clause", True),
        ("MPL-1.1 OR GPL-2.0-only OR LGPL-2.1-or-later", True),
        ("Mozilla Public License 2.0 (MPL 2.0)", True),
        ("GNU Lesser General Public License v3 (LGPLv3)", False),
        ("GPL-3.0-or-later", False),
        ("AGPL-3.0", False),
        ("MIT AND GPL-2.0", False),
        ("UNKNOWN", False),
        ("", False),
    ],
)
def test_the_licence_check_tells_copyleft_apart(licence: str, allowed: bool) -> None:
    assert load_licences().is_allowed(licence) is allowed


def test_no_dependency_is_under_a_copyleft_licence_by_name() -> None:
    known = {"pyte", "textual-diff-view", "textual-image", "bashlex", "unidecode", "pyqt5", "pyqt6"}
    groups = [PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()]
    names = {canonicalize_name(Requirement(text).name) for group in groups for text in group}
    assert not names & known


def test_every_slash_command_stands_in_the_readme_and_every_one_there_exists() -> None:
    section = README.split("### Slash commands")[1].split("### ")[0]
    named = set(re.findall(r"`/([a-z-]+)(?: [^`]*)?`", section.split("Unambiguous")[0]))
    assert named == {command.name for command in all_commands().commands}


def test_every_subcommand_stands_in_the_readme() -> None:
    from openclaw_tui.cli_options import SUBCOMMANDS

    table = README.split("These commands need neither")[1].split("## ")[0]
    assert set(re.findall(r"^\| `(\w+)", table, re.M)) == set(SUBCOMMANDS)


def test_the_example_engine_of_contributing_works() -> None:
    code = blocks((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), "python")[0]
    names: dict[str, object] = {}
    exec(compile(code, "CONTRIBUTING.md", "exec"), names)  # the text a reader would copy
    registry = EngineRegistry()
    factory = names["NewestWhole"]
    assert callable(factory)
    assert registry.register("newest-whole", factory, "example").ok

    async def compactor(request: CompactRequest) -> CompactResult:
        return CompactResult(ok=True, compacted=True, reason="delegated")

    engine = registry.create("newest-whole", EngineDeps(compactor=compactor, settings={}))
    messages: tuple[Message, ...] = tuple(
        ToolResultMessage(f"c{n}", "exec", (TextBlock(f"{n}" * 5_000),), timestamp=n) for n in range(3)
    )
    session = SessionRef("s", "agent:main:tui:dm:s")
    result = asyncio.run(engine.assemble(AssembleRequest(session, messages, 10_000)))
    sizes = [len(text_of(m.content)) for m in result.messages]
    assert sizes[2] == 5_000
    assert max(sizes[:2]) < 2_000
    compacted = asyncio.run(engine.compact(CompactRequest(session, 1, 2, "manual")))
    assert compacted.reason == "delegated"
