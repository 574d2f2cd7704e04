"""Entries and messages survive the way to disk and back; odd records of other programs do no harm."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_tui.messages import AssistantMessage, Message, TextBlock, ToolCallBlock, UserMessage, user_text
from openclaw_tui.session.codec import decode_entry, decode_record, encode_entry, upgraded, with_parent
from openclaw_tui.session.entries import CompactionEntry, CustomEntry, Entry, MessageEntry, UnknownEntry
from openclaw_tui.session.manager import SessionManager
from openclaw_tui.session.message_codec import decode_message, encode_message
from tests.session.talk import rich_messages

_STAMP = "2026-12-01T10:00:00.000Z"
_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def _again(entry: Entry) -> Entry:
    line, _ = encode_entry(entry)
    assert b"\n" not in line
    return decode_entry(line, entry_id=entry.id, parent_id=entry.parent_id)


@pytest.mark.parametrize("message", rich_messages(), ids=lambda m: type(m).__name__)
def test_every_kind_of_message_comes_back_as_it_was(message: Message) -> None:
    entry = MessageEntry("a1", None, _STAMP, message)
    assert _again(entry) == entry
    back = _again(entry)
    assert isinstance(back, MessageEntry)
    assert back.message is not None
    assert back.message.entry_id == "a1"


@given(text=st.text(), arguments=st.dictionaries(st.text(max_size=5), _json, max_size=3), signature=st.text())
def test_any_text_arguments_and_signatures_round_trip(text: str, arguments: dict[str, Any], signature: str) -> None:
    content = (TextBlock(text, signature), ToolCallBlock("c", "read", arguments, signature))
    message = AssistantMessage(content, "anthropic", "anthropic", "m", timestamp=1)
    line, changed = encode_entry(MessageEntry("a", None, _STAMP, message))
    back = decode_entry(line, entry_id="a", parent_id=None)
    assert isinstance(back, MessageEntry)
    assert changed or back.message == message
    assert encode_entry(back) == (line, False)


@given(data=_json)
def test_custom_data_round_trips_and_reading_is_stable(data: Any) -> None:
    back = _again(CustomEntry("a", None, _STAMP, "t", data))
    assert _again(back) == back


def test_lone_surrogates_are_replaced_when_written() -> None:
    line, changed = encode_entry(MessageEntry("a", None, _STAMP, user_text("half \ud83d and whole \U0001f600")))
    assert changed
    assert "half \ufffd and whole \U0001f600" in line.decode("utf-8")


def test_lone_surrogate_escapes_of_other_programs_are_replaced_when_read() -> None:
    line = rb'{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"x\ud83dy"}}'
    back = decode_entry(line, entry_id="a", parent_id=None)
    assert isinstance(back, MessageEntry)
    assert back.message == user_text("x\ufffdy")


def test_apis_and_stop_reasons_have_the_familys_names_on_disk() -> None:
    records = [encode_message(message) for message in rich_messages()]
    assistants = [record for record in records if record["role"] == "assistant"]
    assert [record["api"] for record in assistants] == [
        "openai-completions",
        "anthropic-messages",
        "google-generative-ai",
        "offline",
    ]
    assert [record["stopReason"] for record in assistants] == ["toolUse", "error", "aborted", "error"]
    assert all(record["usage"]["cost"]["total"] == 0 for record in assistants)


def test_unknown_price_is_not_taken_for_no_price() -> None:
    for cost in (None, 0.0, 1.5):
        message = AssistantMessage((), cost_usd=cost)
        assert decode_message(encode_message(message)) == message


@pytest.mark.parametrize(
    "message",
    [
        {"role": "user", "content": None},
        {"role": "user"},
        {"role": "assistant", "content": "text", "usage": None},
        {"role": "assistant", "content": [{"type": "toolCall", "id": 5, "name": None, "arguments": "{broken"}]},
        {"role": "toolResult", "content": [{"type": "video", "url": "x"}], "details": [1]},
        {"role": "system", "content": "prompt of pi"},
        {"role": "bashExecution", "command": "ls", "output": "", "exitCode": 2, "cancelled": False},
        {"role": "from the future"},
    ],
)
def test_odd_messages_of_other_programs_are_read_without_a_fault(message: dict[str, Any]) -> None:
    line = json.dumps({"type": "message", "id": "a", "parentId": None, "timestamp": _STAMP, "message": message})
    assert isinstance(decode_entry(line.encode(), entry_id="a", parent_id=None), MessageEntry)


def test_a_broken_call_keeps_its_text_for_the_tool_runner() -> None:
    call = {"type": "toolCall", "id": "c", "name": "exec", "arguments": '{"command'}
    message = decode_message({"role": "assistant", "content": [call]})
    assert isinstance(message, AssistantMessage)
    assert message.tool_calls == (ToolCallBlock("c", "exec", {}, None, '{"command'),)


def test_excluded_commands_and_system_prompts_are_nothing_for_the_model() -> None:
    excluded = {"role": "bashExecution", "command": "env", "output": "KEY=1", "excludeFromContext": True}
    assert decode_message(excluded) is None
    assert decode_message({"role": "system", "content": "x"}) is None


def test_commands_of_the_user_become_user_text_of_their_origin() -> None:
    run = {"role": "bashExecution", "command": "make", "output": "boom", "exitCode": 2}
    message = decode_message(run)
    assert isinstance(message, UserMessage)
    assert message.origin == "bash"
    assert "make" in str(message.content)
    assert "boom" in str(message.content)
    assert "exit code 2" in str(message.content)


def test_unknown_entries_come_back_word_for_word() -> None:
    record = {"type": "future.thing", "id": "a", "parentId": None, "timestamp": _STAMP, "deep": {"b": [1, {"c": None}]}}
    entry = decode_entry(json.dumps(record).encode(), entry_id="a", parent_id=None)
    assert isinstance(entry, UnknownEntry)
    assert decode_record(encode_entry(entry)[0]) == record


def test_an_entry_whose_body_makes_no_sense_is_kept_as_unknown() -> None:
    line = json.dumps({"type": "model_change", "id": "a", "parentId": None, "timestamp": _STAMP}).encode()
    assert isinstance(decode_entry(line, entry_id="a", parent_id=None), UnknownEntry)


@given(st.text(), st.sampled_from(["", "old", '"parentId":"old"', "\\"]))
def test_a_new_parent_changes_nothing_else(text: str, decoy: str) -> None:
    record = {"custom": decoy + text, "type": "custom", "id": "a", "parentId": "old", "x": 1.50, "customType": decoy}
    line = json.dumps(record).encode()
    changed = with_parent(line, None)
    assert decode_record(changed) == record | {"parentId": None}
    assert decode_record(with_parent(changed, "old")) == decode_record(line)


def test_a_new_parent_is_spliced_in_without_touching_a_byte_beside_it() -> None:
    line = b'{"type":"custom","id":"a","parentId":"old","n":1.50,"big":1e400,  "odd" : "\\u00e9"}'
    assert with_parent(line, "new") == line.replace(b'"old"', b'"new"')
    assert with_parent(line, None) == line.replace(b'"old"', b"null")


def test_version_one_entries_get_ids_and_their_kept_start() -> None:
    old = {"type": "compaction", "timestamp": _STAMP, "summary": "s", "firstKeptEntryIndex": 2, "tokensBefore": 9}
    record = upgraded(old, entry_id="new", parent_id="p", earlier=["e1", "e2", "e3"])
    entry = decode_entry(json.dumps(record).encode(), entry_id="new", parent_id="p")
    assert entry == CompactionEntry("new", "p", _STAMP, "s", "e2", 9)
    assert "firstKeptEntryIndex" not in record


@pytest.mark.parametrize("leaf", ["plain", "half \ud800"])
def test_arguments_nested_beyond_all_reading_are_stored_and_read_again(tmp_path: Path, leaf: str) -> None:
    deep: dict[str, Any] = {"leaf": leaf}
    for _ in range(5_000):
        deep = {"in": deep}
    manager = SessionManager.create(tmp_path, cwd=tmp_path)
    manager.append_message(AssistantMessage((TextBlock("x"), ToolCallBlock("c", "read", deep))))
    manager.append_message(user_text("after"))
    manager.close()
    again = SessionManager.open(tmp_path / f"{manager.session_id}.jsonl")
    assert again.damage is None
    assert len(again.project().messages) == 2
    again.close()
