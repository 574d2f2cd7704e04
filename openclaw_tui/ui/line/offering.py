"""Line mode's question about a model server found on this machine: asked once, and only a clear yes is one."""

from collections.abc import Callable

from openclaw_tui.app.compose import App
from openclaw_tui.app.local_offer import remember_offer
from openclaw_tui.commands.model_commands import switch_model
from openclaw_tui.ui.line.reader import Reader


async def ask_for_server(app: App, reader: Reader, say: Callable[[str], None]) -> None:
    """Offer the server; the end of input is no answer."""
    if app.offer is None:
        return
    say(f"{app.offer.question} y/n")
    try:
        accepted = (await reader.read()).text.strip().lower() in ("y", "yes")
    except EOFError:
        return
    problem = remember_offer(app.paths, app.offer, accepted=accepted)
    if problem:
        say(problem)
    if accepted:
        say(switch_model(app, app.offer.model))
