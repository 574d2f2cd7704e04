"""Compaction by the provider: the sealed block, the readable summary beside it, and every way back to our own."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from openclaw_tui.messages import text_of
from openclaw_tui.session.custom_types import PROVIDER_COMPACTION
from openclaw_tui.session.entries import CompactionEntry, CustomEntry
from openclaw_tui.session.truncation import truncate_session_after_compaction
from tests.agent.harness import APIS, Agent, agent, agent_on
from tests.agent.test_compaction_on_apis import files, replies
from tests.strict_fake import Fault, StrictFake
from tests.strict_fake.exchange import Record

METHOD = ("agents.defaults.compaction.method=provider",)
CLAUDE = APIS["anthropic"]
SUMMARY = "## Decisions\nPort 5400 is taken.\n\n## Open TODOs\nNone."


def body(record: Record) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(record.raw)
    return found


def blocks(record: Record, kind: str) -> list[dict[str, Any]]:
    return [block for message in body(record)["messages"] for block in message["content"] if block["type"] == kind]


def sealed_entries(it: Agent) -> list[dict[str, Any]]:
    entries = it.session.deps.manager.entries()
    return [e.data for e in entries if isinstance(e, CustomEntry) and e.custom_type == PROVIDER_COMPACTION]


def last_compaction(it: Agent) -> CompactionEntry:
    compaction = it.session.deps.manager.project().compaction
    assert compaction is not None
    return compaction


def on_first_summary(fault: Fault) -> Callable[[Record], Fault | None]:
    waiting = [fault]
    return lambda record: waiting.pop() if record.kind == "summary" and waiting else None


async def read_some(it: Agent, start: int, count: int) -> None:
    for number in range(start, start + count):
        await it.turn(f"Read number {number}.")


async def test_block_stands_first_and_reasoning_behind_it_stays_valid_also_after_a_resume(tmp_path: Path) -> None:
    files(tmp_path, 14)
    async with StrictFake(replies(14), summary=SUMMARY) as fake:
        async with agent_on(fake, CLAUDE, tmp_path, config=METHOD) as it:
            await read_some(it, 0, 5)
            before = fake.main[-1]
            assert (await it.session.compact("the ports")).startswith("Compacted")
            asked = body(fake.summaries[-1])
            assert "the ports" in asked["compaction"]["instructions"]
            assert "Read number 0." in asked["compaction"]["instructions"], "words of the user are to be copied"
            assert asked["system"] == body(before)["system"]
            assert fake.summaries[-1].cache_read > fake.summaries[-1].tokens / 2
            await it.turn("Read number 5.")
            after = fake.main[-1]
            first = body(after)["messages"][0]
            assert first["role"] == "assistant"
            assert first["content"][0]["type"] == "compaction"
            assert json.loads(sealed_entries(it)[0]["block"]) == first["content"][0], "as it came, key for key"
            assert blocks(after, "thinking"), "reasoning of the kept tail is still sent"
            assert after.dropped in (0, [], None)
            assert SUMMARY in text_of(it.messages[0].content), "everybody else can read it"
            assert "Read number 0." in last_compaction(it).summary
            session_id = it.session.session_id
        async with agent_on(fake, CLAUDE, tmp_path, config=METHOD, resume=session_id) as it:
            await it.turn("Read number 6.")
            assert blocks(fake.main[-1], "compaction") == blocks(after, "compaction")
            await read_some(it, 7, 4)
            assert (await it.session.compact()).startswith("Compacted")
            assert len(blocks(fake.summaries[-1], "compaction")) == 1, "the next one builds on the block"
            await it.turn("Read number 11.")
            assert len(blocks(fake.main[-1], "compaction")) == 1
            assert blocks(fake.main[-1], "thinking")
        assert [record.error for record in fake.refused] == []
        assert all(not record.dropped for record in fake.requests)


async def test_other_models_read_the_readable_summary(tmp_path: Path) -> None:
    files(tmp_path, 6)
    async with StrictFake(replies(6), summary=SUMMARY) as fake, agent_on(fake, CLAUDE, tmp_path, config=METHOD) as it:
        await read_some(it, 0, 4)
        assert (await it.session.compact()).startswith("Compacted")
        older = msgspec.structs.replace(CLAUDE, id="claude-opus-5", base_url=fake.url_anthropic)
        it.session.set_model(older)
        await it.turn("Read number 4.")
        assert blocks(fake.main[-1], "compaction") == []
        assert any(SUMMARY in block["text"] for block in blocks(fake.main[-1], "text"))
        it.session.set_model(msgspec.structs.replace(CLAUDE, id="claude-sonnet-5-5", base_url=fake.url_anthropic))
        await it.turn("Read number 5.")
        assert blocks(fake.main[-1], "compaction")
        assert [record.error for record in fake.refused] == []


async def test_undo_redo_and_a_shortened_file_leave_the_block_usable(tmp_path: Path) -> None:
    files(tmp_path, 8)
    async with StrictFake(replies(8), summary=SUMMARY) as fake, agent_on(fake, CLAUDE, tmp_path, config=METHOD) as it:
        await read_some(it, 0, 4)
        before = it.messages
        await it.session.compact()
        assert truncate_session_after_compaction(it.session.deps.manager).truncated
        await it.turn("Read number 4.")
        assert blocks(fake.main[-1], "compaction")
        it.session.compactions.undo()
        assert it.messages[: len(before)] == before
        await it.turn("Read number 5.")
        assert blocks(fake.main[-1], "compaction") == []
        it.session.compactions.redo()
        await it.turn("Read number 6.")
        assert blocks(fake.main[-1], "compaction")
        assert [record.error for record in fake.refused] == []


async def test_edited_preview_gives_up_the_block_for_the_users_words(tmp_path: Path) -> None:
    files(tmp_path, 6)
    async with StrictFake(replies(6), summary=SUMMARY) as fake, agent_on(fake, CLAUDE, tmp_path, config=METHOD) as it:
        await read_some(it, 0, 4)
        assert "Port 5400" in (await it.session.compactions.preview()).text
        it.session.compactions.edit("My own words.")
        await it.session.compactions.apply()
        await it.turn("Read number 4.")
        assert blocks(fake.main[-1], "compaction") == []
        assert any("My own words." in block["text"] for block in blocks(fake.main[-1], "text"))
        assert [record.error for record in fake.refused] == []


async def test_preview_that_is_applied_later_keeps_the_talk_since_behind_the_block(tmp_path: Path) -> None:
    files(tmp_path, 6)
    async with StrictFake(replies(6), summary=SUMMARY) as fake, agent_on(fake, CLAUDE, tmp_path, config=METHOD) as it:
        await read_some(it, 0, 4)
        await it.session.compactions.preview()
        await it.turn("Read number 4.")
        assert (await it.session.compactions.apply()).startswith("Compacted")
        await it.turn("Read number 5.")
        assert blocks(fake.main[-1], "compaction")
        assert blocks(fake.main[-1], "thinking")
        assert [record.error for record in fake.refused] == []


async def test_threshold_in_a_tool_loop_is_compacted_by_the_provider(tmp_path: Path) -> None:
    files(tmp_path, 30)
    calls = [reply for reply in replies(30) if not isinstance(reply, str)]
    model = msgspec.structs.replace(CLAUDE, context_window=32_000)
    async with (
        StrictFake([*calls, "All read."], window=32_000, summary=SUMMARY) as fake,
        agent_on(fake, model, tmp_path, config=METHOD) as it,
    ):
        ended = await it.turn("Read all.")
        assert ended.outcome == "done", it.notices
        assert len(fake.summaries) >= 1
        assert all("compaction" in body(record) for record in fake.summaries)
        assert [record.error for record in fake.refused] == []
        assert all(not record.dropped for record in fake.requests)


@pytest.mark.parametrize("fault", [Fault.http(400), Fault.empty(), Fault.http(403)], ids=["400", "empty", "403"])
async def test_failure_falls_back_to_our_own_summary_and_is_told_once(tmp_path: Path, fault: Fault) -> None:
    files(tmp_path, 6)
    async with (
        StrictFake(replies(6), summary=SUMMARY, faults=on_first_summary(fault)) as fake,
        agent_on(fake, CLAUDE, tmp_path, config=METHOD) as it,
    ):
        await read_some(it, 0, 4)
        assert (await it.session.compact()).startswith("Compacted")
        assert sealed_entries(it) == []
        assert sum("compaction.method" in notice for notice in it.notices) == 1
        notes = it.app.ledger.rows[-1].data["notes"]
        assert any("own compaction was not used" in note for note in notes)
        await it.turn("Read number 4.")
        assert any(SUMMARY in block["text"] for block in blocks(fake.main[-1], "text"))


async def test_busy_service_is_asked_again(tmp_path: Path) -> None:
    files(tmp_path, 6)
    busy = on_first_summary(Fault.http(529))
    async with (
        StrictFake(replies(6), summary=SUMMARY, faults=busy) as fake,
        agent_on(fake, CLAUDE, tmp_path, config=METHOD) as it,
    ):
        await read_some(it, 0, 4)
        assert (await it.session.compact()).startswith("Compacted")
        assert it.waits
        assert len(sealed_entries(it)) == 1


async def test_block_that_is_refused_later_makes_room_for_the_readable_summary_for_good(tmp_path: Path) -> None:
    files(tmp_path, 7)
    async with StrictFake(replies(7), summary=SUMMARY) as fake:
        async with agent_on(fake, CLAUDE, tmp_path, config=METHOD) as it:
            await read_some(it, 0, 4)
            await it.session.compact()
            spoilt = json.loads(sealed_entries(it)[0]["block"])
            path, session_id = it.path, it.session.session_id
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace(spoilt["signature"], spoilt["signature"][:-8] + "AAAAAAA="), encoding="utf-8")
        async with agent_on(fake, CLAUDE, tmp_path, config=METHOD, resume=session_id) as it:
            assert (await it.turn("Read number 4.")).outcome == "done"
            refusals = len(fake.refused)
            assert refusals == 1
            assert any("sealed summary" in row.reason for row in it.app.ledger.rows)
        async with agent_on(fake, CLAUDE, tmp_path, config=METHOD, resume=session_id) as it:
            assert (await it.turn("Read number 5.")).outcome == "done"
            assert len(fake.refused) == refusals
            assert blocks(fake.main[-1], "compaction") == []


async def test_model_without_it_uses_our_own_and_says_so_once(tmp_path: Path) -> None:
    async with agent(tmp_path, forever="a long answer " * 150, config=METHOD) as it:
        for number in range(5):
            await it.turn(f"request {number}")
        it.provider.forever = SUMMARY
        await it.session.compact()
        it.provider.forever = "a long answer " * 150
        for number in range(5):
            await it.turn(f"request {number}")
        it.provider.forever = SUMMARY
        await it.session.compact()
        told = [notice for notice in it.notices if "compaction.method" in notice]
        assert len(told) == 1
        assert "scripted/script" in told[0]


async def test_openai_is_told_to_be_without_it(tmp_path: Path) -> None:
    files(tmp_path, 4)
    gpt = APIS["openai-responses"]
    async with StrictFake(replies(4), summary=SUMMARY) as fake, agent_on(fake, gpt, tmp_path, config=METHOD) as it:
        await read_some(it, 0, 4)
        assert (await it.session.compact()).startswith("Compacted")
        assert any("not offered for openai/" in notice for notice in it.notices)
        assert [record.error for record in fake.refused] == []
