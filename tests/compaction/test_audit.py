"""Checks of a summary that need no model: headings, names the user never used, turns quoted before the tail."""

import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st

from openclaw_tui.compaction.audit import NOTHING_CAPTURED, unasked_names, with_headings
from openclaw_tui.compaction.compact import draft_compaction
from openclaw_tui.compaction.instructions import HEADINGS
from openclaw_tui.compaction.plan import prune_history_for_context_share
from openclaw_tui.compaction.recent_turns import recent_turn_lines
from openclaw_tui.compaction.settings import CompactionSettings
from openclaw_tui.compaction.summary_text import RECENT_HEADING, UNASKED_HEADING, summary_body
from openclaw_tui.constants import RECENT_TURN_LINE_CHARS, RECENT_TURNS_CHARS, UNASKED_NAMES_LISTED
from openclaw_tui.messages import ImageBlock, Message, ToolResultMessage, UserMessage
from openclaw_tui.tokens import estimate_messages_tokens
from tests.compaction.talks import FakeSummarizer, any_talk, given, gives, named, says, turns, user, words

SAFE = CompactionSettings(quality_guard=False, keep_recent_tokens=1_000)


# ── headings ──────────────────────────────────────────────────────────────────────────────────────────────────────
def test_missing_headings_are_added_under_the_models_own_text() -> None:
    audited = with_headings("## Decisions\nTabs.\n\n### open todos\n- none")
    assert audited.startswith("## Decisions\nTabs.")
    assert audited.count("ecisions") == 1
    assert audited.lower().count("open todos") == 1
    for heading in HEADINGS[2:]:
        assert f"{heading}\n{NOTHING_CAPTURED}" in audited


@for_all(st.text(max_size=200))
def test_audit_keeps_the_text_and_is_done_once(body: str) -> None:
    audited = with_headings(body)
    assert body.strip() in audited
    assert with_headings(audited) == audited


async def test_a_summary_without_headings_gets_them_without_a_further_call() -> None:
    fake = FakeSummarizer()
    draft = await draft_compaction(given(turns(30), settings=SAFE), fake)
    assert all(heading in draft.summary for heading in HEADINGS)
    calls = len(fake.requests)
    plain = CompactionSettings(mode="default", quality_guard=False, keep_recent_tokens=1_000)
    other = FakeSummarizer()
    assert HEADINGS[0] not in (await draft_compaction(given(turns(30), settings=plain), other)).summary
    assert len(other.requests) == calls


# ── names ─────────────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("heading", ["## Pending user asks", "**Goal**", "Goal:", "### Goal"])
def test_names_in_the_asks_that_the_user_never_used_are_found(heading: str) -> None:
    body = f"{heading}\nSolve `problem_b` in notes/other.md and fix parser.py\n\n## Decisions\nUse src/elsewhere.py"
    assert unasked_names(body, ["Please fix parser.py"]) == ["problem_b", "notes/other.md"]
    assert unasked_names(body, ["fix parser.py and problem_b", "see other.md"]) == []


def test_names_outside_of_the_asks_are_no_business_of_the_check_and_the_list_is_bounded() -> None:
    assert unasked_names("## Decisions\nTouched src/a.py", []) == []
    many = "## Goal\n" + " ".join(f"file{number}.py" for number in range(50))
    assert len(unasked_names(many, [])) == UNASKED_NAMES_LISTED


async def test_summary_that_drifted_to_other_files_says_that_the_user_did_not_name_them() -> None:
    drifted = "## Pending user asks\nFinish problem_b/notes.md\n\n## Decisions\nNone."
    talk = named((user("Solve problem A in a/main.py."), *turns(30)[1:]))
    draft = await draft_compaction(given(talk, settings=SAFE), FakeSummarizer([drifted]))
    listed = draft.summary.partition(UNASKED_HEADING)[2]
    assert "problem_b/notes.md" in listed
    assert "Solve problem A in a/main.py." in draft.summary
    assert UNASKED_HEADING not in summary_body(draft.summary)


# ── recent turns ──────────────────────────────────────────────────────────────────────────────────────────────────
def test_turns_that_the_tail_lacks_are_quoted_in_order() -> None:
    talk = turns(4, 40)
    lines = recent_turn_lines(talk[:12], talk[12:], 3)
    assert lines[0] == "User: request 1"
    assert lines[-1] == "Assistant: answer 2"
    assert any(line.startswith("Tool result (read): word") for line in lines)
    assert recent_turn_lines(talk[:4], talk[4:], 3) == (), "the tail holds as many"
    assert recent_turn_lines(talk[:12], talk[12:], 0) == ()


def test_quotes_are_bounded_and_the_newest_stay() -> None:
    talk = named(
        (user("start"), *(m for n in range(40) for m in (says(f"step {n}", f"c{n}"), gives(f"c{n}", words(900)))))
    )
    lines = recent_turn_lines(talk, (), 3)
    assert sum(map(len, lines)) <= RECENT_TURNS_CHARS
    assert all(len(line) <= RECENT_TURN_LINE_CHARS + 80 for line in lines)
    assert lines[-1].startswith("Tool result (exec)")
    picture = UserMessage((ImageBlock("aaaa", "image/png"), ImageBlock("bbbb", "image/png")))
    assert recent_turn_lines((picture,), (), 1) == ("User: [non-text content: image x2]",)


async def test_summary_quotes_the_turns_before_the_tail_unless_that_is_off() -> None:
    draft = await draft_compaction(given(turns(30, 400), settings=SAFE), FakeSummarizer())
    assert RECENT_HEADING in draft.summary
    assert RECENT_HEADING not in summary_body(draft.summary)
    off = CompactionSettings(quality_guard=False, keep_recent_tokens=1_000, recent_turns_preserve=0)
    assert RECENT_HEADING not in (await draft_compaction(given(turns(30, 400), settings=off), FakeSummarizer())).summary


# ── share of the window ───────────────────────────────────────────────────────────────────────────────────────────
@for_all(any_talk(), st.integers(1_000, 20_000), st.floats(0.1, 0.9))
def test_pruning_by_share_loses_no_message_and_parts_no_pair(
    talk: tuple[Message, ...], window: int, share: float
) -> None:
    dropped, kept = prune_history_for_context_share(talk, window, share)
    assert (*dropped, *kept) == talk
    if kept and dropped:
        assert not isinstance(kept[0], ToolResultMessage)
    if estimate_messages_tokens(talk) <= int(window * share):
        assert dropped == []


async def test_where_much_stays_the_oldest_part_is_summarised_beforehand() -> None:
    settings = CompactionSettings(quality_guard=False, keep_recent_tokens=6_000, max_history_share=0.1)
    talk = turns(60, 400)
    fake = FakeSummarizer([lambda request: f"part {request.text.count('[User]')}"])
    await draft_compaction(given(talk, window=30_000, settings=settings), fake)
    assert "<previous-summary>" not in fake.requests[0].text
    assert "request 0" in fake.requests[0].text
    assert any("<previous-summary>" in request.text for request in fake.requests)
    generous = CompactionSettings(quality_guard=False, keep_recent_tokens=6_000, max_history_share=0.9)
    other = FakeSummarizer()
    await draft_compaction(given(talk, window=30_000, settings=generous), other)
    assert len(other.requests) < len(fake.requests)
