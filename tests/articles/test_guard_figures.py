"""The first article's layer 2 in its own figures.

Departures, each reachable by `guard.order = newest-first-strict`: a result the model has not seen is never blanked, and
results are shortened to what is needed before they are cleared.
"""

import pytest

from openclaw_tui.constants import (
    COMPACTED_PLACEHOLDER,
    GUARD_TRIM_TO_SHARE,
    MIDDLE_OMITTED_MARKER,
    PREEMPTIVE_CONTEXT_OVERFLOW_MESSAGE,
    TRUNCATED_NOTICE,
)
from openclaw_tui.context.guard import guard_lines, guard_tool_results
from openclaw_tui.errors import PreemptiveContextOverflow
from openclaw_tui.messages import Message
from tests.context.building import asks, gives, result_ids, says, steps, texts_of_results, user

WINDOW = 128_000


@pytest.mark.parametrize(
    ("window", "context", "single", "overflow"),
    [(128_000, 384_000, 128_000, 460_800), (200_000, 600_000, 200_000, 720_000), (32_000, 96_000, 32_000, 115_200)],
)
def test_three_lines_at_the_articles_figures(window: int, context: int, single: int, overflow: int) -> None:
    lines = guard_lines(window)
    assert (lines.context, lines.single_result, lines.overflow) == (context, single, overflow)


def test_no_line_falls_under_the_floor() -> None:
    assert guard_lines(10).single_result == guard_lines(10).context == 1024


def test_one_result_of_150_000_characters_is_cut_to_128_000() -> None:
    result = guard_tool_results(steps([150_000]), window_tokens=WINDOW)
    (text,) = texts_of_results(result.messages)
    assert 127_000 < len(text) <= 128_000
    assert TRUNCATED_NOTICE in text
    assert result.step.counts["capped"] == 1


def test_tool_results_count_double() -> None:
    assert guard_tool_results((user("x" * 1000),), window_tokens=WINDOW).total_chars == 1000
    assert guard_tool_results((asks(1), gives(1, 1000)), window_tokens=WINDOW).total_chars == 2 * 1000 + len("exec{}")


def test_the_newest_seen_results_are_shortened_first_so_that_the_cached_prefix_stays() -> None:
    """Departure: in one batch well below the line, so that the cache is rewritten seldom (decision 1)."""
    history = steps([20_000, *([29_000] * 7)])
    result = guard_tool_results(history, window_tokens=WINDOW, result_ids=result_ids(8))
    assert result.total_chars <= 384_000 * GUARD_TRIM_TO_SHARE
    changed = [new is not old for new, old in zip(result.messages, history, strict=True)]
    assert [at for at, is_changed in enumerate(changed) if is_changed] == [4, 6, 8, 10, 12, 14]
    assert not result.wants_compaction


def test_strict_order_blanks_the_newest_even_if_unread() -> None:
    history = steps([50_000] * 4)
    result = guard_tool_results(history, window_tokens=WINDOW, result_ids=result_ids(4), order="newest-first-strict")
    texts = texts_of_results(result.messages)
    assert texts[3] == f'{COMPACTED_PLACEHOLDER} t4 exec, 50000 chars, recall("t4")'
    assert [len(text) for text in texts[:3]] == [50_000] * 3


def test_the_placeholder_begins_with_the_articles_words() -> None:
    history = (*steps([100_000, 41_210]), says(), user("x" * 190_000), asks(3), gives(3, 100))
    result = guard_tool_results(history, window_tokens=WINDOW, result_ids={"e2": "t17"}, order="newest-first-strict")
    expected = '[compacted: tool output removed to free context] t17 exec, 41210 chars, recall("t17")'
    assert texts_of_results(result.messages)[1] == expected


def test_above_ninety_percent_it_gives_up_with_the_articles_message() -> None:
    with pytest.raises(PreemptiveContextOverflow, match=PREEMPTIVE_CONTEXT_OVERFLOW_MESSAGE) as raised:
        guard_tool_results((user("x" * 460_801),), window_tokens=WINDOW)
    assert (raised.value.tokens, raised.value.limit) == (115_200, 115_200)
    assert guard_tool_results((user("x" * 460_800),), window_tokens=WINDOW).total_chars == 460_800


def test_a_long_log_whose_end_says_failed_keeps_head_and_tail() -> None:
    log = "".join(f"line {number} of the log\n" for number in range(10_000)) + "3 tests failed, 47 passed"
    result = guard_tool_results((user(), asks(1), gives(1, log)), window_tokens=WINDOW)
    (text,) = texts_of_results(result.messages)
    head, _, tail = text.partition(MIDDLE_OMITTED_MARKER)
    assert head.startswith("line 0 of the log")
    assert tail.endswith("3 tests failed, 47 passed")
    assert 0.65 < len(head) / len(text) < 0.75


def test_the_transcript_itself_is_not_touched() -> None:
    history: tuple[Message, ...] = steps([150_000, 150_000, 150_000])
    guard_tool_results(history, window_tokens=WINDOW)
    assert texts_of_results(history) == texts_of_results(steps([150_000] * 3))
