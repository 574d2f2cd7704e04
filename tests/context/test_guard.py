"""The guard beyond the article's figures: liveness, sticky decisions, prefix-bound models, what is counted."""

import base64
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openclaw_tui.constants import COMPACTED_PLACEHOLDER, GUARD_TRIMMED_CHARS
from openclaw_tui.context.decisions import GuardDecision, decisions_from_data, decisions_to_data
from openclaw_tui.context.guard import GuardOrder, guard_lines, guard_tool_results
from openclaw_tui.errors import PreemptiveContextOverflow
from openclaw_tui.messages import ImageBlock, Message, TextBlock, ToolDefinition, ToolResultMessage, UserMessage
from tests.context.building import asks, gives, result_ids, says, steps, texts_of_results, user
from tests.transcript.strategies import png, tidy_histories

WINDOW = 32_000


def test_a_result_the_model_has_not_seen_is_never_blanked() -> None:
    history = (*steps([20_000, 20_000, 5_000]), says("x" * 10_000), user(), asks(4), gives(4, "hi\n"))
    result = guard_tool_results(history, window_tokens=WINDOW, result_ids=result_ids(4))
    assert texts_of_results(result.messages)[3] == "hi\n"
    assert not any(text.startswith(COMPACTED_PLACEHOLDER) for text in texts_of_results(result.messages)[:2])


def test_each_fresh_output_is_seen_once_while_a_long_loop_runs_at_the_limit() -> None:
    decisions: dict[str, GuardDecision] = {}
    history: tuple[Message, ...] = (user(),)
    for number in range(1, 60):
        fresh = f"result {number}: " + "words " * 1_000
        history += (asks(number), gives(number, fresh))
        result = guard_tool_results(history, window_tokens=WINDOW, decisions=decisions, result_ids=result_ids(60))
        decisions |= result.new_decisions
        assert texts_of_results(result.messages)[-1] == fresh
        assert result.total_chars <= guard_lines(WINDOW).overflow


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 30_000), min_size=1, max_size=20), st.booleans())
def test_what_was_sent_in_some_form_is_sent_in_that_form_for_ever(sizes: list[int], prefix_bound: bool) -> None:
    """Only the newest seen results change from request to request, and none twice after its first send."""
    decisions: dict[str, GuardDecision] = {}
    settled: dict[int, str] = {}
    history: tuple[Message, ...] = (user(),)
    for number, size in enumerate(sizes, 1):
        history += (asks(number), gives(number, size))
        try:
            result = guard_tool_results(
                history,
                window_tokens=WINDOW,
                decisions=decisions,
                result_ids=result_ids(20),
                prefix_bound=prefix_bound,
            )
        except PreemptiveContextOverflow:
            return
        decisions |= result.new_decisions
        texts = texts_of_results(result.messages)
        assert all(texts[index] == text for index, text in settled.items())
        changed = {index for index in range(number) if decisions.get(f"e{index + 1}") is not None}
        settled = {index: texts[index] for index in (range(number) if prefix_bound else changed)}
        settled = {i: t for i, t in settled.items() if prefix_bound or decisions[f"e{i + 1}"].kind != "capped"}


@settings(max_examples=60, deadline=None)
@given(tidy_histories(max_turns=8), st.sampled_from([4_000, 16_000, 32_000, 128_000]), st.booleans())
def test_lines_are_kept_pairs_stay_and_a_second_run_changes_nothing(
    history: tuple[Message, ...], window: int, strict: bool
) -> None:
    order: GuardOrder = "newest-first-strict" if strict else "newest-first"
    try:
        result = guard_tool_results(history, window_tokens=window, order=order)
    except PreemptiveContextOverflow:
        return
    assert result.total_chars <= guard_lines(window).overflow
    assert len(result.messages) == len(history)
    for new, old in zip(result.messages, history, strict=True):
        if isinstance(old, ToolResultMessage):
            assert isinstance(new, ToolResultMessage)
            assert (new.tool_call_id, new.entry_id, new.is_error) == (old.tool_call_id, old.entry_id, old.is_error)
            assert sum(map(len, texts_of_results((new,)))) <= sum(map(len, texts_of_results((old,))))
        else:
            assert new is old
    again = guard_tool_results(history, window_tokens=window, decisions=result.new_decisions)
    assert again.messages == result.messages
    assert not again.new_decisions


