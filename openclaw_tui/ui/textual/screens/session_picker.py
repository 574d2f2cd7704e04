"""Choosing an earlier session: newest first, those of this folder named, searched by title, folder and id."""

import time
from collections.abc import Sequence
from pathlib import Path

from openclaw_tui.session.listing import SessionSummary
from openclaw_tui.ui.textual.screens.picker import PickerRow, PickerScreen
from openclaw_tui.ui.textual.widgets.transcript_items import size_text


def session_picker(sessions: Sequence[SessionSummary], *, current: str, project: Path) -> PickerScreen:
    """A picker that gives back the id of a session."""
    rows = [_row(session, project) for session in sessions if session.id != current]
    return PickerScreen("Resume a session", rows, empty="there are no earlier sessions yet")


def _row(session: SessionSummary, project: Path) -> PickerRow:
    here = session.cwd == str(project)
    count = "" if session.messages is None else f" · {session.messages} messages"
    return PickerRow(
        key=session.id,
        label=session.title,
        detail=f"{'here' if here else Path(session.cwd or '?').name} · {age_text(time.time() - session.modified)}",
        preview=f"{session.id[:8]} · {session.cwd or 'folder unknown'} · {size_text(session.size)}{count}",
    )


def age_text(seconds: float) -> str:
    """How long ago: `now`, `5 min`, `3 h`, `12 d`."""
    minutes = int(seconds // 60)
    if minutes < 1:
        return "now"
    if minutes < 60:
        return f"{minutes} min"
    return f"{minutes // 60} h" if minutes < 48 * 60 else f"{minutes // (24 * 60)} d"
