"""`process`: what runs in the background, followed: list, poll, log, write, kill."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from openclaw_tui.constants import EXEC_KEEP_CHARS, PROCESS_LOG_LINES, PROCESS_POLL_MAX_SECONDS
from openclaw_tui.errors import ToolError
from openclaw_tui.events import Risk
from openclaw_tui.messages import ToolDefinition
from openclaw_tui.tools.base import ToolContext, ToolIntent, ToolOutcome, text_outcome
from openclaw_tui.tools.output import bound_output
from openclaw_tui.tools.processes import ProcessRegistry, RunningProcess
from openclaw_tui.tools.terminal_text import one_line, show_controls
from openclaw_tui.tools.workspace import Workspace

_DEFINITION = ToolDefinition(
    name="process",
    summary="Follow background commands",
    description=(
        "Background commands of exec: list; poll (new output, waits up to timeout ms); log (lines by offset and"
        " limit, default the last 200); write (data to stdin, eof closes it); kill."
    ),
    parameters={
        "type": "object",
        "properties": {
            "action": {"type": "string", "enum": ["list", "poll", "log", "write", "kill"]},
            "sessionId": {"type": "string"},
            "timeout": {"type": "integer", "description": "poll: ms, at most 120000"},
            "offset": {"type": "integer", "minimum": 1},
            "limit": {"type": "integer", "minimum": 1},
            "data": {"type": "string"},
            "eof": {"type": "boolean"},
        },
        "required": ["action"],
        "additionalProperties": False,
    },
)


class ProcessTool:
    """Only what this session started can be reached; ending one's own process needs no question, input does."""

    label = "Process"
    risk: Risk = "execute"
    parallel_safe = False
    definition = _DEFINITION

    def __init__(self, processes: ProcessRegistry) -> None:
        self._processes = processes

    @property
    def registry(self) -> ProcessRegistry:
        """What a front end looks at before it lets the session go."""
        return self._processes

    def intent(self, arguments: Mapping[str, Any], workspace: Workspace) -> ToolIntent:
        action = str(arguments["action"])
        if action == "list":
            return ToolIntent("read", "List background commands")
        running = self._processes.get(_id_of(arguments))
        title = f"{action.capitalize()} {running.id}: {one_line(running.launch.command)}"
        if action == "write":
            data = show_controls(str(arguments.get("data") or ""))
            return ToolIntent("execute", title, preview=data)
        return ToolIntent("read", title)

    async def execute(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        action = str(arguments["action"])
        if action == "list":
            return await self._list()
        running = self._processes.get(_id_of(arguments))
        match action:
            case "poll":
                return await self._poll(running, arguments)
            case "log":
                return _log(running, arguments)
            case "write":
                return _write(running, arguments)
            case _:
                return await self._kill(running)

    async def _list(self) -> ToolOutcome:
        rows: list[str] = []
        for running in self._processes.listed():
            await self._processes.refresh(running)
            rows.append(f"{running.id}  {_state(running)}  {one_line(running.launch.command)}")
        return text_outcome("\n".join(rows) or "No background commands.", count=len(rows))

    async def _poll(self, running: RunningProcess, arguments: Mapping[str, Any]) -> ToolOutcome:
        """New output since the last look; waits for some, or for the end, as long as it was asked to."""
        seconds = min(max(float(arguments.get("timeout") or 0) / 1000, 0.0), PROCESS_POLL_MAX_SECONDS)
        running.changed.clear()
        if running.recent.size == running.read_position and not running.ended.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await running.changed.wait()
        await self._processes.refresh(running)
        text, missed = running.recent.since(running.read_position)
        running.read_position = running.recent.size
        lines = [f"[{missed:,} bytes of output in between are no longer held; see log]"] if missed else []
        bounded = bound_output(text.rstrip("\n") or "(no new output)")
        lines += [bounded.text, f"Process {_state(running)}."]
        return text_outcome("\n".join(lines), status=_status(running), sessionId=running.id)

    async def _kill(self, running: RunningProcess) -> ToolOutcome:
        if not running.is_alive:
            return text_outcome(f"{running.id} had ended already: {_state(running)}.")
        await self._processes.stop(running)
        return text_outcome(f"{running.id} was ended with all its children.", status="killed", sessionId=running.id)


def _id_of(arguments: Mapping[str, Any]) -> str:
    process_id = arguments.get("sessionId")
    if not process_id:
        raise ToolError(f"process: {arguments['action']} needs sessionId; action list shows what there is")
    return str(process_id)


def _log(running: RunningProcess, arguments: Mapping[str, Any]) -> ToolOutcome:
    lines, first = running.recent.lines(), running.recent.dropped_lines + 1
    total = first - 1 + len(lines)
    limit = int(arguments.get("limit") or PROCESS_LOG_LINES)
    start = int(arguments.get("offset") or max(first, total - limit + 1))
    shown = lines[max(0, start - first) : max(0, start - first + limit)]
    begin = max(start, first)
    note = (
        f"[lines {begin:,}-{begin + len(shown) - 1:,} of {total:,}]"
        if shown
        else f"[no such lines; there are {total:,}]"
    )
    if start < first:
        note += f" [lines before {first:,} are no longer in memory: the last {EXEC_KEEP_CHARS:,} characters are kept]"
    return text_outcome("\n".join([bound_output("\n".join(shown)).text, note]).lstrip("\n"), sessionId=running.id)


def _write(running: RunningProcess, arguments: Mapping[str, Any]) -> ToolOutcome:
    if running.stdin is None:
        raise ToolError(f"process: {running.id} has no open input; start it by exec with background: true")
    if running.ended.is_set() or running.stdin.is_closing():
        raise ToolError(f"process: the input of {running.id} is closed")
    data = str(arguments.get("data") or "").encode("utf-8", "replace")
    running.stdin.write(data)
    if arguments.get("eof"):
        running.stdin.write_eof()
    return text_outcome(
        f"Wrote {len(data):,} bytes to {running.id}{' and closed its input' if arguments.get('eof') else ''}."
    )


def _status(running: RunningProcess) -> str:
    if running.return_code is None:
        return "running"
    return "left behind" if running.left_behind else "exited"


def _state(running: RunningProcess) -> str:
    code = running.return_code
    if code is None:
        return f"still running (pid {running.pid}, {running.seconds():.1f} s)"
    how = f"exited with code {code}" if code >= 0 else f"ended by signal {-code}"
    if running.timed_out:
        how = f"timed out after {running.launch.timeout:g} s"
    if running.left_behind:
        pids = ", ".join(str(member.pid) for member in running.left_behind)
        return f"{how}, but children live on (pid {pids})"
    return how
