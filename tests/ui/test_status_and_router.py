"""The status line at every width, and every event of the agent finding its place on the screen."""

from pathlib import Path
from typing import Any, get_args

import pytest
from msgspec.structs import fields
from rich.cells import cell_len

from openclaw_tui.events import (
    AgentEvent,
    ApprovalRequested,
    ApprovalResolved,
    AttemptStarted,
    CompactionEnded,
    CompactionStarted,
    ContextAct,
    ContextStatus,
    MemoryFlushEnded,
    MemoryFlushStarted,
    MessageEnded,
    MessageStarted,
    Notice,
    PlanChanged,
    QueueChanged,
    RetryScheduled,
    StepStarted,
    SubagentEvent,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolEnded,
    ToolProgress,
    ToolStarted,
    TurnEnded,
    TurnStarted,
    UserMessageAdded,
)
from openclaw_tui.messages import AssistantMessage, TextBlock, ToolCallBlock, ToolResultMessage, user_text
from openclaw_tui.report import PipelineReport
from openclaw_tui.ui.textual.event_router import act_words, card_words
from openclaw_tui.ui.textual.widgets.status_bar import context_text, count_text
from tests.ui.screen_app import make_screen, shown, status_text, transcript_text

KEY = "agent:main:tui:dm:x"
CALL = ToolCallBlock("c1", "exec", {"command": "ls"})
ANSWER = AssistantMessage((TextBlock("words"),))
ESC = "\x1b]52;c;AAAA\x07\x1b]0;title\x07\x1b]8;;http://evil\x1b\\link\x1bPq\x1b\\"

EVENTS: list[AgentEvent] = [
    TurnStarted(KEY, user_text("begin [x")),
    AttemptStarted(KEY, 1),
    AttemptStarted(KEY, 2, "overloaded"),
    StepStarted(KEY, 1, PipelineReport()),
    MessageStarted(KEY, "m1", "p/m"),
    ThinkingDelta(KEY, "m1", "hm [["),
    TextDelta(KEY, "m1", "words [b"),
    ToolCallDelta(KEY, "m1", "c1", "exec", 900),
    MessageEnded(KEY, "m1", ANSWER),
    ApprovalRequested(KEY, "a1", CALL, "execute", "Run ls [x", "ls [x"),
    ApprovalResolved(KEY, "a1", True),
    ToolStarted(KEY, CALL, "Exec", "ls [/]"),
    ToolProgress(KEY, "c1", f"[id=14629,state=CLOSED] {ESC}"),
    SubagentEvent(KEY, "c1", Notice("agent:main:subagent:1", "info", "from below")),
    ToolEnded(KEY, "c1", ToolResultMessage("c1", "exec", (TextBlock(f"ZLEXCOUNT z [b + 3 {ESC}"),)), 0.2),
    UserMessageAdded(KEY, user_text("steered")),
    RetryScheduled(KEY, 2, 6, 4.0, "529"),
    ContextAct(KEY, "guard", "trimmed", "too [large", 41_000, 12_000),
    CompactionStarted(KEY, "threshold", 90_000),
    CompactionEnded(KEY, False, 90_000, 90_000, "no model [b"),
    MemoryFlushStarted(KEY),
    MemoryFlushEnded(KEY),
    ContextStatus(KEY, 84_000, 200_000, 160_000, True),
    QueueChanged(KEY, ("one",), ("two", "three", "four")),
    PlanChanged(KEY, (("step", "completed"), ("next", "pending"))),
    Notice(KEY, "warning", "[/some/dir] gone"),
    TurnEnded(KEY, "done"),
]


def test_the_list_holds_every_kind_of_event() -> None:
    assert {type(event) for event in EVENTS} == set(get_args(AgentEvent))


