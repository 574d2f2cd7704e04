"""Killed at any instant: the session reopens, and nothing is lost that was said to be stored."""

import random
from pathlib import Path

from tests.session.kill_campaign import run


def test_a_killed_writer_leaves_a_session_that_holds_all_it_had_reported(tmp_path: Path) -> None:
    report = run(tmp_path, kills=12, chance=random.Random(7))
    assert report.kills == 12
    assert report.stored_before_kill > 0
