"""The simulated caches: what is read, written and paid, and how a prompt differs from the one before."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.strict_fake import StrictFake
from tests.strict_fake.cache_sim import AnthropicCache, BreakpointCache, PrefixStore, automatic_read, common_prefix
from tests.strict_fake.segments import Estimator, Segment, anthropic_segments, chat_segments, responses_segments
from tests.strict_fake_rules.client import ANTHROPIC, OPENAI, TOOLS, Json, messages, post, text, user

ESTIMATE = Estimator(3.5)
BIG = "word " * 2000
MARK = {"cache_control": {"type": "ephemeral"}}


def marked(n: int, at: int) -> list[Segment]:
    turns = [user([text(f"{BIG}{i}", **(MARK if i == at else {}))]) for i in range(n)]
    return anthropic_segments({"system": [text(BIG, **MARK)], "messages": turns}, ESTIMATE)


def test_entries_exist_at_marks_and_are_found_twenty_blocks_back() -> None:
    cache = AnthropicCache()
    first = cache.use(marked(1, 0), "m", now=0)
    assert (first["read"], first["write"], first["uncached"]) == (0, first["total"], 0)
    second = cache.use(marked(2, 1), "m", now=10)
    assert (second["read"], second["write"]) == (first["total"], second["total"] - first["total"])
    assert cache.use(marked(2, 1), "other", now=11)["read"] == 0
    assert cache.use(marked(2, 1), "m", now=1000)["read"] == 0
    assert cache.use(marked(2, 1), "m", now=1001)["read"] == second["total"]
    far = cache.use(marked(25, 24), "m", now=1002)
    assert far["read"] == marked(1, 0)[0].tokens


def test_without_a_mark_or_below_the_minimum_nothing_is_cached() -> None:
    cache = AnthropicCache()
    plain = anthropic_segments({"messages": [user(BIG)]}, ESTIMATE)
    small = anthropic_segments({"messages": [user([text("hi", **MARK)])]}, ESTIMATE)
    assert cache.use(plain, "m")["write"] == cache.use(small, "m")["write"] == 0


def test_a_changed_tool_choice_loses_the_messages_only() -> None:
    cache = AnthropicCache()
    body: Json = {"tools": TOOLS, "system": [text(BIG, **MARK)], "messages": [user([text(BIG, **MARK)])]}
    cache.use(anthropic_segments(body, ESTIMATE), "m", now=0)
    changed = anthropic_segments({**body, "tool_choice": {"type": "any"}}, ESTIMATE)
    assert cache.use(changed, "m", now=1)["read"] == sum(segment.tokens for segment in changed[:-1])


def test_the_automatic_mark_moves_with_the_tail() -> None:
    cache = AnthropicCache()
    body: Json = {**MARK, "messages": [user([text(BIG)])]}
    first = cache.use(anthropic_segments(body, ESTIMATE), "m", now=0)
    longer = {**body, "messages": [*body["messages"], user([text("more")])]}
    assert cache.use(anthropic_segments(longer, ESTIMATE), "m", now=1)["read"] == first["total"]


def test_automatic_caches_share_a_prefix_to_the_byte_in_steps() -> None:
    store = PrefixStore(ESTIMATE)
    left = chat_segments({"messages": [user("a" * 7000)]}, ESTIMATE)
    right = chat_segments({"messages": [user("a" * 6000 + "b" * 1000)]}, ESTIMATE)
    assert store.longest(left, "m") == 0
    shared = store.longest(right, "m")
    assert 1650 < shared < 1750
    assert automatic_read(shared, 2000) == 1024 + (shared - 1024) // 128 * 128
    assert automatic_read(1023, 2000) == 0


def test_explicit_breakpoints_are_entries_of_their_own() -> None:
    cache = BreakpointCache()

    def prompt(*texts: str) -> list[Segment]:
        point: Json = {"prompt_cache_breakpoint": {"mode": "explicit"}}
        contents = [{"type": "input_text", "text": words[1:], **(point if words[0] == "!" else {})} for words in texts]
        return responses_segments({}, [{"role": "user", "content": [content]} for content in contents], ESTIMATE)

    first = cache.use(prompt("!" + BIG, " tail " + BIG), "m", implicit=False, now=0)
    assert 0 < first["write"] < first["total"]
    assert cache.use(prompt(" " + BIG, " other"), "m", now=1)["read"] == first["write"]
    assert cache.use(prompt(" " + BIG, " other"), "m", now=1e6)["read"] == 0


@given(st.binary(max_size=40), st.binary(max_size=40), st.binary(max_size=40))
def test_the_common_prefix_is_the_longest(start: bytes, left: bytes, right: bytes) -> None:
    n = common_prefix(start + left, start + right)
    assert (start + left)[:n] == (start + right)[:n]
    assert n == min(len(start + left), len(start + right)) or (start + left)[n] != (start + right)[n]


@given(st.lists(st.tuples(st.integers(0, 3), st.booleans()), min_size=1, max_size=12), st.integers(1, 4))
def test_usage_always_adds_up(shape: list[tuple[int, bool]], repeats: int) -> None:
    cache, points = AnthropicCache(), BreakpointCache()
    for n in range(repeats):
        prompt = [
            Segment(f"messages[{i}]", bytes([kind]) * 9, 700, "5m" if mark else None)
            for i, (kind, mark) in enumerate(shape[: len(shape) - n or 1])
        ]
        for usage in (cache.use(prompt, "m", now=n), points.use(prompt, "m", now=n)):
            assert usage["read"] + usage["write"] + usage["uncached"] == usage["total"] == 700 * len(prompt)
            assert min(usage.values()) >= 0


async def test_usage_on_the_wire_says_what_the_cache_gave() -> None:
    def body(*extra: Any, model: str = "claude-opus-5-5") -> Json:
        return messages(user([text(BIG)]), *extra, model=model, system=[text(BIG, **MARK)], **MARK)

    async with StrictFake(["a", "b"]) as fake:
        await post(fake, "/v1/messages", body(), ANTHROPIC)
        more = body({"role": "assistant", "content": "a"}, user("next"))
        usage = (await post(fake, "/v1/messages", more, ANTHROPIC)).body["usage"]
    first, second = fake.requests
    assert first.cache_write == first.tokens
    assert second.cache_read == first.tokens == usage["cache_read_input_tokens"]
    assert (
        usage["input_tokens"] + usage["cache_read_input_tokens"] + usage["cache_creation_input_tokens"] == second.tokens
    )
    assert second.first_diff == {**(second.first_diff or {}), "kind": "append", "vs": 1, "lost_tokens": 0}


async def test_the_first_difference_names_the_part_and_what_it_costs() -> None:
    def body(system: str) -> Json:
        turns = [{"role": "system", "content": system}, user(BIG)]
        return {"model": "gpt-5.4", "messages": turns}

    async with StrictFake(["a", "b"]) as fake:
        await post(fake, "/v1/chat/completions", body("It is Monday."), OPENAI)
        await post(fake, "/v1/chat/completions", body("It is Tuesday."), OPENAI)
    difference = fake.requests[1].first_diff
    assert difference is not None
    assert (difference["kind"], difference["part"]) == ("change", "system[0]")
    assert difference["lost_tokens"] == fake.requests[0].tokens
    assert fake.requests[1].cache_read == 0
