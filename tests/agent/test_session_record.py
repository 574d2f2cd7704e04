"""What sessions.json tells of a session, and what the agent finds in earlier ones."""

from pathlib import Path

import pytest

from openclaw_tui.app.session import list_sessions
from openclaw_tui.messages import text_of
from openclaw_tui.providers.scripted import Step
from openclaw_tui.session.listing import find_sessions, newest_session
from openclaw_tui.session.store import SessionRecord, SessionStore
from tests.agent.casting import cast, spawn
from tests.agent.harness import Agent, agent


def record_of(it: Agent) -> SessionRecord:
    record = SessionStore(it.path.parent).get(it.session.session_key)
    assert record is not None
    return record


async def test_the_record_says_how_the_session_stands(tmp_path: Path) -> None:
    async with agent(tmp_path / "p", [Step(calls=[("ls", {})]), "First answer.", "Second."]) as it:
        await it.turn("What  is\nhere?")
        record = record_of(it)
        usages = [answer.usage for answer in it.answers]
        assert record.display_name == "What is here?"
        assert (record.session_id, record.session_file) == (it.session.session_id, str(it.path))
        assert (record.total_tokens, record.total_tokens_fresh) == (usages[-1].prompt_tokens, True)
        assert record.input_tokens == usages[0].input + usages[1].input
        assert record.output_tokens == usages[0].output + usages[1].output
        assert record.context_tokens == it.session.deps.requests.context_size().tokens
        assert record.compaction_count == 0
        assert record.estimated_cost_usd == pytest.approx(it.session.deps.spent_usd)
        assert (record.session_started_at or 0) <= (record.updated_at or 0)
        assert set(record.skills_snapshot) == {"digest", "skills"}
        assert record.last_channel == "cli"
        await it.turn("And now?")
        assert record_of(it).input_tokens == it.answers[-1].usage.input
        assert record_of(it).display_name == "What is here?"


async def test_after_a_compaction_the_total_is_what_is_left(tmp_path: Path) -> None:
    async with agent(tmp_path / "p", ["Much text. " * 2000, "More text. " * 2000, "A summary.", "End."]) as it:
        await it.turn("One.")
        await it.turn("Two.")
        before = record_of(it).context_tokens or 0
        line = await it.session.compact()
        it.session.deps.requests.save_metadata()
        record = record_of(it)
    assert record.compaction_count == 1, line
    assert record.total_tokens_fresh is True
    assert 0 < (record.total_tokens or 0) < before
    assert record.total_tokens == record.context_tokens


async def test_sub_agents_are_no_conversations_of_the_users(tmp_path: Path) -> None:
    async with agent(tmp_path / "p", cast([Step(calls=[spawn()]), "Done."], ["Nothing."])) as it:
        await it.turn("Look.")
        paths = it.app.paths
        key = it.session.session_key
    rows = find_sessions(paths.sessions)
    assert sorted(row.spawned_by or "" for row in rows) == ["", key]
    assert [row.spawned_by for row in list_sessions(paths)] == [None]
    newest = newest_session(paths.sessions, tmp_path / "p")
    assert newest is not None
    assert newest.spawned_by is None
    (tmp_path / "state" / "agents" / "main" / "sessions" / "sessions.json").unlink()
    store = SessionStore(paths.sessions)
    assert store.rebuild(lambda row: row.key or key) == 2
    assert sum("subagent" in name for name in store.read()) == 1


async def test_the_agent_finds_what_was_said_in_earlier_sessions_of_the_folder(tmp_path: Path) -> None:
    for folder, answer in (("p", "We settled on the Blue Heron protocol."), ("other", "Blue Heron is secret.")):
        async with agent(tmp_path / folder, [answer]) as it:
            await it.turn("Which protocol?")
    search = ("recall", {"pattern": "heron BLUE", "sessions": True})
    nothing = ("recall", {"pattern": "unicorn", "sessions": True})
    async with agent(tmp_path / "p", [Step(calls=[search, nothing]), "Found."]) as it:
        await it.turn("What did we choose?")
        hit, miss = (text_of(result.content) for result in it.results)
    assert "We settled on the Blue Heron protocol." in hit
    assert "secret" not in hit
    assert "no earlier session of this folder holds 'unicorn'" in miss
    place = hit.split(" ", 1)[0]
    wanted = [("recall", {"id": place}), ("recall", {"id": place.replace("/", "/x")}), ("recall", {"id": "x/y"})]
    async with agent(tmp_path / "p", [Step(calls=wanted), "Read."]) as it:
        await it.turn("Read it.")
        assert [result.is_error for result in it.results] == [False, True, True]
        assert text_of(it.results[0].content) == "We settled on the Blue Heron protocol."
