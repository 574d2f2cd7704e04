"""Events as printed lines: one line a call, whole questions, no foreign control character."""

import pytest
from msgspec.structs import replace

from openclaw_tui.errors import RateLimited
from openclaw_tui.events import (
    AgentEvent,
    ApprovalRequested,
    CompactionEnded,
    MessageEnded,
    MessageStarted,
    Notice,
    PlanChanged,
    RetryScheduled,
    TextDelta,
    ThinkingDelta,
    ToolEnded,
    ToolStarted,
    TurnEnded,
)
from openclaw_tui.messages import AssistantMessage, StopReason, TextBlock, ToolCallBlock, ToolResultMessage
from openclaw_tui.tools.approval import Decision
from openclaw_tui.ui.line.approvals import read_answer
from openclaw_tui.ui.line.look import Look
from openclaw_tui.ui.line.render import LineRenderer

KEY = "agent:main:tui:dm:x"
CALL = ToolCallBlock("c1", "exec", {"command": "ls"})
HIJACK = "\x1b]52;c;QUJD\x07\x1b]0;title\x07\x1bPq\x1b\\"
QUESTION = ApprovalRequested(
    KEY,
    "q1",
    CALL,
    "execute",
    "git push && rm -rf build",
    "git push && rm -rf build",
    "command",
    ("it deletes files",),
    ("git push", "rm -rf build"),
    "exec(git push:*)",
)


def printed(*events: AgentEvent, thinking: bool = False) -> str:
    out: list[str] = []
    renderer = LineRenderer(out.append, Look(redraws=False, styled=False), thinking)
    for event in events:
        renderer.show(event)
    return "".join(out)


def ended(text: str, *, error: bool = False, **details: object) -> ToolEnded:
    result = ToolResultMessage("c1", "exec", (TextBlock(text),), is_error=error, details=details or None)
    return ToolEnded(KEY, "c1", result, 1.25)


def answer(text: str, stop_reason: StopReason = "stop") -> MessageEnded:
    return MessageEnded(KEY, "m1", AssistantMessage((TextBlock(text),), stop_reason=stop_reason))


STARTED = ToolStarted(KEY, CALL, "Run", "ls -la src")


def test_a_call_is_one_line_with_state_name_time_and_size() -> None:
    assert printed(STARTED, ended("x" * 2500)) == "done    exec ls -la src · 1.2 s · 2.5k chars\n"


@pytest.mark.parametrize(
    ("event", "state"),
    [
        (ended("no", error=True), "failed"),
        (ended("no", error=True, denied=True), "refused"),
        (ended("[interrupted by the user before it finished]", error=True), "stopped"),
    ],
)
def test_the_state_of_a_call_is_a_word(event: ToolEnded, state: str) -> None:
    assert printed(STARTED, event).startswith(state)


def test_a_long_description_is_cut_to_one_row() -> None:
    line = printed(replace(STARTED, summary="a very long command " * 40), ended("")).rstrip("\n")
    assert "\n" not in line
    assert line.endswith("… · 1.2 s · 0 chars")


def test_the_text_of_an_answer_is_printed_as_it_comes_and_closed_before_anything_else() -> None:
    shown = printed(MessageStarted(KEY, "m1", "x"), TextDelta(KEY, "m1", "Hel"), TextDelta(KEY, "m1", "lo"), STARTED)
    assert shown == "Hello\n"


def test_an_answer_that_was_not_streamed_is_printed_at_its_end_once() -> None:
    assert printed(answer("Hello")) == "Hello\n"
    assert printed(TextDelta(KEY, "m1", "Hello"), answer("Hello")) == "Hello\n"


def test_an_answer_that_is_thrown_away_or_cut_says_so() -> None:
    assert "trying again" in printed(TextDelta(KEY, "m1", "Hel"), replace(answer("Hel"), discarded=True))
    assert "cut at its longest length" in printed(answer("Hel", "length"))


