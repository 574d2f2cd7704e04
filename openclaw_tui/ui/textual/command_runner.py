"""Runs slash commands for the screen and does what their output asks for. Commands themselves know no toolkit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from openclaw_tui.cli_options import Options
from openclaw_tui.errors import OpenClawError
from openclaw_tui.events import NoticeLevel
from openclaw_tui.ui.prompt_history import without_secret

if TYPE_CHECKING:
    from openclaw_tui.app.compose import App as Composed
    from openclaw_tui.commands.registry import Command, CommandOutput, CommandTable, Parsed

_OPENS = frozenset(
    (
        "pick_session",
        "pick_model",
        "help",
        "copy",
        "settings",
        "pick_theme",
        "ask_key",
        "pick_provider",
        "keymap",
        "price",
        "undo_ways",
        "rewind",
        "tree",
        "diff",
        "confirm",
        "edit_file",
        "find",
        "pager",
        "rewound",
    )
)
"""Actions whose text is for line mode: the screen opens something instead."""


class CommandHost(Protocol):
    """What commands make the screen do."""

    def say(self, level: NoticeLevel, text: str) -> None: ...
    def leave(self) -> None: ...
    def switch(self, options: Options) -> None: ...
    def pick_session(self) -> None: ...
    def pick_model(self) -> None: ...
    def show_help(self) -> None: ...
    def copy_text(self, text: str, done: str) -> None: ...
    def write(self, text: str) -> None: ...
    def show_branch(self) -> None: ...
    def measure(self) -> None: ...
    def open(self, output: CommandOutput) -> None: ...


@dataclass(slots=True)
class CommandRunner:
    """`waiting` are commands typed during a turn that run at its end; `changed` hears of it.

    `asks` shows a price, or the ways there are, before a command is run with the answer.
    """

    table: CommandTable
    host: CommandHost
    changed: Callable[[tuple[str, ...]], None]
    waiting: list[tuple[Command, str]] = field(default_factory=list)
    asks: Callable[[CommandOutput], object] | None = None

    def queue(self, parsed: Parsed) -> None:
        if parsed.command is not None:
            self.waiting.append((parsed.command, parsed.argument))
            self._tell()

    async def run_waiting(self, composed: Composed) -> None:
        """Run what waited for the end of the turn, in order; after a switch of the session the rest is dropped."""
        while self.waiting:
            command, argument = self.waiting.pop(0)
            self._tell()
            await self.run(composed, command, argument)

    def forget(self) -> list[str]:
        """Take everything back; returns it as it was typed."""
        typed = [f"/{command.name} {argument}".strip() for command, argument in self.waiting]
        self.waiting.clear()
        self._tell()
        return typed

    async def run(self, composed: Composed, command: Command, argument: str) -> None:
        from openclaw_tui.commands.help_command import refresh_commands
        from openclaw_tui.commands.registry import CommandOutput

        try:
            output = await command.run(composed, argument)
        except OpenClawError as error:
            output = CommandOutput(str(error), is_error=True)
        self._show(command, argument, output)
        if output.action == "commands":
            refresh_commands(self.table, composed)
        self._act(output)

    def _show(self, command: Command, argument: str, output: CommandOutput) -> None:
        if not output.text or output.action in _OPENS:
            return
        typed = without_secret(f"/{command.name} {argument}".strip())
        separator = "\n" if "\n" in output.text else " · "
        self.host.say("error" if output.is_error else "info", f"{typed}{separator}{output.text}")

    def _act(self, output: CommandOutput) -> None:
        match output.action:
            case "exit":
                self.host.leave()
            case "switch":
                if output.options is not None:
                    self.host.switch(output.options)
                    self._write(output.draft)
            case "rewound":
                self.host.show_branch()
                self.host.say("error" if output.is_error else "info", output.text)
                self._write(output.draft)
            case "pick_session":
                self.host.pick_session()
            case "pick_model":
                self.host.pick_model()
            case "help":
                self.host.show_help()
            case "copy":
                self.host.copy_text(output.payload, output.text)
            case "" | "commands":
                self.host.measure()
            case "price" | "undo_ways" if self.asks is not None:
                self.asks(output)
            case _:
                self.host.open(output)

    def _write(self, draft: str) -> None:
        if draft:
            self.host.write(draft)

    def _tell(self) -> None:
        self.changed(tuple(f"/{command.name} {argument}".strip() for command, argument in self.waiting))