async def test_every_event_is_shown_and_brackets_stay_as_they_are(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p")
    async with app.run_test(size=(100, 50)) as pilot:
        await shown(pilot)
        from openclaw_tui.ui.textual.event_router import EventRouter

        router = EventRouter(app.main.transcript, app.main.status, app.main.queue, app.main)
        for event in EVENTS:
            router.deliver(event)
            await pilot.pause()
        app.main.transcript.toggle_fold("all")
        await shown(pilot)
        text = transcript_text(pilot)
        for words in (
            "begin [x",
            "words [b",
            "ls [/]",
            "ZLEXCOUNT z [b + 3",
            "steered",
            "guard trimmed 41k → 12k tokens · too [large",
            "no model [b",
            "from below",
            "[/some/dir] gone",
        ):
            assert words in text, words
        assert "\x1b" not in text
        assert "\x07" not in text
        assert "␛]52;c;AAAA␇" in text
        assert "and 2 more" in str(app.main.queue.render())
        assert status_text(pilot).startswith("○ ready")
    await app.close()


async def test_a_compaction_by_hand_leaves_the_status_idle_and_one_in_a_turn_goes_on_working(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p")
    async with app.run_test() as pilot:
        await shown(pilot)
        from openclaw_tui.ui.textual.event_router import EventRouter

        router = EventRouter(app.main.transcript, app.main.status, app.main.queue, app.main)
        compaction: list[AgentEvent] = [
            CompactionStarted(KEY, "manual", 90_000),
            CompactionEnded(KEY, True, 90_000, 9_000),
        ]
        for event in compaction:
            router.deliver(event)
        seen = [app.main.status.status.activity]
        router.deliver(TurnStarted(KEY, user_text("go on")))
        for event in compaction:
            router.deliver(event)
        seen.append(app.main.status.status.activity)
        assert seen == ["idle", "working"]
    await app.close()


async def test_repeated_call_ids_are_cards_of_their_own(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p")
    async with app.run_test() as pilot:
        await shown(pilot)
        from openclaw_tui.ui.textual.event_router import EventRouter

        router = EventRouter(app.main.transcript, app.main.status, app.main.queue, app.main)
        for number in range(2):
            router.deliver(ToolStarted(KEY, CALL, "Exec", f"run {number}"))
            result = ToolResultMessage("c1", "exec", (TextBlock("x"),), is_error=number == 1)
            router.deliver(ToolEnded(KEY, "c1", result, 0.0))
        await shown(pilot)
        assert "✓ Exec run 0" in transcript_text(pilot)
        assert "✗ Exec run 1" in transcript_text(pilot)
    await app.close()


@pytest.mark.parametrize("width", [1, 3, 10, 20, 40, 60, 80, 120, 200])
async def test_the_status_line_fits_any_width_and_keeps_its_state(tmp_path: Path, width: int) -> None:
    app, _ = make_screen(tmp_path / "p")
    async with app.run_test(size=(width, 12)) as pilot:
        await shown(pilot)
        app.main.status.tell(
            activity="retry",
            detail="try 2 of 6 · 529 [overloaded",
            until=0.0,
            model="anthropic/claude-sonnet-5-5",
            offline=False,
            thinking="high",
            mode="acceptEdits",
            context_tokens=84_000,
            window_tokens=160_000,
            cost_usd=1.5,
            session="a long name of a session [x",
            engine="recall",
        )
        await shown(pilot)
        text = status_text(pilot)
        assert cell_len(text) <= width
        assert text.startswith("↻")
        if width >= 200:
            assert "accept edits" in text
            assert "~84k/160k 52%" in text
    await app.close()


def test_numbers_for_people() -> None:
    assert [count_text(n) for n in (0, 812, 1_234, 9_990, 84_123, 1_000_000)] == [
        "0",
        "812",
        "1.2k",
        "10.0k",
        "84k",
        "1.0M",
    ]
    assert context_text(84_000, 160_000, estimated=False) == "84k/160k 52%"
    assert context_text(0, 0, estimated=True) == ""


def test_words_of_acts_and_cards() -> None:
    assert act_words(ContextAct(KEY, "cache", "break", "tools changed", cost_usd=0.31)) == (
        "cache break · $0.31 · tools changed"
    )
    assert card_words("List", "List src") == "src"
    assert card_words("write", "Create notes.txt") == "Create notes.txt"


def test_events_are_plain_values() -> None:
    """A field this module does not know would be a hint that the router needs a look."""
    known: dict[type[Any], int] = {TextDelta: 3, ToolStarted: 4, TurnEnded: 6, ApprovalRequested: 11}
    assert {kind: len(fields(kind)) for kind in known} == known
