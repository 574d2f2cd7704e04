"""What is written to disk beside the session holds no secret: by shape, by held value, by the user's own patterns."""

import json
import re
from pathlib import Path

import pytest

from openclaw_tui.ledger.ledger import LEDGER_FILE, Ledger, LedgerRow, export_rows
from openclaw_tui.safety.masking import held_keys
from openclaw_tui.safety.secrets import HIDDEN, hold, mask_secrets, masked_line, use_patterns
from openclaw_tui.ui.prompt_history import PromptHistory, Stash, StoredDraft

KEY = "sk-ant-api03-" + "Ab1" * 12
HELD = "plainly-spoken-9"


@pytest.fixture(autouse=True)
def known() -> None:
    hold([HELD])
    use_patterns([re.compile(r"PIN-\d+")])


def secrets_in(text: str) -> list[str]:
    return [secret for secret in (KEY, HELD, "PIN-77") if secret in text]


def test_ledger_rows_are_masked_when_written_in_memory_and_in_an_export(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path, masked=masked_line)
    kept = ledger.record(
        LedgerRow(1.0, "guard", "capped", reason=f"saw {KEY}", data={"password": "Xy12Xy34Zk99", "n": 3})
    )
    ledger.record(LedgerRow(2.0, "tools", "ran", reason=f"{HELD} PIN-77", tokens_before=4))
    assert kept.reason == f"saw {HIDDEN}"
    assert kept.data == {"password": HIDDEN, "n": 3}
    export_rows(ledger, tmp_path / "out.jsonl")
    for name in (LEDGER_FILE, "out.jsonl"):
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert not secrets_in(text)
        assert "Xy12Xy34Zk99" not in text
    again = Ledger.open(tmp_path)
    assert again.rows == ledger.rows
    assert again.unreadable == 0


def test_history_drafts_and_stash_hold_no_secret_on_disk(tmp_path: Path) -> None:
    text = f"use {KEY}, {HELD} and PIN-77 please"
    history = PromptHistory.of_project(tmp_path, tmp_path)
    history.add(text)
    StoredDraft.of_project(tmp_path, tmp_path).save(text)
    stash = Stash.of_project(tmp_path, tmp_path)
    stash.put(text)
    files = [file for file in tmp_path.iterdir() if file.is_file()]
    assert len(files) == 3
    for file in files:
        stored = file.read_text(encoding="utf-8")
        assert not secrets_in(stored)
        assert stored.count(HIDDEN) == 3
    assert PromptHistory.of_project(tmp_path, tmp_path).entries == [f"use {HIDDEN}, {HIDDEN} and {HIDDEN} please"]
    assert stash.take() == text, "what was put aside comes back as it was while the program runs"


def test_short_held_values_hide_no_words(monkeypatch: pytest.MonkeyPatch) -> None:
    for value in ("none", "ollama", "password", "lmstudio"):
        monkeypatch.setenv("A_KEY", value)
        hold(held_keys(["A_KEY"]))
        hold([value])
        assert mask_secrets(f"the {value} here") == f"the {value} here"
    monkeypatch.setenv("A_KEY", "abcdef12")
    hold(held_keys(["A_KEY"]))
    assert mask_secrets("the abcdef12 here") == f"the {HIDDEN} here"


def test_masking_twice_changes_nothing_also_with_a_greedy_pattern() -> None:
    use_patterns([re.compile(r"⟦?secret⟧?|PIN-\d+")])
    once = mask_secrets(f"{KEY} PIN-1")
    assert mask_secrets(once) == once


def test_a_row_stays_a_row() -> None:
    line = json.dumps({"a": [f'he said "{HELD}"', 1, None], "token": "Xy12Xy34Zk99"}).encode() + b"\n"
    assert json.loads(masked_line(line)) == {"a": [f'he said "{HIDDEN}"', 1, None], "token": HIDDEN}
    assert masked_line(b'{"torn": "' + KEY.encode()) == b'{"torn": "' + HIDDEN.encode()
