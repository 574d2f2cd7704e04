"""Subcommands in this process: what they print, their exit code, and what they leave on the disk."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from openclaw_tui.cli import main
from openclaw_tui.messages import AssistantMessage, TextBlock, ToolCallBlock, ToolResultMessage, user_text
from openclaw_tui.session.manager import SessionManager


@dataclass(frozen=True, slots=True)
class Outcome:
    code: int
    out: str
    err: str


@dataclass(slots=True)
class Runner:
    """Calls the program with `--cwd` set to the project."""

    project: Path
    state: Path
    capture: pytest.CaptureFixture[str]

    @property
    def sessions(self) -> Path:
        return self.state / "agents" / "main" / "sessions"

    def __call__(self, *arguments: str) -> Outcome:
        self.capture.readouterr()
        try:
            code = main(["--cwd", str(self.project), *arguments])
        except SystemExit as leaving:
            code = leaving.code if isinstance(leaving.code, int) else 1
        captured = self.capture.readouterr()
        return Outcome(code, captured.out, captured.err)

    def usage_error(self, *arguments: str) -> str:
        """The one line of a call that must end with exit 2 and print nothing else."""
        outcome = self(*arguments)
        assert outcome.code == 2, outcome
        assert outcome.out == ""
        (line,) = outcome.err.splitlines()
        return line

    def files(self) -> dict[str, bytes]:
        """Everything in state and project, to see that nothing was written."""
        roots = (self.state, self.project)
        return {str(p): p.read_bytes() for root in roots for p in sorted(root.rglob("*")) if p.is_file()}


def talk(runner: Runner, session_id: str = "talk", *, compacted: bool = False) -> Path:
    """A stored session with a call and its result, and a compaction where it is asked for."""
    manager = SessionManager.create(runner.sessions, cwd=runner.project, session_id=session_id)
    manager.append_message(user_text("where is <hello> defined?"))
    call = ToolCallBlock("c1", "grep", {"pattern": "hello"})
    manager.append_message(AssistantMessage((TextBlock("I look."), call), provider="offline", model="guide"))
    manager.append_message(ToolResultMessage("c1", "grep", (TextBlock("a.py:1: def hello(): ``` \x1b]52;c;AA\x07"),)))
    answer = AssistantMessage((TextBlock("In a.py, line 1."),), provider="offline", model="guide")
    kept = manager.append_message(answer)
    if compacted:
        manager.append_compaction(
            summary="hello stands in a.py", first_kept_entry_id=kept.id, tokens_before=1234, durable=False
        )
    manager.close()
    path = manager.path
    assert path is not None
    return path
