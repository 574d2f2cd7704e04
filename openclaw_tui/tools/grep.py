"""`grep`: find text in files.

Error, no match and not looked at are three different answers. A pattern that is no valid expression, or finds nothing
and looks like plain text, is searched literally, and the answer says so.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from openclaw_tui.constants import GREP_MAX_MATCHES
from openclaw_tui.errors import ToolError, ToolTimeout
from openclaw_tui.events import Risk
from openclaw_tui.messages import TextBlock, ToolDefinition
from openclaw_tui.tools.base import ToolContext, ToolIntent, ToolOutcome
from openclaw_tui.tools.globs import compile_glob
from openclaw_tui.tools.grep_format import format_line, parse_record
from openclaw_tui.tools.output import SpillStore, bound_output
from openclaw_tui.tools.path_hints import missing
from openclaw_tui.tools.pinned_path import pinned_for_search
from openclaw_tui.tools.ripgrep import SearchRequest, says_invalid_pattern
from openclaw_tui.tools.search import Searcher, ignored_note
from openclaw_tui.tools.search_process import SearchEnd
from openclaw_tui.tools.terminal_text import one_line
from openclaw_tui.tools.workspace import Workspace

_DEFINITION = ToolDefinition(
    name="grep",
    summary="Search file contents",
    description=(
        f"Search files for a regular expression (literal: true for plain text); skips git-ignored files unless named."
        f" At most {GREP_MAX_MATCHES} matches."
    ),
    parameters={
        "type": "object",
        "properties": {
            "pattern": {"type": "string"},
            "path": {"type": "string", "description": "File or folder"},
            "glob": {"type": "string", "description": "Such as *.py"},
            "ignoreCase": {"type": "boolean"},
            "literal": {"type": "boolean"},
            "context": {"type": "integer", "minimum": 0},
            "limit": {"type": "integer", "minimum": 1},
        },
        "required": ["pattern"],
        "additionalProperties": False,
    },
)
_METACHARACTERS = re.compile(r"[\\^$.|?*+()\[\]{}]")
_NARROW = "narrow it with pattern, path or glob"


@dataclass(slots=True)
class _Found:
    """What one search has brought together."""

    workspace: Workspace
    request: SearchRequest
    keep: "re.Pattern[str] | None"
    limit: int
    excluding: bool = False
    with_context: bool = False
    lines: list[str] = field(default_factory=list)
    matches: int = 0
    more: bool = False
    _last: tuple[str, int] = ("", 0)

    def take(self, record: bytes) -> bool:
        found = parse_record(record)
        if found is None:
            return True
        found = replace(found, path=self.request.real(found.path))
        if not self._wanted(found.path):
            return True
        if found.spans and self.matches == self.limit:
            self.more = True
            return False
        self.matches += bool(found.spans)
        if self._last[0] and self._last != (found.path, found.number - 1) and self.with_context:
            self.lines.append("--")
        self._last = (found.path, found.number + found.raw.removesuffix(b"\n").count(b"\n"))
        self.lines += format_line(found, one_line(self.workspace.display(Path(found.path))))
        return True

    def _wanted(self, path: str) -> bool:
        if self.keep is None:
            return True
        return (self.keep.fullmatch(path.removeprefix(f"{self.request.target}/")) is not None) is not self.excluding


class GrepTool:
    """`spill` keeps an answer that is too long; None keeps only its head and tail."""

    label = "Search"
    risk: Risk = "read"
    parallel_safe = True
    definition = _DEFINITION

    def __init__(self, searcher: Searcher, spill: SpillStore | None = None) -> None:
        self._searcher = searcher
        self._spill = spill

    def intent(self, arguments: Mapping[str, Any], workspace: Workspace) -> ToolIntent:
        path = workspace.resolve(arguments.get("path") or ".")
        title = f"Search {one_line(arguments['pattern'])} in {one_line(workspace.display(path))}"
        return ToolIntent("read", title, paths=(path,))

    async def execute(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        target = context.workspace.resolve(arguments.get("path") or ".")
        if not target.exists():
            raise missing(target, context.workspace)
        if not arguments["pattern"]:
            raise ToolError("the pattern is empty; give the text to search for")
        request = SearchRequest(
            target,
            pattern=arguments["pattern"],
            glob=arguments.get("glob") or None,
            ignore_case=bool(arguments.get("ignoreCase")),
            literal=bool(arguments.get("literal")),
            context=int(arguments.get("context") or 0),
        )
        limit = int(arguments.get("limit") or GREP_MAX_MATCHES)
        with pinned_for_search(target) as at:
            request = replace(request, at=at)
            found, notes = await self._search(request, limit, context, named="path" in arguments)
        return self._answer(found, notes, request, context.workspace)

    async def _search(
        self, request: SearchRequest, limit: int, context: ToolContext, *, named: bool
    ) -> tuple[_Found, list[str]]:
        """The search and, where it finds nothing, the second looks that tell why."""
        notes: list[str] = []
        found, end = await self._once(request, limit, context)
        if end.exit_code == 2 and says_invalid_pattern(end.error_text):
            reason = one_line(end.error_text.split("error:")[-1])
            request = replace(request, literal=True)
            found, end = await self._once(request, limit, context)
            if not found.matches:
                raise ToolError(f"not a valid regular expression ({reason}), and the literal text was not found either")
            notes.append(f"[Not a valid regular expression ({reason}); searched as literal text.]")
        elif not found.matches and not request.literal and _METACHARACTERS.search(request.pattern):
            literally, _ = await self._once(replace(request, literal=True), limit, context)
            if literally.matches:
                notes.append("[No match as a regular expression; these lines hold the pattern as literal text.]")
                return literally, notes
        if not found.matches:
            found, more_notes = await self._look_at_ignored(found, request, limit, context, named=named)
            notes += more_notes
        return found, notes

    async def _look_at_ignored(
        self, found: _Found, request: SearchRequest, limit: int, context: ToolContext, *, named: bool
    ) -> tuple[_Found, list[str]]:
        if request.target.is_file():
            return found, []
        visible, ignored, complete = await self._searcher.count_ignored(request, cwd=context.workspace.root)
        if named and ignored and not visible:
            found, _ = await self._once(replace(request, everything=True), limit, context)
            return found, ["[This folder is ignored by git rules; it was searched because it was named.]"]
        note = ignored_note(ignored, complete)
        return found, [f"[{note}.]"] if note else []

    async def _once(self, request: SearchRequest, limit: int, context: ToolContext) -> tuple[_Found, SearchEnd]:
        glob = request.glob if request.target.is_dir() else None
        found = _Found(
            context.workspace,
            request,
            compile_glob(glob.removeprefix("!")) if glob is not None else None,
            limit,
            excluding=glob is not None and glob.startswith("!"),
            with_context=request.context > 0,
        )
        end = await self._searcher.matches(request, found.take, cwd=context.workspace.root, deadline=context.deadline)
        if end.timed_out and not found.matches:
            raise ToolTimeout(f"the search did not end in time and was stopped; {_NARROW}, or simplify the pattern")
        if end.exit_code == 2 and not found.matches and end.error_text and not says_invalid_pattern(end.error_text):
            raise ToolError(f"the search failed: {one_line(end.error_text)}")
        if end.timed_out:
            found.lines.append(f"[The search did not end in time; these are the matches so far. {_NARROW}.]")
        if end.oversized:
            found.lines.append(f"[{end.oversized} matching lines are too long to show; read the file by byteOffset.]")
        return found, end

    def _answer(self, found: _Found, notes: list[str], request: SearchRequest, workspace: Workspace) -> ToolOutcome:
        where = one_line(workspace.display(request.target))
        if not found.lines:
            lines = [f"No matches found for {request.pattern!r} in {where}", *notes]
        else:
            capped = f"[First {found.matches} matching lines; there are more. {_NARROW}, or raise limit.]"
            lines = [*notes, *found.lines, *([capped] if found.more else [])]
        bounded = bound_output("\n".join(lines), spill=self._spill, label="grep", hint=_NARROW)
        return ToolOutcome(
            (TextBlock(bounded.text),),
            details={"matches": found.matches, "more": found.more},
            full_output=bounded.full_output,
        )
