"""The second article's context pruning: opt-in, in memory, head and tail kept, four characters a token.

Beside it, from OpenClaw's source: only once the cache has expired, and clearing when trimming is not enough.
Departure: what was pruned stays pruned in later requests, since undoing it would rewrite the cached prefix.
"""

from openclaw_tui.context.guard import guard_tool_results
from openclaw_tui.context.pruning import PruningSettings, prune_context
from openclaw_tui.messages import Message
from tests.context.building import gives, says, steps, texts_of_results, user

ON = PruningSettings(mode="cache-ttl")


def prune(history: tuple[Message, ...], settings: PruningSettings, window: int) -> list[str]:
    made, _ = prune_context(history, settings, window_tokens=window, cache_age_seconds=301, decisions={})
    return texts_of_results(guard_tool_results(history, window_tokens=1_000_000, decisions=made).messages)


def test_it_is_opt_in() -> None:
    history = (*steps([20_000, 10, 10]), says())
    assert prune(history, PruningSettings(), 10_000) == texts_of_results(history)


def test_an_old_long_result_keeps_head_and_tail() -> None:
    text = "A" * 1_500 + "b" * 17_000 + "C" * 1_500
    history = (user(), *steps([])[1:], *steps([1])[1:2], gives(1, text), *steps([10, 10])[1:], says())
    first = prune(history, ON, 10_000)[0]
    assert first.startswith("A" * 1_500 + "\n...\n" + "C" * 1_500)
    assert "of 20000 chars" in first


def test_the_share_of_the_window_is_reckoned_with_four_characters_a_token() -> None:
    history = (*steps([11_000, 10, 10]), says())
    assert prune(history, ON, 10_000) == texts_of_results(history)
    assert prune(history, ON, 9_000) != texts_of_results(history)


def test_the_stored_transcript_is_not_changed() -> None:
    history = (*steps([20_000, 10, 10]), says())
    before = repr(history)
    prune(history, ON, 10_000)
    assert repr(history) == before
