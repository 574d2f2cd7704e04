"""Compaction in the hands of the user: preview, edit, apply, undo, redo. Moves in the tree; nothing is deleted."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from openclaw_tui.commands.compact_commands import parse_compact
from openclaw_tui.commands.help_command import all_commands
from openclaw_tui.errors import CompactionFailed
from openclaw_tui.messages import Message, UserMessage, text_of
from openclaw_tui.session.archive import archive_path
from openclaw_tui.session.entries import CompactionEntry
from openclaw_tui.session.projection import project_branch
from openclaw_tui.session.truncation import truncate_session_after_compaction
from tests.agent.checking import check_pairs
from tests.agent.harness import Agent, agent, compose, running

SUMMARY = "## Decisions\nUse tabs."


def shown(it: Agent) -> list[str]:
    return [text_of(message.content) for message in it.messages]


def equal(one: tuple[Message, ...], other: tuple[Message, ...]) -> bool:
    return [(type(m), m.content) for m in one] == [(type(m), m.content) for m in other]


async def talked(it: Agent, turns: int = 6, words: int = 300) -> tuple[Message, ...]:
    for number in range(turns):
        await it.turn(f"request {number} " + "word " * words)
    return it.messages


async def run(it: Agent, line: str) -> str:
    parsed = all_commands().parse(line)
    assert parsed is not None
    assert parsed.command is not None, parsed.problem
    return (await parsed.command.run(it.app, parsed.argument)).text


async def test_preview_changes_nothing_and_shows_what_goes_what_stays_and_the_summary(tmp_path: Path) -> None:
    async with agent(tmp_path, forever="ok") as it:
        before = await talked(it)
        it.provider.forever = SUMMARY
        text = await run(it, "/compact preview the tabs")
        assert it.messages == before
        assert "user: request 0" in text
        assert "Stays word for word" in text
        assert "Use tabs." in text
        assert "the tabs" in text_of(it.provider.requests[-1].messages[-1].content), "the focus was told"
        assert not any(isinstance(entry, CompactionEntry) for entry in it.session.deps.manager.entries())


async def test_preview_is_paid_for_when_it_is_made_and_told_once(tmp_path: Path) -> None:
    async with agent(tmp_path, forever="ok") as it:
        await talked(it)
        it.provider.forever = SUMMARY
        await run(it, "/compact preview")
        row = it.app.ledger.rows[-1]
        assert (row.layer, row.verb, row.tokens_before) == ("compaction", "skipped", row.tokens_after)
        assert "preview" in row.reason
        price = row.cost_usd
        assert price is not None
        assert price > 0
        await run(it, "/compact apply")
        prices = [row.cost_usd or 0.0 for row in it.app.ledger.rows if row.layer == "compaction"]
        assert it.app.ledger.rows[-1].verb == "done"
        assert sum(prices) == pytest.approx(price)


async def test_branch_that_an_undo_left_stays_in_the_file_as_a_leaf_of_its_own(tmp_path: Path) -> None:
    async with agent(tmp_path, forever="ok") as it:
        await talked(it)
        it.provider.forever = SUMMARY
        await run(it, "/compact")
        left = it.session.deps.manager.leaf_id
        compacted = it.messages
        await run(it, "/compact undo")
        manager = it.session.deps.manager
        assert manager.leaf_id != left
        it.provider.forever = "ok"
        await it.turn("going on")
        assert left is not None
        assert project_branch(manager.branch(left)).messages == compacted


async def test_edited_preview_is_applied_as_it_was_left_and_later_talk_is_kept(tmp_path: Path) -> None:
    async with agent(tmp_path, forever="ok") as it:
        await talked(it)
        it.provider.forever = SUMMARY
        await run(it, "/compact preview")
        it.session.compactions.edit("My own words.")
        await it.turn("typed after the preview")
        line = await run(it, "/compact apply")
        assert line.startswith("Compacted (")
        assert "My own words." in shown(it)[0]
        assert "typed after the preview" in shown(it)
        assert "no preview" in await run(it, "/compact apply")


async def test_preview_that_no_longer_fits_the_branch_is_not_applied(tmp_path: Path) -> None:
    async with agent(tmp_path, forever="ok") as it:
        await talked(it)
        it.provider.forever = SUMMARY
        await run(it, "/compact preview")
        it.session.deps.manager.branch_to(it.session.deps.manager.branch()[3].id)
        assert "another branch" in await run(it, "/compact apply")
        with pytest.raises(CompactionFailed, match="no preview"):
            it.session.compactions.edit("text")


async def test_undo_right_after_a_compaction_is_the_identity_also_after_a_restart(tmp_path: Path) -> None:
    async with agent(tmp_path, forever="ok") as it:
        before = await talked(it)
        it.provider.forever = SUMMARY
        await run(it, "/compact")
        compacted = it.messages
        assert compacted != before
        line = await run(it, "/compact undo")
        assert "undone" in line
        assert it.messages == before
        assert [m.entry_id for m in it.messages] == [m.entry_id for m in before]
        session_id = it.session.session_id
        assert it.app.ledger.rows[-1].verb == "undone"
    async with running(compose(tmp_path, resume=session_id)) as it:
        assert it.messages == before
        assert "done again" in await run(it, "/compact redo")
        assert it.messages == compacted
        assert "no undone compaction" in await run(it, "/compact redo")
        await run(it, "/compact undo")
        assert it.messages == before


async def test_later_turns_follow_the_whole_history_where_that_fits(tmp_path: Path) -> None:
    async with agent(tmp_path, forever="ok") as it:
        before = await talked(it)
        it.provider.forever = SUMMARY
        await run(it, "/compact")
        it.provider.forever = "ok"
        await it.turn("afterwards")
        line = await run(it, "/compact undo")
        assert "2 later messages follow" in line
        assert equal(it.messages[: len(before)], before)
        assert shown(it)[len(before) :] == ["afterwards", "ok"]
        await it.turn("still going")
        assert "2 later messages taken along" in await run(it, "/compact redo")
        assert shown(it)[-4:] == ["afterwards", "ok", "still going", "ok"]
        assert "Use tabs." in shown(it)[0]


async def test_later_turns_that_do_not_fit_stay_on_their_branch_with_numbers(tmp_path: Path) -> None:
    async with agent(tmp_path, forever="ok") as it:
        before = await talked(it, 6, 3_900)
        it.provider.forever = SUMMARY
        await run(it, "/compact")
        it.provider.forever = "ok"
        await talked(it, 2, 5_000)
        compacted = it.messages
        line = await run(it, "/compact undo")
        assert "do not fit" in line
        assert "/compact redo" in line
        assert it.messages == before
        await run(it, "/compact redo")
        assert it.messages == compacted


async def test_undo_reads_the_archive_after_the_file_was_shortened(tmp_path: Path) -> None:
    async with agent(tmp_path, forever="ok") as it:
        before = await talked(it)
        it.provider.forever = SUMMARY
        await run(it, "/compact")
        outcome = truncate_session_after_compaction(it.session.deps.manager)
        assert outcome.truncated
        assert archive_path(it.path).exists()
        line = await run(it, "/compact undo")
        assert "came back from the archive" in line
        assert it.messages == before


async def test_two_compactions_are_undone_one_after_the_other_and_done_again(tmp_path: Path) -> None:
    async with agent(tmp_path, forever="ok") as it:
        first = await talked(it)
        it.provider.forever = SUMMARY
        await run(it, "/compact")
        it.provider.forever = "ok"
        second = await talked(it)
        it.provider.forever = SUMMARY
        await run(it, "/compact")
        third = it.messages
        await run(it, "/compact undo")
        assert it.messages == second
        await run(it, "/compact undo")
        assert equal(it.messages[: len(first)], first)
        await run(it, "/compact redo")
        assert equal(it.messages, second)
        await run(it, "/compact redo")
        assert equal(it.messages, third)
        check_pairs(it.messages)


async def test_nothing_to_undo_is_said(tmp_path: Path) -> None:
    async with agent(tmp_path, forever="ok") as it:
        await it.turn("hello")
        assert "no compaction" in await run(it, "/compact undo")
        assert "no undone compaction" in await run(it, "/compact redo")


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.sampled_from(["say", "compact", "undo", "redo", "shorten"]), min_size=3, max_size=9))
async def test_any_order_of_moves_keeps_every_word_reachable(tmp_path: Path, steps: list[str]) -> None:
    with tempfile.TemporaryDirectory(dir=tmp_path) as folder:
        async with agent(Path(folder), forever="ok") as it:
            await talked(it, 3, 200)
            said: list[str] = []
            manager = it.session.deps.manager
            for at, step in enumerate(steps):
                it.provider.forever = SUMMARY if step == "compact" else "ok"
                if step == "say":
                    said.append(f"step {at} " + "word " * 250)
                    await it.turn(said[-1])
                elif step == "shorten":
                    truncate_session_after_compaction(manager)
                else:
                    await run(it, "/compact" if step == "compact" else f"/compact {step}")
                check_pairs(it.messages)
                assert it.messages
            summary = text_of(it.messages[0].content)
            visible = {text_of(m.content) for m in it.messages if isinstance(m, UserMessage)}
            assert all(text in visible or text.strip() in summary or "[..." in summary for text in said[-1:])


@pytest.mark.parametrize(
    ("argument", "verb", "focus"),
    [
        ("", "", ""),
        ("the parser", "", "the parser"),
        ("preview", "preview", ""),
        ("preview the parser", "preview", "the parser"),
        ("undo", "undo", ""),
        ("undoing the parser", "", "undoing the parser"),
        ("-- undo the parser", "", "undo the parser"),
        ("-- preview", "", "preview"),
        ("apply now", "apply", "now"),
        ("please undo", "", "please undo"),
    ],
)
def test_verbs_count_only_as_the_first_word(argument: str, verb: str, focus: str) -> None:
    assert parse_compact(argument) == (verb, focus)


async def test_verb_with_more_words_asks_instead_of_guessing(tmp_path: Path) -> None:
    async with agent(tmp_path, forever="ok") as it:
        assert "/compact -- undo the login" in await run(it, "/compact undo the login")
