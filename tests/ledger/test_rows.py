"""Rows of the ledger and of the calls: private, appended, and still there after a crash, a full disk or a torn line."""

import stat
from pathlib import Path
from typing import Any

import pytest

from openclaw_tui.ledger.calls import CallLog, CallRow
from openclaw_tui.ledger.ledger import Ledger, LedgerRow, row_data


def row(verb: str = "trimmed", **more: Any) -> LedgerRow:
    return LedgerRow(time=1.0, layer="guard", verb=verb, **more)


def test_rows_survive_a_restart_and_are_private(tmp_path: Path) -> None:
    folder = tmp_path / "s.artifacts"
    ledger = Ledger.open(folder)
    ledger.record(row(reason="over the line", tokens_before=900, tokens_after=100, way_back='recall("t3")'))
    path = folder / "ledger.jsonl"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    again = Ledger.open(folder)
    assert [row_data(found) for found in again.rows] == [row_data(found) for found in ledger.rows]
    assert again.last("guard", "trimmed") == again.rows[-1]
    assert again.last("guard", "cleared") is None


def test_torn_line_is_left_and_the_next_row_stands_on_its_own(tmp_path: Path) -> None:
    Ledger.open(tmp_path).record(row("capped"))
    with (tmp_path / "ledger.jsonl").open("ab") as handle:
        handle.write(b'{"time":2.0,"layer":"gu')
    ledger = Ledger.open(tmp_path)
    assert (len(ledger.rows), ledger.unreadable) == (1, 1)
    ledger.record(row("cleared"))
    assert [found.verb for found in Ledger.open(tmp_path).rows] == ["capped", "cleared"]


def test_rows_wait_while_something_else_stands_in_their_place(tmp_path: Path) -> None:
    (tmp_path / "ledger.jsonl").mkdir()
    with pytest.raises(OSError, match="directory"):
        Ledger.open(tmp_path)
    (tmp_path / "ledger.jsonl").rmdir()
    ledger = Ledger.open(tmp_path)
    (tmp_path / "ledger.jsonl").mkdir()
    ledger.record(row("capped"))
    assert [found.verb for found in ledger.rows] == ["capped"]
    (tmp_path / "ledger.jsonl").rmdir()
    ledger.record(row("cleared"))
    assert [found.verb for found in Ledger.open(tmp_path).rows] == ["capped", "cleared"]


def test_session_that_is_not_stored_keeps_its_rows_in_memory() -> None:
    ledger = Ledger.open(None)
    ledger.record(row())
    assert len(ledger.of_layer("guard")) == 1
    assert ledger.of_layer("cache") == []


def call(kept: int, *new: str) -> CallRow:
    return CallRow(time=1.0, provider="p", model="m", api="a", kept=kept, new=list(new))


def test_digests_of_the_last_call_are_rebuilt_from_what_was_new_each_time(tmp_path: Path) -> None:
    log = CallLog(tmp_path)
    log.append(call(0, "a", "b"))
    log.append(call(2, "c"))
    log.append(call(1, "x"))
    assert log.digests == ["a", "x"]
    again = CallLog(tmp_path)
    assert again.digests == ["a", "x"]
    assert again.last == log.rows[-1]


def test_file_grows_with_the_talk_and_not_with_its_square(tmp_path: Path) -> None:
    log = CallLog(tmp_path)
    sizes = []
    for number in range(400):
        log.append(call(number, f"{number:016x}"))
        sizes.append((tmp_path / "calls.jsonl").stat().st_size)
    assert sizes[-1] < 2.2 * sizes[199]
