"""`find`: files and folders by name pattern, in sorted order, without what git ignores."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from openclaw_tui.constants import FIND_MAX_RESULTS
from openclaw_tui.errors import ToolError, ToolTimeout
from openclaw_tui.events import Risk
from openclaw_tui.messages import TextBlock, ToolDefinition
from openclaw_tui.tools.base import ToolContext, ToolIntent, ToolOutcome
from openclaw_tui.tools.globs import compile_glob, has_wildcard
from openclaw_tui.tools.output import SpillStore, bound_output
from openclaw_tui.tools.path_hints import missing
from openclaw_tui.tools.pinned_path import pinned_for_search
from openclaw_tui.tools.ripgrep import SearchRequest
from openclaw_tui.tools.search import Searcher, ignored_note, seconds_left
from openclaw_tui.tools.search_process import SearchEnd
from openclaw_tui.tools.terminal_text import one_line
from openclaw_tui.tools.workspace import Workspace

_DEFINITION = ToolDefinition(
    name="find",
    summary="Find files by name pattern",
    description="Find files and folders by glob (*.py, src/**/*.ts); skips git-ignored ones unless named by path.",
    parameters={
        "type": "object",
        "properties": {
            "pattern": {"type": "string"},
            "path": {"type": "string", "description": "Folder to search"},
            "limit": {"type": "integer", "minimum": 1},
        },
        "required": ["pattern"],
        "additionalProperties": False,
    },
)


@dataclass(slots=True)
class _Found:
    pattern: "re.Pattern[str]"
    limit: int
    paths: list[str] = field(default_factory=list)
    more: bool = False
    _folders: set[str] = field(default_factory=set)

    def take(self, path: str) -> bool:
        """Files come in sorted order; their folders are named the first time a file of theirs comes."""
        parts = path.split("/")
        for depth in range(1, len(parts)):
            folder = "/".join(parts[:depth])
            if folder not in self._folders:
                self._folders.add(folder)
                if not self._add(folder, "/"):
                    return False
        return self._add(path, "")

    def _add(self, path: str, ending: str) -> bool:
        if self.pattern.fullmatch(path) is None:
            return True
        if len(self.paths) == self.limit:
            self.more = True
            return False
        self.paths.append(one_line(path) + ending)
        return True


class FindTool:
    """`spill` keeps an answer that is too long; None keeps only its head and tail."""

    label = "Find"
    risk: Risk = "read"
    parallel_safe = True
    definition = _DEFINITION

    def __init__(self, searcher: Searcher, spill: SpillStore | None = None) -> None:
        self._searcher = searcher
        self._spill = spill

    def intent(self, arguments: Mapping[str, Any], workspace: Workspace) -> ToolIntent:
        path = workspace.resolve(arguments.get("path") or ".")
        return ToolIntent(
            "read", f"Find {one_line(arguments['pattern'])} in {one_line(workspace.display(path))}", paths=(path,)
        )

    async def execute(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        target = context.workspace.resolve(arguments.get("path") or ".")
        if not target.exists():
            raise missing(target, context.workspace)
        if not target.is_dir():
            raise ToolError(f"{one_line(context.workspace.display(target))} is a file; give a folder to search in")
        limit = int(arguments.get("limit") or FIND_MAX_RESULTS)
        with pinned_for_search(target) as at:
            request = SearchRequest(target, at=at)
            found, notes = await self._search(request, arguments["pattern"], limit, context, named="path" in arguments)
        return self._answer(found, notes, arguments["pattern"], one_line(context.workspace.display(target)))

    async def _search(
        self, request: SearchRequest, pattern: str, limit: int, context: ToolContext, *, named: bool
    ) -> tuple[_Found, list[str]]:
        compiled = compile_glob(pattern.rstrip("/"))
        found = await self._once(request, compiled, limit, context)
        if found.paths:
            return found, []
        if not has_wildcard(pattern):
            near = await self._once(request, compile_glob(f"*{pattern.strip('/')}*", ignore_case=True), limit, context)
            if near.paths:
                return near, [f"[Nothing has exactly this name; these names hold {pattern!r}.]"]
        visible, ignored, complete = await self._searcher.count_ignored(request, cwd=context.workspace.root)
        if named and ignored and not visible:
            found = await self._once(replace(request, everything=True), compiled, limit, context)
            return found, ["[This folder is ignored by git rules; it was searched because it was named.]"]
        note = ignored_note(ignored, complete)
        return found, [f"[{note}.]"] if note else []

    async def _once(
        self, request: SearchRequest, pattern: "re.Pattern[str]", limit: int, context: ToolContext
    ) -> _Found:
        found = _Found(pattern, limit)
        end = await self._searcher.files(
            request, found.take, cwd=context.workspace.root, seconds=seconds_left(context.deadline)
        )
        _raise_for(end, found)
        return found

    def _answer(self, found: _Found, notes: list[str], pattern: str, where: str) -> ToolOutcome:
        if found.paths:
            capped = f"[First {len(found.paths)} results; there are more. Narrow the pattern, or raise limit.]"
            lines = [*notes, *found.paths, *([capped] if found.more else [])]
        else:
            lines = [f"No files found matching {pattern!r} in {where}", *notes]
        bounded = bound_output("\n".join(lines), spill=self._spill, label="find", hint="narrow the pattern")
        return ToolOutcome(
            (TextBlock(bounded.text),),
            details={"results": len(found.paths), "more": found.more},
            full_output=bounded.full_output,
        )


def _raise_for(end: SearchEnd, found: _Found) -> None:
    if end.timed_out and not found.paths:
        raise ToolTimeout("the search did not end in time and was stopped; search a smaller folder")
    if end.exit_code == 2 and end.error_text and not found.paths:
        raise ToolError(f"the search failed: {one_line(end.error_text)}")
