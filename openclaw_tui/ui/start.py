"""Starts the full screen: raw first frame at once, everything heavy in threads beside it, then the hand-over.

Whatever happens on the way, the terminal is given back as it was found, and the last line on the main screen says what
the session cost and how to go on. Nothing but the standard library is imported before the first frame stands.
"""

import gc
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from openclaw_tui.cli_options import Options
from openclaw_tui.errors import EXIT_DONE, EXIT_FAILED
from openclaw_tui.ui.first_frame import FirstFrame, Handover, background_from_environment
from openclaw_tui.ui.terminal_restore import TerminalGuard

if TYPE_CHECKING:
    from collections.abc import Callable

    from openclaw_tui.ui.opening import Opened
    from openclaw_tui.ui.textual.app import OpenClawApp

_SWITCHED_OFF = re.compile(r"first[_-]?frame\"?\s*=\s*(?:false|off|no|0)", re.IGNORECASE)
_THEME = re.compile(r"^\s*(?:ui\.)?theme\s*=\s*[\"']([^\"'\n]+)", re.MULTILINE)
_THEME_FLAG = re.compile(r"ui[._]theme\s*=", re.IGNORECASE)
_STARTING = "○ starting…"


def run_full_screen(options: Options) -> int:
    """Returns the exit code. Raises OpenClawError when nothing could be opened, with the terminal restored."""
    gc.disable()  # nothing that is imported can be let go: looking for garbage would take a tenth of the start
    with TerminalGuard.take() as guard:
        frame = FirstFrame(guard, _STARTING) if wants_first_frame(options) else None
        if frame is not None:
            frame.open()
        app = _load(options, guard, frame)
        if app is None:
            return EXIT_DONE
        code = _run(app, guard)
    if app.failure is not None:
        raise app.failure
    return _farewell(app, code)


def wants_first_frame(options: Options) -> bool:
    """Not in a dumb terminal, and not where `ui.firstFrame` is switched off.

    The settings are looked at as text: parsing them would take as long as the frame saves.
    """
    if os.environ.get("TERM", "") in ("", "dumb", "unknown"):
        return False
    if any(_SWITCHED_OFF.search(item) for item in options.config):
        return False
    folder = os.path.join(options.cwd, ".openclaw")
    places = (os.path.join(_state(), "tui.toml"), *(os.path.join(folder, n) for n in ("tui.toml", "tui.local.toml")))
    return not any(_SWITCHED_OFF.search(_read(place)) for place in places)


def _state() -> str:
    return os.environ.get("OPENCLAW_STATE_DIR") or os.path.expanduser("~/.openclaw")


def _read(place: str) -> str:
    try:
        with open(place, encoding="utf-8", errors="replace") as handle:
            return handle.read()
    except OSError:
        return ""


def _load(options: Options, guard: TerminalGuard, frame: FirstFrame | None) -> "OpenClawApp | None":
    """Import the toolkit while the first frame takes typing. None: the user left."""
    from concurrent.futures import ThreadPoolExecutor

    wake_fd, ring_fd = os.pipe()
    with ThreadPoolExecutor(max_workers=1) as pool:
        importing = pool.submit(_import_screen)
        importing.add_done_callback(lambda _done: os.write(ring_fd, b"!"))
        handover = frame.run(wake_fd, importing.done) if frame is not None else Handover()
        if handover.left:
            return None
        make_app, open_first = importing.result()

    def opening() -> "Opened":
        try:
            return open_first(options)
        finally:
            gc.freeze()
            gc.enable()

    os.close(wake_fd)
    os.close(ring_fd)
    return make_app(opening, _with_background(handover), early_theme=early_theme(options))


def early_theme(options: Options) -> str:
    """The theme to begin with, before the settings are read: as the flags, the environment or the user's file say.

    The settings are looked at as text, for the reason that `wants_first_frame` gives. The real ones come right after.
    """
    said = [flag.partition("=")[2] for flag in options.config if _THEME_FLAG.match(flag)]
    found = _THEME.search(_read(os.path.join(_state(), "tui.toml")))
    return (said or [os.environ.get("OPENCLAW_TUI_THEME") or (found[1] if found else "auto")])[-1].strip("\"' ")


def _import_screen() -> "tuple[type[OpenClawApp], Callable[[Options], Opened]]":
    from openclaw_tui.ui.opening import open_first
    from openclaw_tui.ui.textual.app import OpenClawApp

    return OpenClawApp, open_first


def _with_background(handover: Handover) -> Handover:
    known = handover.background or background_from_environment(os.environ.get("COLORFGBG"))
    return Handover(handover.submitted, handover.draft, handover.cursor, known, handover.left)


def _run(app: "OpenClawApp", guard: TerminalGuard) -> int:
    import asyncio

    from openclaw_tui.ui.textual.app import serve
    from openclaw_tui.ui.textual.driver import ScreenDriver

    ScreenDriver.original_modes = guard.attributes
    guard.on_other_screen = True
    return asyncio.run(serve(app))


def _reported(app: "OpenClawApp") -> str:
    """Write the report of a crash; words for it."""
    from openclaw_tui.app.crashes import crash_line, write_report
    from openclaw_tui.config.paths import resolve_paths

    assert app.crash is not None
    paths = app.talk.composed.paths if app.has_talk else resolve_paths(Path.cwd())
    begun = app.has_talk and app.talk.session.deps.manager.project().messages
    session_id = app.talk.session.session_id if begun else ""
    return crash_line(app.crash, write_report(paths, app.crash, session_id))


def _farewell(app: "OpenClawApp", code: int) -> int:
    """One line on the main screen: what it cost and how to go on; what failed, if something did."""
    from openclaw_tui.ui.farewell import farewell

    if app.crash is not None:
        sys.stderr.write(f"openclaw-tui: the screen failed {_reported(app)}; the session is kept\n")
        code = EXIT_FAILED
    line = farewell(app.talk.composed) if app.has_talk else ""
    if line:
        sys.stdout.write(f"{line}\n")
    return code
