"""Where a history is cut: never inside a pair, every message once, and a tail that meets its limit."""

from collections import Counter
from collections.abc import Sequence

from hypothesis import given as draw
from hypothesis import settings
from hypothesis import strategies as st

from openclaw_tui.compaction.plan import (
    chunk_messages_by_max_tokens,
    find_cut,
    first_coverable,
    is_oversized_for_summary,
    max_chunk_tokens,
    pair_groups,
    split_messages_by_token_share,
)
from openclaw_tui.compaction.tail import choose_tail
from openclaw_tui.messages import AssistantMessage, Message, ToolResultMessage, Usage
from openclaw_tui.tokens import estimate_messages_tokens
from tests.compaction.talks import any_talk, gives, named, says, summary_in_front, turns, user, words


def open_calls(messages: Sequence[Message]) -> list[str]:
    """Calls without a result, and results without a call, in this stretch."""
    calls = {c.id for m in messages if isinstance(m, AssistantMessage) and not m.is_partial for c in m.tool_calls}
    results = {m.tool_call_id for m in messages if isinstance(m, ToolResultMessage)}
    return sorted(calls ^ results)


@draw(any_talk(), st.integers(0, 4_000))
@settings(deadline=None)
def test_cut_separates_no_pair_and_leaves_something_on_its_left(talk: tuple[Message, ...], keep: int) -> None:
    cut = find_cut(talk, keep)
    if cut is None:
        return
    assert first_coverable(talk) < cut.index <= len(talk)
    assert open_calls(talk[: cut.index]) == open_calls(talk[cut.index :]) == []
    assert not isinstance(talk[cut.index], ToolResultMessage)
    assert cut.turn_start is None or first_coverable(talk) <= cut.turn_start < cut.index


@draw(any_talk(), st.integers(1, 5))
@settings(deadline=None)
def test_chunks_hold_every_message_once_in_order_and_whole_pairs(talk: tuple[Message, ...], parts: int) -> None:
    for chunks in (split_messages_by_token_share(talk, parts), chunk_messages_by_max_tokens(talk, 500 * parts)):
        assert [m.entry_id for chunk in chunks for m in chunk] == [m.entry_id for m in talk]
        assert all(chunks)
        assert all(open_calls(chunk) == [] for chunk in chunks)
    assert len(split_messages_by_token_share(talk, parts)) <= max(1, parts)


@draw(any_talk(), st.integers(100, 3_000), st.none() | st.integers(0, 3_000), st.booleans())
@settings(deadline=None)
def test_tail_fits_its_room_where_any_tail_can_and_never_drops_the_newest_message(
    talk: tuple[Message, ...], keep: int, room: int | None, smaller: bool
) -> None:
    tail = choose_tail(talk, keep, room=room, smaller=smaller)
    if tail is None:
        return
    kept = talk[tail.cut.index :]
    assert kept
    assert open_calls(kept) == []
    assert tail.tokens <= estimate_messages_tokens(kept)
    assert set(tail.shortened) <= {m.entry_id for m in kept if isinstance(m, ToolResultMessage)}


def test_groups_keep_calls_with_all_their_results() -> None:
    talk: list[Message] = [user("go"), says("", "a", "b"), gives("a", "1"), gives("b", "2"), says("done")]
    assert [len(group) for group in pair_groups(talk)] == [1, 3, 1]


def test_turn_larger_than_the_tail_is_split_where_a_step_begins() -> None:
    talk = named([user("go"), *(m for n in range(10) for m in (says("", f"c{n}"), gives(f"c{n}", words(300))))])
    cut = find_cut(talk, 1_000)
    assert cut is not None
    assert cut.is_split
    assert cut.turn_start == 0
    assert isinstance(talk[cut.index], AssistantMessage)
    whole_turns = turns(10)
    cut = find_cut(whole_turns, 900)
    assert cut is not None
    assert cut.turn_start is None or cut.is_split


def test_tail_is_chosen_by_sizes_of_messages_not_by_running_totals() -> None:
    """Ten short turns whose reported usage grows to 50k are still a small talk."""
    from dataclasses import replace

    talk = [
        replace(m, usage=Usage(input=5_000 * at)) if isinstance(m, AssistantMessage) else m
        for at, m in enumerate(turns(10, 40))
    ]
    assert find_cut(talk, 20_000) is None


def test_huge_message_stays_before_the_cut_instead_of_filling_the_tail() -> None:
    talk = named([user("start"), says("ok"), user(words(40_000)), says("I read it"), user("and now?")])
    cut = find_cut(talk, 20_000)
    assert cut is not None
    assert talk[cut.index].entry_id == "m3"


def test_pair_larger_than_the_tail_is_kept_whole_and_its_result_shortened() -> None:
    """A result of 18,000 tokens behind a request of 3,000, and one of 40,000; the tail may have 20,000."""
    for size in (18_000, 40_000):
        talk = named([*turns(5), user(words(3_000)), says("", "big"), gives("big", words(size)), says("seen")])
        tail = choose_tail(talk, 20_000)
        assert tail is not None
        kept = talk[tail.cut.index :]
        assert open_calls(kept) == []
        assert any(isinstance(m, ToolResultMessage) and m.tool_call_id == "big" for m in kept)
        assert tail.tokens <= 20_000
        assert list(tail.shortened) == [f"m{len(talk) - 2}"]


def test_result_that_was_not_seen_is_shortened_only_where_nothing_else_makes_room() -> None:
    talk = named([*turns(5), user("go"), says("", "big"), gives("big", words(30_000))])
    enough = choose_tail(talk, 20_000, room=50_000, smaller=True)
    tight = choose_tail(talk, 20_000, room=10_000, smaller=True)
    assert enough is not None
    assert enough.shortened == {}
    assert tight is not None
    assert tight.tokens <= 10_000
    assert list(tight.shortened) == [talk[-1].entry_id]


def test_smaller_tails_are_tried_until_the_rest_fits() -> None:
    talk = turns(40, 500)
    wide, narrow = choose_tail(talk, 10_000), choose_tail(talk, 10_000, room=3_000, smaller=True)
    assert wide is not None
    assert narrow is not None
    assert narrow.tokens <= 3_000 < wide.tokens


def test_earlier_summary_is_no_history_to_cover() -> None:
    assert find_cut([summary_in_front(words(5_000)), user("go on")], 10) is None


def test_oversized_is_measured_with_the_margin() -> None:
    assert not is_oversized_for_summary(user(words(4_000)), 10_000)
    assert is_oversized_for_summary(user(words(4_400)), 10_000)


def test_small_window_leaves_room_for_history_in_every_request() -> None:
    talk = turns(4)
    assert max_chunk_tokens(talk, 128_000) == int(128_000 * 0.4) - 4_096
    assert max_chunk_tokens(talk, 16_000) == int(16_000 * 0.4) // 2
    assert Counter(len(c) > 0 for c in chunk_messages_by_max_tokens(talk, max_chunk_tokens(talk, 16_000)))[False] == 0
