"""Calls are put together whole, whatever pieces they come in."""

import json
from itertools import count, pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from openclaw_tui.providers.openai_chat_calls import CallCollector
from openclaw_tui.providers.openai_items import argument_text

ARGUMENTS = st.dictionaries(
    st.text(max_size=5), st.one_of(st.integers(), st.text(max_size=20), st.booleans()), max_size=4
)


def pieces(text: str, cuts: list[int]) -> list[str]:
    places = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    return [text[start:end] for start, end in pairwise(places)]


def fragment(index: int | None, call_id: str | None, name: str | None, arguments: Any) -> dict[str, Any]:
    function = {"arguments": arguments} | ({"name": name} if name else {})
    return (
        {"function": function} | ({"index": index} if index is not None else {}) | ({"id": call_id} if call_id else {})
    )


@given(calls=st.lists(ARGUMENTS, min_size=1, max_size=4), cuts=st.lists(st.integers(0, 60), max_size=5), data=st.data())
def test_calls_are_the_same_however_they_are_cut_and_whatever_is_left_out(
    calls: list[dict[str, Any]], cuts: list[int], data: st.DataObject
) -> None:
    """With ids the index may lie or be missing; without ids one call follows the other whole."""
    named = data.draw(st.booleans())
    index_of = data.draw(st.sampled_from([lambda at: at, lambda _: 0, lambda _: None]))
    collector, numbers = CallCollector(), count()
    texts = [json.dumps(arguments) for arguments in calls]
    for at, text in enumerate(texts):
        for place, piece in enumerate(pieces(text, cuts)):
            first = place == 0
            collector.add(
                fragment(index_of(at), f"id_{at}" if named and first else None, "read" if first else None, piece),
                lambda: next(numbers),
            )
    blocks = [call.block() for call in collector.calls]
    assert [dict(block.arguments) for block in blocks] == calls
    assert [argument_text(block.arguments, block.thought_signature) for block in blocks] == texts
    assert len({block.id for block in blocks}) == len(calls)
    assert [call.index for call in collector.calls] == list(range(len(calls)))


def test_an_object_replaces_the_pieces_before_it() -> None:
    collector = CallCollector()
    collector.add(fragment(0, "a", "read", ""), lambda: 0)
    collector.add(fragment(0, None, None, {"path": "x"}), lambda: 1)
    assert [dict(call.block().arguments) for call in collector.calls] == [{"path": "x"}]


def test_an_id_that_comes_late_is_taken() -> None:
    collector = CallCollector()
    collector.add(fragment(0, None, "read", ""), lambda: 0)
    collector.add(fragment(0, "late", None, "{}"), lambda: 1)
    assert [call.id for call in collector.calls] == ["late"]
