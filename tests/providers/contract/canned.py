"""A loopback HTTP server that plays back prepared answers over real sockets, good and bad.

It knows no API: a dialect renders the bytes. What requests were made and whether the client hung up is kept.
"""

import asyncio
import contextlib
import json
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Literal


@dataclass(frozen=True)
class Answer:
    """One reply. After the chunks the body ends properly, the connection drops, or nothing more comes."""

    chunks: tuple[bytes, ...] = ()
    status: int = 200
    content_type: str = "text/event-stream"
    headers: dict[str, str] = field(default_factory=dict)
    then: Literal["end", "drop", "stall"] = "end"


@dataclass(frozen=True)
class Received:
    method: str
    path: str
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> dict[str, Any]:
        parsed: dict[str, Any] = json.loads(self.raw)
        return parsed


class CannedServer:
    """`async with CannedServer(answers) as server:`; the last answer is repeated."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.received: list[Received] = []
        self.hung_up = asyncio.Event()
        self.stalling = asyncio.Event()
        self._open: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    async def __aenter__(self) -> "CannedServer":
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        for task, writer in list(self._open.items()):
            task.cancel()
            writer.close()
        await asyncio.gather(*self._open, return_exceptions=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open[task] = writer
        try:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
                while await self._exchange(reader, writer):
                    pass
        finally:
            writer.close()
            self._open.pop(task, None)

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        self.received.append(await _read_request(reader))
        answer = self.answers[min(len(self.received), len(self.answers)) - 1]
        lines = [f"HTTP/1.1 {answer.status} X", f"content-type: {answer.content_type}", "transfer-encoding: chunked"]
        lines += [f"{name}: {value}" for name, value in answer.headers.items()]
        writer.write("\r\n".join([*lines, "", ""]).encode())
        for chunk in answer.chunks:
            writer.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
            await writer.drain()
        if answer.then == "drop":
            return False
        if answer.then == "stall":
            self.stalling.set()
            await reader.read()
            self.hung_up.set()
            return False
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True


async def _read_request(reader: asyncio.StreamReader) -> Received:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, path, _ = head[0].split(" ", 2)
    pairs = (line.partition(":") for line in head[1:] if line)
    headers = {name.lower(): value.strip() for name, _, value in pairs}
    if headers.get("transfer-encoding") == "chunked":
        raw = b""
        while size := int((await reader.readline()).strip() or b"0", 16):
            raw += (await reader.readexactly(size + 2))[:-2]
        await reader.readline()
    else:
        raw = await reader.readexactly(int(headers.get("content-length", "0")))
    return Received(method, path, headers, raw)
