"""Commands as operating-system processes: started, read, timed, ended, and never lost.

Each runs in its own session without a terminal. Output is read by chunk into bounded memory; the reader never decides
when a call is over, so a child that keeps the pipe cannot hold anybody up. Invariant: whatever the registry started,
with all its children, is gone after `close`.
"""

import asyncio
import os
import signal
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from io import FileIO
from pathlib import Path
from types import TracebackType

import msgspec

from openclaw_tui.constants import (
    PROCESS_DRAIN_SECONDS,
    PROCESS_KEEP_FINISHED_SECONDS,
    PROCESS_READ_BYTES,
    PROCESS_SCAN_SECONDS,
    PROCESS_TERM_GRACE_SECONDS,
)
from openclaw_tui.errors import ToolError
from openclaw_tui.safety.child_environment import EXEC_MARK_VARIABLE
from openclaw_tui.tools.output import SpillStore
from openclaw_tui.tools.output_stream import OutputCollector
from openclaw_tui.tools.process_group import Member, members, signal_members
from openclaw_tui.tools.rolling_output import RollingOutput
from openclaw_tui.tools.running_notes import RunningNotes
from openclaw_tui.tools.watchdog import Watchdog


class Launch(msgspec.Struct, frozen=True):
    """`argv` is what is started, `command` what people see. `timeout` in seconds, None for no limit.

    `sandbox` is "on", "network" (on, with network) or empty.
    """

    command: str
    argv: Sequence[str]
    cwd: Path
    env: Mapping[str, str]
    timeout: float | None = None
    keeps_stdin: bool = False
    sandbox: str = ""


@dataclass(slots=True, eq=False)
class RunningProcess:
    """One command from its start to the end of its last child. Times are monotonic seconds.

    `ended` is set once the shell has ended and its output was drained for a moment; `left_behind` are children that
    live on after that. `let_go` asks whoever waits for the end to go on without it.
    """

    id: str
    launch: Launch
    pid: int
    mark: str
    collector: OutputCollector
    started: float
    recent: RollingOutput = field(default_factory=RollingOutput)
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    let_go: asyncio.Event = field(default_factory=asyncio.Event)
    ended_at: float | None = None
    return_code: int | None = None
    timed_out: bool = False
    stopped: bool = False
    in_background: bool = False
    left_behind: tuple[Member, ...] = ()
    read_position: int = 0
    stdin: asyncio.WriteTransport | None = None
    output_problem: str = ""
    on_output: Callable[[bytes], None] | None = None
    tasks: list["asyncio.Task[None]"] = field(default_factory=list)
    transports: list[asyncio.BaseTransport] = field(default_factory=list)

    @property
    def is_alive(self) -> bool:
        return self.return_code is None or bool(self.left_behind)

    def seconds(self) -> float:
        return (self.ended_at or time.monotonic()) - self.started

    def take(self, chunk: bytes) -> None:
        self.recent.feed(chunk)
        try:
            self.collector.feed(chunk)
        except OSError as error:
            self.output_problem = f"the output could not be kept on disk: {error.strerror or error}"
        if self.on_output is not None:
            self.on_output(chunk)
        self.changed.set()


