"""Paths that try to leave the workspace: `python -m tests.campaigns.paths --count 2000 --seed 1`.

Each goes through the real runner and the real tools, in the default mode and where edits are accepted, with nobody to
ask. Outside lie files with a mark; a mark in a result is a read outside, and any change there a write. Some trials swap
a folder for a link: after the verdict, or all the time from another thread.
"""

import argparse
import asyncio
import json
import os
import random
import sys
import tempfile
import threading
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from openclaw_tui.messages import ToolCallBlock, ToolResultMessage, text_of
from openclaw_tui.safety.permissions import Act, PermissionMode, Permissions, PermissionSettings, Verdict
from openclaw_tui.tools.apply_patch import ApplyPatchTool
from openclaw_tui.tools.approval import ApprovalBroker
from openclaw_tui.tools.edit import EditTool
from openclaw_tui.tools.file_state import FileState
from openclaw_tui.tools.find import FindTool
from openclaw_tui.tools.grep import GrepTool
from openclaw_tui.tools.ls import LsTool
from openclaw_tui.tools.read import ReadTool
from openclaw_tui.tools.registry import Toolset
from openclaw_tui.tools.runner import ToolRunner
from openclaw_tui.tools.search import Searcher
from openclaw_tui.tools.workspace import Workspace
from openclaw_tui.tools.write import WriteTool

_MARK = "MARK-OUTSIDE"
_NAME_MARK = "named-outside"
_TOOLS = ("read", "write", "edit", "apply_patch", "ls", "find", "grep")
_MODES: tuple[PermissionMode, ...] = ("default", "acceptEdits")


class _SwappingPermissions(Permissions):
    """Calls `after_verdict` when a verdict has been made: the moment between the check and the use."""

    after_verdict: Callable[[], None] | None = None

    def judge(self, act: Act) -> Verdict:
        verdict = super().judge(act)
        if self.after_verdict is not None:
            self.after_verdict()
        return verdict


