"""A compaction looked at afterwards: its tabs, what it lost, another text for it, and three ways to undo it."""

import json
from pathlib import Path

from openclaw_tui.agent.compaction_desk import PUT_BACK_HEADING
from openclaw_tui.agent.undoing import undo_ways
from openclaw_tui.compaction.lost import Lost, lost_items
from openclaw_tui.messages import text_of
from openclaw_tui.session.entries import CompactionEntry
from tests.agent.harness import Agent, agent
from tests.agent.test_compaction_desk import SUMMARY, run, talked

NAMES = "The server runs on db.internal:5433, see src/walk/dag.py and commit 9f8e7d6c5b4a.\n- [ ] write the changelog\n"


async def compacted(it: Agent, names: str = NAMES) -> None:
    it.provider.forever = names + "word " * 300
    await it.turn("where does it run?")
    it.provider.forever = "ok"
    await talked(it)
    it.provider.forever = SUMMARY
    assert (await run(it, "/compact")).startswith("Compacted")
    it.provider.forever = "ok"


def first(it: Agent) -> str:
    return text_of(it.messages[0].content)


async def test_the_tabs_show_text_covered_messages_losses_difference_and_cost(tmp_path: Path) -> None:
    async with agent(tmp_path, forever="ok") as it:
        await compacted(it)
        assert "Use tabs." in await run(it, "/compact show")
        assert "assistant: The server runs on" in await run(it, "/compact before")
        lost = await run(it, "/compact lost")
        assert "to-do    write the changelog" in lost
        assert "db.internal:5433" not in lost, "the summary lists names that the model left out"
        assert "db.internal:5433" in first(it)
        assert "cache rewrite" in await run(it, "/compact price")
        row, record = it.app.ledger.rows[-1], it.session.compactions.record()
        assert (record.tokens_before, record.tokens_after) == (row.tokens_before, row.tokens_after)
        assert "+Use tabs." in await run(it, "/compact diff")
        data = json.loads(await run(it, "/compact show json"))
        assert data["current"] is True
        assert data["covered_messages"] > 4
        assert data["break_even_calls"] >= 1
        assert "no compaction '7'" in await run(it, "/compact show 7")


async def test_a_lost_name_goes_into_the_summary_or_to_the_end_and_back(tmp_path: Path) -> None:
    async with agent(tmp_path, forever="ok") as it:
        await compacted(it)
        await it.turn("said since")
        names = [item.text for item in it.session.compactions.record().lost]
        number = names.index("write the changelog") + 1
        line = await run(it, f"/compact put-back {number} summary now")
        assert "Summary changed" in line
        assert "- to-do: write the changelog" in first(it)
        assert PUT_BACK_HEADING in first(it)
        assert any("said since" in text_of(m.content) for m in it.messages), "later turns are kept"
        assert "write the changelog" not in [item.text for item in it.session.compactions.record().lost]
        assert "before the edit is back" in await run(it, "/compact unedit")
        assert "changelog" not in first(it)
        assert "no edited summary" in await run(it, "/compact unedit")
        line = await run(it, f"/compact put-back {number} end")
        assert "put back at the end" in line
        assert "write the changelog" in text_of(it.messages[-1].content)
        assert "is a number of /compact lost" in await run(it, "/compact put-back 999")


async def test_an_edited_summary_is_sent_survives_a_restart_and_is_undone_with_its_compaction(tmp_path: Path) -> None:
    async with agent(tmp_path, forever="ok") as it:
        await compacted(it)
        await run(it, "/compact edit ## Decisions\nUse spaces.")
        await it.turn("go on")
        assert "Use spaces." in text_of(it.provider.requests[-1].messages[0].content)
        assert await run(it, "/compact edit ## Decisions\nUse spaces.") == "The summary is as it was."
        assert "Use spaces." in await run(it, "/compact edit")
    async with agent(tmp_path, forever="ok", continue_last=True) as again:
        assert "Use spaces." in first(again)
        await run(again, "/compact undo")
        assert "where does it run?" in first(again)
        await run(again, "/compact redo")
        assert "Use spaces." in first(again)


async def test_three_ways_to_undo_when_turns_followed(tmp_path: Path) -> None:
    async with agent(tmp_path, forever="ok") as it:
        await compacted(it)
        await it.turn("said since")
        ways = undo_ways(it.session.deps)
        assert ways is not None
        assert (ways.later, ways.fits) == (2, True)
        asked = await run(it, "/compact undo ask")
        assert "/compact undo keep" in asked
        assert f"{ways.whole_tokens:,} of {ways.usable:,}" in asked
        assert "stay on their branch" in await run(it, "/compact undo branch")
        assert all("said since" not in text_of(m.content) for m in it.messages)
        await run(it, "/compact redo")
        assert "2 later messages follow" in await run(it, "/compact undo keep")
        await run(it, "/compact redo")
        it.provider.forever = "## Decisions\nAnother focus."
        line = await run(it, "/compact again the server")
        assert line.startswith("Compacted")
        assert "Another focus." in first(it)
        assert any("said since" in text_of(m.content) for m in it.messages)
        assert it.session.deps.requests.context_size().is_estimate, "reports from before are no measure now"


async def test_keeping_is_refused_with_numbers_where_it_does_not_fit(tmp_path: Path) -> None:
    async with agent(tmp_path, forever="ok") as it:
        await compacted(it)
        await it.turn("word " * 9_000)
        for number in range(4):
            await it.turn(f"{number} " + "word " * 5_500)
        ways = undo_ways(it.session.deps)
        if ways is not None and not ways.fits:
            line = await run(it, "/compact undo keep")
            assert f"{ways.later} later messages" in line
            assert "/compact again" in line
            assert isinstance(it.session.deps.manager.project().compaction, CompactionEntry)


async def test_again_that_fails_leaves_the_compaction_standing(tmp_path: Path) -> None:
    async with agent(tmp_path, forever="ok") as it:
        await compacted(it)
        before = it.messages
        it.provider.forever = "   "
        line = await run(it, "/compact again nothing")
        assert "Compaction failed" in line or "Compacted" in line
        if "failed" in line:
            assert [m.content for m in it.messages] == [m.content for m in before]


def test_lost_names_have_kinds_counts_and_an_order() -> None:
    covered = ["see https://a.example/x and 550e8400-e29b-41d4-a716-446655440000", "port localhost:8080 localhost:8080"]
    found = lost_items(covered, ["make test", "make test"], ["ship it"], "nothing of it")
    assert found[0] == Lost("to-do", "ship it")
    assert found[1] == Lost("command", "make test", 2)
    kinds = {item.text: item.kind for item in found}
    assert kinds["https://a.example/x"] == "url"
    assert kinds["localhost:8080"] == "port"
    assert kinds["550e8400-e29b-41d4-a716-446655440000"] == "id"


def test_a_path_that_stands_by_its_end_is_not_lost() -> None:
    assert lost_items(["/home/me/src/walk/dag.py"], [], [], "changed walk/dag.py") == ()
