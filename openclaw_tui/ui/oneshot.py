"""Print mode: one answer (or a scripted talk from stdin), then leave.

Standard output holds only the answer or the JSON stream; reasons go to standard error as one line.
"""

import asyncio
import gc
import re
import signal
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

import openclaw_tui
from openclaw_tui.app.compose import App, build_app
from openclaw_tui.constants import STDIN_WAIT_SECONDS
from openclaw_tui.errors import (
    EXIT_DONE,
    EXIT_FAILED,
    EXIT_INTERRUPTED,
    EXIT_LIMIT,
    EXIT_NEEDS_APPROVAL,
    EXIT_TERMINATED,
    EXIT_USAGE,
    AuthenticationFailed,
    ConfigError,
    LimitReached,
    OpenClawError,
)
from openclaw_tui.events import AgentEvent, MessageEnded, Notice, TurnEnded
from openclaw_tui.log import log_event, set_up_logging
from openclaw_tui.messages import NO_USAGE, ImageBlock, TextBlock, Usage, UserContent, text_of
from openclaw_tui.options import Options
from openclaw_tui.tools.approval import PermissionDenial
from openclaw_tui.tools.terminal_text import clean_terminal_text, one_line
from openclaw_tui.ui.attachments import message_content
from openclaw_tui.ui.stdin_source import StdinSource, piped_text
from openclaw_tui.ui.stream_json import event_object, init_object, result_object
from openclaw_tui.ui.text import left_over_lines

_LIMIT_SUBTYPES = {"turns": "error_max_turns", "budget": "error_max_budget", "tokens": "error_max_tokens"}


def run_oneshot(options: Options) -> int:
    """Returns the exit code of interface.md section 5."""
    if options.input_format == "stream-json" and options.output_format != "stream-json":
        raise ConfigError("--input-format stream-json needs --output-format stream-json")
    prompt = None if options.input_format == "stream-json" else prompt_from(options)
    app = build_app(options, channel="cli", interactive=False)
    set_up_logging(None if options.no_session and not options.debug else app.paths.log, debug=options.debug)
    return asyncio.run(_run(app, prompt))


def prompt_from(options: Options) -> str:
    """The prompt with piped standard input behind it as a fenced block. Raises ConfigError when both are empty."""
    given = (options.prompt or "").strip()
    waits = given in ("", "-")
    piped = piped_text(wait_seconds=None if waits else STDIN_WAIT_SECONDS)
    if piped is None:
        print("openclaw-tui: nothing came on standard input; going on with the prompt alone", file=sys.stderr)
    if given == "-":
        text = (piped or "").strip()
    elif piped and piped.strip():
        text = f"{given}\n\n{_fenced(piped.rstrip())}".strip()
    else:
        text = given
    if not text:
        raise ConfigError("-p needs a prompt: openclaw-tui -p 'what is this project?', or pipe one in with -p -")
    return text


def _fenced(text: str) -> str:
    """The text in a block whose fence is longer than any in it, so that nothing in it can end the block."""
    longest = max((len(run) for run in re.findall("`{3,}", text)), default=2)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"


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
            await _scripted(app, outcome, stops)
    finally:
        await app.session.close()
    return _finish(app, outcome, stops)


async def _scripted(app: App, outcome: _Outcome, stops: "_Stops") -> None:
    """User messages from standard input, one JSON object a line; a bad line is named and skipped."""
    source = StdinSource()
    stops.on_stop = source.end
    number = 0
    while (line := await source.line()) is not None and not stops.caught:
        number += 1
        content = scripted_content(line, number) if line.strip() else ()
        if content:
            await _turn(app, content, outcome)
    if outcome.steps == 0 and outcome.error is None and not stops.caught:
        outcome.error = ConfigError("standard input held no user message; one JSON object a line is expected")


def _start(app: App) -> None:
    for notice in [*app.notices, *left_over_lines(app)]:
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


async def _turn(app: App, prompt: str | Sequence[UserContent], outcome: _Outcome) -> None:
    """One prompt to its end, the turns that reports of sub-agents begin included; events written as they come."""
    subscription = app.session.subscribe()
    content, problems = message_content(app, prompt) if isinstance(prompt, str) else (prompt, ())
    for problem in problems:
        print(f"openclaw-tui: {one_line(problem)}", file=sys.stderr)
    app.session.prompt(content)

    async def done() -> None:
        await app.session.wait_done()
        app.session.unsubscribe(subscription)

    ending = asyncio.create_task(done())
    async for event in subscription:
        _show(app, event, outcome)
        if isinstance(event, TurnEnded):
            outcome.add(event)
    await ending


