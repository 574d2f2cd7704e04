"""The article's hidden layer: `repair_tool_use_result_pairing`, its four rules, and ours beside them.

Departure (OpenClaw's source and check 19 as amended): nothing is invented for an answer that was cut off.
"""

import pytest

from openclaw_tui.messages import (
    AssistantMessage,
    Message,
    StopReason,
    TextBlock,
    ToolCallBlock,
    ToolResultMessage,
    UserMessage,
    user_text,
)
from openclaw_tui.models import ApiName
from openclaw_tui.transcript.policy import transcript_policy
from openclaw_tui.transcript.repair import repair_tool_use_result_pairing
from openclaw_tui.transcript.synthetic import (
    SYNTHETIC_KEY,
    interrupted_result_text,
    is_synthetic,
    missing_result_text,
    synthetic_result,
)
from tests.transcript.legality import check_legal
from tests.transcript.preparing import prepare
from tests.transcript.strategies import APIS, model_for

MODEL = model_for("anthropic")
POLICY = transcript_policy(MODEL)


def answer(*calls: str, stop: StopReason = "tool_use", text: str = "") -> AssistantMessage:
    blocks = (TextBlock(text),) if text else ()
    made = tuple(ToolCallBlock(call, "exec", {"command": "ls"}) for call in calls)
    return AssistantMessage(content=blocks + made, stop_reason=stop, timestamp=7)


def result(call: str, text: str = "out") -> ToolResultMessage:
    return ToolResultMessage(call, "exec", (TextBlock(text),), entry_id=f"entry-{text}")


def repaired(*messages: Message) -> tuple[Message, ...]:
    return repair_tool_use_result_pairing(messages, POLICY)[0]


def test_a_displaced_result_is_moved_behind_its_call() -> None:
    history = (user_text("a"), answer("1"), user_text("b"), result("1"))
    fixed, report = repair_tool_use_result_pairing(history, POLICY)
    assert fixed == (history[0], history[1], history[3], history[2])
    assert fixed[2].entry_id == "entry-out"
    assert report.counts == {"moved": 1}


def test_a_missing_result_is_synthesised_as_an_error() -> None:
    fixed, report = repair_tool_use_result_pairing((user_text("a"), answer("1", "2"), result("1")), POLICY)
    invented = fixed[3]
    assert isinstance(invented, ToolResultMessage)
    assert (invented.tool_call_id, invented.tool_name, invented.is_error) == ("2", "exec", True)
    assert invented.content == (TextBlock(missing_result_text("exec")),)
    assert invented.timestamp == 7
    assert report.counts == {"synthesised": 1}


def test_of_several_results_the_first_wins() -> None:
    fixed, report = repair_tool_use_result_pairing(
        (user_text("a"), answer("1"), result("1", "first"), result("1", "second")), POLICY
    )
    assert [m.entry_id for m in fixed] == [None, None, "entry-first"]
    assert report.counts == {"duplicates_dropped": 1}


def test_an_orphan_result_is_dropped() -> None:
    fixed, report = repair_tool_use_result_pairing((user_text("a"), result("x"), answer("1"), result("1")), POLICY)
    assert [type(m).__name__ for m in fixed] == ["UserMessage", "AssistantMessage", "ToolResultMessage"]
    assert report.counts == {"orphans_dropped": 1}


def test_a_clean_list_comes_back_as_the_same_object() -> None:
    history = (user_text("a"), answer("1", "2"), result("1"), result("2"), user_text("b"))
    same, report = repair_tool_use_result_pairing(history, POLICY)
    assert same is history
    assert not report.changed


def test_results_stand_in_the_order_of_their_calls() -> None:
    fixed = repaired(user_text("a"), answer("1", "2", "3"), result("3"), result("1"), result("2"))
    assert [m.tool_call_id for m in fixed if isinstance(m, ToolResultMessage)] == ["1", "2", "3"]


def test_nothing_is_invented_for_an_answer_that_was_cut_off() -> None:
    fixed = repaired(user_text("a"), answer("1", "2", stop="aborted", text="I start"), result("1"), user_text("b"))
    assert isinstance(fixed[1], AssistantMessage)
    assert [call.id for call in fixed[1].tool_calls] == ["1"]
    assert [type(m).__name__ for m in fixed] == ["UserMessage", "AssistantMessage", "ToolResultMessage", "UserMessage"]
    gone = repaired(user_text("a"), answer("1", stop="error"), user_text("b"))
    assert len(gone) == 1
    assert isinstance(gone[0], UserMessage)


def test_a_late_real_result_takes_the_place_of_an_invented_one() -> None:
    invented = synthetic_result(answer("A").tool_calls[0], missing_result_text("exec"))
    history = (user_text("q"), answer("A"), invented, user_text("r"), answer("B"), result("B"), result("A", "real"))
    fixed = repaired(*history)
    assert fixed == (history[0], history[1], history[6], history[3], history[4], history[5])


def test_an_interrupted_call_written_to_the_file_yields_to_the_real_result_too() -> None:
    call = answer("A").tool_calls[0]
    stored = synthetic_result(call, interrupted_result_text("exec"), details={SYNTHETIC_KEY: True})
    assert is_synthetic(stored)
    prepared, _ = prepare((user_text("q"), answer("A"), stored, result("A", "real"), user_text("r")), MODEL)
    assert [m.content for m in prepared if isinstance(m, ToolResultMessage)] == [(TextBlock("real"),)]


def test_what_an_engine_removed_is_said_to_be_removed_and_no_error() -> None:
    fixed, _ = repair_tool_use_result_pairing((user_text("a"), answer("1"), user_text("b")), POLICY, removed={"1"})
    placed = fixed[2]
    assert isinstance(placed, ToolResultMessage)
    assert not placed.is_error
    assert "removed by compaction" in str(placed.content)


@pytest.mark.parametrize("api", APIS)
def test_three_parallel_calls_of_which_one_had_finished_are_legal_live_and_after_resume(api: ApiName) -> None:
    calls = answer("1", "2", "3")
    stored = tuple(
        synthetic_result(call, interrupted_result_text("exec"), details={SYNTHETIC_KEY: True})
        for call in calls.tool_calls[1:]
    )
    live: tuple[Message, ...] = (user_text("q"), calls, result("1"), *stored, user_text("next"))
    resumed: tuple[Message, ...] = (user_text("q"), calls, result("1"), user_text("next"))
    model = model_for(api)
    for history in (live, resumed):
        prepared, _ = prepare(history, model)
        check_legal(prepared, model)
        assert sum(isinstance(m, ToolResultMessage) for m in prepared) == 3


def test_repair_runs_on_what_limiting_tore_apart() -> None:
    history = (user_text("1"), answer("A"), user_text("2"), result("A"), answer(text="done"), user_text("3"))
    prepared, reports = prepare(history, MODEL, limit=2)
    check_legal(prepared, MODEL)
    assert reports[-1].counts["orphans_dropped"] == 1
