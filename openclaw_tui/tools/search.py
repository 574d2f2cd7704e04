"""One way to search for `grep` and `find`: with ripgrep where it is, else with the small Python program.

Also tells what a search did not look at, so that no match is never read as does not exist.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
from msgspec.structs import replace

from openclaw_tui.constants import SEARCH_COUNT_MAX_FILES, SEARCH_COUNT_SECONDS, SEARCH_TIMEOUT_SECONDS
from openclaw_tui.tools import python_search
from openclaw_tui.tools.ripgrep import SearchRequest, find_ripgrep, list_command, match_command
from openclaw_tui.tools.search_process import SearchEnd, stream_records


class Searcher(msgspec.Struct, frozen=True):
    """`program` is ripgrep, None for the fallback."""

    program: Path | None

    @classmethod
    def find(cls) -> "Searcher":
        return cls(find_ripgrep())

    async def matches(
        self, request: SearchRequest, take: Callable[[bytes], bool], *, cwd: Path, deadline: float | None
    ) -> SearchEnd:
        """Give each JSON record to `take` until it returns False."""
        command, stdin = self._command(request, "matches")
        return await stream_records(
            command, take, cwd=request.start or cwd, seconds=seconds_left(deadline), stdin=stdin
        )

    async def files(
        self, request: SearchRequest, take: Callable[[str], bool], *, cwd: Path, seconds: float
    ) -> SearchEnd:
        """Give each path, relative to the target, to `take` until it returns False."""
        command, stdin = self._command(request, "files")

        def take_path(record: bytes) -> bool:
            path = record.decode("utf-8", "surrogateescape")
            return not path or take(path.removeprefix(f"{request.place}/"))

        return await stream_records(
            command, take_path, cwd=request.start or cwd, seconds=seconds, separator=b"\0", stdin=stdin
        )

    async def count_ignored(self, request: SearchRequest, *, cwd: Path) -> tuple[int, int, bool]:
        """(files searched, files left out because of ignore rules, whether the count is complete)."""
        visible, complete = await self._count(replace(request, everything=False, in_order=False), cwd)
        everything, also_complete = await self._count(replace(request, everything=True, in_order=False), cwd)
        return visible, max(0, everything - visible), complete and also_complete

    async def _count(self, request: SearchRequest, cwd: Path) -> tuple[int, bool]:
        count = 0

        def take(path: str) -> bool:
            nonlocal count
            count += 1
            return count < SEARCH_COUNT_MAX_FILES

        end = await self.files(request, take, cwd=cwd, seconds=SEARCH_COUNT_SECONDS)
        return count, not (end.stopped or end.timed_out)

    def _command(self, request: SearchRequest, mode: str) -> tuple[list[str], bytes | None]:
        if self.program is not None:
            build = match_command if mode == "matches" else list_command
            return build(self.program, request), None
        asked = {
            "mode": mode,
            "target": request.place,
            "pattern": request.pattern,
            "ignore_case": request.ignore_case,
            "literal": request.literal,
            "context": request.context,
            "everything": request.everything,
        }
        return [sys.executable, "-I", "-X", "utf8", python_search.__file__], json.dumps(asked).encode("utf-8")


def seconds_left(deadline: float | None) -> float:
    """The search's own limit or what the call has left, in seconds."""
    if deadline is None:
        return SEARCH_TIMEOUT_SECONDS
    return min(SEARCH_TIMEOUT_SECONDS, deadline - time.monotonic())


def ignored_note(count: int, complete: bool) -> str:
    """What a search without result did not look at; empty where nothing was left out."""
    if not count:
        return ""
    some = f"{count:,} file{'s' if count != 1 else ''}" if complete else f"at least {count:,} files"
    verb = "is" if count == 1 and complete else "are"
    return f"{some} here {verb} ignored by git rules and not searched; name one as path"
