"""Silence and a missing end are failures; cancelling closes the stream below."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing

import pytest

from openclaw_tui.errors import ProviderUnavailable
from openclaw_tui.messages import Usage
from openclaw_tui.models import ModelInfo
from openclaw_tui.providers.base import ProviderRequest, StreamEnded, StreamEvent, StreamStarted, TextChunk
from openclaw_tui.providers.idle import WatchedProvider, watch_stream

ENDED = StreamEnded("stop", Usage())


class Source:
    """Plays events; None is a silence without end. Remembers that it was closed."""

    def __init__(self, *events: StreamEvent | None, repeat: StreamEvent | None = None) -> None:
        self.events, self.repeat, self.closed, self.waiting = events, repeat, False, asyncio.Event()

    async def stream(self) -> AsyncGenerator[StreamEvent, None]:
        try:
            for event in self.events:
                if event is None:
                    self.waiting.set()
                    await asyncio.Event().wait()
                else:
                    yield event
            while self.repeat:
                await asyncio.sleep(0.01)
                yield self.repeat
        finally:
            self.closed = True


async def collect(source: Source, idle: float | None = 0.05) -> list[StreamEvent]:
    return [event async for event in watch_stream(source.stream(), provider="p", idle_seconds=idle)]


async def test_whole_stream_passes_unchanged() -> None:
    events: list[StreamEvent] = [StreamStarted(), TextChunk(0, "a"), ENDED]
    assert await collect(Source(*events)) == events


@pytest.mark.parametrize("before", [(), (StreamStarted(),), (StreamStarted(), TextChunk(0, "a"))])
async def test_silence_is_a_failure_worth_another_try(before: tuple[StreamEvent, ...]) -> None:
    source = Source(*before, None)
    with pytest.raises(ProviderUnavailable, match="no content") as failure:
        await collect(source)
    assert failure.value.retryable
    assert source.closed


async def test_events_that_carry_nothing_do_not_count_as_life() -> None:
    with pytest.raises(ProviderUnavailable, match="no content"):
        await collect(Source(repeat=TextChunk(0, "")))


async def test_timer_can_be_off() -> None:
    source = Source(None)
    task = asyncio.create_task(collect(source, idle=None))
    await source.waiting.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert source.closed


async def test_end_without_the_closing_event_is_no_whole_answer() -> None:
    with pytest.raises(ProviderUnavailable, match="broke off"):
        await collect(Source(StreamStarted(), TextChunk(0, "half")))


async def test_cancelling_the_reader_closes_the_stream_below() -> None:
    source = Source(StreamStarted(), None)
    task = asyncio.create_task(collect(source, idle=60))
    await source.waiting.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert source.closed


async def test_leaving_early_closes_the_stream_below() -> None:
    source = Source(StreamStarted(), TextChunk(0, "a"), ENDED)
    async with aclosing(watch_stream(source.stream(), provider="p", idle_seconds=1)) as events:
        async for _ in events:
            break
    assert source.closed


async def test_time_the_reader_takes_is_not_silence() -> None:
    events = watch_stream(Source(StreamStarted(), TextChunk(0, "a"), ENDED).stream(), provider="p", idle_seconds=0.05)
    seen = []
    async for event in events:
        await asyncio.sleep(0.08)
        seen.append(event)
    assert seen[-1] == ENDED


async def test_watched_provider_keeps_name_and_closes_the_inner_one() -> None:
    class Inner:
        name = "inner"
        closed = False

        def stream(self, request: ProviderRequest) -> AsyncIterator[StreamEvent]:
            return Source(ENDED).stream()

        async def aclose(self) -> None:
            self.closed = True

    inner = Inner()
    watched = WatchedProvider(inner, 1.0)
    model = ModelInfo("p", "m", "offline", context_window=1, max_output=1)
    assert [event async for event in watched.stream(ProviderRequest(model, "", "", ()))] == [ENDED]
    await watched.aclose()
    assert (watched.name, inner.closed) == ("inner", True)