def _show(app: App, event: AgentEvent, outcome: _Outcome) -> None:
    if isinstance(event, MessageEnded) and not gc.isenabled():
        gc.freeze()
        gc.enable()
    if isinstance(event, MessageEnded) and not event.discarded:
        outcome.answer = text_of(event.message.content) or outcome.answer
    log_event(event)
    if isinstance(event, Notice) and event.level == "warning":
        print(f"openclaw-tui: {one_line(event.text)}", file=sys.stderr)
    if app.options.output_format == "stream-json":
        data = event_object(event, verbose=app.options.verbose)
        if data is not None:
            _write_line(data)


def _finish(app: App, outcome: _Outcome, stops: "_Stops") -> int:
    code, subtype, reason = _verdict(app, outcome, stops)
    if app.options.output_format != "text":
        _write_line(_result(app, outcome, subtype, reason))
    elif outcome.answer:
        terminal = sys.stdout.isatty()
        print(clean_terminal_text(outcome.answer) if terminal else outcome.answer, flush=True)
    if reason:
        print(f"openclaw-tui: {one_line(reason)}", file=sys.stderr)
    if app.session.last_words:
        print(f"openclaw-tui: {one_line(app.session.last_words)}", file=sys.stderr)
        return code or EXIT_FAILED
    return code


def _verdict(app: App, outcome: _Outcome, stops: "_Stops") -> tuple[int, str, str]:
    """Exit code, subtype of the last object, and the one-line reason."""
    if stops.caught:
        code = EXIT_INTERRUPTED if stops.caught[0] == signal.SIGINT else EXIT_TERMINATED
        return code, "error_interrupted", "interrupted"
    if isinstance(outcome.error, LimitReached):
        return EXIT_LIMIT, _LIMIT_SUBTYPES[outcome.error.kind], str(outcome.error)
    denials = app.session.approvals.denials
    if outcome.error is not None:
        return _code_of(outcome.error), "error_during_execution", _reason(outcome.error)
    if denials:
        named = "; ".join(_denial(denial) for denial in denials)
        return EXIT_NEEDS_APPROVAL, "error_permission", f"needed approval and nobody could give it: {named}"
    if outcome.aborted:
        return EXIT_INTERRUPTED, "error_interrupted", "interrupted"
    return EXIT_DONE, "success", ""


def _code_of(error: BaseException) -> int:
    """A key that is missing is configuration; one that a provider refused is a failed turn."""
    if isinstance(error, AuthenticationFailed) and error.status is None:
        return EXIT_USAGE
    return error.exit_code if isinstance(error, OpenClawError) else EXIT_FAILED


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


def scripted_content(line: bytes, number: int) -> Sequence[UserContent]:
    """What one line of a scripted talk says; empty, with a word on standard error, where it is no user message."""
    try:
        data = msgspec.json.decode(line)
        if data["type"] != "user":
            raise ValueError(f"its type is {data['type']!r}")
        content = data["message"]["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        return [_content_block(block) for block in blocks]
    except KeyError as error:
        reason = f"it has no {error}"
    except (msgspec.DecodeError, UnicodeDecodeError, TypeError, ValueError) as error:
        reason = str(error)
    print(f"openclaw-tui: input line {number} is not a user message ({one_line(reason)}); skipped", file=sys.stderr)
    return ()


def _content_block(block: dict[str, Any]) -> UserContent:
    if block["type"] == "image":
        return ImageBlock(data=str(block["source"]["data"]), mime_type=str(block["source"]["media_type"]))
    return TextBlock(str(block["text"]))


@dataclass(slots=True)
class _Stops:
    """Signals that came, the first one first. `on_stop` wakes whoever waits for input."""

    caught: list[signal.Signals] = field(default_factory=list)
    on_stop: Callable[[], None] | None = None


def _catch_signals(app: App) -> _Stops:
    """The first signal stops the turn in order; the exit code tells which it was."""
    stops = _Stops()
    loop = asyncio.get_running_loop()
    running: set[asyncio.Task[None]] = set()

    def stop(which: signal.Signals) -> None:
        stops.caught.append(which)
        if stops.on_stop is not None:
            stops.on_stop()
        task = loop.create_task(app.session.abort())
        running.add(task)
        task.add_done_callback(running.discard)

    for which in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(which, stop, which)
    return stops


def _write_line(data: dict[str, Any]) -> None:
    print(msgspec.json.encode(data).decode("utf-8"), flush=True)
