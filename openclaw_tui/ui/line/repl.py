"""Line mode: read a line, do what it says, print what happens. Typing goes on while the agent works."""

import asyncio
import signal
import time
from collections.abc import Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from openclaw_tui.agent.user_shell import ShellAct, parse_shell
from openclaw_tui.app.compose import build_app, load_settings
from openclaw_tui.commands.help_command import all_commands, refresh_commands
from openclaw_tui.commands.registry import CommandOutput, CommandTable, Parsed, table_text
from openclaw_tui.config.load import Config
from openclaw_tui.config.paths import Paths
from openclaw_tui.constants import LEAVE_CONFIRM_SECONDS
from openclaw_tui.errors import (
    EXIT_DONE,
    EXIT_FAILED,
    EXIT_INTERRUPTED,
    EXIT_NEEDS_APPROVAL,
    EXIT_TERMINATED,
    OpenClawError,
)
from openclaw_tui.log import set_up_logging
from openclaw_tui.options import Options
from openclaw_tui.session.listing import short_id
from openclaw_tui.tools.terminal_text import clean_terminal_text
from openclaw_tui.ui.line.choosing import choose_session
from openclaw_tui.ui.line.clipboard import copy_sequence
from openclaw_tui.ui.line.look import Look, detect_look
from openclaw_tui.ui.line.markdown_stream import DIM, RED, YELLOW
from openclaw_tui.ui.line.next_steps import next_step, output_of, typed_command
from openclaw_tui.ui.line.reader import Hooks, Reader, TypedLine
from openclaw_tui.ui.line.reader_choice import reader_for
from openclaw_tui.ui.line.render import LineRenderer
from openclaw_tui.ui.line.talk import Talk, answered
from openclaw_tui.ui.line.trusting import ask_trust
from openclaw_tui.ui.prompt_history import PromptHistory
from openclaw_tui.ui.text import exit_line, left_over_lines

_EXIT_WORDS = ("exit", "quit", ":q")


def run_line(options: Options) -> int:
    """Returns the exit code of interface.md section 5."""
    return asyncio.run(_run(options))


async def _run(options: Options) -> int:
    paths, config = load_settings(options)
    set_up_logging(None if options.no_session and not options.debug else paths.log, debug=options.debug)
    repl = LineRepl(detect_look(screen_reader=config.get("ui.screenReader")), paths, config)
    try:
        return await repl.run(options)
    finally:
        repl.reader.close()


