"""`exec`: a command line in a shell of its own, without a terminal, bounded in time and output.

What was approved is what runs, byte for byte: the text shown in the question is the text given to the shell. A command
that takes long goes to the background and stays reachable by `process`.
"""

import asyncio
import os
import re
import shlex
import shutil
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from openclaw_tui.constants import (
    EXEC_MAX_YIELD_SECONDS,
    EXEC_TAIL_CHARS,
    EXEC_TIMEOUT_SECONDS,
    EXEC_YIELD_SECONDS,
    PROCESS_DRAIN_SECONDS,
)
from openclaw_tui.errors import ToolError
from openclaw_tui.events import Risk
from openclaw_tui.messages import ToolDefinition
from openclaw_tui.safety.child_environment import child_environment
from openclaw_tui.safety.command_tables import is_risky_variable
from openclaw_tui.safety.permission_rules import Reach
from openclaw_tui.safety.sandbox import Sandbox
from openclaw_tui.tools.base import TYPED, ToolContext, ToolIntent, ToolOutcome, text_outcome
from openclaw_tui.tools.live_output import LiveOutput
from openclaw_tui.tools.processes import Launch, ProcessRegistry, RunningProcess
from openclaw_tui.tools.sandbox_remarks import sandbox_remarks
from openclaw_tui.tools.terminal_text import one_line
from openclaw_tui.tools.workspace import Workspace

_DEFINITION = ToolDefinition(
    name="exec",
    summary="Run a shell command",
    description=(
        "Run a command line in bash. There is no terminal and no input: use non-interactive forms. After yieldMs"
        " (10 s) it goes on in the background; follow it with process."
    ),
    parameters={
        "type": "object",
        "properties": {
            "command": {"type": "string"},
            "workdir": {"type": "string", "description": "Default: the project directory"},
            "env": {"type": "object", "additionalProperties": {"type": "string"}},
            "timeout": {"type": "number", "description": "Seconds, default 1800"},
            "yieldMs": {"type": "integer", "description": "10-120000"},
            "background": {"type": "boolean", "description": "Do not wait at all; keeps stdin open for process write"},
            "sandbox": {
                "type": "string",
                "enum": ["network", "off"],
                "description": "Where the sandbox is in the way: with network, or outside of it; asks the user",
            },
        },
        "required": ["command"],
        "additionalProperties": False,
    },
)
_REACHES: Mapping[str, Reach] = {"": "", "network": "network", "off": "outside", TYPED: ""}
_REACH_WORDS: Mapping[Reach, str] = {"": "", "network": " (with network)", "outside": " (outside the sandbox)"}
_VARIABLE = re.compile(r"[A-Za-z_]\w*\Z")
_WANTS_TERMINAL = re.compile(
    r"/dev/tty|not a (?:tty|terminal)|no tty|terminal is required|no editor can be opened|isn't a terminal|"
    r"could not read (?:Username|Password)",
    re.IGNORECASE,
)


