"""The model call that writes a summary fails like any other call, and is tried again like any other."""

from collections.abc import Callable
from pathlib import Path

from openclaw_tui.errors import ProviderUnavailable
from openclaw_tui.events import CompactionEnded
from openclaw_tui.providers.base import ProviderRequest
from openclaw_tui.providers.scripted import Step
from tests.agent.harness import agent
from tests.agent.test_compacting import SUMMARY, paths_read, project, worker


def overloaded_once() -> Callable[[ProviderRequest], Step | str]:
    answers = iter([Step(error=ProviderUnavailable("overloaded", status=529), events_before=0)])

    def summary(request: ProviderRequest) -> Step | str:
        return next(answers, SUMMARY)

    return summary


async def test_a_summary_call_that_meets_an_overload_is_tried_again(tmp_path: Path) -> None:
    async with agent(project(tmp_path, 20), forever=worker(20, overloaded_once())) as it:
        ended = await it.turn("Read all twenty.")
        compactions = it.seen(CompactionEnded)
        assert ended.outcome == "done"
        assert it.waits, "it waited before the second try"
        assert compactions
        assert all(done.ok for done in compactions)
        assert len(paths_read(it)) == 20
