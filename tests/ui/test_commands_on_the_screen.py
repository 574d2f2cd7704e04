"""Commands sent on the full screen: what each shows or opens."""

from pathlib import Path

import pytest

from openclaw_tui.ui.textual.panels.looking import TextScreen
from openclaw_tui.ui.textual.screens.help import HelpScreen
from openclaw_tui.ui.textual.screens.picker import PickerScreen
from openclaw_tui.ui.textual.screens.theme_picker import ThemePicker
from tests.ui.screen_app import make_screen, send, settled, status_text, transcript_text, until

SAYS: dict[str, str | type[object]] = {
    "/add-dir /usr": "is one of its folders",
    "/agent": "main",
    "/agents": "no agent definitions",
    "/btw what?": "beside the talk: what?",
    "/cache": "fresh",
    "/config ui.theme": "ui.theme",
    "/doctor": "ripgrep",
    "/engine": "engine in use: legacy",
    "/events": "no layer has changed the context yet",
    "/fork": "going on in a copy of session",
    "/init": "AGENTS.md",
    "/logout anthropic": "no key of anthropic was stored",
    "/memory": "there are none yet",
    "/permissions": "mode default",
    "/plan": "plan mode: it looks and plans",
    "/queue": "nothing waits",
    "/recall alpha": "1 line with 'alpha'",
    "/skill": "name one",
    "/skills": "skills in use",
    "/think low": "thinking is now",
    "/usage": "read from cache",
    "/help": HelpScreen,
    "/keymap": TextScreen,
    "/login": PickerScreen,
    "/theme": ThemePicker,
}
"""The line, and words it says in the talk, or the screen it opens."""


@pytest.mark.parametrize("line", list(SAYS))
async def test_a_command_says_or_opens_its_own(tmp_path: Path, line: str) -> None:
    wanted = SAYS[line]
    app, _ = make_screen(tmp_path / "p", ["an answer with alpha", "more", "more"])
    async with app.run_test(size=(110, 40)) as pilot:
        await send(pilot, "hello")
        await settled(pilot)
        await send(pilot, line)
        if isinstance(wanted, str):
            await until(pilot, lambda: wanted in transcript_text(pilot))
        else:
            await until(pilot, lambda: isinstance(app.screen, wanted))
            await pilot.press("escape")
            await until(pilot, lambda: app.screen is app.main)
    await app.close()


async def test_copy_takes_the_last_answer(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p", ["an answer with alpha"])
    async with app.run_test(size=(110, 40)) as pilot:
        await send(pilot, "hello")
        await settled(pilot)
        await send(pilot, "/copy")
        await until(pilot, lambda: app.clipboard == "an answer with alpha")
        assert "copied the last answer" in status_text(pilot)
    await app.close()
