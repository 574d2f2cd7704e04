"""The screens that commands open: settings, theme, keys, going back, the tree, changes of files, questions.

Each gives its answer back as the line of a command, run as if it had been typed, so that the screen can do nothing that
line mode cannot. Imported when the first of them is opened.
"""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from textual.screen import Screen

from openclaw_tui.app.compose import App as Composed
from openclaw_tui.app.session import list_sessions
from openclaw_tui.commands.diff_command import DiffReport
from openclaw_tui.commands.login_commands import keep_key, providers
from openclaw_tui.commands.registry import CommandOutput, CommandTable
from openclaw_tui.constants import PALETTE_SESSIONS
from openclaw_tui.errors import OpenClawError
from openclaw_tui.session.outline import FILTERS, Filter
from openclaw_tui.ui.textual.screens.picker import PickerRow, PickerScreen

if TYPE_CHECKING:
    from openclaw_tui.ui.textual.acts import ScreenActs


class Openings:
    """`run` takes the line of a command."""

    def __init__(
        self, screen: Screen[None], acts: "ScreenActs", commands: CommandTable, run: Callable[[str], None]
    ) -> None:
        self._screen = screen
        self._acts = acts
        self._commands = commands
        self._run = run

    def open(self, composed: Composed, output: CommandOutput) -> None:
        """Show what a command asks for."""
        match output.action:
            case "rewind":
                self._rewind(composed, last_change=output.payload == "last_change")
            case "tree":
                self._tree(composed, output.payload)
            case "diff":
                self._diff(output)
            case "confirm":
                self._confirm(output)
            case "edit_file":
                self._screen.run_worker(self._edit_file(output), exclusive=True, group="editor")
            case "find" | "pager":
                self._acts.look_through(output.action, output.payload)
            case "settings":
                self._settings(composed)
            case "settled":
                self._acts.settings_changed()
            case "pick_theme":
                self._theme(composed, output.payload)
            case "ask_key":
                self._ask_key(composed, output.payload)
            case "pick_provider":
                self._provider(composed)
            case "keymap":
                self._keymap(output.payload)
            case _:
                self._acts.measure()

    # ── the talk and its files ─────────────────────────────────────────────────────────────────────────────────
    def _rewind(self, composed: Composed, *, last_change: bool) -> None:
        from openclaw_tui.ui.textual.screens.rewind import RewindPicker

        self._screen.app.push_screen(RewindPicker(composed.rewinds, last_change=last_change), self._run_line)

    def _tree(self, composed: Composed, show: str) -> None:
        from openclaw_tui.ui.textual.screens.tree import TreePicker

        wanted: Filter = next((known for known in FILTERS if known == show), "all")
        self._screen.app.push_screen(TreePicker(composed.session.deps.manager, wanted), self._run_line)

    def _diff(self, output: CommandOutput) -> None:
        from openclaw_tui.ui.textual.screens.diff import DiffScreen

        if isinstance(output.data, DiffReport):
            self._screen.app.push_screen(DiffScreen(output.data))

    def _confirm(self, output: CommandOutput) -> None:
        from openclaw_tui.ui.textual.screens.confirm import ConfirmScreen

        def answered(yes: bool | None) -> None:
            if yes:
                self._run(output.payload)

        self._screen.app.push_screen(ConfirmScreen(output.text, "do it", "leave it"), answered)

    async def _edit_file(self, output: CommandOutput) -> None:
        """The terminal belongs to the editor until it is closed."""
        from openclaw_tui.ui.external_editor import editor_command, opened

        app = self._screen.app
        try:
            command = editor_command(os.environ)
            if app.is_headless:
                raise OpenClawError("there is no terminal that an editor could be given")
            with app.batch_update(), app.suspend():
                await asyncio.to_thread(opened, Path(output.payload), command)
        except OpenClawError as error:
            self._acts.say("error", f"{error}; the file is {output.payload}")
            return
        self._run(output.draft)

    # ── settings ───────────────────────────────────────────────────────────────────────────────────────────────
    def _settings(self, composed: Composed) -> None:
        from openclaw_tui.ui.textual.screens.settings import SettingsScreen

        self._screen.app.push_screen(SettingsScreen(composed), lambda _: self._acts.settings_changed())

    def _theme(self, composed: Composed, wanted: str) -> None:
        from openclaw_tui.ui.textual.screens.theme_picker import ThemePicker

        names = self._acts.theme_names()
        if wanted in ("auto", *names):
            self._run(f"/config ui.theme {wanted}")
            return
        if wanted:
            self._acts.hint(f"there is no theme {wanted}")
        picker = ThemePicker(
            names,
            wanted=str(composed.config.get("ui.theme")),
            current=self._screen.app.theme,
            show=self._acts.show_theme,
        )

        def chosen(name: str | None) -> None:
            if name:
                self._run(f"/config ui.theme {name}")

        self._screen.app.push_screen(picker, chosen)

    def _keymap(self, wanted: str) -> None:
        """The table of keys; with an action and keys: whether they can be its own, and setting them."""
        from openclaw_tui.ui.textual.keymap import keymap_rows, name_of_action, own_keys, problem_of
        from openclaw_tui.ui.textual.panels.looking import TextScreen

        if not wanted:
            rows = keymap_rows()
            width = max(len(name) for name, _, _ in rows)
            lines = [f"{name.ljust(width)}  {keys}{'  (yours)' if whose else ''}" for name, keys, whose in rows]
            lines.append("\n/keymap ACTION KEYS gives an action other keys, at once")
            self._screen.app.push_screen(TextScreen("Keys that can be moved", "\n".join(lines)))
            return
        name, _, keys = wanted.partition(" ")
        others = {other: text for other, text in own_keys().items() if other != name_of_action(name)}
        problem = problem_of(name, keys.strip(), others)
        if problem:
            self._acts.say("error", f"/keymap · {problem}")
        else:
            self._acts.keep_key_of(name_of_action(name), keys.strip())

    # ── keys of providers ──────────────────────────────────────────────────────────────────────────────────────
    def _provider(self, composed: Composed) -> None:
        rows = [PickerRow(name, name, "key known" if known else "no key") for name, known in providers(composed)]

        def chosen(name: str | None) -> None:
            if name:
                self._ask_key(composed, name)

        self._screen.app.push_screen(PickerScreen("Whose key?", rows, empty="no provider takes a key"), chosen)

    def _ask_key(self, composed: Composed, provider: str) -> None:
        from openclaw_tui.ui.textual.screens.ask_key import AskKeyScreen

        def given(key: str | None) -> None:
            if key:
                self._screen.run_worker(self._keep(composed, provider, key), group="login")

        self._screen.app.push_screen(AskKeyScreen(provider), given)

    async def _keep(self, composed: Composed, provider: str, key: str) -> None:
        output = await keep_key(composed, provider, key)
        self._acts.say("error" if output.is_error else "info", output.text)

    # ── everything ─────────────────────────────────────────────────────────────────────────────────────────────
    async def palette(self, composed: Composed) -> None:
        """Everything by name."""
        from openclaw_tui.ui.textual.screens.palette import PaletteScreen

        sessions = await asyncio.to_thread(list_sessions, composed.paths)
        others = [s for s in sessions if s.id != composed.session.session_id][:PALETTE_SESSIONS]
        screen = PaletteScreen(self._commands.commands, composed.skills.names(), others)
        self._screen.app.push_screen(screen, self._chosen_of_palette)

    def _chosen_of_palette(self, chosen: str | None) -> None:
        if not chosen:
            return
        if chosen.startswith("panel "):
            self._screen.run_worker(self._screen.run_action(f"zoom_panel('{chosen.removeprefix('panel ')}')"))
            return
        name = chosen.removeprefix("/")
        command = next((c for c in self._commands.commands if c.name == name), None)
        if command is not None and command.hint and not command.hint.startswith("["):
            self._acts.write(f"{chosen} ")
        else:
            self._run(chosen)

    def _run_line(self, line: str | None) -> None:
        if line:
            self._run(line)