def test_under_the_lines_the_same_tuple_comes_back() -> None:
    history = steps([100, 200])
    result = guard_tool_results(history, window_tokens=WINDOW)
    assert result.messages is history
    assert not result.new_decisions


def test_decisions_survive_being_stored() -> None:
    history = (*steps([20_000, 30_000, 20_000]), says())
    first = guard_tool_results(history, window_tokens=WINDOW, result_ids=result_ids(3))
    assert first.new_decisions
    stored = decisions_from_data(decisions_to_data(first.new_decisions))
    assert stored == first.new_decisions
    assert guard_tool_results(history, window_tokens=200_000, decisions=stored).messages == first.messages


@pytest.mark.parametrize(
    "row", [None, 3, {}, {"kind": "burnt"}, {"kind": "capped", "max": -1}, {"kind": "cleared", "id": 1}]
)
def test_stored_decisions_that_make_no_sense_are_left_out(row: object) -> None:
    assert decisions_from_data({"e1": row}) == {}


def test_a_partial_trim_comes_before_the_placeholder() -> None:
    history = (*steps([20_000, 20_000]), says("x" * 20_000))
    result = guard_tool_results(history, window_tokens=WINDOW, result_ids=result_ids(2))
    first, second = texts_of_results(result.messages)
    assert len(second) <= GUARD_TRIMMED_CHARS
    assert len(second) < len(first) < 20_000
    assert 'recall("t2") gives the rest' in second
    assert [made.kind for made in result.new_decisions.values()] == ["trimmed", "trimmed"]


def test_shortening_that_makes_no_more_room_asks_for_compaction() -> None:
    short = guard_lines(WINDOW).context // (2 * GUARD_TRIMMED_CHARS)
    history = steps([GUARD_TRIMMED_CHARS] * (short - 10) + [20_000, 100])
    result = guard_tool_results(history, window_tokens=WINDOW)
    assert result.new_decisions
    assert result.wants_compaction


def test_a_result_shorter_than_its_placeholder_is_left_alone() -> None:
    history = (*steps([30_000, 40]), says("x" * 100_000))
    result = guard_tool_results(history, window_tokens=WINDOW)
    assert texts_of_results(result.messages)[1] == "plain words\n" * 3 + "plai"
    assert texts_of_results(result.messages)[0].startswith(COMPACTED_PLACEHOLDER)


def test_a_prefix_bound_model_keeps_what_was_sent_and_asks_for_compaction() -> None:
    history = (*steps([15_000, 15_000, 15_000]), says("x" * 8_000))
    result = guard_tool_results(history, window_tokens=WINDOW, prefix_bound=True)
    assert result.messages is history
    assert result.wants_compaction
    assert not guard_tool_results(steps([15_000]), window_tokens=WINDOW, prefix_bound=True).wants_compaction
    assert not guard_tool_results(history, window_tokens=WINDOW).wants_compaction


def test_a_prefix_bound_model_gets_new_results_capped_before_their_first_send() -> None:
    result = guard_tool_results((user(), asks(1), gives(1, 90_000)), window_tokens=WINDOW, prefix_bound=True)
    assert len(texts_of_results(result.messages)[0]) <= 32_000
    assert result.new_decisions["e1"].kind == "capped"


