"""Line mode's list of sessions to go on with, for a bare `-r`."""

from collections.abc import Callable
from dataclasses import replace

from openclaw_tui.app.session import list_sessions
from openclaw_tui.commands.registry import table_text
from openclaw_tui.config.paths import Paths
from openclaw_tui.constants import LINE_SESSIONS_SHOWN
from openclaw_tui.options import Options
from openclaw_tui.session.listing import short_id
from openclaw_tui.tools.terminal_text import one_line
from openclaw_tui.ui.line.reader import Reader


async def choose_session(options: Options, paths: Paths, reader: Reader, say: Callable[[str], None]) -> Options | None:
    """The options with the session that was chosen. None when nothing was chosen."""
    if options.resume != "":
        return options
    rows = list_sessions(paths)[:LINE_SESSIONS_SHOWN]
    if not rows:
        say("there are no sessions yet; this is a new one")
        return replace(options, resume=None)
    say(table_text([(str(at), short_id(row.id), one_line(row.title)[:60], row.cwd) for at, row in enumerate(rows, 1)]))
    say("number or id of the session to go on with:")
    try:
        typed = (await reader.read()).text.strip()
    except EOFError:
        return None
    number = int(typed) if typed.isdecimal() and int(typed) <= len(rows) else 0
    return replace(options, resume=rows[number - 1].id if number else typed) if typed else None
