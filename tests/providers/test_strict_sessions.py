"""Whole sessions through real adapters against the strict fake: nothing is refused, and the cache is used."""

import dataclasses
from itertools import pairwise, permutations

import pytest

from openclaw_tui.errors import InvalidRequest, ProviderUnavailable
from openclaw_tui.messages import (
    AssistantMessage,
    Message,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResultMessage,
    text_of,
    user_text,
)
from openclaw_tui.models import ApiName
from openclaw_tui.providers.catalog import find_model
from openclaw_tui.providers.failures import transcript_fault
from tests.providers.strict_sessions import MODELS, connected, rounds, run_turn, step
from tests.strict_fake import Fault, Reply, StrictFake

OURS: tuple[ApiName, ...] = ("anthropic", "google")


@pytest.mark.parametrize("api", OURS)
async def test_session_of_parallel_calls_thinking_and_pictures_is_never_refused(api: ApiName) -> None:
    async with StrictFake(rounds(turns=3, steps=5, calls=3)) as fake, connected(MODELS[api], fake) as provider:
        history: list[Message] = []
        for turn in range(3):
            await run_turn(provider, MODELS[api], history, f"Turn {turn}, please.")
        assert fake.refused == []
        assert [record.warnings for record in fake.requests if record.warnings] == []
        assert len(fake.main) == 18


async def test_long_tool_loop_reads_all_but_its_last_round_from_the_cache() -> None:
    model = MODELS["anthropic"]
    async with StrictFake(rounds(turns=1, steps=60)) as fake, connected(model, fake) as provider:
        await run_turn(provider, model, [], "Read everything.")
        assert fake.refused == []
        records = fake.main
        assert len(records) == 61
        for before, record in pairwise(records):
            assert record.cache_read >= before.tokens - 1
            assert len(record.breakpoints) <= 4


@pytest.mark.parametrize("calls", [12, 30])
async def test_wide_rounds_are_read_from_the_cache_too(calls: int) -> None:
    model = MODELS["anthropic"]
    async with StrictFake(rounds(turns=1, steps=4, calls=calls)) as fake, connected(model, fake) as provider:
        await run_turn(provider, model, [], "Read everything.")
        assert fake.refused == []
        for before, record in pairwise(fake.main):
            assert record.cache_read >= before.tokens - 1
            assert len(record.breakpoints) <= 4


@pytest.mark.parametrize(("first", "second"), list(permutations(MODELS, 2)))
async def test_session_goes_on_with_every_other_api(first: ApiName, second: ApiName) -> None:
    async with StrictFake(rounds(turns=3, steps=2, calls=2)) as fake:
        history: list[Message] = []
        async with connected(MODELS[first], fake) as one, connected(MODELS[second], fake) as two:
            await run_turn(one, MODELS[first], history, "Begin.")
            await run_turn(two, MODELS[second], history, "Go on.")
            await run_turn(one, MODELS[first], history, "And back.")
        assert [record.error for record in fake.refused] == []


async def test_changed_history_of_a_bound_model_goes_through_once_mismatches_are_dropped() -> None:
    model = find_model("anthropic/claude-opus-5-5")
    replies = rounds(turns=1, steps=3) + rounds(turns=1, steps=0) * 2
    async with StrictFake(replies) as fake, connected(model, fake) as provider:
        history: list[Message] = []
        await run_turn(provider, model, history, "Begin.")
        old = history[2]
        assert isinstance(old, ToolResultMessage)
        history[2] = dataclasses.replace(old, content=(TextBlock("[trimmed]"),))
        with pytest.raises(InvalidRequest) as refused:
            await run_turn(provider, model, history, "Go on.")
        assert transcript_fault(refused.value) == "reasoning"
        assert refused.value.position is not None
        assert refused.value.position.startswith("messages.")
        answer, ended = await step(provider, model, history, drop_mismatched_thinking=True)
        assert ended.dropped_thinking > 0
        assert answer.content
        assert len(fake.refused) == 1


