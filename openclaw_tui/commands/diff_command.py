"""`/diff`: every change of files, those of this session and others told apart.

By this session: each file its tools wrote, from before the first write to now. Otherwise: what differs from the last
commit besides, untracked files included, where the folder is a git repository. Nothing of the repository is run.
"""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import msgspec

from openclaw_tui.agent.file_rewind import as_text, content_now
from openclaw_tui.agent.session_changes import (
    ChangedFile,
    FileHistory,
    changed_files,
    compared,
    file_histories,
    shown_name,
)
from openclaw_tui.app.compose import App
from openclaw_tui.artifacts.checkpoints import ABSENT, CheckpointStore
from openclaw_tui.commands.registry import Command, CommandOutput
from openclaw_tui.constants import DIFF_MAX_GIT_FILES
from openclaw_tui.integrations.git_changes import GitFile, git_changes, stored_content
from openclaw_tui.tools.diff import diff_texts

_LFS = b"version https://git-lfs"


class DiffReport(msgspec.Struct, frozen=True):
    """`problem` says why git could not be asked; `left_out` counts files beyond the bound."""

    ours: tuple[ChangedFile, ...] = ()
    others: tuple[ChangedFile, ...] = ()
    in_git: bool = False
    left_out: int = 0
    problem: str = ""

    def only(self, word: str) -> "DiffReport":
        """The files whose name holds the word; an exact name wins."""
        files = [*self.ours, *self.others]
        exact = any(file.name == word for file in files)
        kept = {file.name for file in files if (file.name == word if exact else word in file.name)}
        ours = tuple(file for file in self.ours if file.name in kept)
        return DiffReport(ours, tuple(file for file in self.others if file.name in kept), self.in_git)

    @property
    def sections(self) -> list[tuple[str, tuple[ChangedFile, ...]]]:
        return [("by this session", self.ours), ("otherwise, since the last commit", self.others)]

    @property
    def remarks(self) -> list[str]:
        remarks = [self.problem] if self.problem else []
        if not self.in_git and not self.problem:
            remarks.append("no git repository here: only this session's own changes are known")
        if self.left_out:
            remarks.append(f"{self.left_out} more files differ from the last commit; git diff shows them")
        return remarks


def diff_report(app: App) -> DiffReport:
    """Gather everything. Blocks: reads files and asks git."""
    store, root = app.rewinds.store, app.paths.project.resolve()
    histories = file_histories(store)
    ours = tuple(changed_files(store, histories, root))
    found = git_changes(root)
    shown = found.files[:DIFF_MAX_GIT_FILES]
    others = (
        tuple(file for git in shown for file in _otherwise(git, found.root, store, histories, root))
        if found.root is not None
        else ()
    )
    return DiffReport(ours, others, found.root is not None, len(found.files) - len(shown), found.problem)


def _otherwise(
    git: GitFile, top: Path, store: CheckpointStore, histories: dict[Path, FileHistory], root: Path
) -> Iterator[ChangedFile]:
    """What differs from the last commit and is not this session's doing."""
    if git.path.is_symlink():
        return
    name, history = shown_name(git.path, root), histories.get(git.path)
    committed = stored_content(top, git.blob) if git.blob else None
    if committed is not None and committed.startswith(_LFS):
        yield ChangedFile(git.path, name, None, "kept by git-lfs, not compared")
    elif history is None:
        if not _same_but_line_ends(git.path, committed):
            note = "" if git.blob else "untracked"
            yield from compared(git.path, name, committed, note)
    elif history.first.before != ABSENT or committed is not None:
        before = store.content(history.first.before) if history.first.before != ABSENT else None
        if before != committed and (before is not None or history.first.before == ABSENT):
            diff = diff_texts(as_text(committed), as_text(before), name)
            yield ChangedFile(git.path, name, diff, "before this session wrote it")


def _same_but_line_ends(path: Path, committed: bytes | None) -> bool:
    """git may store other line ends than stand in the folder."""
    try:
        now = content_now(path)
    except OSError:
        return False
    if now is None or committed is None:
        return now is committed
    return now.replace(b"\r\n", b"\n") == committed.replace(b"\r\n", b"\n")


def report_text(report: DiffReport) -> str:
    """Sections with a line for each file, then the diffs."""
    lines: list[str] = []
    for heading, files in report.sections:
        if files:
            lines += [f"{heading}: {len(files)} file{'s' if len(files) != 1 else ''}"]
            lines += [f"  {file.line}" for file in files]
    if not lines:
        lines.append("no file has changed")
    lines += report.remarks
    for _, files in report.sections:
        lines += [f"\n{file.diff.text}" for file in files if file.diff is not None]
    return "\n".join(lines)


async def _diff(app: App, argument: str) -> CommandOutput:
    report = await asyncio.to_thread(diff_report, app)
    if argument:
        report = report.only(argument)
        if not report.ours and not report.others:
            return CommandOutput(f"no changed file is called {argument}", is_error=True)
    return CommandOutput(report_text(report), action="diff", data=report)


DIFF_COMMAND = Command("diff", "changes of files: by this session, and otherwise", _diff, hint="[FILE]")
