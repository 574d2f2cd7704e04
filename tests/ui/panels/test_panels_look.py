"""How the panels look: pictures in dark, light and without colour, and colours that can be read in every theme."""

from typing import Any

import pytest
from rich.style import Style

from openclaw_tui.ui.context_line import ContextView
from openclaw_tui.ui.textual.panels.panel import _TEXT_ROLES
from openclaw_tui.ui.textual.themes import DARK, LIGHT
from tests.ui.panels.panel_app import PanelApp, panel_text
from tests.ui.panels.views import FULL, NOTHING_YET, UNTOLD, VIEW
from tests.ui.test_transcript_look import _contrast


@pytest.mark.snapshot
@pytest.mark.parametrize(
    ("show", "view", "theme", "size"),
    [
        ("side", VIEW, DARK.name, (42, 46)),
        ("side", VIEW, LIGHT.name, (42, 46)),
        ("side", FULL, DARK.name, (44, 46)),
        ("side", NOTHING_YET, LIGHT.name, (38, 30)),
        ("strip", VIEW, DARK.name, (100, 20)),
        ("budget", VIEW, DARK.name, (110, 42)),
        ("cache", UNTOLD, LIGHT.name, (100, 24)),
        ("cache", VIEW, DARK.name, (100, 30)),
        ("events", VIEW, DARK.name, (110, 24)),
    ],
    ids=[
        *("side", "side-light", "side-full", "side-empty-light", "strip", "budget", "cache-untold-light", "cache"),
        "events",
    ],
)
def test_picture(snap_compare: Any, show: str, view: ContextView, theme: str, size: tuple[int, int]) -> None:
    assert snap_compare(PanelApp(show, view, theme), terminal_size=size)


@pytest.mark.snapshot
def test_picture_without_colours(snap_compare: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert snap_compare(PanelApp("side", VIEW), terminal_size=(42, 46))


@pytest.mark.parametrize("theme", [DARK.name, LIGHT.name, "nord", "solarized-light", "dracula", "monokai"])
async def test_every_text_can_be_read(theme: str) -> None:
    app = PanelApp("side", VIEW, theme)
    async with app.run_test(size=(42, 46)) as pilot:
        await pilot.pause()
        panel = app.side.events
        styles: dict[str, Style] = {role: panel.style_of(role) for role in (*_TEXT_ROLES, "L1", "L2", "L3", "L4", "L5")}
    faint = {role: _contrast(style) for role, style in styles.items() if _contrast(style) < 4.5}
    assert faint == {}


async def test_another_theme_repaints_and_says_the_same() -> None:
    app = PanelApp("side", VIEW)
    async with app.run_test(size=(42, 46)) as pilot:
        await pilot.pause()
        before = app.side.budget.render_line(1)
        text = panel_text(app.side.budget)
        app.theme = LIGHT.name
        await pilot.pause()
        assert panel_text(app.side.budget) == text
        assert app.side.budget.render_line(1) != before


@pytest.mark.parametrize("width", [38, 40, 42, 44])
async def test_rows_fit_every_width_of_the_column(width: int) -> None:
    for view in (VIEW, FULL, UNTOLD, NOTHING_YET):
        app = PanelApp("side", view)
        async with app.run_test(size=(width, 60)) as pilot:
            await pilot.pause()
            for panel in app.side.panels:
                assert all(panel.render_line(y).cell_length == width - 2 for y in range(panel.size.height))
