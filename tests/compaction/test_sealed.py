"""The provider's own summary, seen from compaction: what is asked, what is stored, when our own takes over."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from openclaw_tui.compaction.compact import PROVIDER_FAILED, apply_draft, draft_compaction
from openclaw_tui.compaction.settings import CompactionSettings
from openclaw_tui.compaction.summarizer import SummarizerGone, SummarizerLimits, SummaryAnswer
from openclaw_tui.errors import ProviderUnavailable
from openclaw_tui.session.custom_types import PROVIDER_COMPACTION
from openclaw_tui.session.entries import CompactionEntry, CustomEntry
from openclaw_tui.session.manager import SessionManager
from tests.compaction.talks import FakeSummarizer, Script, given, turns
from tests.session.talk import session

SETTINGS = CompactionSettings(method="provider", quality_guard=False, keep_recent_tokens=2_000)
SEALS = SummarizerLimits(100_000, 8_000, can_seal=True)
BLOCK = '{"type":"compaction","content":"server words","signature":"s"}'
ANSWER = SummaryAnswer("server words", sealed=BLOCK, model="anthropic/claude-sonnet-5-5")


async def test_block_and_readable_summary_come_from_one_call_and_nothing_in_the_tail_is_shortened() -> None:
    talk = turns(30, 400)
    fake = FakeSummarizer([ANSWER])
    draft = await draft_compaction(given(talk, settings=SETTINGS, limits=SEALS), fake)
    (request,) = fake.requests
    assert request.sealed
    assert request.before == draft.first_kept_entry_id
    assert "request 0" in request.instructions, "what the user said is to be copied into the block"
    assert draft.sealed == BLOCK
    assert draft.summary.startswith("server words")
    assert "request 0" in draft.summary
    assert draft.shortened == {}
    assert any("not word for word" in note for note in draft.notes), "the block holds none of the user's words"
    assert draft.details["sealed"] is True


async def test_block_without_text_has_an_extracted_summary_beside_it() -> None:
    fake = FakeSummarizer([replace(ANSWER, text="")])
    draft = await draft_compaction(given(turns(30, 400), settings=SETTINGS, limits=SEALS), fake)
    assert draft.sealed == BLOCK
    assert "Requests of the user" in draft.summary


@pytest.mark.parametrize(
    "first", [ProviderUnavailable("down", status=503), SummarizerGone("silent"), SummaryAnswer("", sealed="")]
)
async def test_our_own_summary_takes_over_with_a_note(first: Script) -> None:
    fake = FakeSummarizer([first, "our words"])
    draft = await draft_compaction(given(turns(30, 400), settings=SETTINGS, limits=SEALS), fake)
    assert draft.sealed == ""
    assert "our words" in draft.summary
    assert draft.notes[0].startswith(PROVIDER_FAILED)
    assert not any(request.sealed for request in fake.requests[1:])


async def test_tail_that_fits_only_when_it_is_shortened_is_no_case_for_the_provider() -> None:
    talk = turns(3, 6_000)
    tight = given(talk, settings=SETTINGS, limits=SEALS, force=True, target_tokens=4_000, max_summary_chars=4_000)
    fake = FakeSummarizer(["our words"])
    draft = await draft_compaction(replace(tight, messages=talk[:-1]), fake)
    assert not any(request.sealed for request in fake.requests)
    assert PROVIDER_FAILED in draft.notes[0]


async def test_block_is_stored_byte_for_byte_right_before_the_entry_that_everybody_reads(tmp_path: Path) -> None:
    manager = session(tmp_path, *(f"{letter} " + "word " * 300 for letter in "abcdefgh"))
    talk = manager.project().messages
    draft = await draft_compaction(
        given(talk, settings=SETTINGS, limits=SEALS, leaf_id=manager.leaf_id or ""), FakeSummarizer([ANSWER])
    )
    path = manager.path
    entry = apply_draft(manager, draft)
    manager.close()
    assert path is not None
    again = SessionManager.open(path, read_only=True)
    try:
        branch = again.branch()
        assert isinstance(branch[-1], CompactionEntry)
        before = branch[-2]
        assert isinstance(before, CustomEntry)
        assert (before.custom_type, before.id) == (PROVIDER_COMPACTION, entry.parent_id)
        assert before.data == {"model": ANSWER.model, "block": BLOCK}
        assert "server words" in branch[-1].summary
    finally:
        again.close()
