"""Transcripts, faults and writes in short; their long forms are commands (CONTRIBUTING)."""

from pathlib import Path

from tests.campaigns import faults, transcripts, writes


async def test_random_transcripts_are_refused_by_no_api() -> None:
    seen = await transcripts.run(count=120, seed=7)
    assert seen["requests"] == 480
    assert seen["accepted"] > 400


async def test_random_faults_hang_lose_and_repeat_nothing(tmp_path: Path) -> None:
    seen = await faults.run(tmp_path, count=40, seed=7)
    assert seen["faults"] >= 40
    assert seen["done"] > 5


def test_writer_killed_in_any_weather_loses_nothing_it_was_told_is_stored(tmp_path: Path) -> None:
    seen = writes.run(tmp_path, count=24, seed=7)
    assert seen["opened"] == 24
    assert seen["acknowledged entries"] > 24
