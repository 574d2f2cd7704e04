"""Pictures of the screens that commands open, wide and narrow, light and without colours."""

from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from openclaw_tui.providers.scripted import Answer, Step
from openclaw_tui.ui.textual.acts import ScreenActs
from tests.ui.screen_app import app_of, make_screen, send, settled, until
from tests.ui.test_screen_snapshots import fixed_figures

pytestmark = pytest.mark.snapshot

MAKE = Step(calls=[("write", {"path": "notes.txt", "content": "hello\nworld\n"})])
STEPS: list[Answer] = ["hi there", MAKE, "made", "and a word", "another"]
OPENED = {
    "rewind": "/rewind",
    "tree": "/tree",
    "diff": "/diff",
    "settings": "/config",
    "theme": "/theme",
    "keymap": "/keymap",
    "login": "/login",
    "key": "/login anthropic",
    "model": "/model",
}


async def talked(pilot: Pilot[int]) -> None:
    for text in ("hello", "make notes", "say a word"):
        await send(pilot, text)
        await settled(pilot)


def picture(
    name: str,
    size: tuple[int, int],
    tmp_path: Path,
    snap_compare: Any,
    monkeypatch: pytest.MonkeyPatch,
    theme: str = "dark",
) -> bool:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(ScreenActs, "measure", fixed_figures)
    app, _ = make_screen(tmp_path / "p", STEPS, permission_mode="acceptEdits", config=(f"ui.theme={theme}",))
    app.main.side.display = app.main.strip.display = False

    async def before(pilot: Pilot[int]) -> None:
        await talked(pilot)
        if name == "palette":
            await pilot.press("ctrl+p")
        else:
            await send(pilot, OPENED[name])
        screen = app_of(pilot)
        await until(pilot, lambda: screen.screen is not screen.main)
        await screen.workers.wait_for_complete([w for w in screen.workers if w.group == "preview"])
        for _ in range(3):
            await pilot.pause()

    return bool(snap_compare(app, terminal_size=size, run_before=before))


@pytest.mark.parametrize("name", [*OPENED, "palette"])
def test_screen_at_80_by_24(name: str, tmp_path: Path, snap_compare: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert picture(name, (80, 24), tmp_path, snap_compare, monkeypatch)


@pytest.mark.parametrize("name", ["rewind", "tree", "diff", "settings", "model"])
def test_screen_at_120_by_40(name: str, tmp_path: Path, snap_compare: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert picture(name, (120, 40), tmp_path, snap_compare, monkeypatch)


@pytest.mark.parametrize("name", ["rewind", "diff", "settings"])
def test_screen_in_the_light_theme(
    name: str, tmp_path: Path, snap_compare: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert picture(name, (80, 24), tmp_path, snap_compare, monkeypatch, theme="light")


@pytest.mark.parametrize("name", ["rewind", "diff", "settings"])
def test_screen_without_colours(name: str, tmp_path: Path, snap_compare: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert picture(name, (80, 24), tmp_path, snap_compare, monkeypatch)
