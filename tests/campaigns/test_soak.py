"""The soak in short; its long form, a day of 5,000 turns, is a command (CONTRIBUTING)."""

from pathlib import Path

import msgspec.structs

from tests.campaigns import soak


async def test_many_turns_leave_nothing_behind(tmp_path: Path) -> None:
    outcome = await soak.soak(tmp_path, 40, seed=3)
    assert outcome.problems() == []
    assert outcome.looks[-1].turn == 40
    assert outcome.sessions > 2
    assert outcome.resumed > 5
    assert outcome.compactions > 0


def test_the_soak_would_see_a_leak() -> None:
    before = soak.Look(1, 100.0, 10, 3, 1, 2)
    after = msgspec.structs.replace(before, memory=112.0, descriptors=20, tasks=9)
    problems = soak.Outcome([before, after]).problems()
    assert [problem.split()[0] for problem in problems] == ["memory", "descriptors", "tasks"]