def test_thinking_is_shown_only_where_it_is_asked_for() -> None:
    events = (ThinkingDelta(KEY, "m1", "hm"), TextDelta(KEY, "m1", "Yes"), answer("Yes"))
    assert printed(*events) == "Yes\n"
    assert printed(*events, thinking=True) == "hm\nYes\n"


def test_the_diff_of_a_change_follows_its_line() -> None:
    assert printed(STARTED, ended("ok", diff="@@ -1 +1 @@\n-old\n+new")).endswith("  @@ -1 +1 @@\n  -old\n  +new\n")


def test_a_question_shows_everything_and_each_part() -> None:
    shown = printed(QUESTION)
    assert "May I? git push && rm -rf build" in shown
    assert "because it deletes files" in shown
    assert "1. git push\n    2. rm -rf build" in shown
    assert "p = yes, and all like it this session: exec(git push:*)" in shown


def test_a_long_diff_is_shown_whole_before_it_is_allowed_and_not_again_after_it() -> None:
    diff = "\n".join(f"+line {number}" for number in range(500))
    question = replace(QUESTION, preview=diff, preview_kind="diff", title="Write a.py", parts=())
    assert "+line 499" in printed(question)
    assert printed(question, STARTED, ended("ok", diff=diff)).count("+line 499") == 1


def test_what_is_asked_for_is_shown_with_its_control_characters_visible() -> None:
    shown = printed(replace(QUESTION, title="x", preview=f"echo safe\rrm -rf ~ {HIJACK}", parts=()))
    assert "echo safe␍rm -rf ~ ␛]52;c;QUJD␇" in shown
    assert "\x1b" not in shown
    assert "\r" not in shown


@pytest.mark.parametrize(
    "event",
    [
        TextDelta(KEY, "m1", f"a{HIJACK}b"),
        answer(f"a{HIJACK}b"),
        Notice(KEY, "warning", f"a{HIJACK}b"),
        ended(f"a{HIJACK}b", error=True),
        ended("ok", diff=f"+a{HIJACK}b"),
        replace(STARTED, summary=f"a{HIJACK}b"),
        PlanChanged(KEY, ((f"a{HIJACK}b", "pending"),)),
        RetryScheduled(KEY, 1, 3, 2.0, f"a{HIJACK}b"),
        CompactionEnded(KEY, False, 1, 1, reason=f"a{HIJACK}b"),
        replace(QUESTION, title=f"a{HIJACK}b", reasons=(HIJACK,), prefix_rule=HIJACK),
    ],
    ids=lambda event: type(event).__name__,
)
def test_no_foreign_control_character_reaches_the_terminal(event: AgentEvent) -> None:
    shown = printed(event, ended("x"))
    assert not {char for char in shown if ord(char) < 32} - {"\n", "\t"}


def test_a_failed_turn_gives_its_reason_once() -> None:
    error = RateLimited("the provider is busy", advice="Wait a little.")
    notice = Notice(KEY, "error", "the provider is busy Wait a little.")
    assert printed(notice, TurnEnded(KEY, "failed", error=error)).count("busy") == 1
    assert "busy" in printed(TurnEnded(KEY, "limit", error=error))


@pytest.mark.parametrize(
    ("typed", "decision"),
    [
        ("y", Decision("once")),
        ("Yes", Decision("once")),
        ("a", Decision("session")),
        ("p", Decision("prefix")),
        ("n", Decision("deny")),
        ("n, use git mv instead", Decision("deny", "use git mv instead")),
        ("No!", None),
        ("yes but only once", None),
        ("", None),
        ("maybe", None),
    ],
)
def test_only_a_clear_answer_decides(typed: str, decision: Decision | None) -> None:
    assert read_answer(typed, QUESTION) == decision


def test_a_prefix_that_is_not_offered_cannot_be_allowed() -> None:
    assert read_answer("p", replace(QUESTION, prefix_rule=None)) is None
