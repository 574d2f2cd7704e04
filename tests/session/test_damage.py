"""Damaged files: the rest loads, the original is kept, the user is told, and the file is whole again afterwards."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from openclaw_tui.errors import SessionCorrupt
from openclaw_tui.messages import user_text
from openclaw_tui.session.manager import SessionManager
from tests.session.format_validator import assert_valid
from tests.session.talk import answer, result, session, texts


def _stored(tmp_path: Path, *prompts: str) -> Path:
    manager = session(tmp_path, *prompts)
    manager.close()
    assert manager.path is not None
    return manager.path


def _lines(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


def _backups(path: Path) -> list[Path]:
    return [found for found in path.parent.iterdir() if ".damaged-" in found.name]


def _assert_mended(path: Path, original: bytes, expected: list[str]) -> SessionManager:
    """Opens with damage once, keeps the original, goes on on a line of its own, and is clean the next time."""
    manager = SessionManager.open(path)
    assert manager.damage is not None
    assert manager.damage.text in manager.notices
    assert "\n" not in manager.damage.text
    (backup,) = _backups(path)
    assert backup.read_bytes() == original
    assert backup == manager.damage.backup
    assert not backup.name.endswith(".jsonl")
    assert backup.stat().st_mode & 0o077 == 0
    assert texts(manager) == expected
    manager.append_message(user_text("after"))
    manager.close()
    assert_valid(path)
    again = SessionManager.open(path)
    assert again.damage is None
    assert texts(again) == [*expected, "after"]
    again.close()
    return again


@pytest.mark.parametrize(
    "tail",
    [
        b'{"type":"message","id":"ff","parentId":null,"timestamp":"2026","message":{"role":"user","content":"half',
        b"\x00" * 4096,
        '{"type":"message","id":"ff","message":{"role":"user","content":"grün'.encode()[:-2],
        b"{",
        b"garbage",
    ],
    ids=["mid-string", "nul", "mid-character", "brace", "garbage"],
)
def test_a_torn_last_line_is_set_aside(tmp_path: Path, tail: bytes) -> None:
    prompts = [f"p{number}" for number in range(100)]
    path = _stored(tmp_path, *prompts)
    path.write_bytes(path.read_bytes() + tail)
    expected = [text for prompt in prompts for text in (prompt, f"answer to {prompt}")]
    _assert_mended(path, path.read_bytes(), expected)


def test_a_whole_last_line_without_its_end_is_no_damage_and_the_next_entry_has_its_own_line(tmp_path: Path) -> None:
    path = _stored(tmp_path, "one")
    path.write_bytes(path.read_bytes()[:-1])
    manager = SessionManager.open(path)
    assert manager.damage is None
    manager.append_message(user_text("two"))
    assert texts(manager) == ["one", "answer to one", "two"]
    assert_valid(path)
    manager.close()
    assert texts(SessionManager.open(path)) == ["one", "answer to one", "two"]


def test_a_broken_middle_line_costs_itself_only(tmp_path: Path) -> None:
    path = _stored(tmp_path, "one", "two", "three")
    lines = _lines(path)
    lines[4] = lines[4][: len(lines[4]) // 2] + b"\n"
    path.write_bytes(b"".join(lines))
    _assert_mended(path, path.read_bytes(), ["one", "answer to one", "two", "three", "answer to three"])


def test_a_record_cut_in_a_string_with_a_whole_one_behind_it_on_the_line(tmp_path: Path) -> None:
    path = _stored(tmp_path, *(f"p{number}" for number in range(40)))
    lines = _lines(path)
    lines[57] = lines[57][:150] + lines[58]
    del lines[58]
    path.write_bytes(b"".join(lines))
    expected = [text for number in range(40) for text in (f"p{number}", f"answer to p{number}")]
    del expected[56]
    _assert_mended(path, path.read_bytes(), expected)


def test_two_whole_records_on_one_line_are_both_recovered(tmp_path: Path) -> None:
    path = _stored(tmp_path, "one", "two")
    lines = _lines(path)
    merged = lines[2][:-1] + lines[3]
    path.write_bytes(b"".join([*lines[:2], merged, *lines[4:]]))
    manager = _assert_mended(path, path.read_bytes(), ["one", "answer to one", "two", "answer to two"])
    assert manager.damage is None


def test_a_byte_order_mark_is_no_obstacle(tmp_path: Path) -> None:
    path = _stored(tmp_path, "one")
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    _assert_mended(path, path.read_bytes(), ["one", "answer to one"])


def test_bytes_that_are_no_utf8_become_replacement_characters(tmp_path: Path) -> None:
    path = _stored(tmp_path, "one GAP")
    path.write_bytes(path.read_bytes().replace(b"one GAP", b"one \xff\xfe", 1))
    _assert_mended(path, path.read_bytes(), ["one \ufffd\ufffd", "answer to one GAP"])


def test_half_a_character_as_an_escape_is_read_and_the_line_left_alone(tmp_path: Path) -> None:
    path = _stored(tmp_path, "one GAP")
    path.write_bytes(path.read_bytes().replace(b"one GAP", rb"one \ud83d", 1))
    before = path.read_bytes()
    manager = SessionManager.open(path)
    assert texts(manager)[0] == "one \ufffd"
    assert manager.damage is not None
    assert manager.damage.surrogates == 1
    assert path.read_bytes() == before
    assert _backups(path) == []


def test_a_missing_header_is_built_anew_with_the_id_of_the_name(tmp_path: Path) -> None:
    path = _stored(tmp_path, "one")
    path.write_bytes(b"".join(_lines(path)[1:]))
    _assert_mended(path, path.read_bytes(), ["one", "answer to one"])
    assert SessionManager.open(path, read_only=True).session_id == path.stem


@pytest.mark.parametrize(
    "header", [b'{"type":"session","vers\n', b'{"type":"session","version":3}\n', b"\x00\x00\x00\n", b"[]\n"]
)
def test_a_bad_header_never_costs_the_talk(tmp_path: Path, header: bytes) -> None:
    path = _stored(tmp_path, "one")
    path.write_bytes(header + b"".join(_lines(path)[1:]))
    _assert_mended(path, path.read_bytes(), ["one", "answer to one"])


@pytest.mark.parametrize("content", [b"", b"hello\n", b"\x00" * 100, b'{"some":"json"}\n'])
def test_a_file_with_nothing_usable_is_refused_and_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(content)
    with pytest.raises(SessionCorrupt, match=r"x\.jsonl"):
        SessionManager.open(path)
    assert path.read_bytes() == content
    assert [found.name for found in tmp_path.glob("x*")] == ["x.jsonl"]


def test_a_lost_entry_joins_its_children_to_the_entry_before(tmp_path: Path) -> None:
    manager = SessionManager.create(tmp_path, cwd=tmp_path)
    manager.append_message(user_text("go"))
    manager.append_message(answer("calling", ("call-7", "read")))
    manager.append_message(result("call-7", "found"))
    manager.append_message(answer("done"))
    manager.close()
    path = manager.path
    assert path is not None
    lines = _lines(path)
    path.write_bytes(b"".join(lines[:2] + lines[3:]))
    again = _assert_mended(path, path.read_bytes(), ["go", "found", "done"])
    assert len(again.leaves()) == 1


def test_parents_that_come_later_or_point_to_themselves_make_no_loop(tmp_path: Path) -> None:
    path = _stored(tmp_path, "one", "two")
    lines = [json.loads(line) for line in _lines(path)]
    lines[1]["parentId"], lines[2]["parentId"] = lines[3]["id"], lines[2]["id"]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    _assert_mended(path, path.read_bytes(), ["one", "answer to one", "two", "answer to two"])


def test_a_repeated_line_counts_once(tmp_path: Path) -> None:
    path = _stored(tmp_path, "one")
    lines = _lines(path)
    path.write_bytes(b"".join([*lines, lines[2]]))
    _assert_mended(path, path.read_bytes(), ["one", "answer to one"])


def test_the_kept_tail_survives_the_loss_of_its_first_entry(tmp_path: Path) -> None:
    manager = session(tmp_path, "one", "two", "three")
    kept = manager.branch()[2]
    manager.append_compaction(summary="s", first_kept_entry_id=kept.id, tokens_before=1)
    manager.close()
    path = manager.path
    assert path is not None
    lines = _lines(path)
    lines[3] = b"torn" + lines[3][100:]
    path.write_bytes(b"".join(lines))
    again = SessionManager.open(path)
    assert texts(again)[1:] == ["answer to two", "three", "answer to three"]
    assert_valid(path)


def test_reading_only_leaves_a_damaged_file_as_it_is(tmp_path: Path) -> None:
    path = _stored(tmp_path, "one", "two")
    lines = _lines(path)
    path.write_bytes(b"".join([*lines[:3], b"broken\n", *lines[4:], b"{torn"]))
    before, folder = path.read_bytes(), sorted(tmp_path.iterdir())
    reader = SessionManager.open(path, read_only=True)
    assert texts(reader) == ["one", "answer to one", "answer to two"]
    assert reader.damage is not None
    assert reader.damage.left_as_it_is
    assert (path.read_bytes(), sorted(tmp_path.iterdir())) == (before, folder)


def test_a_dead_compaction_of_a_retry_does_not_hide_the_talk(tmp_path: Path) -> None:
    manager = session(tmp_path, "one", "two")
    at, kept = manager.leaf_id, manager.branch()[2].id
    manager.append_compaction(summary="dead", first_kept_entry_id=kept, tokens_before=1)
    manager.branch_to(at)
    manager.append_message(user_text("a branch of the user"))
    branch = manager.leaf_id
    manager.branch_to(at)
    manager.append_compaction(summary="live", first_kept_entry_id=kept, tokens_before=1)
    manager.append_message(user_text("three"))
    manager.close()
    assert manager.path is not None
    again = SessionManager.open(manager.path)
    assert again.project().summary_text == "live"
    assert again.leaves() == [branch, again.leaf_id]


def _cut(data: bytes, at: int) -> bytes:
    return data[:at]


def _zeroed(data: bytes, at: int) -> bytes:
    return data[:at] + b"\x00" * (len(data) - at)


@pytest.mark.parametrize("spoil", [_cut, _zeroed])
def test_a_file_cut_at_any_byte_of_its_last_lines_reopens(tmp_path: Path, spoil: Callable[[bytes, int], bytes]) -> None:
    manager = session(tmp_path, "one", "zwölf")
    manager.close()
    assert manager.path is not None
    data = manager.path.read_bytes()
    whole = texts(manager_of := SessionManager.open(manager.path, read_only=True))
    manager_of.close()
    start = len(b"".join(data.splitlines(keepends=True)[:3]))
    for at in range(start, len(data)):
        folder = tmp_path / str(at)
        folder.mkdir()
        path = folder / manager.path.name
        path.write_bytes(spoil(data, at))
        again = SessionManager.open(path)
        seen = texts(again)
        assert seen == whole[: len(seen)]
        assert len(seen) >= data[:at].count(b"\n") - 1
        again.append_message(user_text("on"))
        again.close()
        assert_valid(path)
        for left in folder.iterdir():
            os.unlink(left)
        folder.rmdir()
