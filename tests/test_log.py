"""The log file: JSON lines, private, masked, and never in the way."""

import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from openclaw_tui.errors import RateLimited
from openclaw_tui.events import TextDelta, TurnEnded
from openclaw_tui.log import log_event, set_up_logging
from openclaw_tui.safety.secrets import mask_secrets

SECRETS = [
    "sk-ant-api03-" + "a" * 30,
    "sk-proj-" + "b" * 30,
    "AIza" + "c" * 35,
    "ghp_" + "d" * 36,
    "xoxb-" + "1" * 20,
    "AKIA" + "A" * 16,
    "Bearer " + "e" * 24,
    "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
]


@pytest.fixture
def log_file(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "state" / "logs" / "openclaw-tui.log"
    set_up_logging(path, debug=False)
    yield path
    set_up_logging(None)
    logging.captureWarnings(False)


def rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_rows_are_json_and_the_file_is_private(log_file: Path) -> None:
    logging.getLogger("openclaw_tui.x").info("line one\nline two")
    (row,) = rows(log_file)
    assert (row["level"], row["logger"], row["message"]) == ("info", "openclaw_tui.x", "line one\nline two")
    assert log_file.stat().st_mode & 0o777 == 0o600
    assert log_file.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("secret", SECRETS, ids=[secret[:6] for secret in SECRETS])
def test_secrets_are_masked_in_messages_and_tracebacks(log_file: Path, secret: str) -> None:
    try:
        raise ValueError(f"refused {secret}")
    except ValueError:
        logging.getLogger("openclaw_tui").exception("sent %s", secret)
    text = log_file.read_text(encoding="utf-8")
    assert secret[-12:] not in text
    assert "⟦secret⟧" in text
    assert mask_secrets(mask_secrets(secret)) == mask_secrets(secret)


def test_the_end_of_a_turn_is_logged_and_what_was_said_is_not(log_file: Path) -> None:
    log_event(TextDelta("k", "m", "private words"))
    log_event(TurnEnded("k", "failed", steps=2, error=RateLimited("busy")))
    (row,) = rows(log_file)
    assert row["message"] == "turn failed after 2 steps, 0 in, 0 out: busy"


def test_libraries_that_log_whole_prompts_are_held_back(log_file: Path) -> None:
    set_up_logging(log_file, debug=True)
    logging.getLogger("anthropic").debug("Request options: all of the prompt")
    logging.getLogger("openclaw_tui").debug("ours")
    assert [row["message"] for row in rows(log_file)] == ["ours"]


def test_without_a_place_to_write_nothing_is_logged_and_nothing_fails(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    set_up_logging(tmp_path / "file" / "log")
    logging.getLogger("openclaw_tui").error("lost")
    set_up_logging(None)
    logging.captureWarnings(False)
