"""Print mode: one answer (or a scripted talk from stdin), then leave.

Standard output holds only the answer or the JSON stream; reasons go to standard error as one line.
"""

import asyncio
import signal
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

import openclaw_tui
from openclaw_tui.app.compose import App, build_app
from openclaw_tui.errors import (
    EXIT_DONE,
    EXIT_FAILED,
    EXIT_INTERRUPTED,
    EXIT_LIMIT,
    EXIT_NEEDS_APPROVAL,
    EXIT_TERMINATED,
    ConfigError,
    LimitReached,
    OpenClawError,
)
from openclaw_tui.events import AgentEvent, MessageEnded, Notice, TurnEnded
from openclaw_tui.messages import NO_USAGE, Usage, text_of
from openclaw_tui.options import Options
from openclaw_tui.tools.approval import PermissionDenial
from openclaw_tui.ui.stream_json import event_object, init_object, result_object

_LIMIT_SUBTYPES = {"turns": "error_max_turns", "budget": "error_max_budget", "tokens": "error_max_tokens"}


def run_oneshot(options: Options) -> int:
    """Returns the exit code of interface.md section 5."""
    if options.input_format == "stream-json" and options.output_format != "stream-json":
        raise ConfigError("--input-format stream-json needs --output-format stream-json")
    prompt = None if options.input_format == "stream-json" else prompt_from(options)
    app = build_app(options, channel="cli", interactive=False)
    return asyncio.run(_run(app, prompt))


def prompt_from(options: Options) -> str:
    """The prompt with piped standard input behind it as a fenced block. Raises ConfigError when both are empty."""
    piped = "" if sys.stdin is None or sys.stdin.isatty() else _read_stdin()
    if options.prompt == "-":
        text = piped.strip()
    elif piped.strip():
        text = f"{options.prompt or ''}\n\n```\n{piped.rstrip()}\n```".strip()
    else:
        text = (options.prompt or "").strip()
    if not text:
        raise ConfigError("-p needs a prompt: openclaw-tui -p 'what is this project?', or pipe one in with -p -")
    return text


def _read_stdin() -> str:
    return sys.stdin.buffer.read().decode("utf-8", "replace")


@dataclass(slots=True)
class _Outcome:
    """What the turns of one run add up to."""

    answer: str = ""
    steps: int = 0
    usage: Usage = NO_USAGE
    cost_usd: float | None = 0.0
    error: BaseException | None = None
    aborted: bool = False
    started: float = field(default_factory=time.monotonic)

    def add(self, ended: TurnEnded) -> None:
        self.steps += ended.steps
        self.usage = self.usage + ended.usage
        self.cost_usd = None if self.cost_usd is None or ended.cost_usd is None else self.cost_usd + ended.cost_usd
        self.error = ended.error
        self.aborted = ended.outcome == "aborted"


async def _run(app: App, prompt: str | None) -> int:
    stops = _catch_signals(app)
    outcome = _Outcome()
    _start(app)
    try:
        await app.session.start()
        if prompt is not None:
            await _turn(app, prompt, outcome)
        else:
            async for line in _scripted_prompts():
                await _turn(app, line, outcome)
    finally:
        await app.session.close()
    return _finish(app, outcome, stops)


def _start(app: App) -> None:
    for notice in app.notices:
        print(f"openclaw-tui: {notice}", file=sys.stderr)
    if app.options.output_format == "stream-json":
        session, requests = app.session, app.session.deps.requests
        _write_line(
            init_object(
                session_id=session.session_id,
                model=session.model.ref,
                provider=session.model.provider,
                cwd=str(app.paths.project),
                tools=[tool.name for tool in requests.inputs.tools],
                permission_mode=app.permissions.mode,
                context_window=requests.budget.window_tokens,
                engine=session.deps.engine.in_use,
                version=openclaw_tui.__version__,
            )
        )


async def _turn(app: App, prompt: str, outcome: _Outcome) -> None:
    """One prompt to its end, events written as they come."""
    subscription = app.session.subscribe()
    app.session.prompt(prompt)
    async for event in subscription:
        _show(app, event, outcome)
        if isinstance(event, TurnEnded):
            outcome.add(event)
            break
    app.session.unsubscribe(subscription)
    await app.session.wait_idle()


def _show(app: App, event: AgentEvent, outcome: _Outcome) -> None:
    if isinstance(event, MessageEnded) and not event.discarded:
        outcome.answer = text_of(event.message.content) or outcome.answer
    if isinstance(event, Notice) and event.level != "info" and app.options.output_format != "text":
        print(f"openclaw-tui: {event.text}", file=sys.stderr)
    if app.options.output_format == "stream-json":
        data = event_object(event, verbose=app.options.verbose)
        if data is not None:
            _write_line(data)


