"""sessions.json: derived, complete after a rebuild, and careful with what others put into it."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from openclaw_tui.messages import user_text
from openclaw_tui.session.manager import SessionManager
from openclaw_tui.session.store import SessionStore
from tests.session.talk import session

_ROOT = Path(__file__).parents[2]


def _raw(directory: Path) -> dict[str, Any]:
    found = json.loads((directory / "sessions.json").read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


def test_fields_are_set_kept_and_taken_away(tmp_path: Path) -> None:
    store = SessionStore(tmp_path / "new" / "sessions")
    store.update("agent:main:tui:dm:1", session_id="1", context_tokens=1200, compaction_count=2, skills_snapshot=["a"])
    store.update("agent:main:tui:dm:1", memory_flush_at=5, compaction_count=None)
    record = store.get("AGENT:main:tui:dm:1")
    assert record is not None
    assert (record.session_id, record.context_tokens, record.memory_flush_at) == ("1", 1200, 5)
    assert record.compaction_count is None
    assert record.skills_snapshot == ["a"]
    assert record.updated_at is not None
    assert store.path.stat().st_mode & 0o077 == 0
    assert set(_raw(store.path.parent)["agent:main:tui:dm:1"]) == {
        "updatedAt",
        "sessionId",
        "contextTokens",
        "skillsSnapshot",
        "memoryFlushAt",
    }


def test_unknown_entries_fields_and_odd_values_stay_word_for_word(tmp_path: Path) -> None:
    theirs = {
        "agent:main:telegram:dm:7": {"sessionId": "x", "deliveryContext": {"to": [1, {"a": None}]}, "label": 5},
        "global": "not an object",
        "agent:main:tui:dm:1": {"sessionId": "1", "execHost": "node", "updatedAt": 1.5},
    }
    (tmp_path / "sessions.json").write_text(json.dumps(theirs), encoding="utf-8")
    store = SessionStore(tmp_path)
    assert store.read()["agent:main:telegram:dm:7"].label is None
    store.update("agent:main:tui:dm:1", label="mine", updated_at=9)
    store.rebuild(lambda row: f"agent:main:tui:dm:{row.id}")
    expected: dict[str, Any] = dict(theirs)
    expected["agent:main:tui:dm:1"] = {"sessionId": "1", "execHost": "node", "updatedAt": 9, "label": "mine"}
    assert _raw(tmp_path) == expected


def test_a_lost_index_is_rebuilt_from_the_session_files(tmp_path: Path) -> None:
    manager = session(tmp_path, "one", "two")
    manager.append_compaction(summary="s", first_kept_entry_id=manager.branch()[2].id, tokens_before=1)
    manager.append_thinking_level_change("high")
    store = SessionStore(tmp_path)
    assert store.rebuild(lambda row: f"agent:main:tui:dm:{row.id}") == 1
    record = store.get(f"agent:main:tui:dm:{manager.session_id}")
    assert record is not None
    assert (record.session_id, record.session_file) == (manager.session_id, str(manager.path))
    assert (record.compaction_count, record.thinking_level, record.display_name) == (1, "high", "one")
    assert (record.model_provider, record.model) == ("anthropic", "claude-sonnet-5-5")
    assert store.rebuild(lambda row: f"agent:main:tui:dm:{row.id}") == 0


@pytest.mark.parametrize("content", [b"{broken", b"[]", b"\xff\xfe", b""])
def test_a_damaged_index_is_kept_aside_and_told(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "sessions.json").write_bytes(content)
    store = SessionStore(tmp_path)
    assert store.read() == {}
    store.update("k", label="x")
    assert len(store.notices) == 1
    (backup,) = tmp_path.glob("sessions.json.damaged-*")
    assert backup.read_bytes() == content
    assert _raw(tmp_path)["k"]["label"] == "x"


def test_keys_that_differ_in_case_are_one_entry_and_the_newer_wins(tmp_path: Path) -> None:
    both = {"Agent:X": {"updatedAt": 2, "label": "new"}, "agent:x": {"updatedAt": 1, "label": "old", "cwd": "/x"}}
    (tmp_path / "sessions.json").write_text(json.dumps(both), encoding="utf-8")
    store = SessionStore(tmp_path)
    assert store.read()["agent:x"].label == "new"
    store.update("AGENT:X", updated_at=3)
    assert _raw(tmp_path) == {"agent:x": {"updatedAt": 3, "label": "new", "cwd": "/x"}}


def test_removing_leaves_the_others(tmp_path: Path) -> None:
    store = SessionStore(tmp_path)
    store.update("a", label="1")
    store.update("b", label="2")
    store.remove("A")
    assert set(store.read()) == {"b"}


def test_a_field_that_does_not_exist_is_a_mistake_of_the_caller(tmp_path: Path) -> None:
    with pytest.raises(KeyError):
        SessionStore(tmp_path).update("a", colour="red")


def test_two_processes_do_not_lose_each_others_changes(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from openclaw_tui.session.store import SessionStore\n"
        "store = SessionStore(Path(sys.argv[1]))\n"
        "for n in range(25): store.update(f'{sys.argv[2]}{n}', label='x')\n"
    )
    children = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path), name], cwd=_ROOT) for name in "ab"]
    assert [child.wait() for child in children] == [0, 0]
    assert len(SessionStore(tmp_path).read()) == 50


def test_a_session_that_cannot_be_opened_still_gets_its_place(tmp_path: Path) -> None:
    (tmp_path / "torn.jsonl").write_bytes(b"nothing here\n")
    good = SessionManager.create(tmp_path, cwd=tmp_path)
    good.append_message(user_text("x"))
    store = SessionStore(tmp_path)
    assert store.rebuild(lambda row: row.id) == 2
    assert store.get("torn") is not None
