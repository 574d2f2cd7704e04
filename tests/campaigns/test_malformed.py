"""The campaign of damaged files in short; its long form is a command (CONTRIBUTING)."""

import random
from pathlib import Path

import pytest

from tests.campaigns import malformed


def test_no_damaged_file_makes_the_program_crash_or_speak_in_riddles() -> None:
    result = malformed.campaign(60, seed=11)
    assert result.trials == 60
    assert dict(result.faults) == {}, result.examples


def test_the_campaign_would_see_a_crash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_arguments: object) -> int:
        raise ZeroDivisionError

    result = malformed.Result()
    monkeypatch.setattr("tests.campaigns.malformed.program", broken)
    malformed.trial(result, tmp_path, random.Random(1), "skill", "empty")
    assert result.faults["raised"] == 1
