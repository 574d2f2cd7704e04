"""One step's calls: checked, judged, asked about, run; one result for each call, events in pairs."""

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from openclaw_tui.constants import MAX_CONSECUTIVE_TOOL_FAULTS, REPEAT_STOP_COUNT, REPEAT_WARN_COUNT
from openclaw_tui.errors import SessionWriteFailed, ToolError
from openclaw_tui.events import (
    AgentEvent,
    ApprovalRequested,
    ApprovalResolved,
    Risk,
    ToolEnded,
    ToolProgress,
    ToolStarted,
)
from openclaw_tui.messages import (
    AssistantMessage,
    Message,
    ToolCallBlock,
    ToolDefinition,
    ToolResultMessage,
    text_of,
    user_text,
)
from openclaw_tui.safety.permissions import PermissionMode, Permissions, PermissionSettings, RuleLine
from openclaw_tui.tools.approval import ApprovalBroker, Decision
from openclaw_tui.tools.base import Tool, ToolContext, ToolIntent, ToolOutcome, text_outcome
from openclaw_tui.tools.edit import EditTool
from openclaw_tui.tools.file_state import FileState
from openclaw_tui.tools.read import ReadTool
from openclaw_tui.tools.registry import Toolset
from openclaw_tui.tools.repeats import WARNING_LEAD
from openclaw_tui.tools.runner import StepOutcome, ToolRunner
from openclaw_tui.tools.workspace import Workspace

_SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}


@dataclass
class FakeTool:
    """A tool that does what it is given; counts how many of its calls run at once."""

    name: str
    risk: Risk = "read"
    parallel_safe: bool = True
    action: Callable[[str, ToolContext], Any] | None = None
    label: str = "Fake"
    now: int = 0
    most: int = 0
    ran: list[str] = field(default_factory=list)

    @property
    def definition(self) -> ToolDefinition:
        return ToolDefinition(self.name, "", _SCHEMA)

    def intent(self, arguments: Mapping[str, Any], workspace: Workspace) -> ToolIntent:
        paths = (workspace.resolve(arguments["text"]),) if self.risk == "write" else ()
        return ToolIntent(self.risk, f"{self.name} {arguments['text']}", paths)

    async def execute(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            text = str(arguments["text"])
            made = self.action(text, context) if self.action is not None else text
            if asyncio.iscoroutine(made):
                made = await made
            self.ran.append(text)
            return made if isinstance(made, ToolOutcome) else text_outcome(str(made))
        finally:
            self.now -= 1


@dataclass
class Bench:
    runner: ToolRunner
    broker: ApprovalBroker
    permissions: Permissions
    events: list[AgentEvent]
    stored: list[ToolResultMessage] = field(default_factory=list)

    async def run(self, *calls: ToolCallBlock) -> StepOutcome:
        return await self.runner.run(calls, self.stored.append)

    def assert_paired(self) -> None:
        started = [event.call.id for event in self.events if isinstance(event, ToolStarted)]
        ended = [event.call_id for event in self.events if isinstance(event, ToolEnded)]
        assert sorted(started) == sorted(ended)
        asked = [event.approval_id for event in self.events if isinstance(event, ApprovalRequested)]
        answered = [event.approval_id for event in self.events if isinstance(event, ApprovalResolved)]
        assert asked == answered


def _bench(
    root: Path,
    tools: Sequence[Tool],
    *,
    mode: PermissionMode = "default",
    interactive: bool = False,
    deny: tuple[str, ...] = (),
) -> Bench:
    events: list[AgentEvent] = []
    workspace = Workspace(root)
    settings = PermissionSettings(mode, deny=tuple(RuleLine(text, "user") for text in deny))
    permissions = Permissions(settings, workspace)
    broker = ApprovalBroker(events.append, "key", interactive=interactive)
    runner = ToolRunner(Toolset(tools), workspace, permissions, broker, events.append, "key")
    return Bench(runner, broker, permissions, events)


def _call(call_id: str, name: str, text: str = "x") -> ToolCallBlock:
    return ToolCallBlock(call_id, name, {"text": text})


def _texts(results: Sequence[ToolResultMessage]) -> list[str]:
    return [text_of(result.content) for result in results]


async def test_reading_calls_run_together_and_come_back_in_order(tmp_path: Path) -> None:
    async def wait(text: str, context: ToolContext) -> str:
        for _ in range(10 if text == "slow" else 1):
            await asyncio.sleep(0)
        return text

    tool = FakeTool("look", action=wait)
    bench = _bench(tmp_path, [tool])
    outcome = await bench.run(_call("1", "look", "slow"), _call("2", "look", "b"), _call("3", "look", "c"))
    assert tool.most == 3
    assert tool.ran == ["b", "c", "slow"]
    assert [result.tool_call_id for result in bench.stored] == ["1", "2", "3"]
    assert _texts(outcome.results) == ["slow", "b", "c"]
    assert outcome.stop_reason is None
    bench.assert_paired()


async def test_changing_calls_run_one_after_the_other_and_are_stored_at_once(tmp_path: Path) -> None:
    stored_before: list[int] = []
    tool = FakeTool("change", "write", parallel_safe=False)
    bench = _bench(tmp_path, [tool], mode="acceptEdits")

    def note(text: str, context: ToolContext) -> str:
        stored_before.append(len(bench.stored))
        return text

    tool.action = note
    await bench.run(_call("1", "change", "a"), _call("2", "change", "b"), _call("3", "change", "c"))
    assert tool.most == 1
    assert stored_before == [0, 1, 2]
    assert tool.ran == ["a", "b", "c"]


async def test_a_result_is_stored_before_it_is_shown(tmp_path: Path) -> None:
    bench = _bench(tmp_path, [FakeTool("look")])
    shown: list[int] = []
    await bench.runner.run(
        [_call("1", "look")],
        lambda result: shown.append(sum(isinstance(event, ToolEnded) for event in bench.events)),
    )
    assert shown == [0]
    bench.assert_paired()


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (ToolCallBlock("1", "bash وسرعت", {"text": "x"}), ["bash وسرعت", "look"]),
        (ToolCallBlock("1", "lok", {"text": "x"}), ["lok", "Did you mean look"]),
        (ToolCallBlock("1", "look", {}), ["look: text is missing"]),
        (ToolCallBlock("1", "look", {"text": {"a": 1}}), ["look: text must be a text"]),
        (ToolCallBlock("1", "look", {}, invalid_arguments='{"text": "x'), ["look", "no whole JSON object"]),
        (ToolCallBlock("1", "look", {}, invalid_arguments='"just text"'), ["look", "no whole JSON object"]),
    ],
)
async def test_a_faulty_call_is_answered_and_named(tmp_path: Path, call: ToolCallBlock, named: list[str]) -> None:
    """Case 153."""
    bench = _bench(tmp_path, [FakeTool("look")])
    outcome = await bench.run(call, _call("2", "look"))
    assert outcome.results[0].is_error
    assert all(text in _texts(outcome.results)[0] for text in named)
    assert _texts(outcome.results)[1] == "x"
    bench.assert_paired()


