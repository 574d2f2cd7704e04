"""One panel on the whole screen, and the way between the three. Everything shown there is live as well.

What a key does depends on the panel that is shown; what it does to the session goes through `PanelDesk`.
"""

import asyncio
import os
from collections.abc import Callable
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import ContentSwitcher, Static

from openclaw_tui.errors import OpenClawError
from openclaw_tui.ui.context_line import ContextView
from openclaw_tui.ui.events_view import Badge, EventRow
from openclaw_tui.ui.textual.bindings import bindings_of
from openclaw_tui.ui.textual.panels.budget_zoom import TABS, BudgetZoom, no_tree
from openclaw_tui.ui.textual.panels.cache import CacheZoom
from openclaw_tui.ui.textual.panels.choice import price_screen, undo_screen
from openclaw_tui.ui.textual.panels.compaction import CompactionScreen
from openclaw_tui.ui.textual.panels.desk import PanelDesk
from openclaw_tui.ui.textual.panels.events import EventsZoom
from openclaw_tui.ui.textual.panels.looking import TextScreen, VersionsScreen
from openclaw_tui.ui.textual.panels.panel import PANEL_NAMES, Panel, PanelName
from openclaw_tui.ui.textual.rendering.safe_text import one_line

_KEYS: dict[PanelName, str] = {"budget": "F2", "cache": "F3", "events": "F4"}
BADGE_KEYS: dict[str, Badge] = {"1": "L1", "2": "L2", "3": "L3", "4": "L4", "5": "L5", "r": "R", "m": "M"}


