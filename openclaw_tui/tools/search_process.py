"""A search running as a process of its own: streamed, bounded, and really ended.

Search programs print without limit and a pattern may never finish, so the search lives in a process group that is
killed when enough was found, when its time is over, or when the call is cancelled. Records are split here, by chunk:
no line length can break the reader.
"""

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from openclaw_tui.constants import IO_CHUNK_BYTES, SEARCH_ERROR_BYTES, SEARCH_MAX_RECORD_BYTES
from openclaw_tui.errors import ToolError


class SearchEnd(msgspec.Struct, frozen=True):
    """`stopped` when the taker had enough, `timed_out` when the time was over; `exit_code` counts in no such case.

    `oversized` is the number of records too long to be taken.
    """

    exit_code: int
    error_text: str = ""
    stopped: bool = False
    timed_out: bool = False
    oversized: int = 0


class _Splitter:
    """Cuts chunks into records and hands them on until the taker says False."""

    def __init__(self, separator: bytes, take: Callable[[bytes], bool]) -> None:
        self._separator = separator
        self._take = take
        self._pending = bytearray()
        self._dropping = False
        self.oversized = 0

    def feed(self, chunk: bytes) -> bool:
        *whole, rest = chunk.split(self._separator)
        for piece in whole:
            self._pending += piece
            record, self._pending = bytes(self._pending), bytearray()
            if self._dropping:
                self._dropping = False
            elif not self._take(record):
                return False
        if not self._dropping:
            self._pending += rest
            if len(self._pending) > SEARCH_MAX_RECORD_BYTES:
                self._dropping = True
                self.oversized += 1
                self._pending.clear()
        return True


async def stream_records(
    command: Sequence[str],
    take: Callable[[bytes], bool],
    *,
    cwd: Path,
    seconds: float,
    separator: bytes = b"\n",
    stdin: bytes | None = None,
) -> SearchEnd:
    """Run `command` and give each record to `take` until it returns False. Raises ToolError when it cannot start."""
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=cwd,
            stdin=asyncio.subprocess.DEVNULL if stdin is None else asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise ToolError(f"the search program {command[0]} cannot be started: {error.strerror or error}") from error
    splitter = _Splitter(separator, take)
    stopped = timed_out = False
    errors = b""
    try:
        async with asyncio.timeout(max(0.0, seconds)):
            stopped, errors = await _pump(process, splitter, stdin)
    except TimeoutError:
        timed_out = True
    finally:
        await _end(process)
    text = errors.decode("utf-8", "replace").strip()
    return SearchEnd(process.returncode or 0, text, stopped, timed_out, splitter.oversized)


async def _pump(process: asyncio.subprocess.Process, splitter: _Splitter, stdin: bytes | None) -> tuple[bool, bytes]:
    """Returns whether the taker stopped, and what the program said on its error channel."""
    if process.stdout is None or process.stderr is None:
        raise ToolError("the search program gave no channel to read from")
    if stdin is not None and process.stdin is not None:
        process.stdin.write(stdin)
        process.stdin.close()
    errors = asyncio.ensure_future(_read_errors(process.stderr))
    try:
        while chunk := await process.stdout.read(IO_CHUNK_BYTES):
            if not splitter.feed(chunk):
                return True, b""
        said = await errors
        await process.wait()
        return False, said
    finally:
        errors.cancel()
        await asyncio.wait([errors])


async def _read_errors(stream: asyncio.StreamReader) -> bytes:
    kept = bytearray()
    while chunk := await stream.read(IO_CHUNK_BYTES):
        kept += chunk[: max(0, SEARCH_ERROR_BYTES - len(kept))]
    return bytes(kept)


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.communicate()