async def test_too_many_faulty_calls_in_a_row_end_the_turn(tmp_path: Path) -> None:
    """Case 153: bounded."""
    bench = _bench(tmp_path, [FakeTool("look")])
    reasons = [
        (await bench.run(ToolCallBlock(str(n), "nope", {"n": n}))).stop_reason
        for n in range(MAX_CONSECUTIVE_TOOL_FAULTS)
    ]
    assert reasons[:-1] == [None] * (MAX_CONSECUTIVE_TOOL_FAULTS - 1)
    assert reasons[-1] is not None
    assert "malformed or unknown" in reasons[-1]


async def test_names_other_agents_use_are_understood(tmp_path: Path) -> None:
    tool = FakeTool("exec")
    bench = _bench(tmp_path, [tool])
    outcome = await bench.run(_call("1", "Bash"), _call("2", "EXEC"))
    assert not any(result.is_error for result in outcome.results)


async def test_a_tool_that_breaks_does_not_break_the_step(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    def fail(text: str, context: ToolContext) -> str:
        if text == "bug":
            raise RuntimeError("internal detail")
        raise ToolError("the reason, plainly")

    bench = _bench(tmp_path, [FakeTool("look", action=fail)])
    outcome = await bench.run(_call("1", "look", "bug"), _call("2", "look", "known"))
    first, second = _texts(outcome.results)
    assert "failed unexpectedly" in first
    assert "internal detail" not in first
    assert "internal detail" in caplog.text
    assert second == "the reason, plainly"
    bench.assert_paired()


async def test_two_calls_with_one_id_have_one_result(tmp_path: Path) -> None:
    """Case 83: at write time the first one counts."""
    tool = FakeTool("change", "write", parallel_safe=False)
    bench = _bench(tmp_path, [tool], mode="acceptEdits")
    await bench.run(_call("1", "change", "a"), _call("1", "change", "b"))
    assert [(result.tool_call_id, *_texts([result])) for result in bench.stored] == [("1", "a")]
    assert tool.ran == ["a"]


async def test_lone_surrogates_never_leave(tmp_path: Path) -> None:
    def half(text: str, context: ToolContext) -> str:
        context.progress("\ud800")
        return "a\ud83db"

    bench = _bench(tmp_path, [FakeTool("look", action=half)])
    outcome = await bench.run(_call("1", "look"))
    assert _texts(outcome.results) == ["a?b"]
    assert [event.text for event in bench.events if isinstance(event, ToolProgress)] == ["?"]


async def test_without_anybody_to_ask_a_call_is_refused_and_listed(tmp_path: Path) -> None:
    tool = FakeTool("change", "write", parallel_safe=False)
    bench = _bench(tmp_path, [tool])
    outcome = await bench.run(_call("1", "change", "a.txt"))
    assert outcome.results[0].is_error
    assert "nobody can be asked" in _texts(outcome.results)[0]
    assert [(denial.tool, denial.input) for denial in bench.broker.denials] == [("change", {"text": "a.txt"})]
    assert tool.ran == []


async def test_a_refusal_by_rule_is_no_missing_approval(tmp_path: Path) -> None:
    bench = _bench(tmp_path, [FakeTool("change", "write")], mode="bypassPermissions", deny=("change",))
    outcome = await bench.run(_call("1", "change"))
    assert "the rule change (user) refuses it" in _texts(outcome.results)[0]
    assert bench.broker.denials == []


async def _answer(bench: Bench, decision: Decision) -> None:
    while not bench.broker.pending:
        await asyncio.sleep(0)
    assert bench.broker.resolve(bench.broker.pending[0], decision)


@pytest.mark.parametrize(("kind", "second"), [("once", True), ("session", False)])
async def test_the_answer_is_kept_as_long_as_it_was_given_for(tmp_path: Path, kind: Any, second: bool) -> None:
    tool = FakeTool("change", "write", parallel_safe=False)
    bench = _bench(tmp_path, [tool], interactive=True)
    await asyncio.gather(bench.run(_call("1", "change", "a")), _answer(bench, Decision(kind)))
    again = asyncio.create_task(bench.run(_call("2", "change", "a")))
    if second:
        await _answer(bench, Decision("deny", "use b instead"))
    outcome = await again
    assert outcome.results[0].is_error is second
    assert tool.ran == ["a"] if second else ["a", "a"]
    assert ("use b instead" in _texts(outcome.results)[0]) is second
    bench.assert_paired()


async def test_what_changed_while_the_question_was_open_does_not_run(tmp_path: Path) -> None:
    """A link that is turned elsewhere after the user has seen the question."""
    (tmp_path / "project").mkdir()
    (tmp_path / "outside").mkdir()
    tool = FakeTool("change", "write", parallel_safe=False)
    bench = _bench(tmp_path / "project", [tool], interactive=True)
    task = asyncio.create_task(bench.run(_call("1", "change", "d/a.txt")))
    while not bench.broker.pending:
        await asyncio.sleep(0)
    os.symlink(tmp_path / "outside", tmp_path / "project" / "d")
    await _answer(bench, Decision("once"))
    assert "changed while the question was open" in _texts((await task).results)[0]
    assert tool.ran == []


async def test_an_abort_closes_every_pair_and_passes_through(tmp_path: Path) -> None:
    async def forever(text: str, context: ToolContext) -> str:
        if text == "quick":
            return text
        await asyncio.Event().wait()
        return text

    bench = _bench(tmp_path, [FakeTool("look", action=forever), FakeTool("change", "write")], interactive=True)
    for calls in (
        [_call("1", "look", "a"), _call("2", "look", "quick")],
        [_call("3", "look", "quick"), _call("4", "look", "b")],
        [_call("5", "change", "c")],
    ):
        task = asyncio.create_task(bench.run(*calls))
        for _ in range(10):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    bench.assert_paired()
    assert [result.tool_call_id for result in bench.stored] == ["3"]
    assert bench.broker.pending == ()


async def test_a_result_that_cannot_be_stored_ends_the_step(tmp_path: Path) -> None:
    def full(result: ToolResultMessage) -> None:
        raise SessionWriteFailed("no space left")

    bench = _bench(tmp_path, [FakeTool("look")])
    for calls in ([_call("1", "look")], [_call("2", "look"), _call("3", "look")]):
        with pytest.raises(SessionWriteFailed):
            await bench.runner.run(calls, full)
    bench.assert_paired()


async def test_edits_of_one_file_under_three_names_all_arrive(tmp_path: Path) -> None:
    """Case 138."""
    (tmp_path / "a.py").write_text("one\ntwo\nthree\n", encoding="utf-8")
    (tmp_path / "link.py").symlink_to("a.py")
    files = FileState()
    bench = _bench(tmp_path, [ReadTool(files), EditTool(files)], mode="acceptEdits")
    names = [("a.py", "one"), ("./a.py", "two"), ("link.py", "three")]
    await bench.run(ToolCallBlock("0", "read", {"path": "a.py"}))
    edits = [
        ToolCallBlock(str(n), "edit", {"path": path, "edits": [{"oldText": old, "newText": old.upper()}]})
        for n, (path, old) in enumerate(names, start=1)
    ]
    outcome = await bench.run(*edits, ToolCallBlock("4", "edit", edits[0].arguments))
    assert [result.is_error for result in outcome.results] == [False, False, False, True]
    assert (tmp_path / "a.py").read_text(encoding="utf-8") == "ONE\nTWO\nTHREE\n"


async def test_the_same_call_again_and_again_is_warned_about_and_stopped(tmp_path: Path) -> None:
    """Case 23."""
    bench = _bench(tmp_path, [FakeTool("look")])
    reasons: list[str | None] = []
    for n in range(REPEAT_STOP_COUNT):
        reasons.append((await bench.run(_call(str(n), "look"))).stop_reason)
    warned = [WARNING_LEAD in text for text in _texts(bench.stored)]
    assert warned.index(True) == REPEAT_WARN_COUNT - 1
    assert reasons[:-1] == [None] * (REPEAT_STOP_COUNT - 1)
    assert "repeated the same call of look" in str(reasons[-1])


async def test_a_streak_outlives_compaction_and_resume(tmp_path: Path) -> None:
    """Case 23: a new process reads it from the session; a summary in between is no new word of the user."""
    history: list[Message] = [user_text("go")]
    first = _bench(tmp_path, [FakeTool("look")])
    for n in range(6):
        call = _call(str(n), "look")
        history.append(AssistantMessage((call,)))
        await first.run(call)
        history.append(first.stored[-1])
        if n == 3:
            history.append(user_text("summary", origin="compaction_summary"))
    resumed = _bench(tmp_path, [FakeTool("look")])
    resumed.runner.start_turn(history)
    outcomes = [await resumed.run(_call(f"r{n}", "look")) for n in range(4)]
    assert [outcome.stop_reason is not None for outcome in outcomes] == [False, False, False, True]
    fresh = _bench(tmp_path, [FakeTool("look")])
    fresh.runner.start_turn([*history, user_text("try once more")])
    assert WARNING_LEAD not in _texts((await fresh.run(_call("f", "look"))).results)[0]


async def test_going_round_in_a_short_circle_is_seen_too(tmp_path: Path) -> None:
    bench = _bench(tmp_path, [FakeTool("look")])
    stops = [
        (await bench.run(_call(f"a{n}", "look", "a"), _call(f"b{n}", "look", "b"))).stop_reason
        for n in range(REPEAT_STOP_COUNT)
    ]
    assert stops[-1] is not None
    assert stops[:-1] == [None] * (REPEAT_STOP_COUNT - 1)


async def test_a_call_whose_result_changes_is_no_circle(tmp_path: Path) -> None:
    numbers = iter(range(100))
    bench = _bench(tmp_path, [FakeTool("look", action=lambda text, context: next(numbers))])
    for n in range(REPEAT_STOP_COUNT + 2):
        assert (await bench.run(_call(str(n), "look"))).stop_reason is None
    assert not any(WARNING_LEAD in text for text in _texts(bench.stored))


async def test_calls_after_a_stop_get_a_result_but_do_not_run(tmp_path: Path) -> None:
    tool = FakeTool("change", "write", parallel_safe=False)
    bench = _bench(tmp_path, [tool], mode="acceptEdits")
    outcome = await bench.run(*[_call(str(n), "change") for n in range(REPEAT_STOP_COUNT + 2)])
    assert len(outcome.results) == REPEAT_STOP_COUNT + 2
    assert len(tool.ran) == REPEAT_STOP_COUNT
    assert "not run" in _texts(outcome.results)[-1]
