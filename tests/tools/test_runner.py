"""One step's calls: checked, judged, asked about, run; one result for each call, events in pairs."""

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from openclaw_tui.constants import MAX_CONSECUTIVE_TOOL_FAULTS
from openclaw_tui.errors import SessionWriteFailed, ToolError
from openclaw_tui.events import (
    ToolEnded,
    ToolProgress,
)
from openclaw_tui.messages import (
    ToolCallBlock,
    ToolResultMessage,
)
from openclaw_tui.tools.approval import Decision
from openclaw_tui.tools.base import ToolContext
from openclaw_tui.tools.edit import EditTool
from openclaw_tui.tools.file_state import FileState
from openclaw_tui.tools.read import ReadTool
from tests.tools.runner_bench import Bench, FakeTool, call_of, make_bench, texts_of


async def test_reading_calls_run_together_and_come_back_in_order(tmp_path: Path) -> None:
    async def wait(text: str, context: ToolContext) -> str:
        for _ in range(10 if text == "slow" else 1):
            await asyncio.sleep(0)
        return text

    tool = FakeTool("look", action=wait)
    bench = make_bench(tmp_path, [tool])
    outcome = await bench.run(call_of("1", "look", "slow"), call_of("2", "look", "b"), call_of("3", "look", "c"))
    assert tool.most == 3
    assert tool.ran == ["b", "c", "slow"]
    assert [result.tool_call_id for result in bench.stored] == ["1", "2", "3"]
    assert texts_of(outcome.results) == ["slow", "b", "c"]
    assert outcome.stop_reason is None
    bench.assert_paired()


async def test_changing_calls_run_one_after_the_other_and_are_stored_at_once(tmp_path: Path) -> None:
    stored_before: list[int] = []
    tool = FakeTool("change", "write", parallel_safe=False)
    bench = make_bench(tmp_path, [tool], mode="acceptEdits")

    def note(text: str, context: ToolContext) -> str:
        stored_before.append(len(bench.stored))
        return text

    tool.action = note
    await bench.run(call_of("1", "change", "a"), call_of("2", "change", "b"), call_of("3", "change", "c"))
    assert tool.most == 1
    assert stored_before == [0, 1, 2]
    assert tool.ran == ["a", "b", "c"]


