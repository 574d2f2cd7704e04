"""Choosing an earlier session: by title, folder, id or any word that was said in it; renaming and removing one."""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from msgspec.structs import replace
from textual import on, work
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Input, Static

from openclaw_tui.app.session_removal import remove_session, with_sub_agents
from openclaw_tui.config.paths import Paths
from openclaw_tui.constants import PICKER_SEARCH_SECONDS, SESSION_PREVIEW_MESSAGES
from openclaw_tui.errors import OpenClawError
from openclaw_tui.session.glimpse import last_words
from openclaw_tui.session.listing import SessionSummary
from openclaw_tui.session.manager import SessionManager
from openclaw_tui.session.search import search_sessions
from openclaw_tui.ui.textual.rendering.safe_text import fit, one_line
from openclaw_tui.ui.textual.screens.confirm import ConfirmScreen
from openclaw_tui.ui.textual.screens.picker import PickerRow, PickerScreen
from openclaw_tui.ui.textual.widgets.tool_output import size_text


class SessionPicker(PickerScreen):
    """Gives back the id of a session. `F2` gives one a name, `Ctrl+D` removes one after a question."""

    KEYS_TOLD = "↑ ↓ choose · Enter resume · F2 rename · Ctrl+D delete · Esc close"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f2", "rename", "Rename", show=False, priority=True),
        Binding("ctrl+d", "remove", "Delete", show=False, priority=True),
    ]

    def __init__(self, sessions: Sequence[SessionSummary], *, current: str, paths: Paths) -> None:
        self._sessions = {session.id: session for session in sessions if session.id != current}
        self._paths = paths
        self._renaming: SessionSummary | None = None
        self._searched = ""
        self._waiting: Timer | None = None
        super().__init__("Resume a session", self._listed(), empty="there are no earlier sessions yet")

    def _listed(self) -> list[PickerRow]:
        return [_row(session, self._paths.project) for session in self._sessions.values()]

    # ── words said in them ─────────────────────────────────────────────────────────────────────────────────────
    @on(Input.Changed)
    def _search_changed(self, event: Input.Changed) -> None:
        event.stop()
        if self._renaming is not None:
            return
        self._fill()
        if self._waiting is not None:
            self._waiting.stop()
        self._waiting = self.set_timer(PICKER_SEARCH_SECONDS, self._search_texts)

    @work(exclusive=True, group="search")
    async def _search_texts(self) -> None:
        """Sessions in which the words were said come behind those whose title holds them."""
        words = self.search.strip()
        if words == self._searched:
            return
        self._searched = words
        files = [session.path for session in self._sessions.values()]
        result = await asyncio.to_thread(search_sessions, files, words)
        if words != self.search.strip():
            return
        by_file = {session.path.stem: session.id for session in self._sessions.values()}
        said: dict[str, str] = {}
        for hit in result.hits:
            if hit.session_id in by_file:
                said.setdefault(by_file[hit.session_id], f"{hit.role}: {one_line(hit.text)}")
        self.show_rows(
            [replace(row, preview=said[row.key], words=words) if row.key in said else row for row in self._listed()]
        )

    # ── the latest words of one ────────────────────────────────────────────────────────────────────────────────
    def about(self, row: PickerRow) -> None:
        session = self._sessions.get(row.key)
        if session is None or self._renaming is not None:
            return
        self.tell(one_line(_facts(session)))
        self._show_words(session, row.preview)

    @work(exclusive=True, group="preview")
    async def _show_words(self, session: SessionSummary, found: str) -> None:
        said = await asyncio.to_thread(last_words, session.path, SESSION_PREVIEW_MESSAGES)
        row = self.selected
        if row is None or row.key != session.id or self._renaming is not None:
            return
        width = max(20, self.query_one("#picker-preview").size.width)
        lines = [Content(fit(one_line(_facts(session)), width))]
        if found:
            lines.append(Content.styled(fit(f"found: {found}", width), "$text-primary"))
        lines += [Content(fit(f"{who + ':':7}{one_line(text)}", width)) for who, text in said]
        self.tell(Content("\n").join(lines))

    # ── changing one ───────────────────────────────────────────────────────────────────────────────────────────
    def action_rename(self) -> None:
        row = self.selected
        if row is None or self._renaming is not None:
            return
        self._renaming = self._sessions[row.key]
        self._ask_name(
            self._renaming.name or self._renaming.title, "New name · Enter keeps it · Esc leaves the old one"
        )

    def _ask_name(self, text: str, title: str) -> None:
        search = self.query_one("#picker-search", Input)
        search.value = text
        search.cursor_position = len(text)
        self.query_one("#picker-title", Static).update(title)

    def take(self, row: PickerRow) -> None:
        if self._renaming is None:
            super().take(row)
        else:
            self._rename(self._renaming, self.search.strip())

    def action_cancel(self) -> None:
        if self._renaming is None:
            super().action_cancel()
        else:
            self._back()

    @work(exclusive=True, group="rename")
    async def _rename(self, session: SessionSummary, name: str) -> None:
        try:
            await asyncio.to_thread(_give_name, session.path, name)
        except OpenClawError as error:
            self._back(f"not renamed: {error}")
            return
        self._sessions[session.id] = replace(session, name=name or None, title=name or session.title)
        self._back(f"renamed to {name!r}" if name else "it has no name now")

    def _back(self, said: str = "") -> None:
        """The list as before, with a word on what happened."""
        self._renaming = None
        self._ask_name("", self._title)
        self.show_rows(self._listed())
        if said:
            self.tell(said)

    @work(exclusive=True, group="remove")
    async def action_remove(self) -> None:
        row = self.selected
        if row is None or self._renaming is not None:
            return
        session = self._sessions[row.key]
        question = f"Delete “{one_line(session.title)}” for good, with its stored outputs and sub-agents?"
        if not await self.app.push_screen_wait(ConfirmScreen(question, "delete it", "keep it")):
            return
        try:
            await asyncio.to_thread(_remove, session.path, self._paths)
        except OpenClawError as error:
            self.tell(f"not deleted: {error}")
            return
        self._sessions.pop(session.id)
        self.show_rows(self._listed())


def _give_name(path: Path, name: str) -> None:
    manager = SessionManager.open(path)
    try:
        manager.append_session_info(name)
    finally:
        manager.close()


def _remove(path: Path, paths: Paths) -> None:
    for file in with_sub_agents([path], paths):
        remove_session(file, paths)


def _row(session: SessionSummary, project: Path) -> PickerRow:
    here = session.cwd == str(project)
    return PickerRow(
        key=session.id,
        label=session.title,
        detail=f"{'here' if here else Path(session.cwd or '?').name} · {age_text(time.time() - session.modified)}",
        words=session.id,
    )


def _facts(session: SessionSummary) -> str:
    count = "" if session.messages is None else f" · {session.messages} messages"
    return f"{session.id[:8]}{count} · {size_text(session.size)} · {session.cwd or 'folder unknown'}"


def age_text(seconds: float) -> str:
    """How long ago: `now`, `5 min`, `3 h`, `12 d`."""
    minutes = int(seconds // 60)
    if minutes < 1:
        return "now"
    if minutes < 60:
        return f"{minutes} min"
    return f"{minutes // 60} h" if minutes < 48 * 60 else f"{minutes // (24 * 60)} d"
