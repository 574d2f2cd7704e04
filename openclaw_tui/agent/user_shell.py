"""Commands the user runs beside the talk: `!cmd`, whose output the model gets to read, and `!!cmd`, whose output it
does not.

A typed command is the user's own act: no question is asked, but a rule that refuses it holds. What enters the context
is an ordinary message in the user role, so that every model accepts it. Invariant: whatever was run stands in the
session file, also when it was stopped.
"""

import asyncio
import uuid
from collections.abc import Callable

import msgspec

from openclaw_tui.agent.deps import AgentDeps
from openclaw_tui.agent.inbox import Waiting
from openclaw_tui.agent.interruption import append_or_tell
from openclaw_tui.constants import EXEC_MAX_YIELD_SECONDS, EXEC_TAIL_CHARS
from openclaw_tui.errors import OpenClawError
from openclaw_tui.events import UserMessageAdded
from openclaw_tui.messages import TextBlock, ToolCallBlock, ToolResultMessage, UserMessage, text_of
from openclaw_tui.session.custom_types import USER_SHELL
from openclaw_tui.session.wording import bash_text
from openclaw_tui.tokens import estimate_text_tokens
from openclaw_tui.tools.runner import STOPPED_COMMAND


class ShellAct(msgspec.Struct, frozen=True):
    """A typed command; `shared` when its output enters the context."""

    command: str
    shared: bool


def parse_shell(text: str) -> ShellAct | None:
    """The command behind `!` or `!!`; None for every other text."""
    line = text.strip()
    if not line.startswith("!"):
        return None
    shared = not line.startswith("!!")
    command = line[1 if shared else 2 :].strip()
    return ShellAct(command, shared) if command else None


class UserShell:
    """One for each session; runs one typed command at a time. `is_busy` says whether a turn runs.

    `output` is that of the last command, for front ends that have no card to show it on.
    """

    def __init__(self, deps: AgentDeps, is_busy: Callable[[], bool]) -> None:
        self._deps = deps
        self._is_busy = is_busy
        self._task: asyncio.Task[ToolResultMessage] | None = None
        self.output = ""

    @property
    def is_running(self) -> bool:
        return self._task is not None

    async def run(self, act: ShellAct) -> str:
        """Run it to its end, or until `stop`. Returns one line on what it costs. Raises OpenClawError when one runs."""
        if self._task is not None:
            raise OpenClawError("a command of yours still runs; Esc stops it, Ctrl+B sends it to the background")
        arguments = {"command": act.command, "yieldMs": int(EXEC_MAX_YIELD_SECONDS * 1000)}
        call = ToolCallBlock(f"shell-{uuid.uuid4().hex[:8]}", "exec", arguments)
        self._task = asyncio.create_task(
            self._deps.runner.run_typed(call, "!" if act.shared else "!!"), name="typed command"
        )
        try:
            result = await asyncio.shield(self._task)
        except asyncio.CancelledError:
            await self.stop()
            raise
        finally:
            self._task = None
        return await self._keep(act, result)

    async def stop(self) -> None:
        """End the command with all its children; its result says so."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    def keep_waiting(self) -> None:
        """Outputs that wait when a turn is over are stored; they begin no turn."""
        for item in self._deps.inbox.take_origin("bash"):
            self._store(UserMessage(item.content, self._deps.now_ms(), "bash"))

    async def _keep(self, act: ShellAct, result: ToolResultMessage) -> str:
        output = self.output = text_of(result.content)
        details = result.details or {}
        if details.get("denied"):
            return output
        if not act.shared:
            kept = {"command": act.command, "output": output[-EXEC_TAIL_CHARS:], "exitCode": details.get("exitCode")}
            self._deps.manager.append_custom(USER_SHELL, kept)
            return "not in the context"
        text = bash_text(act.command, output, details.get("exitCode"), STOPPED_COMMAND in output)
        content = (TextBlock(text),)
        if self._is_busy():
            self._deps.inbox.put(Waiting(f"output of ! {act.command}", content, "steering", "bash"))
        else:
            message = UserMessage(content, self._deps.now_ms(), "bash")
            self._store(message)
            await self._deps.engine.ingest(self._deps.requests.session_ref, message)
        return adds_text(estimate_text_tokens(text))

    def _store(self, message: UserMessage) -> None:
        append_or_tell(self._deps, message)
        self._deps.emit(UserMessageAdded(self._deps.session_key, message))


def adds_text(tokens: int) -> str:
    """What an output weighs: `adds ≈ 2.1k tokens to the context`."""
    return f"adds ≈ {f'{tokens / 1000:.1f}k' if tokens >= 1000 else tokens} tokens to the context"
