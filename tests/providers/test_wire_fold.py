"""A conversation continued equals one converted afresh, and its bytes are its JSON."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from openclaw_tui.messages import Message, text_of, user_text
from openclaw_tui.providers.wire_cache import Block
from openclaw_tui.providers.wire_fold import WireFold

POOL: tuple[Message, ...] = tuple(user_text(text) for text in ("a", "a+", "b", "", "b+", "c", "a \ud83d"))


def add(turns: list[Block], message: Message, loud: bool) -> None:
    """Texts with a plus join the turn before; empty ones leave nothing."""
    text = text_of(message.content)
    if not text:
        return
    text = text.upper() if loud else text
    if text.endswith("+") and turns:
        turns[-1] = {"text": [*turns[-1]["text"], text]}
    else:
        turns.append({"text": [text]})


def fresh(messages: list[Message], loud: bool) -> list[Block]:
    turns: list[Block] = []
    for message in messages:
        add(turns, message, loud)
    return turns


conversations = st.lists(
    st.tuples(st.lists(st.integers(0, len(POOL) - 1), max_size=9), st.booleans()), min_size=1, max_size=12
)


@settings(deadline=None)
@given(conversations)
def test_whatever_came_before_the_result_is_that_of_a_fresh_start(requests: list[tuple[list[int], bool]]) -> None:
    fold: WireFold[bool] = WireFold(add)
    handed_out = []
    for numbers, loud in requests:
        messages = [POOL[number] for number in numbers]
        turns = fold.turns(messages, loud)
        assert turns == fresh(messages, loud)
        clean = json.loads(json.dumps(turns).replace("\\ud83d", "\\ufffd"))
        assert json.loads(b"[" + fold.encoded(turns) + b"]") == clean
        assert json.loads(b"[" + fold.encoded(turns) + b"]") == clean
        handed_out.append((turns, json.dumps(turns)))
    assert all(json.dumps(turns) == text for turns, text in handed_out)


def test_only_what_is_new_is_converted() -> None:
    seen: list[str] = []

    def counting(turns: list[Block], message: Message, variant: None) -> None:
        seen.append(str(message.content[0]))
        turns.append({"text": seen[-1]})

    fold: WireFold[None] = WireFold(counting)
    fold.turns(POOL[:3], None)
    seen.clear()
    fold.turns(POOL[:5], None)
    assert len(seen) == 2


def test_marked_copy_is_encoded_as_it_is_and_not_kept() -> None:
    fold: WireFold[bool] = WireFold(add)
    turns = fold.turns(POOL[:1], False)
    marked = [{**turns[0], "mark": 1}]
    assert json.loads(fold.encoded(marked)) == {"text": ["a"], "mark": 1}
    assert json.loads(fold.encoded(fold.turns(POOL[:1], False))) == {"text": ["a"]}