class PanelScreen(Screen[None]):
    """`undo` takes back the latest compaction (None: no such command); `looked` hears when another panel is shown.

    `jump` goes to the line of an act in the talk. Without a `desk` the figures are all there is.
    """

    CSS_PATH = "../styles/panels.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("panel")

    def __init__(
        self,
        name: PanelName,
        view: ContextView,
        undo: Callable[[], None] | None,
        looked: Callable[[], None] = lambda: None,
        *,
        desk: PanelDesk | None = None,
        jump: Callable[[EventRow], bool] = lambda _: False,
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__()
        self.shown: PanelName = name
        self.view = view
        self.budget = BudgetZoom(desk.tree if desk is not None else no_tree, id="zoom-budget")
        self.cache = CacheZoom(id="zoom-cache")
        self.events = EventsZoom(id="zoom-events")
        self.said = ""
        self._undo, self._looked, self._jump, self._changed, self._desk = undo, looked, jump, changed, desk

    def compose(self) -> ComposeResult:
        yield Static(id="zoom-title", markup=False)
        with ContentSwitcher(initial=f"zoom-{self.shown}", id="zoom-body"):
            yield self.budget
            yield self.cache
            yield self.events
        yield Static(id="zoom-keys", markup=False)

    def on_mount(self) -> None:
        self.show(self.view)
        self.look_at(self.shown)

    def show(self, view: ContextView) -> None:
        """New figures."""
        self.view = view
        panels: tuple[Panel, ...] = (self.budget, self.cache, self.events)
        for panel in panels:
            panel.show(view)
        self._tell_keys()

    def look_at(self, name: PanelName) -> None:
        self.shown, self.said = name, ""
        self.query_one(ContentSwitcher).current = f"zoom-{name}"
        self.query_one(f"#zoom-{name}").focus()
        title: list[tuple[str, str]] = []
        for panel in PANEL_NAMES:
            style = "$text-primary bold" if panel == name else "$foreground 62%"
            mark = "●" if panel == name else "○"
            title.append((f"{mark} {panel.capitalize()} {_KEYS[panel]}    ", style))
        self.query_one("#zoom-title", Static).update(Content.assemble(*title))
        self._tell_keys()
        self._looked()

    # ── keys ───────────────────────────────────────────────────────────────────────────────────────────────────
    @property
    def can_undo(self) -> bool:
        """Whether the selected row is the compaction that undo would take back."""
        row = self.events.selected
        return self._undo is not None and row is not None and row.number == self.view.events.undoable

    @on(EventsZoom.Chosen)
    @on(BudgetZoom.Chosen)
    @on(CacheZoom.Chosen)
    def _chosen(self) -> None:
        self.said = ""
        self._tell_keys()

    def _tell_keys(self) -> None:
        if not self.query("#zoom-keys"):
            return
        keys = f"{one_line(self.said)} · " if self.said else ""
        self.query_one("#zoom-keys", Static).update(Content.styled(keys + self._keys(), "$foreground 75%"))

    def _keys(self) -> str:
        close = f"Esc, {_KEYS[self.shown]} close"
        match self.shown:
            case "budget":
                acts = "Enter look · c clear · r recall · o open · " if self.budget.chosen else ""
                sort = "→← unfold · s sort · " if self.budget.is_sorted else ""
                return f"{acts}{sort}Tab view · Esc close"
            case "cache":
                card = self.cache.chosen is not None and self._desk is not None
                return f"{'↑ ↓ choose a break · Enter both versions · ' if card else ''}{close}"
            case _:
                row = self.events.selected
                undo = " · u undo this compaction" if self.can_undo else ""
                shut = "close" if self.events.details else "open"
                opens = "its summary" if self._opens(row) else f"{shut} details"
                more = " · t talk · x export" if self._desk is not None else ""
                return f"↑ ↓ choose · Enter {opens}{undo}{more} · 1-5 r m only that layer · 0 all · {close}"

    def _opens(self, row: EventRow | None) -> bool:
        return self._desk is not None and row is not None and row.is_compaction

    def action_close(self) -> None:
        self.dismiss(None)

    def action_look(self, name: PanelName) -> None:
        """The key of the panel that is shown closes it."""
        if name == self.shown:
            self.dismiss(None)
        else:
            self.look_at(name)

    def action_move(self, step: int) -> None:
        match self.shown:
            case "budget":
                self.budget.move(step)
            case "cache":
                self.cache.move(step)
            case _:
                self.events.move(step)

    def action_details(self) -> None:
        """Enter: look at what is chosen."""
        if self.shown == "budget":
            self._look_at_item()
        elif self.shown == "cache":
            self._look_at_break()
        elif not self._open_compaction():
            self.events.toggle_details()

    def action_only(self, key: str) -> None:
        if self.shown == "events":
            self.events.filter_by(BADGE_KEYS.get(key))
        elif self.shown == "budget" and key.isdigit() and 1 <= int(key) <= len(TABS):
            self.budget.look_at(TABS[int(key) - 1])
        elif self.shown == "budget" and key == "r":
            self.action_item("recall")

    def action_tab(self, step: int) -> None:
        if self.shown == "budget":
            self.budget.next_tab(step)

    def action_unfold(self, step: int) -> None:
        if self.shown == "budget":
            self.budget.unfold(step > 0)

    def action_sort(self) -> None:
        if self.shown == "budget":
            self.budget.next_sort()
            self._tell_keys()

    def action_pick(self, letter: str) -> None:
        if self.shown == "budget":
            self.budget.pick(letter)

    def action_item(self, verb: str) -> None:
        """Clear or recall the chosen thing."""
        chosen = self.budget.chosen if self.shown == "budget" else None
        if chosen is not None:
            key = chosen[0].partition("/")[0]
            self.ask(f"/context {verb} {key}")

    def action_undo(self) -> None:
        if self.shown != "events" or not self.can_undo or self._undo is None:
            return
        ways = self._desk.ways() if self._desk is not None else None
        if ways is None or not ways.later:
            self._undo()
            self.dismiss(None)
            return
        self.ask_undo()

    def action_redo(self) -> None:
        if self.shown == "events":
            self.ask("/compact redo")

    def action_export(self) -> None:
        if self.shown == "events":
            self.ask("/events export")

    def action_to_talk(self) -> None:
        """To the line of this act in the talk."""
        row = self.events.selected if self.shown == "events" else None
        if row is None:
            return
        if self._jump(row):
            self.dismiss(None)
        else:
            self._say("this act has no line in the talk that is shown")

    # ── looking ────────────────────────────────────────────────────────────────────────────────────────────────
    def _look_at_item(self) -> None:
        chosen = self.budget.chosen
        if chosen is None or self._desk is None:
            return
        text = self._desk.text_of(chosen[0])
        if text:
            self.app.push_screen(TextScreen(chosen[1], text))
        else:
            self.budget.unfold(True)

    def _look_at_break(self) -> None:
        card = self.cache.chosen
        if card is None or self._desk is None:
            return
        if not card.where:
            self._say("there is no text to compare: nothing that is sent was changed, or it was not kept")
            return
        self.app.push_screen(VersionsScreen(f"{card.where} · {one_line(card.cause)}", *self._desk.versions(card)))

    def _open_compaction(self) -> bool:
        """The screen of the chosen row's compaction; False where there is none behind it."""
        row, desk = self.events.selected, self._desk
        if row is None or desk is None or not row.is_compaction:
            return False
        record = desk.record(row.number)
        if record is None:
            return False
        entry = record.entry_id

        async def run(line: str) -> str:
            said = await self._run_line(line)
            return said or "nothing was done"

        self.app.push_screen(CompactionScreen(record, run, lambda: desk.again(entry)), lambda _: self._tell_keys())
        return True

    @work(group="editor", exclusive=True)
    async def action_open(self) -> None:
        """The chosen thing's file in the user's editor."""
        chosen = self.budget.chosen if self.shown == "budget" else None
        path = self._desk.file_of(chosen[0]) if chosen is not None and self._desk is not None else None
        if path is None:
            self._say("there is no file behind this")
            return
        from openclaw_tui.ui.external_editor import editor_command, opened

        try:
            command = editor_command(os.environ)
            if self.app.is_headless:
                raise OpenClawError("there is no terminal that an editor could be given")
            with self.app.batch_update(), self.app.suspend():
                await asyncio.to_thread(opened, path, command)
        except OpenClawError as error:
            self._say(str(error))

    # ── doing ──────────────────────────────────────────────────────────────────────────────────────────────────
    @work(group="panel-command")
    async def ask(self, line: str) -> None:
        """Run a command; where it has a price, ask before."""
        self._say(await self._run_line(line))

    async def _run_line(self, line: str) -> str:
        if self._desk is None:
            return ""
        output = await self._desk.run(line)
        if output.action == "price" and output.sheet is not None:
            answer = await self.app.push_screen_wait(price_screen(output.sheet))
            if answer in ("", "no"):
                return "left as it is"
            output = await self._desk.run(f"{output.payload} {answer}")
        elif output.action == "undo_ways" and (ways := self._desk.ways()) is not None:
            answer = await self.app.push_screen_wait(undo_screen(ways))
            if answer not in ("keep", "branch"):
                return "/compact again FOCUS summarises the same span anew" if answer else "left as it is"
            output = await self._desk.run(f"/compact undo {answer}")
        self._changed()
        return output.text.splitlines()[0] if output.text else ""

    @work(group="panel-command")
    async def ask_undo(self) -> None:
        """The three ways, then the one that was chosen."""
        self._say(await self._run_line("/compact undo ask"))

    def _say(self, text: str) -> None:
        self.said = text
        self._tell_keys()
