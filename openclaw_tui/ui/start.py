"""Starts the full screen: raw first frame at once, everything heavy in threads beside it, then the hand-over.

Whatever happens on the way, the terminal is given back as it was found, and the last line on the main screen says what
the session cost and how to go on. Nothing but the standard library is imported before the first frame stands.
"""

import os
import re
import sys
from typing import TYPE_CHECKING

from openclaw_tui.cli_options import Options
from openclaw_tui.errors import EXIT_DONE, EXIT_FAILED, SessionLocked
from openclaw_tui.ui.first_frame import FirstFrame, Handover, background_from_environment
from openclaw_tui.ui.terminal_restore import TerminalGuard

if TYPE_CHECKING:
    from openclaw_tui.app.compose import App as Composed
    from openclaw_tui.ui.textual.app import OpenClawApp

_SWITCHED_OFF = re.compile(r"first[_-]?frame\"?\s*=\s*(?:false|off|no|0)", re.IGNORECASE)
_STARTING = "○ starting…"


def run_full_screen(options: Options) -> int:
    """Returns the exit code. Raises OpenClawError when nothing could be opened, with the terminal restored."""
    with TerminalGuard.take() as guard:
        frame = FirstFrame(guard, _STARTING) if wants_first_frame(options) else None
        if frame is not None:
            frame.open()
        app = _load(options, guard, frame)
        if app is None:
            return EXIT_DONE
        code = _run(app, guard)
    return _farewell(app, code)


def wants_first_frame(options: Options) -> bool:
    """Not in a dumb terminal, and not where `ui.firstFrame` is switched off.

    The settings are looked at as text: parsing them would take as long as the frame saves.
    """
    if os.environ.get("TERM", "") in ("", "dumb", "unknown"):
        return False
    if any(_SWITCHED_OFF.search(item) for item in options.config):
        return False
    state = os.environ.get("OPENCLAW_STATE_DIR") or os.path.expanduser("~/.openclaw")
    folder = os.path.join(options.cwd, ".openclaw")
    places = (os.path.join(state, "tui.toml"), *(os.path.join(folder, n) for n in ("tui.toml", "tui.local.toml")))
    return not any(_SWITCHED_OFF.search(_read(place)) for place in places)


def _read(place: str) -> str:
    try:
        with open(place, encoding="utf-8", errors="replace") as handle:
            return handle.read()
    except OSError:
        return ""


def _load(options: Options, guard: TerminalGuard, frame: FirstFrame | None) -> "OpenClawApp | None":
    """Import the toolkit and open the session side by side; the first frame takes typing. None: the user left."""
    from concurrent.futures import ThreadPoolExecutor

    wake_fd, ring_fd = os.pipe()
    with ThreadPoolExecutor(max_workers=2) as pool:
        importing, opening = pool.submit(_import_app), pool.submit(_open, options)
        for future in (importing, opening):
            future.add_done_callback(lambda _done: os.write(ring_fd, b"!"))

        def ready() -> bool:
            failed = opening.done() and opening.exception() is not None
            return failed or (importing.done() and opening.done())

        handover = frame.run(wake_fd, ready) if frame is not None else Handover()
        if handover.left:
            return None
        composed, pick_session, held = opening.result()
        make_app = importing.result()
    os.close(wake_fd)
    os.close(ring_fd)
    app = make_app(composed, _with_background(handover), pick_session=pick_session)
    app.held = held
    return app


def _import_app() -> "type[OpenClawApp]":
    from openclaw_tui.ui.textual.app import OpenClawApp

    return OpenClawApp


def _open(options: Options) -> "tuple[Composed, bool, Options | None]":
    """The session, whether another one is to be chosen first (`-r` without an id), and one that another process holds:
    then the session is an empty one, beside which the ways to open the held one are offered."""
    from dataclasses import replace

    from openclaw_tui.app.compose import build_app
    from openclaw_tui.log import set_up_logging

    pick = options.resume == ""
    options = replace(options, resume=None) if pick else options
    held: Options | None = None
    try:
        composed = build_app(options, channel="tui", interactive=True)
    except SessionLocked:
        held, options = options, replace(options, resume=None, continue_last=False, prompt=None)
        composed = build_app(options, channel="tui", interactive=True)
    set_up_logging(None if options.no_session and not options.debug else composed.paths.log, debug=options.debug)
    return composed, pick, held


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


def _farewell(app: "OpenClawApp", code: int) -> int:
    """One line on the main screen: what it cost and how to go on; what failed, if something did."""
    from openclaw_tui.ui.farewell import farewell

    if app.crash is not None:
        reason = f"{type(app.crash).__name__}: {app.crash}".splitlines()[0]
        sys.stderr.write(f"openclaw-tui: the screen failed ({reason}); the session is kept\n")
        code = EXIT_FAILED
    line = farewell(app.talk.composed)
    if line:
        sys.stdout.write(f"{line}\n")
    return code
