"""The whole full-screen application on a scripted model, and ways to read its screen."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from openclaw_tui.agent.provider_pool import ProviderPool
from openclaw_tui.app.compose import build_app
from openclaw_tui.cli_options import Options
from openclaw_tui.providers.scripted import Answer, ScriptedProvider, Step
from openclaw_tui.ui.first_frame import Handover
from openclaw_tui.ui.opening import opened
from openclaw_tui.ui.textual.app import OpenClawApp
from tests.ui.transcript_app import screen_text

WRITE = Step(calls=[("write", {"path": "notes.txt", "content": "hello\n"})])
HANGS = Step("some words of an answer that never ends", hangs=True, events_before=2)


def make_screen(
    project: Path,
    steps: Sequence[Answer] = (),
    *,
    handover: Handover | None = None,
    held: Options | None = None,
    pick_session: bool = False,
    **options: Any,
) -> tuple[OpenClawApp, ScriptedProvider]:
    """An application that is not running yet, and the provider that plays `steps` for it."""
    project.mkdir(exist_ok=True, parents=True)
    composed = build_app(Options(cwd=project, **options), channel="tui", interactive=True)
    provider = ScriptedProvider(steps, forever="nothing more to say")
    composed.session.deps.providers = ProviderPool(lambda _model: provider)
    return OpenClawApp(opened(composed, pick_session=pick_session, held=held), handover), provider


async def type_text(pilot: Pilot[int], text: str) -> None:
    """One key after the other, as typed."""
    names = {" ": "space", "\n": "ctrl+j", "\\": "backslash", "/": "slash", "@": "at", "?": "question_mark"}
    await pilot.press(*(names.get(char, char) for char in text))


async def send(pilot: Pilot[int], text: str) -> None:
    """Put a text into the prompt and press Enter."""
    app_of(pilot).main.prompt.set_text(text)
    await pilot.press("enter")
    await pilot.pause()


async def settled(pilot: Pilot[int]) -> None:
    """Until the turn is over and shown."""
    await app_of(pilot).talk.session.wait_idle()
    await shown(pilot)


async def shown(pilot: Pilot[int]) -> None:
    """Until what was said is on the screen."""
    for _ in range(3):
        await pilot.pause()
    app_of(pilot).main.transcript.flush()
    await pilot.pause()


async def until(pilot: Pilot[int], condition: Any) -> None:
    """Wait for something to become true; a test that waits in vain fails by its time-out."""
    while not condition():
        await pilot.pause(0.01)
    await shown(pilot)


def app_of(pilot: Pilot[int]) -> OpenClawApp:
    app = pilot.app
    assert isinstance(app, OpenClawApp)
    return app


def transcript_text(pilot: Pilot[int]) -> str:
    return screen_text(app_of(pilot).main.transcript)


def status_text(pilot: Pilot[int]) -> str:
    return str(app_of(pilot).main.status.render())
