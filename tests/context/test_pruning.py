"""Context pruning, the second article's opt-in: only after the cache has expired, in one batch, then kept."""

import pytest
from msgspec.structs import replace

from openclaw_tui.context.guard import guard_tool_results
from openclaw_tui.context.pruning import PruningSettings, prune_context
from openclaw_tui.messages import Message
from tests.context.building import gives, result_ids, says, steps, texts_of_results, user

ON = PruningSettings(mode="cache-ttl")
WINDOW = 32_000
HISTORY = (*steps([20_000, 6_000, 12_000, 30_000]), says(), user("and now?"))


def pruned(
    settings: PruningSettings = ON, age: float | None = 600, history: tuple[Message, ...] = HISTORY, bound: bool = False
) -> dict[str, str]:
    made, _ = prune_context(
        history,
        settings,
        window_tokens=WINDOW,
        cache_age_seconds=age,
        decisions={},
        result_ids=result_ids(9),
        prefix_bound=bound,
    )
    return {key: decision.kind for key, decision in made.items()}


def test_it_trims_old_results_and_protects_the_last_three_answers() -> None:
    assert pruned() == {"e1": "pruned", "e2": "pruned"}


@pytest.mark.parametrize("age", [None, 0, 299])
def test_it_does_nothing_before_the_cache_has_expired(age: float | None) -> None:
    assert pruned(age=age) == {}


def test_it_is_off_by_default_and_on_prefix_bound_models() -> None:
    assert pruned(PruningSettings()) == {}
    assert pruned(bound=True) == {}


def test_it_does_nothing_while_the_window_is_nearly_empty_or_the_talk_is_young() -> None:
    assert pruned(history=(*steps([5_000] * 4), says())) == {}
    assert pruned(history=steps([30_000, 30_000])) == {}


def test_it_clears_the_oldest_first_when_trimming_is_not_enough() -> None:
    history = (*steps([3_900] * 20), says("x" * 10_000))
    kinds = pruned(replace(ON, min_prunable_tool_chars=10_000), history=history)
    assert kinds
    assert set(kinds.values()) == {"dropped"}
    assert list(kinds) == [f"e{number}" for number in range(1, len(kinds) + 1)]
    assert pruned(replace(ON, hard_clear=False), history=history) == {}
    assert pruned(replace(ON, min_prunable_tool_chars=100_000), history=history) == {}


def test_tools_can_be_allowed_and_denied_by_pattern() -> None:
    assert pruned(replace(ON, deny=("EX*",))) == {}
    assert pruned(replace(ON, allow=("read",))) == {}
    assert pruned(replace(ON, allow=("ex*",))) == {"e1": "pruned", "e2": "pruned"}


def test_the_guard_sends_the_pruned_form_from_then_on_and_the_file_keeps_the_whole() -> None:
    made, report = prune_context(HISTORY, ON, window_tokens=WINDOW, cache_age_seconds=600, decisions={})
    assert report.counts == {"pruned": 2}
    sent = texts_of_results(guard_tool_results(HISTORY, window_tokens=200_000, decisions=made).messages)
    assert sent[0].startswith("plain words")
    assert sent[0].endswith("[Tool result trimmed: kept first 1500 chars and last 1500 chars of 20000 chars.]")
    assert [len(text) for text in texts_of_results(HISTORY)] == [20_000, 6_000, 12_000, 30_000]
    later, _ = prune_context(HISTORY, ON, window_tokens=WINDOW, cache_age_seconds=600, decisions=made)
    assert not set(later) & set(made)


def test_a_dropped_result_says_how_to_get_it_back() -> None:
    history = (gives(0, 10), *steps([3_900] * 20), says())
    made, _ = prune_context(
        history,
        replace(ON, min_prunable_tool_chars=0, hard_clear_ratio=0.3),
        window_tokens=WINDOW,
        cache_age_seconds=600,
        decisions={},
        result_ids=result_ids(20),
    )
    assert made["e1"].note == '[Old tool result content cleared] t1 exec, recall("t1")'
    assert "e0" not in made