class ExecTool:
    """`key_variables` names further keys commands must not see; `passed_through` lets named ones through."""

    label = "Run"
    risk: Risk = "execute"
    parallel_safe = False
    definition = _DEFINITION

    def __init__(
        self,
        processes: ProcessRegistry,
        *,
        key_variables: tuple[str, ...] = (),
        passed_through: tuple[str, ...] = (),
        sandbox: Sandbox | None = None,
    ) -> None:
        self._processes = processes
        self._sandbox = sandbox
        self._key_variables = key_variables
        self._passed_through = passed_through

    def intent(self, arguments: Mapping[str, Any], workspace: Workspace) -> ToolIntent:
        command = _whole_command(arguments)
        folder = _folder(arguments, workspace)
        where = "" if folder == workspace.resolve(".") else f" (in {one_line(workspace.display(folder))})"
        reach = self._reach(arguments)
        return ToolIntent(
            "execute",
            f"{one_line(command)}{where}{_REACH_WORDS[reach]}",
            (folder,),
            command,
            preview=command,
            preview_kind="command",
            reach=reach,
        )

    async def execute(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        background = bool(arguments.get("background"))
        command = _whole_command(arguments)
        folder, reach = _folder(arguments, context.workspace), self._reach(arguments)
        if arguments.get("sandbox") == TYPED and self._sandbox is not None and not self._sandbox.is_required:
            reach = "outside"
        argv, sandboxed = await self._argv(command, folder, reach)
        live = LiveOutput(context.progress)
        running = await self._processes.start(
            Launch(
                command,
                argv,
                folder,
                self._environment(sandboxed),
                timeout=_timeout(arguments, background),
                keeps_stdin=background,
                sandbox=("network" if reach == "network" else "on") if sandboxed else "",
            ),
            live.feed,
        )
        handed_over = False
        try:
            running.in_background = background
            ended = await _ends_within(
                running, PROCESS_DRAIN_SECONDS if background else _yield_seconds(arguments, context.deadline)
            )
            running.in_background = not ended
            handed_over = True
        finally:
            live.close()
            running.on_output = None
            if not handed_over:
                await self._processes.stop(running)
        return self._finished(running) if ended else _still_running(running)

    def _reach(self, arguments: Mapping[str, Any]) -> Reach:
        """What is asked for beyond the sandbox; nothing where commands run without one anyway."""
        if self._sandbox is None or not self._sandbox.may_hold:
            return ""
        reach = _REACHES[str(arguments.get("sandbox") or "")]
        if reach == "outside" and self._sandbox.is_required:
            raise ToolError("exec: sandbox.mode is required, so nothing runs outside of the sandbox")
        return reach

    async def _argv(self, command: str, folder: Path, reach: Reach) -> tuple[tuple[str, ...], bool]:
        """What is started, and whether it is sandboxed. Raises ToolError where it has to be and is not."""
        plain = (_shell(), "-c", command)
        if self._sandbox is None or not await self._sandbox.prepare():
            return plain, False
        return self._sandbox.wrapped(plain, folder, reach), reach != "outside"

    def _environment(self, sandboxed: bool) -> dict[str, str]:
        plain = child_environment(os.environ, key_variables=self._key_variables, passed_through=self._passed_through)
        return self._sandbox.environment(plain) if self._sandbox is not None and sandboxed else plain

    def _finished(self, running: RunningProcess) -> ToolOutcome:
        outcome = finished_outcome(running)
        if not running.left_behind:
            self._processes.forget(running)
        return outcome


def finished_outcome(running: RunningProcess) -> ToolOutcome:
    """The result of an ended command: bounded output, then how it ended."""
    bounded = running.collector.finish(hint="narrow the command, or filter with grep, head or tail")
    running.read_position = running.recent.size
    lines = [bounded.text.rstrip("\n") or "(no output)", *_endings(running, bounded.text)]
    code = running.return_code or 0
    failed = running.timed_out or running.stopped or code < 0 or code in (126, 127)
    outcome = text_outcome(
        "\n".join(lines),
        is_error=failed,
        status="failed" if failed else "completed",
        exitCode=code if code >= 0 else None,
        signal=_signal_name(-code) if code < 0 else None,
        timedOut=running.timed_out,
        seconds=round(running.seconds(), 3),
        cwd=str(running.launch.cwd),
        sessionId=running.id if running.left_behind else None,
        leftBehind=[member.pid for member in running.left_behind],
        truncated=bounded.truncated,
        sandbox=running.launch.sandbox,
    )
    return ToolOutcome(outcome.content, failed, outcome.details, bounded.full_output)


def _endings(running: RunningProcess, output: str) -> list[str]:
    code = running.return_code or 0
    lines: list[str] = []
    if running.timed_out:
        lines.append(
            f"Command timed out after {running.launch.timeout:g} seconds and was ended with all its children."
            " Give a larger timeout, or background: true."
        )
    elif code < 0:
        lines.append(f"Command ended by signal {_signal_name(-code)}.")
    elif code == 127:
        lines.append("(Command exited with code 127: command not found.)")
    elif code == 126:
        lines.append("(Command exited with code 126: found, but it cannot be executed.)")
    elif code:
        lines.append(f"(Command exited with code {code})")
    if code and _WANTS_TERMINAL.search(output):
        lines.append("There is no terminal here and nobody who could answer: use a non-interactive form.")
    lines += sandbox_remarks(running.launch, code, output)
    if running.left_behind:
        names = ", ".join(f"{member.pid} ({one_line(member.name)})" for member in running.left_behind)
        lines.append(
            f"The command has ended but left behind: pid {names}. Use process (list, log, kill) with sessionId"
            f" {running.id}."
        )
    if running.output_problem:
        lines.append(f"[{running.output_problem}]")
    return lines


def _still_running(running: RunningProcess) -> ToolOutcome:
    tail = running.collector.tail_text(EXEC_TAIL_CHARS).strip("\n")
    running.read_position = running.recent.size
    text = f"Command still running after {running.seconds():.0f} s (sessionId {running.id}, pid {running.pid})."
    text += " Use process (list, poll, log, write, kill) for follow-up."
    if tail:
        text += f"\nOutput so far ({running.recent.size:,} bytes), its end:\n{tail}"
    return text_outcome(
        text,
        status="running",
        sessionId=running.id,
        pid=running.pid,
        cwd=str(running.launch.cwd),
        tail=tail,
    )


async def _ends_within(running: RunningProcess, seconds: float) -> bool:
    """Wait for the end, the time, or until the user sends it to the background; True when it has ended."""
    waits = [asyncio.ensure_future(event.wait()) for event in (running.ended, running.let_go)]
    try:
        await asyncio.wait(waits, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()
    return running.ended.is_set()


def _whole_command(arguments: Mapping[str, Any]) -> str:
    """The text that is shown, judged and run: the command, after what `env` sets."""
    command = str(arguments["command"])
    if not command.strip():
        raise ToolError("exec: command is empty")
    if "\x00" in command:
        raise ToolError("exec: the command holds a NUL character")
    return "".join([f"export {name}={shlex.quote(value)}\n" for name, value in _variables(arguments)]) + command


def _variables(arguments: Mapping[str, Any]) -> list[tuple[str, str]]:
    variables = [(str(name), str(value)) for name, value in (arguments.get("env") or {}).items()]
    for name, value in variables:
        if not _VARIABLE.match(name) or "\x00" in value:
            raise ToolError(f"exec: env: {name!r} is no name of a variable, or its value holds a NUL character")
        if is_risky_variable(name):
            raise ToolError(
                f"exec: env: {name} cannot be set this way, because other programs are found or loaded by it;"
                " name the program by its path, or set it inside the command"
            )
    return variables


def _folder(arguments: Mapping[str, Any], workspace: Workspace) -> Path:
    folder = workspace.resolve(str(arguments.get("workdir") or "."))
    if not folder.is_dir():
        raise ToolError(f"exec: workdir {one_line(workspace.display(folder))} is no existing directory")
    return folder


def _timeout(arguments: Mapping[str, Any], background: bool) -> float | None:
    if arguments.get("timeout") is None:
        return None if background else EXEC_TIMEOUT_SECONDS
    seconds = float(arguments["timeout"])
    if not seconds > 0:
        raise ToolError("exec: timeout must be more than 0 seconds")
    return seconds


def _yield_seconds(arguments: Mapping[str, Any], deadline: float | None) -> float:
    given = arguments.get("yieldMs")
    seconds = EXEC_YIELD_SECONDS if given is None else min(max(float(given) / 1000, 0.01), EXEC_MAX_YIELD_SECONDS)
    return seconds if deadline is None else max(0.0, min(seconds, deadline - asyncio.get_running_loop().time()))


def _shell() -> str:
    return shutil.which("bash") or "/bin/sh"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)