def _finish(app: App, outcome: _Outcome, stops: list[signal.Signals]) -> int:
    code, subtype, reason = _verdict(app, outcome, stops)
    if app.options.output_format == "text":
        print(outcome.answer)
    else:
        _write_line(_result(app, outcome, subtype, reason))
    if reason:
        print(f"openclaw-tui: {reason}", file=sys.stderr)
    return code


def _verdict(app: App, outcome: _Outcome, stops: list[signal.Signals]) -> tuple[int, str, str]:
    """Exit code, subtype of the last object, and the one-line reason."""
    if stops:
        return (EXIT_TERMINATED if stops[0] == signal.SIGTERM else EXIT_INTERRUPTED), "error_interrupted", "interrupted"
    if isinstance(outcome.error, LimitReached):
        return EXIT_LIMIT, _LIMIT_SUBTYPES[outcome.error.kind], str(outcome.error)
    denials = app.session.approvals.denials
    if outcome.error is not None:
        code = outcome.error.exit_code if isinstance(outcome.error, OpenClawError) else EXIT_FAILED
        return code, "error_during_execution", _reason(outcome.error)
    if denials:
        named = "; ".join(_denial(denial) for denial in denials)
        return EXIT_NEEDS_APPROVAL, "error_permission", f"needed approval and nobody could give it: {named}"
    if outcome.aborted:
        return EXIT_INTERRUPTED, "error_interrupted", "interrupted"
    return EXIT_DONE, "success", ""


def _reason(error: BaseException) -> str:
    advice = getattr(error, "advice", "")
    return f"{error} {advice}".strip()


def _denial(denial: PermissionDenial) -> str:
    given = denial.input
    what = given.get("command") or given.get("path") or given.get("url") or ""
    return f"{denial.tool} {what}".strip()


def _result(app: App, outcome: _Outcome, subtype: str, reason: str) -> dict[str, Any]:
    requests = app.session.deps.requests
    budget = requests.budget
    compactions = len([row for row in app.ledger.of_layer("compaction") if row.verb == "done"])
    return result_object(
        subtype=subtype,
        result=outcome.answer,
        num_turns=outcome.steps,
        session_id=app.session.session_id,
        duration_ms=int((time.monotonic() - outcome.started) * 1000),
        usage=outcome.usage,
        total_cost_usd=outcome.cost_usd,
        permission_denials=[{"tool": d.tool, "input": dict(d.input)} for d in app.session.approvals.denials],
        context={
            "used_tokens": requests.context_size().tokens,
            "window_tokens": budget.window_tokens,
            "usable_tokens": budget.usable_tokens,
            "compactions": compactions,
        },
        model=app.session.model.ref,
        error=reason or None,
    )


async def _scripted_prompts() -> AsyncIterator[str]:
    """User messages from standard input, one JSON object a line; a bad line is named and skipped."""
    loop = asyncio.get_running_loop()
    number = 0
    while True:
        line = await loop.run_in_executor(None, sys.stdin.buffer.readline)
        if not line:
            return
        number += 1
        if line.strip():
            text = _prompt_of(line, number)
            if text:
                yield text


def _prompt_of(line: bytes, number: int) -> str:
    try:
        data = msgspec.json.decode(line)
        content = data["message"]["content"] if data.get("type") == "user" else ""
    except (msgspec.DecodeError, KeyError, TypeError, AttributeError) as error:
        print(f"openclaw-tui: input line {number} is not a user message ({error}); it is skipped", file=sys.stderr)
        return ""
    if isinstance(content, str):
        return content
    return "\n".join(str(block.get("text", "")) for block in content if isinstance(block, dict))


def _catch_signals(app: App) -> list[signal.Signals]:
    """The first signal stops the turn in order; the exit code tells which it was."""
    stops: list[signal.Signals] = []
    loop = asyncio.get_running_loop()
    running: set[asyncio.Task[None]] = set()

    def stop(which: signal.Signals) -> None:
        stops.append(which)
        task = loop.create_task(app.session.abort())
        running.add(task)
        task.add_done_callback(running.discard)

    for which in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(which, stop, which)
    return stops


def _write_line(data: dict[str, Any]) -> None:
    sys.stdout.write(msgspec.json.encode(data).decode("utf-8") + "\n")
    sys.stdout.flush()