@dataclass(slots=True)
class LineRepl:
    """One run of line mode. `talk` is the conversation on the screen; it changes with /new, /resume and /fork."""

    look: Look
    paths: Paths
    config: Config
    talk: Talk | None = None
    commands: CommandTable = field(init=False)
    reader: Reader = field(init=False)
    history: PromptHistory = field(init=False)
    _renderer: LineRenderer = field(init=False)
    _later: list[Parsed] = field(default_factory=list)
    _code: int | None = None
    _interrupted: float = 0.0
    _acting: asyncio.Task[None] | None = None
    _running: set[asyncio.Task[None]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.commands = all_commands(self.paths, trusted=self.config.project_trusted)
        self.history = PromptHistory.of_project(self.paths.history, self.paths.project)
        self.reader = self._make_reader(self.paths.project)
        self._renderer = LineRenderer(self.reader.write, self.look, self.config.get("ui.showThinking"))

    async def run(self, options: Options) -> int:
        """From the first line to the last; the session is closed on every way out."""
        self._catch_signals()
        chosen = await choose_session(options, self.paths, self.reader, lambda text: self._say(text, DIM))
        if chosen is None:
            return self._code or EXIT_DONE
        if self.reader.is_live and self.config.trust.asks:
            if not await ask_trust(self.paths, self.config.trust, self.reader, self._warn):
                return self._code or EXIT_DONE
            self.paths, self.config = load_settings(options)
        self.talk = talk = await self._open(chosen)
        refresh_commands(self.commands, talk.app)
        if self.reader.is_live:
            self._say(f"openclaw-tui · {talk.app.session.model.ref} · /help for commands, Ctrl+D leaves", DIM)
        try:
            await self._begin(talk)
            while self._code is None:
                await self._take(await self.reader.read())
        except EOFError:
            pass
        finally:
            await self._close()
        return self._exit_code()

    # ── one typed line ────────────────────────────────────────────────────────────────────────────────────────────
    async def _take(self, line: TypedLine) -> None:
        talk, text = self._current(), line.text.strip()
        if talk.questions:
            self._answer(talk, text)
        elif (words := talk.plan_answered(text)) is not None:
            if words:
                self._send(talk, TypedLine(words))
        elif text.lower() in _EXIT_WORDS:
            self._code = EXIT_DONE
        elif (act := parse_shell(text)) is not None:
            await self._stoppable(self._typed_command(text, act))
        elif text and (parsed := self.commands.parse(text)) is not None:
            await self._command(parsed, text)
        elif text:
            self._send(talk, TypedLine(line.text.rstrip(), line.kind))
        if not self.reader.is_live and self._code is None:
            await self._current().settle()

    def _answer(self, talk: Talk, text: str) -> None:
        if answered(talk, text):
            self.reader.refresh()
        else:
            self._say("answer with one of the letters and Enter; nothing is run until then", YELLOW)

    def _send(self, talk: Talk, line: TypedLine) -> None:
        self._remember(line.text)
        enter = self._current().app.config.get("ui.enterWhileWorking")
        follow_up = line.kind == "follow_up" or enter == "follow-up"
        try:
            started = talk.prompt(line.text, while_busy="follow_up" if follow_up else "steering")
        except OpenClawError as error:
            self._say(str(error), RED)
            self.reader.put_draft(line.text)
            return
        if not started and enter == "interrupt" and not follow_up:
            self._spawn(talk.app.session.abort())
        elif not started:
            self._say("waits for the end of the turn" if follow_up else "goes in at the next safe point", DIM)

    async def _command(self, parsed: Parsed, text: str) -> None:
        if parsed.command is None:
            self._say(parsed.problem, YELLOW)
            self.reader.put_draft(text)
            return
        self._remember(text)
        if parsed.command.while_busy == "wait" and self._current().app.session.is_busy:
            self._later.append(parsed)
            self._say(f"/{parsed.command.name} waits for the end of the turn", DIM)
            self._spawn(self._run_later())
        else:
            await self._stoppable(self._execute(parsed))

    async def _typed_command(self, text: str, act: ShellAct) -> None:
        self._remember(text)
        said, failed = await typed_command(act, self._current().app)
        self._say(said, RED if failed else DIM)

    async def _stoppable(self, work: Coroutine[Any, Any, None]) -> None:
        """Run something to its end, or until Ctrl+C."""
        self._acting = asyncio.get_running_loop().create_task(work)
        try:
            await asyncio.wait({self._acting})
            if self._acting.cancelled():
                self._say("stopped", YELLOW)
            else:
                self._acting.result()
        finally:
            self._acting = None

    async def _execute(self, parsed: Parsed) -> None:
        talk = self._current()
        output = await output_of(parsed, talk.app)
        talk.catch_up()
        if output.text:
            self._say(clean_terminal_text(output.text), *([RED] if output.is_error else []))
        await self._act(output)
        if output.draft:
            self.reader.put_draft(output.draft)

    async def _act(self, output: CommandOutput) -> None:
        if output.action == "exit":
            self._code = EXIT_DONE
        elif output.action == "switch" and output.options is not None:
            await self._switch(output.options)
        elif output.action == "commands":
            refresh_commands(self.commands, self._current().app)
        elif step := next_step(output):
            self._say(step, DIM)
        elif output.action == "copy" and self.look.redraws:
            self.reader.write(copy_sequence(output.payload))
        elif output.action == "copy":
            self._say(clean_terminal_text(output.payload))
        elif output.action == "help" and self.look.redraws:
            from openclaw_tui.ui.line.keys import KEY_HELP

            self._say(f"\n{table_text(KEY_HELP)}")

    async def _run_later(self) -> None:
        """Commands that waited, in order, when the turn is over."""
        await self._current().settle()
        while self._later and self._code is None:
            await self._execute(self._later.pop(0))
        if self._code is not None:
            self.reader.leave()

    # ── conversations ─────────────────────────────────────────────────────────────────────────────────────────────
    async def _open(self, options: Options) -> Talk:
        """Compose a conversation. Raises what `build_app` raises; the one before stays as it is."""
        app = build_app(options, channel="tui", interactive=self.reader.is_live)
        for notice in app.notices:
            self._warn(clean_terminal_text(notice))
        for line in left_over_lines(app):
            self._warn(clean_terminal_text(line))
        if app.crash is not None and self.reader.is_live:
            go_on = (
                f"; /resume {short_id(app.crash.session_id)} goes on with its session" if app.crash.session_id else ""
            )
            self._warn(f"the program failed here last time: {clean_terminal_text(app.crash.report)}{go_on}")
        talk = Talk(app, self._renderer, self.reader)
        await talk.start()
        return talk

    async def _begin(self, talk: Talk) -> None:
        """The prompt of the command line is sent first."""
        prompt = (talk.app.options.prompt or "").strip()
        if prompt:
            self._say(f"> {clean_terminal_text(prompt)}")
            self._send(talk, TypedLine(prompt))
            if not self.reader.is_live:
                await self._current().settle()

    async def _switch(self, options: Options) -> None:
        before = self._current()
        try:
            after = await self._open(options)
        except OpenClawError as error:
            self._say(str(error), RED)
            return
        self.talk = after
        await before.close()
        self._say(f"session {short_id(after.app.session.session_id)} · {after.title()}", DIM)
        await self._begin(after)
        self.reader.refresh()

    async def _close(self) -> None:
        if self.talk is None:
            return
        await self.talk.close()
        if text := exit_line(self.talk.app):
            self._say(text, DIM)

    # ── stopping and leaving ──────────────────────────────────────────────────────────────────────────────────────
    def interrupt(self) -> None:
        """Ctrl+C: stop the turn; twice, or when nothing runs twice, leave."""
        now, before = time.monotonic(), self._interrupted
        self._interrupted = now
        busy = self.talk is not None and self.talk.app.session.has_work
        if self.talk is None or now - before <= LEAVE_CONFIRM_SECONDS:
            self._leave(EXIT_INTERRUPTED if busy or self.talk is None else EXIT_DONE)
        elif self._acting is not None:
            self._acting.cancel()
        elif busy:
            self._spawn(self._stop(self.talk))
        else:
            self._say("Ctrl+C again leaves", DIM)

    async def _stop(self, talk: Talk) -> None:
        """Stop the turn; what was queued comes back into the editor."""
        back = []
        while waiting := talk.app.session.take_back():
            back.append(waiting.text)
        self._later.clear()
        await talk.app.session.abort()
        talk.catch_up()
        if back:
            self.reader.put_draft("\n".join(reversed(back)))
        self.reader.refresh()

    def _leave(self, code: int) -> None:
        self._code = code
        self.reader.leave()

    def _catch_signals(self) -> None:
        loop = asyncio.get_running_loop()
        for which in (signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(which, self._leave, EXIT_TERMINATED)
        loop.add_signal_handler(signal.SIGINT, self.interrupt)

    def _exit_code(self) -> int:
        """Where nobody sat there, what went wrong is told by the code as in print mode."""
        if self._code is not None or self.reader.is_live or self.talk is None:
            return self._code or EXIT_DONE
        error = self.talk.last_error
        if error is not None:
            return error.exit_code if isinstance(error, OpenClawError) else EXIT_FAILED
        return EXIT_NEEDS_APPROVAL if self.talk.app.session.approvals.denials else EXIT_DONE

    # ── small things ──────────────────────────────────────────────────────────────────────────────────────────────
    def _make_reader(self, root: Path) -> Reader:
        hooks = Hooks(
            label=lambda: self.talk.label() if self.talk else "> ",
            toolbar=lambda draft: self.talk.toolbar(draft) if self.talk else "",
            is_busy=lambda: self.talk is not None and self.talk.app.session.is_busy,
            is_asking=lambda: self.talk is not None and bool(self.talk.questions),
            interrupt=self.interrupt,
            take_back=self._take_back,
        )
        entries, vim = self.history.entries, bool(self.config.get("ui.vim"))
        return reader_for(hooks, self.look, commands=self.commands, root=root, history=entries, vim=vim)

    def _take_back(self) -> str:
        waiting = self.talk.app.session.take_back() if self.talk else None
        return waiting.text if waiting else ""

    def _remember(self, text: str) -> None:
        self.history.add(text)
        self.reader.remember(text)

    def _current(self) -> Talk:
        if self.talk is None:
            raise EOFError
        return self.talk

    def _warn(self, text: str) -> None:
        self._say(text, YELLOW)

    def _say(self, text: str, *codes: str) -> None:
        self._renderer.line(text, *codes)

    def _spawn(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