def test_eight_results_of_the_largest_size_in_one_step_share_the_room_and_the_turn_goes_on() -> None:
    window = 131_072
    batch = tuple(gives(number, f"{number} begins\n" + "words\n" * 30_000 + "exit code 0") for number in range(1, 9))
    history: tuple[Message, ...] = (user("x" * 40_000), asks(*range(1, 9)), *batch)
    result = guard_tool_results(history, window_tokens=window, system_chars=20_000, result_ids=result_ids(8))
    texts = texts_of_results(result.messages)
    assert [text.split()[0] for text in texts] == list("12345678")
    assert all(len(text) > 16_000 and text.endswith("exit code 0") for text in texts)


def test_short_results_of_a_step_stay_whole_beside_a_huge_one() -> None:
    history = (user(), asks(1, 2, 3), gives(1, 500), gives(2, 200_000), gives(3, 900))
    texts = texts_of_results(guard_tool_results(history, window_tokens=WINDOW).messages)
    assert [len(texts[0]), len(texts[2])] == [500, 900]


def test_a_page_that_says_where_to_read_on_still_says_so_after_the_cap() -> None:
    page = "some code\n" * 9_000 + "[Showing lines 1-9000 of 20000. Use offset=9001 to continue.]"
    result = guard_tool_results((user(), asks(1), gives(1, page, tool="read")), window_tokens=WINDOW)
    assert texts_of_results(result.messages)[0].endswith("Use offset=9001 to continue.]")


def test_pictures_count_by_their_pixels_never_as_text_and_never_as_nothing() -> None:
    noise = base64.b64encode(random.Random(1).randbytes(1_500_000)).decode()
    screenshot = ImageBlock(png(1500, 1000)[:60] + noise, "image/png")
    pasted = UserMessage((TextBlock("what is this?"), screenshot))
    alone = guard_tool_results((pasted,), window_tokens=WINDOW)
    assert alone.messages == (pasted,)
    assert 1_000 < alone.total_chars < 10_000
    assert guard_tool_results((pasted,) * 4, window_tokens=WINDOW).total_chars == 4 * alone.total_chars


def test_a_picture_in_a_seen_result_is_cleared_with_it_and_named() -> None:
    shot = ImageBlock(png(1500, 1000), "image/png")
    history = (user(), asks(1), gives(1, "a.png", shot), says("x" * 95_000), user(), asks(2), gives(2, "ok"))
    result = guard_tool_results(history, window_tokens=WINDOW, result_ids=result_ids(2))
    assert "t1 exec, 5 chars and 1 image," in texts_of_results(result.messages)[0]
    assert not any(isinstance(block, ImageBlock) for block in result.messages[2].content)


def test_hidden_details_are_not_counted() -> None:
    history: list[Message] = [user()]
    for number in range(40):
        history += [
            asks(number),
            ToolResultMessage(f"c{number}", "exec", (TextBlock("x" * 200),), details={"d": "y" * 50_000}),
        ]
    assert guard_tool_results(tuple(history), window_tokens=WINDOW).total_chars < 20_000


def test_system_prompt_and_tool_schemas_count_towards_the_overflow() -> None:
    tool = ToolDefinition("read", "d" * 5_000, {"type": "object", "properties": {"p": {"description": "s" * 5_000}}})
    history = (user("x" * 100_000),)
    assert guard_tool_results(history, window_tokens=WINDOW, system_chars=5_000).total_chars == 100_000
    with pytest.raises(PreemptiveContextOverflow):
        guard_tool_results(history, window_tokens=WINDOW, system_chars=5_200, tools=(tool,))


def test_a_smaller_model_gets_results_cut_that_were_sent_whole_before() -> None:
    history = (*steps([60_000]), says())
    assert guard_tool_results(history, window_tokens=128_000).messages is history
    small = guard_tool_results(history, window_tokens=WINDOW)
    assert len(texts_of_results(small.messages)[0]) <= 32_000


def test_the_report_names_each_act_and_the_sizes() -> None:
    result = guard_tool_results((*steps([50_000, 50_000]), says()), window_tokens=WINDOW, result_ids=result_ids(2))
    counts = result.step.counts
    assert counts["chars_before"] > counts["chars_after"] == result.total_chars
    assert any(note.startswith("t2 ") for note in result.step.notes)
