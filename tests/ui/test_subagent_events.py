"""What a sub-agent does is shown under the call that began it, live and in a session that was opened again."""

from pathlib import Path

from openclaw_tui.agent.child_report import announcement
from openclaw_tui.agent.child_runs import ChildRun
from openclaw_tui.events import AgentEvent, SubagentEvent, ToolEnded, ToolStarted, TurnEnded, TurnStarted
from openclaw_tui.messages import TextBlock, ToolCallBlock, ToolResultMessage, UserMessage, user_text
from openclaw_tui.session.entries import MessageEntry
from openclaw_tui.ui.line.look import Look
from openclaw_tui.ui.line.render import LineRenderer
from openclaw_tui.ui.textual.history_items import history_items
from openclaw_tui.ui.textual.widgets.transcript_items import NoticeItem, UserItem
from tests.ui.screen_app import make_screen, shown, transcript_text

KEY, CHILD = "agent:main:tui:dm:1", "agent:main:subagent:2"
RUN = ChildRun(CHILD, "look", "c1", session_id="s2", status="completed", answer="Forty-two.", steps=2)
REPORT = UserMessage((TextBlock(announcement(RUN)),), origin="subagent")


def below(event: AgentEvent) -> SubagentEvent:
    return SubagentEvent(KEY, "c1", event)


def call(call_id: str, name: str) -> ToolStarted:
    return ToolStarted(CHILD, ToolCallBlock(call_id, name, {}), name, f"{name} something")


def result(call_id: str, name: str, text: str) -> ToolEnded:
    return ToolEnded(CHILD, call_id, ToolResultMessage(call_id, name, (TextBlock(text),)), 0.1)


EVENTS: list[AgentEvent] = [
    call("c1", "sessions_spawn"),
    result("c1", "sessions_spawn", "Accepted"),
    below(TurnStarted(CHILD, user_text("the task of the child"))),
    below(call("x/c1", "grep")),
    below(result("x/c1", "grep", "found")),
    below(TurnEnded(CHILD, "done")),
    TurnStarted(KEY, REPORT),
]


async def test_a_child_nobody_waits_for_goes_on_under_its_call_and_reports_in_one_line(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p")
    async with app.run_test(size=(100, 40)) as pilot:
        await shown(pilot)
        from openclaw_tui.ui.textual.event_router import EventRouter

        router = EventRouter(app.main.transcript, app.main.status, app.main.queue, app.main)
        for event in EVENTS:
            router.deliver(event)
        app.main.transcript.toggle_fold("all")
        await shown(pilot)
        lines = transcript_text(pilot).splitlines()
    assert any(line.startswith("✓ sessions_spawn something") for line in lines)
    assert any(line.startswith("│ ✓ grep something") for line in lines)
    assert any("Sub-agent 'look' completed successfully (2 model calls" in line for line in lines)
    assert not any("BEGIN_UNTRUSTED" in line for line in lines)
    await app.close()


def test_a_stored_report_is_one_line_and_no_prompt_of_the_users() -> None:
    entries = [MessageEntry("1", None, "", user_text("hello")), MessageEntry("2", "1", "", REPORT)]
    first, second = history_items(entries)
    assert isinstance(first, UserItem)
    assert isinstance(second, NoticeItem)
    assert second.text.startswith("Sub-agent 'look' completed successfully")


def test_line_mode_prints_the_childs_calls_and_one_line_of_its_report() -> None:
    out: list[str] = []
    renderer = LineRenderer(out.append, Look(redraws=False, styled=False), False)
    for event in EVENTS:
        renderer.show(event)
    text = "".join(out)
    assert "grep" in text
    assert "Sub-agent 'look' completed successfully" in text
    assert "UNTRUSTED" not in text
    assert "the task of the child" not in text
