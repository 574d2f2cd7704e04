"""The cache watch: what differs between two requests, and when a fallen read is a break."""

import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from openclaw_tui.constants import MAX_CACHE_TRACKERS
from openclaw_tui.context.cache_watch import (
    CacheSnapshot,
    CacheVerdict,
    CacheWatch,
    changes_between,
    is_break,
    message_digest,
    take_snapshot,
)
from openclaw_tui.messages import TextBlock, ToolDefinition, ToolResultMessage, Usage, UserMessage
from openclaw_tui.models import ModelInfo
from openclaw_tui.providers.base import ProviderRequest
from tests.context.building import asks, gives, user

MODEL = ModelInfo("anthropic", "claude", "anthropic", context_window=200_000, max_output=8_000)
TOOLS = tuple(ToolDefinition(name, f"Does {name}.", {"type": "object"}) for name in ("read", "grep"))


def request(**more: Any) -> ProviderRequest:
    base = ProviderRequest(MODEL, "stable", "dynamic", (user("hi"), asks(1), gives(1, "out")), TOOLS)
    return replace(base, **more)


def codes(old: ProviderRequest, new: ProviderRequest) -> list[str]:
    return [change.code for change in changes_between(take_snapshot(old), take_snapshot(new))]


def read(tokens: int, *, told: bool = True) -> Usage:
    return Usage(input=10, cache_read=tokens, cache_reported=told)


def one_call(
    watch: CacheWatch, usage: Usage, *, at: float = 0.0, ttl: float | None = 300, **more: Any
) -> CacheVerdict | None:
    watch.begin("key", take_snapshot(request(**more)), now=at, ttl_seconds=ttl)
    return watch.complete("key", usage)


def test_history_that_only_grew_is_no_change() -> None:
    assert codes(request(), request(messages=(*request().messages, asks(2), gives(2, "more")))) == []


def test_history_that_was_rewritten_names_its_first_other_message() -> None:
    other = (user("hi"), asks(1), gives(1, "shorter"), user("next"))
    (change,) = changes_between(take_snapshot(request()), take_snapshot(request(messages=other)))
    assert (change.code, change.at, change.detail) == ("history", 2, "message 3 of 3 rewritten")


def test_each_input_has_its_code() -> None:
    assert codes(request(), request(system_stable="other")) == ["systemPrompt"]
    assert codes(request(), request(cache_retention="long")) == ["cacheRetention"]
    assert codes(request(), request(thinking="high")) == ["settings"]
    assert codes(request(), request(tools=TOOLS[:1])) == ["tools"]
    assert codes(request(), request(model=replace(MODEL, api="openai-chat"))) == ["model"]


def test_schema_that_changed_names_its_tool() -> None:
    changed = (TOOLS[0], replace(TOOLS[1], parameters={"type": "object", "required": []}))
    (change,) = changes_between(take_snapshot(request()), take_snapshot(request(tools=changed)))
    assert (change.code, change.detail) == ("tools", "schema of grep changed")


def test_digest_of_a_message_knows_what_is_sent_and_nothing_else() -> None:
    result = ToolResultMessage("c1", "exec", (TextBlock("out"),), details={"exitCode": 0}, timestamp=5, entry_id="e1")
    same = dataclasses.replace(result, details=None, timestamp=9, entry_id="e2")
    assert message_digest(result) == message_digest(same)
    for other in (
        dataclasses.replace(result, is_error=True),
        dataclasses.replace(result, content=(TextBlock("out "),)),
        user("out"),
    ):
        assert message_digest(other) != message_digest(result)
    assert message_digest(UserMessage((TextBlock("a"), TextBlock("b")))) != message_digest(user("ab"))


def test_no_verdict_at_the_first_call_nor_where_nothing_is_reported() -> None:
    watch = CacheWatch()
    assert one_call(watch, read(0)) is None
    assert one_call(watch, read(50_000)) is None
    assert one_call(watch, read(0, told=False)) is None
    verdict = one_call(watch, read(10_000))
    assert verdict is not None


def test_verdict_carries_what_changed_and_only_once() -> None:
    watch = CacheWatch()
    one_call(watch, read(50_000))
    verdict = watch.begin("key", take_snapshot(request(system_stable="new")), now=1, ttl_seconds=300)
    assert [change.code for change in verdict] == ["systemPrompt"]
    found = watch.complete("key", read(2_000))
    assert found is not None
    assert (found.kind, found.lost_tokens, [change.code for change in found.changes]) == (
        "break",
        48_000,
        ["systemPrompt"],
    )
    one_call(watch, read(50_000), system_stable="new")
    found = one_call(watch, read(2_000), system_stable="new")
    assert found is not None
    assert found.changes == ()


@pytest.mark.parametrize(("age", "ttl", "kind"), [(299, 300, "break"), (301, 300, "expired"), (9_999, None, "break")])
def test_cache_older_than_it_lives_has_expired_whatever_changed(age: float, ttl: float | None, kind: str) -> None:
    watch = CacheWatch()
    one_call(watch, read(150_000))
    verdict = one_call(watch, read(0), at=age, ttl=ttl, system_stable="also new")
    assert verdict is not None
    assert verdict.kind == kind


def test_oldest_tracker_goes_when_there_are_too_many() -> None:
    watch = CacheWatch()
    snapshot = take_snapshot(request())
    for number in range(MAX_CACHE_TRACKERS + 1):
        watch.begin(f"key {number}", snapshot, now=0, ttl_seconds=300)
        watch.complete(f"key {number}", read(50_000))
    assert len(watch) == MAX_CACHE_TRACKERS
    watch.begin("key 0", snapshot, now=1, ttl_seconds=300)
    assert watch.complete("key 0", read(0)) is None, "a forgotten session begins anew"
    watch.begin(" key 2 ", snapshot, now=1, ttl_seconds=300)
    assert watch.complete("key 2", read(0)) is not None


def test_call_of_an_earlier_process_is_compared_with() -> None:
    snapshot: CacheSnapshot = take_snapshot(request())
    watch = CacheWatch()
    watch.restore("key", snapshot, last_read=80_000, touched_at=100.0)
    changes = watch.begin("key", take_snapshot(request(thinking="low")), now=150, ttl_seconds=300)
    assert [change.code for change in changes] == ["settings"]
    verdict = watch.complete("key", read(0))
    assert verdict is not None
    assert verdict.previous_read == 80_000


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_break_needs_both_thresholds(previous: int, now: int) -> None:
    assert is_break(previous, now) == (100 * now < 95 * previous and previous - now >= 1_000)
