"""One small GET to this machine, over plain asyncio: no SDK, no proxy, no thread that outlives its time.

Used to ask local servers what they are. HTTP/1.0 keeps the answer simple (no chunks, closed at its end). Whatever goes
wrong, a closed port included, means "no such answer": the caller asks many ports and most are silent.
"""

import asyncio
import json
from typing import Any

from openclaw_tui.constants import LOCAL_PROBE_MAX_BYTES

_HOST = "127.0.0.1"


async def get_json(port: int, path: str, *, timeout: float) -> Any:
    """The parsed body of a 200 answer within `timeout` seconds, else None."""
    try:
        async with asyncio.timeout(timeout):
            return _body(await _exchange(port, path))
    except (TimeoutError, OSError, ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        return None


async def _exchange(port: int, path: str) -> bytes:
    reader, writer = await asyncio.open_connection(_HOST, port)
    try:
        writer.write(f"GET {path} HTTP/1.0\r\nHost: {_HOST}:{port}\r\nAccept: application/json\r\n\r\n".encode("ascii"))
        await writer.drain()
        head = await reader.readuntil(b"\r\n\r\n")
        length = _content_length(head)
        if length is None:
            return head + await _to_end(reader)
        if length > LOCAL_PROBE_MAX_BYTES:
            raise ValueError("the answer is too large")
        return head + await reader.readexactly(length)
    finally:
        writer.close()


async def _to_end(reader: asyncio.StreamReader) -> bytes:
    pieces: list[bytes] = []
    size = 0
    while piece := await reader.read(65_536):
        pieces.append(piece)
        size += len(piece)
        if size > LOCAL_PROBE_MAX_BYTES:
            raise ValueError("the answer is too large")
    return b"".join(pieces)


def _content_length(head: bytes) -> int | None:
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            return int(value)
    return None


def _body(answer: bytes) -> Any:
    head, _, body = answer.partition(b"\r\n\r\n")
    status = head.split(b" ", 2)[1:2]
    if status != [b"200"]:
        raise ValueError("not a 200 answer")
    return json.loads(body)