async def test_a_result_is_stored_before_it_is_shown(tmp_path: Path) -> None:
    bench = make_bench(tmp_path, [FakeTool("look")])
    shown: list[int] = []
    await bench.runner.run(
        [call_of("1", "look")],
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
    bench = make_bench(tmp_path, [FakeTool("look")])
    outcome = await bench.run(call, call_of("2", "look"))
    assert outcome.results[0].is_error
    assert all(text in texts_of(outcome.results)[0] for text in named)
    assert texts_of(outcome.results)[1] == "x"
    bench.assert_paired()


async def test_too_many_faulty_calls_in_a_row_end_the_turn(tmp_path: Path) -> None:
    """Case 153: bounded."""
    bench = make_bench(tmp_path, [FakeTool("look")])
    reasons = [
        (await bench.run(ToolCallBlock(str(n), "nope", {"n": n}))).stop_reason
        for n in range(MAX_CONSECUTIVE_TOOL_FAULTS)
    ]
    assert reasons[:-1] == [None] * (MAX_CONSECUTIVE_TOOL_FAULTS - 1)
    assert reasons[-1] is not None
    assert "malformed or unknown" in reasons[-1]


async def test_names_other_agents_use_are_understood(tmp_path: Path) -> None:
    tool = FakeTool("exec")
    bench = make_bench(tmp_path, [tool])
    outcome = await bench.run(call_of("1", "Bash"), call_of("2", "EXEC"))
    assert not any(result.is_error for result in outcome.results)


async def test_a_tool_that_breaks_does_not_break_the_step(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    def fail(text: str, context: ToolContext) -> str:
        if text == "bug":
            raise RuntimeError("internal detail")
        raise ToolError("the reason, plainly")

    bench = make_bench(tmp_path, [FakeTool("look", action=fail)])
    outcome = await bench.run(call_of("1", "look", "bug"), call_of("2", "look", "known"))
    first, second = texts_of(outcome.results)
    assert "failed unexpectedly" in first
    assert "internal detail" not in first
    assert "internal detail" in caplog.text
    assert second == "the reason, plainly"
    bench.assert_paired()


async def test_two_calls_with_one_id_have_one_result(tmp_path: Path) -> None:
    """Case 83: at write time the first one counts."""
    tool = FakeTool("change", "write", parallel_safe=False)
    bench = make_bench(tmp_path, [tool], mode="acceptEdits")
    await bench.run(call_of("1", "change", "a"), call_of("1", "change", "b"))
    assert [(result.tool_call_id, *texts_of([result])) for result in bench.stored] == [("1", "a")]
    assert tool.ran == ["a"]


async def test_lone_surrogates_never_leave(tmp_path: Path) -> None:
    def half(text: str, context: ToolContext) -> str:
        context.progress("\ud800")
        return "a\ud83db"

    bench = make_bench(tmp_path, [FakeTool("look", action=half)])
    outcome = await bench.run(call_of("1", "look"))
    assert texts_of(outcome.results) == ["a?b"]
    assert [event.text for event in bench.events if isinstance(event, ToolProgress)] == ["?"]


async def test_without_anybody_to_ask_a_call_is_refused_and_listed(tmp_path: Path) -> None:
    tool = FakeTool("change", "write", parallel_safe=False)
    bench = make_bench(tmp_path, [tool])
    outcome = await bench.run(call_of("1", "change", "a.txt"))
    assert outcome.results[0].is_error
    assert "nobody can be asked" in texts_of(outcome.results)[0]
    assert [(denial.tool, denial.input) for denial in bench.broker.denials] == [("change", {"text": "a.txt"})]
    assert tool.ran == []


async def test_a_refusal_by_rule_is_no_missing_approval(tmp_path: Path) -> None:
    bench = make_bench(tmp_path, [FakeTool("change", "write")], mode="bypassPermissions", deny=("change",))
    outcome = await bench.run(call_of("1", "change"))
    assert "the rule change (user) refuses it" in texts_of(outcome.results)[0]
    assert bench.broker.denials == []


async def _answer(bench: Bench, decision: Decision) -> None:
    while not bench.broker.pending:
        await asyncio.sleep(0)
    assert bench.broker.resolve(bench.broker.pending[0], decision)


@pytest.mark.parametrize(("kind", "second"), [("once", True), ("session", False)])
async def test_the_answer_is_kept_as_long_as_it_was_given_for(tmp_path: Path, kind: Any, second: bool) -> None:
    tool = FakeTool("change", "write", parallel_safe=False)
    bench = make_bench(tmp_path, [tool], interactive=True)
    await asyncio.gather(bench.run(call_of("1", "change", "a")), _answer(bench, Decision(kind)))
    again = asyncio.create_task(bench.run(call_of("2", "change", "a")))
    if second:
        await _answer(bench, Decision("deny", "use b instead"))
    outcome = await again
    assert outcome.results[0].is_error is second
    assert tool.ran == ["a"] if second else ["a", "a"]
    assert ("use b instead" in texts_of(outcome.results)[0]) is second
    bench.assert_paired()


async def test_what_changed_while_the_question_was_open_does_not_run(tmp_path: Path) -> None:
    """A link that is turned elsewhere after the user has seen the question."""
    (tmp_path / "project").mkdir()
    (tmp_path / "outside").mkdir()
    tool = FakeTool("change", "write", parallel_safe=False)
    bench = make_bench(tmp_path / "project", [tool], interactive=True)
    task = asyncio.create_task(bench.run(call_of("1", "change", "d/a.txt")))
    while not bench.broker.pending:
        await asyncio.sleep(0)
    os.symlink(tmp_path / "outside", tmp_path / "project" / "d")
    await _answer(bench, Decision("once"))
    assert "changed while the question was open" in texts_of((await task).results)[0]
    assert tool.ran == []


async def test_an_abort_closes_every_pair_and_passes_through(tmp_path: Path) -> None:
    async def forever(text: str, context: ToolContext) -> str:
        if text == "quick":
            return text
        await asyncio.Event().wait()
        return text

    bench = make_bench(tmp_path, [FakeTool("look", action=forever), FakeTool("change", "write")], interactive=True)
    for calls in (
        [call_of("1", "look", "a"), call_of("2", "look", "quick")],
        [call_of("3", "look", "quick"), call_of("4", "look", "b")],
        [call_of("5", "change", "c")],
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

    bench = make_bench(tmp_path, [FakeTool("look")])
    for calls in ([call_of("1", "look")], [call_of("2", "look"), call_of("3", "look")]):
        with pytest.raises(SessionWriteFailed):
            await bench.runner.run(calls, full)
    bench.assert_paired()


async def test_edits_of_one_file_under_three_names_all_arrive(tmp_path: Path) -> None:
    """Case 138."""
    (tmp_path / "a.py").write_text("one\ntwo\nthree\n", encoding="utf-8")
    (tmp_path / "link.py").symlink_to("a.py")
    files = FileState()
    bench = make_bench(tmp_path, [ReadTool(files), EditTool(files)], mode="acceptEdits")
    names = [("a.py", "one"), ("./a.py", "two"), ("link.py", "three")]
    await bench.run(ToolCallBlock("0", "read", {"path": "a.py"}))
    edits = [
        ToolCallBlock(str(n), "edit", {"path": path, "edits": [{"oldText": old, "newText": old.upper()}]})
        for n, (path, old) in enumerate(names, start=1)
    ]
    outcome = await bench.run(*edits, ToolCallBlock("4", "edit", edits[0].arguments))
    assert [result.is_error for result in outcome.results] == [False, False, False, True]
    assert (tmp_path / "a.py").read_text(encoding="utf-8") == "ONE\nTWO\nTHREE\n"
