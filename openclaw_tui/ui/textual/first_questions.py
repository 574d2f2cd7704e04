"""What the screen asks before the first message goes out: about the folder's own files, and a server found here."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from openclaw_tui.errors import OpenClawError
from openclaw_tui.ui.textual.rendering.safe_text import one_line
from openclaw_tui.ui.textual.screens.confirm import ConfirmScreen
from openclaw_tui.ui.welcome import short_path

if TYPE_CHECKING:
    from openclaw_tui.app.compose import App as Composed
    from openclaw_tui.app.crashes import Crash
    from openclaw_tui.tools.running_notes import Leftover
    from openclaw_tui.ui.textual.app import OpenClawApp


async def ask_first(app: OpenClawApp) -> None:
    """Nothing is sent before the user has said what the folder's own files may do, and which model works."""
    crash, left_over = app.talk.composed.crash, app.talk.composed.left_over
    if app.talk.composed.config.trust.asks:
        await _ask_trust(app)
    if crash is not None:
        await _ask_after_crash(app, crash)
    if left_over:
        await _ask_for_leftovers(app, left_over)
    if app.talk.composed.offer is not None:
        await _ask_for_server(app, app.talk.composed)


async def _ask_after_crash(app: OpenClawApp, crash: Crash) -> None:
    """The program failed in this folder: offer the session it was in."""
    composed = app.talk.composed
    begun = bool(composed.session.deps.manager.project().messages)
    report = f"The program failed here last time; the report is {short_path(Path(crash.report))}."
    if begun or not crash.session_id:
        app.main.acts.say("info", report)
        return
    if await app.push_screen_wait(ConfirmScreen(f"{report}\nGo on with that session?", "go on with it", "a new one")):
        options = replace(composed.options, resume=crash.session_id, session_id=None, continue_last=False)
        await app.open_other(options, with_mode=False)


async def _ask_for_leftovers(app: OpenClawApp, found: Sequence[Leftover]) -> None:
    """Commands of a run that was killed still live: end them, or let them be."""
    from openclaw_tui.tools.running_notes import end_leftover, leave

    shown = "\n".join(f"  {one_line(each.words)}" for each in found[:6])
    more = f"\n  … and {len(found) - 6} more" if len(found) > 6 else ""
    question = f"Still running from a run that was killed:\n{shown}{more}"
    if not await app.push_screen_wait(ConfirmScreen(question, "end them", "leave them alone")):
        for each in found:
            leave(each)
        return
    gone = await asyncio.to_thread(lambda: [end_leftover(each) for each in found])
    count = f"{gone.count(True)} of {len(gone)} ended"
    app.main.acts.say("info" if all(gone) else "warning", f"left over from a killed run: {count}")


async def _ask_for_server(app: OpenClawApp, composed: Composed) -> None:
    """A model server found on this machine is offered once."""
    from openclaw_tui.app.local_offer import remember_offer
    from openclaw_tui.commands.model_commands import switch_model

    if (offer := composed.offer) is None:
        return
    yes = await app.push_screen_wait(ConfirmScreen(offer.question, "use it", "no, do not ask again"))
    problem = remember_offer(composed.paths, offer, accepted=bool(yes))
    if yes:
        app.main.acts.say("info", switch_model(composed, offer.model))
    if problem:
        app.main.acts.say("warning", problem)


async def _ask_trust(app: OpenClawApp) -> None:
    """Ask about the folder. A talk that has not begun is composed anew with what is trusted now."""
    from openclaw_tui.app.trust import trust_text
    from openclaw_tui.commands.help_command import refresh_commands
    from openclaw_tui.commands.trust_commands import answer_trust
    from openclaw_tui.ui.textual.screens.trust import TrustScreen

    composed = app.talk.composed
    trust = composed.trust_shown = composed.config.trust
    screen = TrustScreen(short_path(composed.paths.project), trust_text(trust), changed=trust.state == "changed")
    answer = await app.push_screen_wait(screen)
    if not answer:
        return
    try:
        said = answer_trust(composed, answer, trust)
    except OpenClawError as error:
        app.main.acts.say("error", str(error))
        return
    options = composed.options
    begun = bool(composed.session.deps.manager.project().messages) or options.session_id is not None
    if answer == "grant" and not begun:
        await app.open_other(options, with_mode=False)
    else:
        app.main.acts.say("info", said)
    refresh_commands(app.main.runner.table, app.talk.composed)
