"""A talk that was compacted, its file shortened by the subcommand, and the way back: real processes all along."""

import json
from pathlib import Path
from typing import Any

from openclaw_tui.messages import Message
from openclaw_tui.session.archive import archive_path
from openclaw_tui.session.manager import SessionManager
from tests.e2e.processes import run_program

LINE = ("--line", "-m", "offline/guide", "--config", "agents.defaults.compaction.keepRecentTokens=1")


def typed(project: Path, *lines: str, resume: str | None = None) -> str:
    """What the line mode prints for these lines."""
    more = ("--resume", resume) if resume else ()
    run = run_program(*LINE, *more, cwd=project, stdin="".join(f"{line}\n" for line in lines).encode())
    assert run.returncode == 0, run.stderr.decode()
    return run.stdout.decode()


def sessions(project: Path, *arguments: str) -> Any:
    run = run_program("sessions", *arguments, "--json", cwd=project)
    assert run.returncode == 0, run.stderr.decode()
    return json.loads(run.stdout)


def talk_of(path: Path) -> tuple[Message, ...]:
    manager = SessionManager.open(path, read_only=True)
    try:
        return manager.project().messages
    finally:
        manager.close()


def test_truncate_keeps_what_is_shown_and_undo_brings_everything_back(project: Path, tmp_path: Path) -> None:
    (project / "a.py").write_text("def hello():\n    return 1\n" * 400, encoding="utf-8")
    requests = ["read a.py", "find where hello is defined", "read README.md", "list the files"]
    typed(project, *requests)
    (path,) = (tmp_path / "state").rglob("sessions/*.jsonl")
    whole, session_id = talk_of(path), path.stem
    assert "Compacted" in typed(project, "/compact", resume=session_id)
    compacted, size = talk_of(path), path.stat().st_size
    assert len(compacted) < len(whole)

    outcome = sessions(project, "truncate", session_id)
    assert outcome["truncated"] is True
    assert outcome["entries_removed"] > 0
    assert path.stat().st_size < size
    assert archive_path(path).exists()
    assert talk_of(path) == compacted
    assert sessions(project, "check", session_id)[0]["problems"] == []
    assert sessions(project, "truncate", session_id)["truncated"] is False

    said = typed(project, "/compact undo", resume=session_id)
    assert "came back from the archive" in said
    assert talk_of(path) == whole
    assert "done again" in typed(project, "/compact redo", resume=session_id)
    assert talk_of(path) == compacted
    assert sessions(project, "check", session_id)[0]["problems"] == []
