"""Sends an answer: paced like a model, and interrupted where a fault says so."""

import asyncio
import time

from aiohttp import web

from tests.strict_fake.answers import Answer, Frame
from tests.strict_fake.exchange import Record
from tests.strict_fake.faults import Fault

_BATCH_BYTES = 32_768
_PING = b'event: ping\ndata: {"type": "ping"}\n\n'
_COMMENT = b": keep-alive\n\n"


class Delivery:
    """One streamed answer. `closing` is set when the fake shuts down, so that a stall ends with it."""

    def __init__(
        self, request: web.Request, record: Record, answer: Answer, fault: Fault | None, closing: asyncio.Event
    ) -> None:
        self.request, self.record, self.answer, self.fault, self.closing = request, record, answer, fault, closing
        self.started = time.monotonic()
        self.response = web.StreamResponse()
        self._buffer = bytearray()
        self._sent = 0
        self._paced_tokens = 0

    async def stream(self, frames: list[Frame], headers: dict[str, str]) -> web.StreamResponse:
        """Send the frames; on a dropped connection the response is left unfinished."""
        self.response.headers.update({"content-type": "text/event-stream", "cache-control": "no-cache", **headers})
        await self.response.prepare(self.request)
        self.record.status = 200
        limit = self._drop_at(frames)
        try:
            for i, frame in enumerate(frames):
                await self._maybe_stall(i)
                if limit is not None and self._sent + len(self._buffer) + len(frame.data) > limit:
                    self._buffer += frame.data
                    return await self._drop(limit)
                self._buffer += frame.data
                await self._pace(frame)
            await self._maybe_stall(len(frames))
            await self._flush()
            if limit is not None:
                return await self._drop(limit)
            await self.response.write_eof()
        except ConnectionError:
            self.record.client_gone = True
        return self.response

    def _drop_at(self, frames: list[Frame]) -> int | None:
        if self.fault is None or self.fault.kind != "drop":
            return None
        half = sum(len(frame.data) for frame in frames) // 2
        return int(self.fault.get("after_bytes", half))

    async def _drop(self, limit: int) -> web.StreamResponse:
        """The connection closes without the end of the body."""
        del self._buffer[max(0, limit - self._sent) :]
        await self._flush()
        close_connection(self.request)
        return self.response

    async def _maybe_stall(self, i: int) -> None:
        fault = self.fault
        if fault is None or fault.kind != "stall" or i != fault.get("after", 0):
            return
        await self._flush()
        await self._silence(fault)

    async def _silence(self, fault: Fault) -> None:
        sign = {"comment": _COMMENT, "ping": _PING}.get(fault.get("keepalive", ""))
        end = time.monotonic() + fault.get("seconds", float("inf"))
        while not self.closing.is_set() and time.monotonic() < end:
            wait = fault.get("interval") if sign else min(end - time.monotonic(), 3600.0)
            try:
                await asyncio.wait_for(self.closing.wait(), max(0.0, wait))
            except TimeoutError:
                if sign:
                    await self.response.write(sign)

    async def _pace(self, frame: Frame) -> None:
        """Hold back so that the text comes at the reply's tokens a second; without pacing, write in batches."""
        if self.answer.tps and frame.tokens:
            await self._flush()
            self._paced_tokens += frame.tokens
            wait = self.started + self._paced_tokens / self.answer.tps - time.monotonic()
            if wait > 0.002:
                await asyncio.sleep(wait)
        elif len(self._buffer) > _BATCH_BYTES:
            await self._flush()

    async def _flush(self) -> None:
        if self._buffer:
            data = bytes(self._buffer)
            self._sent += len(data)
            self._buffer.clear()
            await self.response.write(data)
            self.record.figures.setdefault("ttfb_ms", (time.monotonic() - self.started) * 1000)


def close_connection(request: web.Request) -> None:
    if request.transport is not None:
        request.transport.close()
