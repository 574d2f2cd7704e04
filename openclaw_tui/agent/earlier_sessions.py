"""Earlier sessions of the same folder, read-only: what the agent may search and read of them.

Sessions of other folders stay closed: what was said in one project is nobody's business in another. What is found is
data; it is shown with the session, the time and whose words they are.
"""

import os
from pathlib import Path

from openclaw_tui.constants import (
    RECALL_MAX_CHARS,
    RECALLED_SESSIONS_MAX_HITS,
    RECALLED_SESSIONS_SNIPPET_CHARS,
)
from openclaw_tui.errors import SessionError, ToolError
from openclaw_tui.session.listing import SessionSummary, find_sessions
from openclaw_tui.session.manager import SessionManager
from openclaw_tui.session.search import search_sessions, text_of_entry


class EarlierSessions:
    """`directory` holds the session files; `own_id` is the running session, which `recall` searches by itself."""

    def __init__(self, directory: Path, cwd: Path, own_id: str) -> None:
        self._directory = directory
        self._cwd = os.path.realpath(cwd)
        self._own_id = own_id

    def search(self, words: str) -> str:
        """Places that hold all words, newest session first."""
        rows = {row.path: row for row in self._rows()}
        found = search_sessions(
            rows, words, max_hits=RECALLED_SESSIONS_MAX_HITS, snippet_chars=RECALLED_SESSIONS_SNIPPET_CHARS
        )
        titles = {path.stem: row.title for path, row in rows.items()}
        parts = [
            f"{hit.session_id}/{hit.entry_id} · {hit.timestamp[:10]} · {hit.role} · {title!r}\n{hit.text}"
            for hit in found.hits
            for title in (titles[hit.session_id],)
        ]
        if not parts:
            parts = [f"no earlier session of this folder holds {words!r} ({len(rows)} looked at)"]
        if found.more:
            parts.append("[there are more places; search for more words]")
        if found.unread:
            parts.append(f"[{found.unread} older sessions were not searched]")
        return "\n\n".join(parts)

    def show(self, place: str) -> str:
        """One entry, named as `search` names it. Raises ToolError where there is none."""
        session_id, _, entry_id = place.partition("/")
        row = next((row for row in self._rows() if row.path.stem == session_id), None)
        if row is None:
            raise ToolError(f"there is no earlier session {session_id} of this folder; search with sessions true first")
        try:
            manager = SessionManager.open(row.path, read_only=True)
        except SessionError as error:
            raise ToolError(str(error)) from error
        entry = manager.entry(entry_id)
        text = text_of_entry(entry) if entry is not None else ""
        manager.close()
        if not text:
            raise ToolError(f"session {session_id} has no entry {entry_id} with text")
        left_out = len(text) - RECALL_MAX_CHARS
        return text if left_out <= 0 else f"{text[:RECALL_MAX_CHARS]}\n[... {left_out:,} characters more]"

    def _rows(self) -> list[SessionSummary]:
        rows = find_sessions(self._directory)
        mine = (row for row in rows if row.cwd and os.path.realpath(row.cwd) == self._cwd)
        return [row for row in mine if row.id != self._own_id]
