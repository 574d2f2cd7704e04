"""The first conversation of a full screen: everything that takes long, for a thread beside the screen.

Nothing of the agent is imported before this runs: the screen stands, and takes typing, while it does.
"""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING

import msgspec

from openclaw_tui.cli_options import Options
from openclaw_tui.errors import SessionLocked

if TYPE_CHECKING:
    from openclaw_tui.app.compose import App
    from openclaw_tui.commands.registry import Command


class Opened(msgspec.Struct, frozen=True):
    """What the screen begins with. `pick_session`: another one is to be chosen first (`-r` without an id).

    `held` is a session that another process has: then `app` is an empty one, beside which the ways to open the held
    one are offered.
    """

    app: App
    commands: list[Command]
    pick_session: bool = False
    held: Options | None = None


def open_first(options: Options) -> Opened:
    """Compose the session that the options ask for. Raises OpenClawError."""
    from openclaw_tui.log import set_up_logging

    pick = options.resume == ""
    options = replace(options, resume=None) if pick else options
    held: Options | None = None
    try:
        app = compose_for_screen(options)
    except SessionLocked:
        held, options = options, replace(options, resume=None, continue_last=False, prompt=None)
        app = compose_for_screen(options)
    set_up_logging(None if options.no_session and not options.debug else app.paths.log, debug=options.debug)
    _prepare_screen()
    return opened(app, pick_session=pick, held=held)


def opened(app: App, *, pick_session: bool = False, held: Options | None = None) -> Opened:
    """A composed conversation with the commands it has."""
    from openclaw_tui.commands.help_command import all_commands

    return Opened(app, all_commands(app.paths, trusted=app.config.project_trusted).commands, pick_session, held)


def compose_for_screen(options: Options) -> App:
    """A conversation of the full screen. Raises ConfigError, SessionError, AuthenticationFailed."""
    from openclaw_tui.app.compose import build_app

    return build_app(options, channel="tui", interactive=True)


def _prepare_screen() -> None:
    """Import here what showing a conversation needs, so that the screen's own thread does not stand still for it."""
    for name in ("context_line", "textual.conversation", "textual.event_router", "textual.panels.desk"):
        import_module(f"openclaw_tui.ui.{name}")