@pytest.mark.parametrize(
    "name", ["claude-sonnet-5-5", "claude-opus-5-5", "claude-haiku-5-5", "claude-opus-5", "claude-haiku-4-5"]
)
@pytest.mark.parametrize("level", ["off", "low", "max"])
@pytest.mark.parametrize("drop", [False, True])
async def test_each_thinking_level_is_accepted_by_each_kind_of_claude(name: str, level: str, drop: bool) -> None:
    model = find_model(f"anthropic/{name}")
    async with StrictFake(rounds(turns=1, steps=2)) as fake, connected(model, fake) as provider:
        await run_turn(provider, model, [], "Begin.", thinking=level, drop_mismatched_thinking=drop)
        assert [record.error for record in fake.refused] == []


async def test_history_with_calls_is_accepted_without_tools() -> None:
    model = MODELS["anthropic"]
    replies = [*rounds(turns=1, steps=2), Reply("a summary")]
    async with StrictFake(replies, summary="script") as fake, connected(model, fake) as provider:
        history: list[Message] = []
        await run_turn(provider, model, history, "Begin.")
        history.append(dataclasses.replace(history[0]))
        answer, _ = await step(provider, model, history, tools=())
        assert answer.content
        assert [record.error for record in fake.refused] == []


@pytest.mark.parametrize("api", list(MODELS))
async def test_answer_cut_within_its_thinking_does_not_spoil_the_next_request(api: ApiName) -> None:
    model = MODELS[api]
    cut = AssistantMessage(
        (
            ThinkingBlock("let me th"),
            TextBlock("Half a"),
            ToolCallBlock("call_cut", "read", {}, invalid_arguments='{"p'),
        ),
        api=model.api,
        provider=model.provider,
        model=model.id,
        stop_reason="aborted",
    )
    async with StrictFake([*rounds(turns=1, steps=1), Reply("Going on.")]) as fake, connected(model, fake) as provider:
        history: list[Message] = []
        await run_turn(provider, model, history, "Begin.")
        history += [user_text("And this."), cut]
        await run_turn(provider, model, history, "Never mind, go on.")
        assert [record.error for record in fake.refused] == []
        assert "let me th" not in fake.requests[-1].raw.decode()


@pytest.mark.parametrize("api", list(MODELS))
async def test_orphans_and_broken_characters_are_mended_on_the_way(api: ApiName) -> None:
    model = MODELS[api]
    history: list[Message] = [
        user_text("Go \ud83d on."),
        AssistantMessage((ToolCallBlock("lost", "read", {"path": "\udc9d"}), ToolCallBlock("found", "read", {}))),
        ToolResultMessage("found", "read", (TextBlock("half \ud83d"),)),
        ToolResultMessage("nobody", "read", (TextBlock("of a call that is gone"),)),
    ]
    async with StrictFake(["Fine."]) as fake, connected(model, fake) as provider:
        await run_turn(provider, model, history, "Continue.")
        assert [record.error for record in fake.refused] == []
        assert "half \ufffd" in str(fake.requests[0].body)


@pytest.mark.parametrize("api", list(MODELS))
async def test_each_fault_on_the_way_is_an_error_of_ours_and_the_next_try_works(api: ApiName) -> None:
    model = MODELS[api]
    faults = [
        Fault.mid_error(),
        Fault.drop(),
        Fault.cut(),
        Fault.malformed(),
        Fault.stall(30, after=2),
        Fault.http(529),
    ]
    async with StrictFake(["Done."], faults=dict(enumerate(faults, 1))) as fake:
        async with connected(model, fake, idle_seconds=0.5) as provider:
            for _ in faults:
                with pytest.raises(ProviderUnavailable):
                    await step(provider, model, [user_text("Hi")])
            answer, _ = await step(provider, model, [user_text("Hi")])
        assert text_of(answer.content) == "Done."
        assert fake.refused == []
