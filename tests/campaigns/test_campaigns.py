"""The campaigns in short; their long forms are commands (CONTRIBUTING)."""

from pathlib import Path

from tests.campaigns import cancel, kill


async def test_turn_stopped_at_any_instant_leaves_a_session_that_goes_on(tmp_path: Path) -> None:
    seen = await cancel.run(tmp_path, count=60, seed=7)
    assert seen["trials"] == 60
    assert seen["aborted"] > 20


def test_agent_killed_at_any_instant_loses_nothing_it_had_shown(tmp_path: Path) -> None:
    seen = kill.run(tmp_path, count=25, seed=7)
    assert seen["kills"] == 25
    assert seen["things shown as done"] > 50
