"""Files of pi open, show and resume here; ours have the shape that pi reads."""

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from openclaw_tui.errors import SessionError
from openclaw_tui.messages import AssistantMessage, TextBlock, ThinkingBlock, ToolResultMessage, UserMessage, user_text
from openclaw_tui.session.listing import summarize
from openclaw_tui.session.manager import SessionManager
from tests.session.format_validator import assert_valid, problems
from tests.session.talk import rich_messages, texts

FIXTURES = Path(__file__).parent / "fixtures"
_PI_FILES = ["pi_session.jsonl", "pi_session_0_74.jsonl"]


def write_ours(directory: Path) -> Path:
    """The session of which `fixtures/ours_for_pi.jsonl` is a copy."""
    manager = SessionManager.create(directory, cwd=Path("/home/dev/project"), session_id="ours")
    manager.append_model_change("anthropic", "claude-sonnet-5-5")
    manager.append_thinking_level_change("medium")
    for message in rich_messages():
        manager.append_message(message)
    kept = manager.branch()[5].id
    manager.append_message(user_text("and now this"))
    manager.append_compaction(summary="What was done.", first_kept_entry_id=kept, tokens_before=1234)
    left = manager.leaf_id
    manager.append_message(user_text("a way that led nowhere"))
    gone = manager.leaf_id
    manager.branch_to(left)
    manager.append_branch_summary(from_id=gone, summary="It led nowhere.")
    manager.append_custom_message("note", (TextBlock("Mind the gap."),), display=True)
    manager.append_custom("openclaw-tui.state", {"n": 1})
    manager.append_label(kept, "kept")
    manager.append_session_info("Ours for pi")
    manager.append_message(user_text("last"))
    manager.close()
    assert manager.path is not None
    return manager.path


def _shape(path: Path) -> list[Any]:
    """Records with ids numbered and times blanked."""
    text = path.read_text(encoding="utf-8")
    records = [json.loads(line) for line in text.split("\n")[:-1]]
    for number, record in enumerate(records):
        text = text.replace(f'"{record["id"]}"', f'"e{number}"')
    return [_timeless(json.loads(line)) for line in text.split("\n")[:-1]]


def _timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: 0 if key == "timestamp" else _timeless(item) for key, item in value.items()}
    return [_timeless(item) for item in value] if isinstance(value, list) else value


def test_our_writer_still_writes_the_shape_that_was_proven_in_pi(tmp_path: Path) -> None:
    path = write_ours(tmp_path)
    assert_valid(path)
    assert _shape(path) == _shape(FIXTURES / "ours_for_pi.jsonl")


@pytest.mark.parametrize("name", _PI_FILES)
def test_a_session_of_pi_opens_and_shows_everything(name: str) -> None:
    assert problems(FIXTURES / name) == []
    manager = SessionManager.open(FIXTURES / name)
    assert (manager.is_foreign, manager.read_only, manager.damage) == (True, True, None)
    projection = manager.project()
    kinds = Counter(type(message) for message in projection.messages)
    assert kinds == {UserMessage: 2, AssistantMessage: 8, ToolResultMessage: 6}
    assert (projection.model, projection.thinking_level) == (("bench", "claude-sonnet-4-5"), "medium")
    answers = [message for message in projection.messages if isinstance(message, AssistantMessage)]
    calls = [call for message in answers for call in message.tool_calls]
    results = [message for message in projection.messages if isinstance(message, ToolResultMessage)]
    assert [call.id for call in calls] == [found.tool_call_id for found in results]
    assert all(message.api == "anthropic" for message in answers)
    assert all(message.cost_usd for message in answers)
    thinking = [block for message in answers for block in message.content if isinstance(block, ThinkingBlock)]
    assert all(block.signature for block in thinking)
    row = summarize(FIXTURES / name)
    assert row is not None
    assert row.foreign
    assert row.title.startswith("BENCH-TURN-1: please work on ticket")


@pytest.mark.parametrize("name", _PI_FILES)
def test_a_session_of_pi_goes_on_in_a_copy_and_stays_as_it_is(tmp_path: Path, name: str) -> None:
    original = tmp_path / "pi" / name
    original.parent.mkdir()
    shutil.copy(FIXTURES / name, original)
    before = original.read_bytes()
    foreign = SessionManager.open(original)
    with pytest.raises(SessionError, match="reading only"):
        foreign.append_message(user_text("x"))
    copy = SessionManager.adopt(original, tmp_path / "ours")
    assert copy.project().messages == foreign.project().messages
    assert not copy.is_foreign
    assert copy.header.parent_session == str(original)
    copy.append_message(user_text("go on"))
    assert texts(copy)[-1] == "go on"
    assert copy.path is not None
    assert copy.path.read_bytes().split(b"\n")[1 : len(before.split(b"\n")) - 1] == before.split(b"\n")[1:-1]
    assert_valid(copy.path)
    assert original.read_bytes() == before
    assert [found.name for found in original.parent.iterdir()] == [name]


def test_a_damaged_foreign_file_is_copied_as_far_as_it_can_be_read_and_kept_beside_the_copy(tmp_path: Path) -> None:
    original = tmp_path / "pi.jsonl"
    content = (FIXTURES / "pi_session.jsonl").read_bytes() + b'{"type":"message","id":"half'
    original.write_bytes(content)
    copy = SessionManager.adopt(original, tmp_path / "ours")
    assert len(texts(copy)) == 16
    (kept,) = (tmp_path / "ours").glob("*.damaged-*")
    assert kept.read_bytes() == content
    assert original.read_bytes() == content


_V1: list[dict[str, Any]] = [
    {"type": "session", "id": "old", "timestamp": "2025-11-01T10:00:00.000Z", "cwd": "/x", "provider": "anthropic"},
    {"type": "message", "timestamp": "2025-11-01T10:00:01.000Z", "message": {"role": "user", "content": "one"}},
    {"type": "message", "timestamp": "2025-11-01T10:00:02.000Z", "message": {"role": "user", "content": "two"}},
    {"type": "compaction", "timestamp": "2025-11-01T10:00:03.000Z", "summary": "s", "firstKeptEntryIndex": 2},
    {"type": "message", "timestamp": "2025-11-01T10:00:04.000Z", "message": {"role": "hookMessage", "content": "h"}},
]


@pytest.mark.parametrize("version", [1, 2])
def test_old_layouts_are_migrated_in_memory_and_in_the_copy_only(tmp_path: Path, version: int) -> None:
    records = [dict(record) for record in _V1]
    if version == 2:
        records[0]["version"] = 2
        for number, record in enumerate(records[1:], 1):
            record |= {"id": f"id{number}", "parentId": f"id{number - 1}" if number > 1 else None}
        records[3]["firstKeptEntryId"] = "id2"
    path = tmp_path / "old.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    before = path.read_bytes()
    old = SessionManager.open(path)
    assert old.damage is None
    assert texts(old)[1:] == ["two", "h"]
    copy = SessionManager.adopt(path, tmp_path / "ours")
    copy.append_message(user_text("three"))
    copy.close()
    assert path.read_bytes() == before
    assert copy.path is not None
    again = SessionManager.open(copy.path)
    assert texts(again)[1:] == ["two", "h", "three"]
    assert again.damage is None
