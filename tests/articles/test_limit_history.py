"""The second article's `limitHistoryTurns`: the last N turns of the user, whole.

Departure: the summary of a compaction stays in front, since it stands for what was cut already.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_tui.messages import (
    AssistantMessage,
    Message,
    TextBlock,
    ToolCallBlock,
    ToolResultMessage,
    UserMessage,
    user_text,
)
from openclaw_tui.transcript.limit import limit_history_turns
from tests.transcript.strategies import tidy_histories


def turn(number: int) -> tuple[Message, ...]:
    return (
        user_text(f"question {number}"),
        AssistantMessage(content=(ToolCallBlock(f"c{number}", "read", {}),), stop_reason="tool_use"),
        ToolResultMessage(f"c{number}", "read", (TextBlock("out"),)),
        AssistantMessage(content=(TextBlock(f"answer {number}"),)),
    )


FIVE_TURNS = tuple(message for number in range(5) for message in turn(number))


def test_the_last_three_turns_stay_whole_with_their_pairs() -> None:
    kept, report = limit_history_turns(FIVE_TURNS, 3)
    assert kept == FIVE_TURNS[8:]
    assert report.counts == {"messages_dropped": 8, "turns_dropped": 2}


@pytest.mark.parametrize("limit", [None, 0, -1, 5, 99])
def test_no_limit_and_a_generous_one_change_nothing(limit: int | None) -> None:
    kept, report = limit_history_turns(FIVE_TURNS, limit)
    assert kept is FIVE_TURNS
    assert not report.changed


def test_it_counts_user_messages_not_messages() -> None:
    long_turn = (user_text("go"), *turn(0)[1:3] * 20)
    assert limit_history_turns((*turn(0), *long_turn), 1)[0] == long_turn


def test_what_the_program_says_in_the_user_role_is_no_turn() -> None:
    note = user_text("background job ended", origin="custom")
    assert limit_history_turns((*turn(0), *turn(1), note), 1)[0] == (*turn(1), note)


def test_the_summary_of_a_compaction_stays_in_front() -> None:
    summary = user_text("what happened so far", origin="compaction_summary")
    kept, report = limit_history_turns((summary, *FIVE_TURNS), 1)
    assert kept == (summary, *FIVE_TURNS[16:])
    assert report.counts["turns_dropped"] == 4


@given(tidy_histories(), st.integers(1, 4))
def test_the_result_is_the_end_of_the_history_and_begins_with_a_user(history: tuple[Message, ...], limit: int) -> None:
    kept, _ = limit_history_turns(history, limit)
    assert kept == history[len(history) - len(kept) :]
    assert isinstance(kept[0], UserMessage)
    assert sum(isinstance(message, UserMessage) for message in kept) <= limit
    assert limit_history_turns(kept, limit)[0] is kept