class Ground:
    """A workspace full of ways out, and the place outside they lead to."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.outside = folder / "outside"
        self.project = folder / "project"
        self.rebuild()

    def rebuild(self) -> None:
        for path in (self.outside / "deep", self.project / "src", self.project / "swap", self.folder / "project-twin"):
            path.mkdir(parents=True, exist_ok=True)
        for place in (self.outside, self.outside / "deep", self.folder / "project-twin"):
            (place / "secret.txt").write_text(f"{_MARK}\n", encoding="utf-8")
            (place / _NAME_MARK).write_text(f"{_MARK}\n", encoding="utf-8")
        for place in (self.project, self.project / "src", self.project / "swap"):
            (place / "secret.txt").write_text("inside\n", encoding="utf-8")
        links = {
            "link": self.outside,
            "chain1": self.project / "chain2",
            "chain2": self.project / "link",
            "relative": Path("../outside"),
            "src/up": Path("../.."),
            "file": self.outside / "secret.txt",
            "dangling": self.outside / "not-there.txt",
            "root": Path("/"),
            "twin": Path("../project-twin"),
            "proc": Path("/proc/self/root") / self.outside.relative_to("/"),
        }
        for name, target in links.items():
            with suppress(FileExistsError):
                (self.project / name).symlink_to(target)

    def state(self) -> dict[str, tuple[int, bytes]]:
        """Everything outside: names, kinds and contents."""
        found: dict[str, tuple[int, bytes]] = {}
        for top in (self.outside, self.folder / "project-twin"):
            for path in sorted(top.rglob("*")):
                found[str(path)] = (path.lstat().st_mode, path.read_bytes() if path.is_file() else b"")
        found["entries"] = (0, json.dumps(sorted(os.listdir(self.folder))).encode())
        return found

    def swap(self, *, out: bool) -> None:
        """Make `swap` a link to the outside, or a folder of the workspace again."""
        place, spare = self.project / "swap", self.project / "swap.spare"
        with suppress(OSError):
            if out and not place.is_symlink():
                place.rename(spare)
                place.symlink_to(self.outside)
            elif not out and place.is_symlink():
                place.unlink()
                spare.rename(place)


def make_path(chance: random.Random, ground: Ground) -> str:
    """A path that leads out, or to where a link might lead out; written in an odd way."""
    outside = str(ground.outside)
    depth = len(ground.project.parts)
    name = chance.choice(
        ("secret.txt", "secret.txt", "deep/secret.txt", "new.txt", "new/dir/a.txt", "", "named-outsid", "deep/nope")
    )
    start = chance.choice(
        (
            *(
                outside,
                "../outside",
                "./../outside",
                "src/../../outside",
                "src/./.././../outside",
                "link",
                "link/deep/..",
            ),
            *(
                "chain1",
                "chain2/deep",
                "relative",
                "src/up/outside",
                "src/up",
                "file",
                "dangling",
                "dangling/x",
                "twin",
            ),
            *(
                f"root{outside}",
                "../project-twin",
                f"{ground.project}-twin",
                "proc",
                f"/proc/self/root{outside}",
                "swap",
            ),
            *(f"/proc/self/cwd/{'../' * depth}{outside[1:]}", f"/proc/{os.getpid()}/root{outside}", f"//{outside[1:]}"),
            *(
                f"/dev/../{outside[1:]}",
                "../" * (depth + 3) + outside[1:],
                f"~/{'../' * 9}{outside[1:]}",
                f"@{outside}",
            ),
            *("@../outside", "@link", f"{ground.project}/../outside", f"{ground.project}/link", "swap", "swap/../link"),
            *("LINK", "Link", "../OUTSIDE", "/dev/fd/0", "/dev/stdin", "/proc/self/environ", "~/.ssh", "~root", "/etc"),
        )
    )
    path = f"{start}/{name}" if name else start
    return _written(path, chance)


def _written(path: str, chance: random.Random) -> str:
    ways: tuple[Callable[[str], str], ...] = (
        lambda text: text,
        lambda text: text,
        lambda text: text.replace("/", "//"),
        lambda text: text.replace("/", "/./"),
        lambda text: f"{text}/",
        lambda text: f"{text}/.",
        lambda text: f" {text}",
        lambda text: f"{text} ",
        lambda text: unicodedata.normalize("NFD", text),
        lambda text: text.replace("..", "\u2025"),
        lambda text: text.replace("/", "\u2215"),
        lambda text: text.replace(".", "\uff0e"),
        lambda text: text.replace("/", "\\"),
        lambda text: f"file://{text}",
        lambda text: text.replace("..", "%2e%2e"),
        lambda text: f"\u200b{text}",
        lambda text: f"{text}\x00.txt",
        lambda text: f"'{text}'",
        lambda text: f"$PWD/{text}",
        lambda text: f"src/../{text}" if not text.startswith(("/", "~", "@")) else text,
    )
    return chance.choice(ways)(path)


def make_call(chance: random.Random, path: str, number: int) -> ToolCallBlock:
    tool = chance.choice(_TOOLS)
    patch = chance.choice(
        (
            f"*** Add File: {path}\n+x",
            f"*** Delete File: {path}",
            f"*** Update File: {path}\n@@\n-{_MARK}\n+x",
            f"*** Update File: {path}\n@@\n-MARK-OUTSIDX\n+x",
            f"*** Update File: secret.txt\n*** Move to: {path}\n@@\n-inside\n+x",
        )
    )
    arguments: dict[str, dict[str, Any]] = {
        "read": {"path": path},
        "write": {"path": path, "content": "overwritten\n"},
        "edit": {
            "path": path,
            "edits": [{"oldText": chance.choice((_MARK, "M", "inside", "MARK-OUTSIDX")), "newText": "x"}],
        },
        "apply_patch": {"input": f"*** Begin Patch\n{patch}\n*** End Patch"},
        "ls": {"path": path},
        "find": {"path": path, "pattern": "*"},
        "grep": {"path": path, "pattern": "."},
    }
    return ToolCallBlock(id=f"c{number}", name=tool, arguments=arguments[tool])


async def run(folder: Path, *, count: int, seed: int) -> Counter[str]:
    """What came of the calls; `read outside` and `written outside` must not be among it."""
    ground = Ground(folder)
    seen: Counter[str] = Counter()
    before = ground.state()
    for number in range(count):
        chance = random.Random(f"{seed}/{number}")
        mode = _MODES[number % 2]
        runner, permissions = _runner(ground, mode)
        path = make_path(chance, ground)
        race = chance.choice(("none", "none", "after the verdict", "all the time")) if "swap" in path else "none"
        if race == "after the verdict":
            permissions.after_verdict = lambda: ground.swap(out=True)
        call = make_call(chance, path, number)
        with _swapping(ground, race == "all the time"):
            text = await _answer(runner, call)
        ground.swap(out=False)
        seen["calls"] += 1
        seen[f"race {race}"] += race != "none"
        seen["refused"] += "Not run" in text
        told = _MARK in text.replace(json.dumps(call.arguments), "") and _MARK not in json.dumps(call.arguments)
        if told or _NAME_MARK in text:
            seen["read outside"] += 1
            seen[f"  {call.name} {path!r} {mode} race {race}: {text[:90]!r}"] += 1
        after = ground.state()
        if after != before:
            seen["written outside"] += 1
            seen[f"  {call.name} {path!r} {mode} race {race}"] += 1
            before = after
        ground.rebuild()
    return seen


def _runner(ground: Ground, mode: PermissionMode) -> tuple[ToolRunner, _SwappingPermissions]:
    workspace = Workspace(ground.project)
    files, searcher = FileState(), Searcher.find()
    permissions = _SwappingPermissions(PermissionSettings(mode), workspace)
    tools = (
        *(ReadTool(files), WriteTool(files), EditTool(files), ApplyPatchTool(files), LsTool()),
        *(FindTool(searcher), GrepTool(searcher)),
    )
    approvals = ApprovalBroker(lambda event: None, "campaign", interactive=False)
    return ToolRunner(Toolset(tools), workspace, permissions, approvals, lambda event: None, "campaign"), permissions


async def _answer(runner: ToolRunner, call: ToolCallBlock) -> str:
    results: list[ToolResultMessage] = []
    await runner.run([call], lambda result: results.append(result))
    return "\n".join(text_of(result.content) for result in results)


@contextmanager
def _swapping(ground: Ground, active: bool) -> Iterator[None]:
    stop = threading.Event()

    def work() -> None:
        while not stop.is_set():
            ground.swap(out=True)
            ground.swap(out=False)

    thread = threading.Thread(target=work)
    if active:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        if active:
            thread.join()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        seen = asyncio.run(run(Path(folder).resolve(), count=given.count, seed=given.seed))
    for what, times in seen.items():
        print(f"{times:6}  {what}")
    print(f"read outside: {seen['read outside']}, written outside: {seen['written outside']}, seed {given.seed}")
    return 1 if seen["read outside"] or seen["written outside"] else 0


if __name__ == "__main__":
    sys.exit(main())
