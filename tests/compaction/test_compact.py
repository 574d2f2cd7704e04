"""One compaction: what it keeps, what it says, when there is nothing to do, and that failures change nothing."""

import asyncio
from pathlib import Path

import pytest
from msgspec.structs import replace

from openclaw_tui.compaction.compact import apply_draft, draft_compaction
from openclaw_tui.compaction.draft import NothingToCompact
from openclaw_tui.compaction.settings import CompactionSettings
from openclaw_tui.compaction.summarizer import SummarizerGone, SummarizerLimits, SummaryAnswer, SummaryRequest
from openclaw_tui.compaction.summary_text import MISSING_HEADING
from openclaw_tui.constants import RETENTION_MAX_LISTED
from openclaw_tui.errors import CompactionFailed, ProviderUnavailable
from openclaw_tui.messages import user_text
from openclaw_tui.session.entries import CompactionEntry
from openclaw_tui.session.manager import SessionManager
from openclaw_tui.tokens import estimate_messages_tokens
from tests.compaction.talks import FakeSummarizer, given, gives, named, says, summary_in_front, turns, user, words
from tests.session.talk import answer, session, texts

SMALL = CompactionSettings(quality_guard=False, keep_recent_tokens=1_000)


async def test_draft_keeps_the_tail_and_counts_both_sides_by_one_measure() -> None:
    talk = turns(20)
    draft = await draft_compaction(given(talk, settings=SMALL, fixed_tokens=500), FakeSummarizer())
    assert draft.covered + draft.kept == len(talk)
    assert draft.first_kept_entry_id == talk[draft.covered].entry_id
    assert draft.tokens_before == 500 + estimate_messages_tokens(talk)
    assert draft.tokens_after < draft.tokens_before / 2
    assert draft.summary.startswith("the summary")
    assert "request 0" in draft.summary


async def test_whole_talk_that_fits_the_tail_is_left_alone_unless_forced() -> None:
    talk = turns(10, 400)
    fake = FakeSummarizer()
    with pytest.raises(NothingToCompact, match="fits the part"):
        await draft_compaction(given(talk), fake)
    assert fake.requests == []
    forced = await draft_compaction(given(talk, force=True), fake)
    assert forced.covered > 0


async def test_second_compaction_with_nearly_nothing_new_is_skipped() -> None:
    """Two in a row for one cause: the second would only summarise a summary."""
    talk = (summary_in_front("summary"), *turns(8), says("one more"))
    again = given(talk, settings=SMALL, force=True, previous_summary="summary", fresh_from=len(talk) - 1)
    with pytest.raises(NothingToCompact, match="already compacted"):
        await draft_compaction(again, FakeSummarizer())
    over = replace(again, target_tokens=1_500)
    assert (await draft_compaction(over, FakeSummarizer())).covered > 0, "the measured size decides"


async def test_over_its_target_after_a_compaction_a_smaller_tail_is_kept() -> None:
    talk = (summary_in_front("s"), *named(turns(30, 300)))
    plain = given(talk, previous_summary="s", fresh_from=len(talk), target_tokens=6_000, max_summary_chars=2_000)
    draft = await draft_compaction(plain, FakeSummarizer())
    assert draft.tokens_after <= 6_000


async def test_only_fixed_parts_left_are_named_with_their_sizes() -> None:
    talk = (summary_in_front("s"), user("go on", "m1"))
    parts = {"system prompt": 4_000, "tool schemas": 2_000, "AGENTS.md": 30_000}
    full = given(talk, previous_summary="s", force=True, fixed_tokens=36_000, fixed_parts=parts, target_tokens=30_000)
    with pytest.raises(NothingToCompact, match=r"AGENTS.md ~30,000, system prompt ~4,000, tool schemas ~2,000"):
        await draft_compaction(full, FakeSummarizer())


async def test_one_huge_message_is_named_when_nothing_else_is_there() -> None:
    full = given([user(words(50_000), "m0")], force=True, target_tokens=30_000)
    with pytest.raises(NothingToCompact, match=r"largest message ~5\d,\d"):
        await draft_compaction(full, FakeSummarizer())


async def test_split_turn_has_a_summary_of_its_own_beginning() -> None:
    steps = [m for n in range(20) for m in (says("", f"s{n}"), gives(f"s{n}", words(200)))]
    talk = named([*turns(4), user("the long task"), *steps])
    fake = FakeSummarizer(["the history", "the beginning of the turn"])
    draft = await draft_compaction(given(talk, settings=SMALL), fake)
    assert "the history\n\n---\n\n**Turn Context (split turn):**\n\nthe beginning of the turn" in draft.summary
    assert "beginning of a turn" in fake.requests[-1].instructions


async def test_summary_on_the_cached_prefix_is_asked_first_and_says_what_stays() -> None:
    fake = FakeSummarizer()
    draft = await draft_compaction(
        given(turns(20), settings=SMALL, limits=SummarizerLimits(100_000, 8_000, True, 6_000)), fake
    )
    assert [request.in_place for request in fake.requests] == [True]
    assert f"The last {draft.kept} messages stay available" in fake.requests[0].instructions


@pytest.mark.parametrize("first", [SummaryAnswer("ls", called_tools=True), ProviderUnavailable("down")])
async def test_refused_answer_in_place_is_followed_by_one_apart(first: SummaryAnswer | BaseException) -> None:
    fake = FakeSummarizer([first, "apart"])
    draft = await draft_compaction(
        given(turns(20), settings=SMALL, limits=SummarizerLimits(100_000, 8_000, True)), fake
    )
    assert draft.summary.startswith("apart")
    assert "cached prefix failed" in draft.notes[0]


