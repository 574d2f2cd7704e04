"""A session that is woken by the program, with a hidden entry as its newest leaf, is compacted by its size alone."""

from pathlib import Path

import msgspec

from openclaw_tui.agent.inbox import Waiting
from openclaw_tui.events import CompactionStarted
from openclaw_tui.messages import TextBlock, Usage
from openclaw_tui.providers.scripted import Step
from openclaw_tui.session.entries import CompactionEntry
from tests.agent.harness import SCRIPTED, Agent, agent

HUGE = msgspec.structs.replace(SCRIPTED, context_window=1_000_000)
USED = Usage(input=65_000, output=100)


async def woken(it: Agent) -> None:
    """A background job ends: what it said enters as a message of the program."""
    session = it.session
    session.deps.inbox.put(Waiting("job done", (TextBlock("job done"),), "follow_up", "subagent"))
    session.deps.manager.append_custom("openclaw-tui.test", {"hidden": True})
    await it.turn("What did the job say?")


async def test_low_usage_is_not_compacted_by_a_side_event_and_a_hidden_entry(tmp_path: Path) -> None:
    async with agent(tmp_path, forever=Step("noted", usage=USED), model=HUGE) as it:
        for number in range(3):
            await it.turn(f"request {number} " + "word " * 2_000)
        await woken(it)
        assert it.seen(CompactionStarted) == []
        assert all(answer.stop_reason == "stop" for answer in it.answers)


async def test_compaction_after_a_side_event_hangs_on_the_visible_branch(tmp_path: Path) -> None:
    async with agent(tmp_path, forever=Step("noted", usage=USED), model=HUGE) as it:
        for number in range(8):
            await it.turn(f"request {number} " + "word " * 4_000)
        await woken(it)
        manager = it.session.deps.manager
        manager.append_custom("openclaw-tui.test", {"hidden": True})
        hidden = manager.leaf_id
        it.provider.forever = "the summary"
        assert (await it.session.compact()).startswith("Compacted")
        branch = manager.branch()
        at = next(n for n, entry in enumerate(branch) if isinstance(entry, CompactionEntry))
        assert branch[at].parent_id == branch[at - 1].id
        assert hidden in [entry.id for entry in branch[:at]]
        assert it.messages[0].entry_id == branch[at].id
