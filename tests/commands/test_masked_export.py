"""An export holds no secret, also none that the user typed, and a JSON-lines export stays a session."""

import json
from pathlib import Path

import pytest

from openclaw_tui.app.masks import masked_export
from openclaw_tui.messages import AssistantMessage, TextBlock, ToolCallBlock, user_text
from openclaw_tui.session.manager import SessionManager

KEY = "sk-ant-api03-" + "Ab1" * 12


@pytest.mark.parametrize("suffix", [".md", ".html", ".jsonl"])
def test_no_secret_leaves_with_an_export(tmp_path: Path, suffix: str) -> None:
    manager = SessionManager.create(tmp_path, cwd=tmp_path)
    manager.append_message(user_text(f'my key is "{KEY}"\nDB_PASSWORD=hunter2-and-more'))
    call = ToolCallBlock("c1", "exec", {"password": "c0rrect-horse-b4ttery1"})
    manager.append_message(AssistantMessage((TextBlock("noted"), call)))
    data = masked_export(manager, suffix).decode()
    manager.close()
    assert KEY not in data
    assert "hunter2" not in data
    assert "noted" in data
    assert "c0rrect" not in data
    if suffix == ".jsonl":
        assert next(json.loads(line)["type"] for line in data.splitlines()) == "session"