async def test_prefix_that_leaves_no_room_for_the_answer_is_not_used() -> None:
    fake = FakeSummarizer()
    limits = SummarizerLimits(20_000, 8_000, True, 19_000)
    await draft_compaction(given(turns(40), settings=SMALL, limits=limits), fake)
    assert not any(request.in_place for request in fake.requests)


async def test_lost_identifiers_are_asked_for_once_and_then_listed() -> None:
    ids = [f"PROJ-{100 + n}" for n in range(30)] + [f"TASK-{100 + n}" for n in range(26)]
    talk = named([user("fix them"), says("to do: " + " ".join(ids)), *turns(5, 600)])
    settings = CompactionSettings(keep_recent_tokens=1_000)
    covered_all = given(talk, settings=settings, max_summary_chars=16_000)

    def better(request: SummaryRequest) -> str:
        asked_again = "left out identifiers" in request.instructions
        return "now with " + " ".join(ids) if asked_again else "bland"

    fake = FakeSummarizer([better])
    draft = await draft_compaction(covered_all, fake)
    assert sum("left out identifiers" in request.instructions for request in fake.requests) == 1
    assert draft.summary.startswith("now with")
    assert set(draft.missing).isdisjoint(ids)

    bland = FakeSummarizer(["bland"])
    draft = await draft_compaction(covered_all, bland)
    assert len(set(ids) & set(draft.missing)) > 40
    listed = draft.summary.partition(MISSING_HEADING)[2]
    assert sum(identifier in listed for identifier in ids) == RETENTION_MAX_LISTED, "the list is bounded"

    off = await draft_compaction(replace(covered_all, settings=replace(settings, identifier_policy="off")), bland)
    assert MISSING_HEADING not in off.summary


async def test_what_an_earlier_summary_carried_is_not_lost_at_the_second_compaction() -> None:
    previous = "Deployed build 9f86d081884c7d65 to db.internal:5432."
    talk = (summary_in_front(previous), *turns(20))
    draft = await draft_compaction(
        given(talk, settings=SMALL, previous_summary=previous, fresh_from=1), FakeSummarizer(["bland"])
    )
    assert {"9f86d081884c7d65", "db.internal:5432"} <= set(draft.missing)
    assert "9f86d081884c7d65" in draft.summary


async def test_partial_summary_of_later_entries_keeps_the_first_one_in_view() -> None:
    talk = (summary_in_front("S1 of the beginning"), *turns(20))
    fake = FakeSummarizer()
    await draft_compaction(given(talk, settings=SMALL, previous_summary="S1 of the beginning", fresh_from=1), fake)
    assert "S1 of the beginning" in fake.requests[0].text


async def test_time_limit_ends_it_with_the_history_unchanged_or_with_the_last_resort_where_room_must_be_made() -> None:
    async def hangs(_: SummaryRequest) -> SummaryAnswer:
        await asyncio.Event().wait()
        raise AssertionError

    slow = given(turns(20), settings=replace(SMALL, timeout_seconds=0.02))
    with pytest.raises(CompactionFailed, match="unchanged"):
        await draft_compaction(slow, hangs)
    draft = await draft_compaction(replace(slow, must_succeed=True), hangs)
    assert draft.summary.startswith("Context contained")
    assert "without a model" in draft.notes[0]


async def test_summariser_that_is_gone_changes_nothing() -> None:
    gone = FakeSummarizer([SummarizerGone("said nothing for 300 s")])
    with pytest.raises(CompactionFailed, match="said nothing"):
        await draft_compaction(given(turns(20), settings=SMALL), gone)
    assert len(gone.requests) == 1


async def test_compaction_that_would_free_nothing_is_refused() -> None:
    talk = named([user("a"), says("b"), user("c"), says("d")])
    with pytest.raises(NothingToCompact, match="free nothing"):
        await draft_compaction(given(talk, force=True), FakeSummarizer(["s" * 1_900]))


async def test_empty_summary_is_never_stored(tmp_path: Path) -> None:
    manager = session(tmp_path, *"abcdefgh")
    draft = await draft_compaction(given(manager.project().messages, force=True, settings=SMALL), FakeSummarizer())
    with pytest.raises(CompactionFailed, match="never stored"):
        apply_draft(manager, replace(draft, summary="  "))
    assert not any(isinstance(entry, CompactionEntry) for entry in manager.entries())


async def test_entry_holds_summary_ids_and_numbers_and_grows_the_file_by_little(tmp_path: Path) -> None:
    manager = session(tmp_path, *(f"p{n} " + "word " * 400 for n in range(30)))
    path = manager.path
    assert path is not None
    for _ in range(10):
        before = path.stat().st_size
        messages = manager.project().messages
        draft = await draft_compaction(given(messages, force=True, settings=SMALL), FakeSummarizer())
        apply_draft(manager, draft)
        assert path.stat().st_size - before < 16_000
        for number in range(4):
            manager.append_message(user_text(f"more {number} " + "word " * 300))
            manager.append_message(answer("ok"))
    reopened = SessionManager.open(path, read_only=True)
    assert texts(reopened) == texts(manager)


async def test_nothing_kept_begins_the_tail_with_what_came_after_the_draft(tmp_path: Path) -> None:
    manager = session(tmp_path, *(f"p{n} " + "word " * 400 for n in range(6)))
    projection = manager.project()
    draft = await draft_compaction(given(projection.messages, settings=SMALL, force=True), FakeSummarizer())
    nothing = replace(draft, first_kept_entry_id="", leaf_id=projection.leaf_id or "")
    later = manager.append_message(user_text("typed meanwhile"))
    apply_draft(manager, nothing)
    assert manager.project().messages[-1].entry_id == later.id
    assert len(manager.project().messages) == 2