class ProcessRegistry:
    """All commands of one session. Not a global: the session that owns it closes it."""

    def __init__(self, spill: SpillStore | None = None, notes: RunningNotes | None = None) -> None:
        self._spill = spill
        self._notes = notes or RunningNotes(None)
        self._watchdog = Watchdog()
        self._processes: dict[str, RunningProcess] = {}
        self._count = 0

    async def start(self, launch: Launch, on_output: Callable[[bytes], None] | None = None) -> RunningProcess:
        """Start a command. Raises ToolError when the system refuses."""
        mark = uuid.uuid4().hex
        with _Pipes(launch.keeps_stdin) as pipes:
            try:
                process = await asyncio.create_subprocess_exec(
                    *launch.argv,
                    cwd=launch.cwd,
                    env={**launch.env, EXEC_MARK_VARIABLE: mark},
                    stdin=pipes.child_stdin,
                    stdout=pipes.child_output,
                    stderr=pipes.child_output,
                    start_new_session=True,
                )
            except (OSError, ValueError) as error:
                raise ToolError(f"cannot start the command in {launch.cwd}: {error}") from error
            output, stdin = pipes.keep()
        running = RunningProcess(
            self._new_id(launch.command), launch, process.pid, mark, OutputCollector(self._spill), time.monotonic()
        )
        running.on_output = on_output
        self._processes[running.id] = running
        self._watchdog.began(process.pid)
        self._notes.began(process.pid, mark, launch.command)
        if stdin is not None:
            running.stdin, _ = await asyncio.get_running_loop().connect_write_pipe(asyncio.Protocol, stdin)
            running.transports.append(running.stdin)
        reading = asyncio.create_task(_read(running, output))
        watching = asyncio.create_task(_watch(running, process, reading))
        watching.add_done_callback(lambda _done: self._told_end(running))
        running.tasks = [reading, watching]
        return running

    def _told_end(self, running: RunningProcess) -> None:
        """Nothing of it needs to be ended any more, unless something stayed behind."""
        if running.return_code is not None and not running.left_behind:
            self._watchdog.ended(running.pid)
            self._notes.ended(running.mark)

    def get(self, process_id: str) -> RunningProcess:
        """The process with this id (or number). Raises ToolError that lists what there is."""
        for running in self.listed():
            if process_id in (running.id, str(running.pid)):
                return running
        known = ", ".join(running.id for running in self.listed()) or "none"
        raise ToolError(f"there is no background process {process_id!r}; known: {known}")

    def listed(self) -> list[RunningProcess]:
        """Background processes, finished ones for half an hour, and whatever was left behind."""
        oldest = time.monotonic() - PROCESS_KEEP_FINISHED_SECONDS
        for running in list(self._processes.values()):
            if running.ended_at is not None and not running.left_behind and running.ended_at < oldest:
                self.forget(running)
        return [running for running in self._processes.values() if running.in_background or running.left_behind]

    def let_go(self) -> list[str]:
        """Send what is being waited for to the background; returns the command lines."""
        waited = [one for one in self._processes.values() if one.return_code is None and not one.in_background]
        for running in waited:
            running.let_go.set()
        return [running.launch.command for running in waited]

    def forget(self, running: RunningProcess) -> None:
        """Let go of a finished process."""
        for transport in running.transports:
            transport.close()
        running.collector.close()
        self._processes.pop(running.id, None)

    async def refresh(self, running: RunningProcess) -> None:
        """Look again which children of an ended shell still live."""
        if running.left_behind:
            running.left_behind = tuple(await asyncio.to_thread(members, running.pid, running.mark))
            self._told_end(running)

    async def stop(self, running: RunningProcess) -> None:
        """End a command with all its children: TERM, a grace, KILL. Returns when they are gone."""
        running.stopped = running.stopped or running.return_code is None
        await end_group(running)
        with suppress(TimeoutError):
            async with asyncio.timeout(2 * PROCESS_DRAIN_SECONDS):
                await running.ended.wait()
        running.left_behind = ()
        self._told_end(running)
        running.changed.set()

    async def close(self) -> None:
        """End everything. After this nothing that was started here lives."""
        alive = [running for running in self._processes.values() if running.is_alive]
        await asyncio.gather(*(self.stop(running) for running in alive))
        everything = list(self._processes.values())
        tasks = [task for running in everything for task in running.tasks]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for running in everything:
            self.forget(running)
        await asyncio.to_thread(self._watchdog.close)

    def kill_now(self) -> None:
        """The way out when no loop runs any more (hang-up, crash): KILL, at once, without waiting."""
        for running in self._processes.values():
            if running.is_alive:
                signal_members(running.pid, running.mark, signal.SIGKILL)

    def _new_id(self, command: str) -> str:
        self._count += 1
        first = (command.split() or ["command"])[0].rpartition("/")[2]
        name = "".join(char for char in first if char.isalnum() or char in "-_.")[:20] or "command"
        return f"{name}-{self._count}"


class _Pipes:
    """The pipes of one command; the child's ends are closed here, ours too unless they are kept."""

    def __init__(self, keeps_stdin: bool) -> None:
        self._output, self.child_output = os.pipe()
        self._opened = [self.child_output]
        self._ours = [self._output]
        self.child_stdin: int = asyncio.subprocess.DEVNULL
        self._stdin: int | None = None
        if keeps_stdin:
            self.child_stdin, self._stdin = os.pipe()
            self._opened.append(self.child_stdin)
            self._ours.append(self._stdin)

    def keep(self) -> tuple[FileIO, FileIO | None]:
        """Our ends: what the command prints, and what it reads where it reads anything."""
        self._ours.clear()
        stdin = FileIO(self._stdin, "wb") if self._stdin is not None else None
        return FileIO(self._output, "rb"), stdin

    def __enter__(self) -> "_Pipes":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for descriptor in (*self._opened, *self._ours):
            os.close(descriptor)


async def end_group(running: RunningProcess) -> None:
    """TERM to every process of a command, KILL to those that live after the grace.

    A process the system itself cannot end is left after a second grace: nobody is made to wait for it.
    """
    await asyncio.to_thread(signal_members, running.pid, running.mark, signal.SIGTERM)
    deadline = time.monotonic() + PROCESS_TERM_GRACE_SECONDS
    while await asyncio.to_thread(members, running.pid, running.mark):
        over = time.monotonic() - deadline
        if over > PROCESS_TERM_GRACE_SECONDS:
            return
        if over > 0:
            await asyncio.to_thread(signal_members, running.pid, running.mark, signal.SIGKILL)
        await asyncio.sleep(PROCESS_SCAN_SECONDS)


async def _watch(running: RunningProcess, process: asyncio.subprocess.Process, reading: "asyncio.Task[None]") -> None:
    """Wait for the shell, within its time; then drain for a moment and see who stayed behind."""
    try:
        async with asyncio.timeout(running.launch.timeout):
            await process.wait()
    except TimeoutError:
        running.timed_out = True
        await end_group(running)
    running.return_code = await process.wait()
    await asyncio.wait([reading], timeout=PROCESS_DRAIN_SECONDS)
    running.left_behind = tuple(await asyncio.to_thread(members, running.pid, running.mark))
    if running.left_behind and running.launch.sandbox:  # the sandbox takes them with it, but not in the same instant
        await end_group(running)
        running.left_behind = tuple(await asyncio.to_thread(members, running.pid, running.mark))
    running.ended_at = time.monotonic()
    running.ended.set()
    running.changed.set()


async def _read(running: RunningProcess, pipe: FileIO) -> None:
    """Read by chunk until every holder of the pipe is gone."""
    loop = asyncio.get_running_loop()
    stream = asyncio.StreamReader(limit=PROCESS_READ_BYTES)
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(stream), pipe)
    running.transports.append(transport)
    with suppress(OSError):
        while chunk := await stream.read(PROCESS_READ_BYTES):
            running.take(chunk)
            await asyncio.sleep(0)
    transport.close()
