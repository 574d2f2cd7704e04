"""The second names of keys in the panels and the screens over them: vi's letters, pages, begin and end, closing."""

import pytest

from openclaw_tui.ui.textual.panels.choice import ChoiceScreen
from openclaw_tui.ui.textual.panels.compaction import CompactionScreen
from openclaw_tui.ui.textual.panels.looking import TextScreen
from tests.ui.panels.panel_app import PanelApp, zoomed
from tests.ui.panels.views import VIEW

SIZE = (100, 30)


async def test_letters_and_pages_move_the_choice_among_events() -> None:
    app = PanelApp("events", VIEW)
    async with app.run_test(size=SIZE) as pilot:
        events = zoomed(pilot).events
        for key, verb in (
            ("g", "made"),
            ("G", "written"),
            ("pageup", "made"),
            ("pagedown", "written"),
            ("g", "made"),
            ("space", "written"),
        ):
            await pilot.press(key)
            assert events.selected is not None
            assert events.selected.verb == verb, key
        await pilot.press("k", "j")
        assert events.selected is not None
        assert events.selected.verb == "written"


async def test_letters_choose_the_heaviest_and_unfold_the_tree() -> None:
    app = PanelApp("budget", VIEW)
    async with app.run_test(size=SIZE) as pilot:
        budget = zoomed(pilot).budget
        count = len(VIEW.budget.items)
        chosen = []
        for key in ("a", "b", "d", "e", "f", "n"):
            await pilot.press(key)
            chosen.append(budget.at)
        assert chosen[: min(count, 6)] == list(range(min(count, 6)))
        await pilot.press("tab", "g", "l")
        unfolded = set(budget.opened)
        assert unfolded
        await pilot.press("h")
        assert budget.opened < unfolded


@pytest.mark.parametrize("key", ["escape", "q"])
@pytest.mark.parametrize("show", ["events", "look"])
async def test_a_panel_and_a_text_close(show: str, key: str) -> None:
    app = PanelApp(show, VIEW)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        before = app.screen
        assert show == "events" or isinstance(before, TextScreen)
        await pilot.press(key)
        await pilot.pause()
        assert app.screen is not before


@pytest.mark.parametrize("key", ["escape", "q", "ctrl+c"])
async def test_a_choice_closes(key: str) -> None:
    app = PanelApp("price", VIEW)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        before = app.screen
        assert isinstance(before, ChoiceScreen)
        await pilot.press("j", "k", key)
        await pilot.pause()
        assert app.screen is not before


async def test_letters_and_pages_move_in_a_compaction() -> None:
    app = PanelApp("compaction-before", VIEW)
    async with app.run_test(size=(80, 12)) as pilot:
        await pilot.pause()
        screen = app.screen
        assert isinstance(screen, CompactionScreen)
        for down, up in (("j", "k"), ("down", "up"), ("pagedown", "pageup"), ("space", "pageup")):
            start = (screen.panel.scroll_offset.y, screen.panel.at)
            await pilot.press(down)
            await pilot.pause()
            assert (screen.panel.scroll_offset.y, screen.panel.at) != start, down
            await pilot.press(up)
            await pilot.pause()
            assert (screen.panel.scroll_offset.y, screen.panel.at) == start, up
