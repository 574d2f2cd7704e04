"""The panels on the main screen: which of them stand at which width, their keys, and when they are drawn anew."""

from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widget import Widget

from openclaw_tui.agent.provider_pool import ProviderPool
from openclaw_tui.messages import Usage
from openclaw_tui.providers.scripted import ScriptedProvider, Step
from openclaw_tui.ui.textual.app import OpenClawApp
from openclaw_tui.ui.textual.panels.zoom import PanelScreen
from tests.ui.panels.panel_app import panel_text
from tests.ui.screen_app import app_of, make_screen, send, settled, type_text, until

LONG = "The cause is in the walk of the branch, which stops too early. " * 80
ANSWER = Step(LONG, usage=Usage(input=300, cache_read=6_000, cache_write=900, output=1_500))


def displayed(widget: Widget) -> bool:
    return widget.display


def side_text(pilot: Pilot[int]) -> str:
    return "\n".join(panel_text(panel) for panel in app_of(pilot).main.side.panels)


def strip_text(pilot: Pilot[int]) -> str:
    return panel_text(app_of(pilot).main.strip)


async def gathered(pilot: Pilot[int]) -> None:
    """Until what has changed is in the panels."""
    main = app_of(pilot).main
    await until(pilot, lambda: main.side.budget.view is not None and main._gathering is None)


async def test_wide_screens_have_the_column_middling_the_strip_narrow_one_line(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p", [ANSWER])
    async with app.run_test(size=(140, 50)) as pilot:
        await send(pilot, "why?")
        await settled(pilot)
        await gathered(pilot)
        assert displayed(app.main.side)
        assert not displayed(app.main.strip)
        assert app.main.side.size.width + app.main.transcript.size.width == 140 - 2
        assert "Budget F2" in side_text(pilot)
        assert "hits 83% last" in side_text(pilot)
        await pilot.resize_terminal(100, 50)
        await pilot.pause()
        assert not displayed(app.main.side)
        assert app.main.strip.size.height == 3
        assert app.main.transcript.size.width == 100
        assert [line.split()[0] for line in strip_text(pilot).split("\n")] == ["budget", "cache", "events"]
        await pilot.resize_terminal(60, 40)
        await pilot.pause()
        assert app.main.strip.size.height == 1
        assert strip_text(pilot).startswith("ctx ")
        await pilot.resize_terminal(100, 14)
        await pilot.pause()
        assert app.main.strip.size.height == 1
        await pilot.resize_terminal(170, 50)
        await pilot.pause()
        assert displayed(app.main.side)
    await app.close()


@pytest.mark.parametrize("width", [60, 100, 140])
async def test_one_key_takes_them_away_and_brings_them_back(tmp_path: Path, width: int) -> None:
    app, _ = make_screen(tmp_path / "p", [])
    async with app.run_test(size=(width, 40)) as pilot:
        await gathered(pilot)
        rows = app.main.strip.size.height
        await pilot.press("ctrl+backslash")
        await pilot.pause()
        assert not displayed(app.main.side)
        assert app.main.strip.size.height == (0 if width == 60 else 1)
        await pilot.press("ctrl+backslash")
        await pilot.pause()
        assert displayed(app.main.side) == (width == 140)
        assert app.main.strip.size.height == rows
    await app.close()


async def test_a_panel_folds_to_its_title_by_key_and_click(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p", [])
    async with app.run_test(size=(130, 40)) as pilot:
        await gathered(pilot)
        side = app.main.side
        tall = side.budget.size.height
        assert tall > 8
        await pilot.press("alt+2")
        await pilot.pause()
        assert side.budget.size.height == 1
        assert panel_text(side.budget).startswith("▸ Budget F2")
        assert side.events.size.height > 1
        await pilot.click(side.budget, offset=(3, 0))
        await pilot.pause()
        assert side.budget.size.height == tall
        await pilot.press("alt+3", "alt+4")
        await pilot.pause()
        assert (side.cache.size.height, side.events.size.height) == (1, 1)
        assert app.main.focused is app.main.prompt.area
    await app.close()


@pytest.mark.parametrize("width", [60, 100, 140])
async def test_function_keys_open_close_and_change_between_whole_screens(tmp_path: Path, width: int) -> None:
    app, _ = make_screen(tmp_path / "p", [ANSWER])
    async with app.run_test(size=(width, 30)) as pilot:
        await send(pilot, "why?")
        await settled(pilot)
        for key, name in (("f2", "budget"), ("f3", "cache"), ("f4", "events")):
            await pilot.press(key)
            await pilot.pause()
            screen = app.screen
            assert isinstance(screen, PanelScreen)
            assert screen.shown == name
            await pilot.press(key)
            await pilot.pause()
            assert app.screen is app.main
        await pilot.press("f2", "f4", "f3")
        await pilot.pause()
        screen = app.screen
        assert isinstance(screen, PanelScreen)
        assert screen.shown == "cache"
        assert "83% last" in panel_text(screen.cache)
        await pilot.press("escape")
        await pilot.pause()
        assert app.screen is app.main
        assert app.main.focused is app.main.prompt.area
    await app.close()


async def test_what_is_typed_shows_its_weight_and_commands_do_not(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p", [])
    async with app.run_test(size=(130, 50)) as pilot:
        await gathered(pilot)
        await type_text(pilot, "some words")
        await until(pilot, lambda: "the draft adds ~" in side_text(pilot))
        app.main.prompt.clear()
        await type_text(pilot, "/context")
        await until(pilot, lambda: "the draft adds ~" not in side_text(pilot))
    await app.close()


async def test_no_timer_runs_while_nothing_happens(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p", [ANSWER])
    async with app.run_test(size=(130, 50)) as pilot:
        await send(pilot, "why?")
        await settled(pilot)
        await gathered(pilot)
        assert app.main.side.cache.view is not None
        assert app.main.side.cache.view.cache.state == "off"
        assert not ticking(app)
        assert app.main._gathering is None
    await app.close()


async def test_the_clock_runs_only_while_a_warm_cache_is_in_sight(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p", [], model="anthropic/claude-sonnet-5-5")
    answer = Step("fine", usage=Usage(input=10, cache_read=6_000, cache_write=900, output=5))
    _script(app, answer)
    async with app.run_test(size=(130, 50)) as pilot:
        await send(pilot, "why?")
        await settled(pilot)
        await gathered(pilot)
        assert "warm 4:" in side_text(pilot)
        assert ticking(app)
        await pilot.press("alt+3")
        await pilot.pause()
        assert not ticking(app)
        await pilot.press("f2")
        await pilot.pause()
        assert not ticking(app)
        await pilot.press("f3")
        await pilot.pause()
        assert ticking(app)
    await app.close()


def ticking(app: OpenClawApp) -> bool:
    return app.main._clock is not None


def _script(app: OpenClawApp, answer: Step) -> None:
    provider = ScriptedProvider([answer], name="anthropic")
    app.talk.session.deps.providers = ProviderPool(lambda _model: provider)


async def test_undo_is_on_the_event_and_runs_the_command(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p", [LONG] * 6)
    async with app.run_test(size=(140, 50)) as pilot:
        for number in range(6):
            await send(pilot, f"turn {number}")
            await settled(pilot)
        await send(pilot, "/compact")
        await until(pilot, lambda: app.talk.composed.ledger.last("compaction", "done") is not None)
        await app.talk.session.wait_idle()
        await pilot.press("f4")
        await pilot.pause()
        screen = app.screen
        assert isinstance(screen, PanelScreen)
        assert "u undo this compaction" in str(screen.query_one("#zoom-keys").render())
        await pilot.press("u")
        await until(pilot, lambda: app.talk.composed.ledger.last("compaction", "undone") is not None)
        assert app.screen is app.main
        events = app.main.side.events
        await until(pilot, lambda: events.view is not None and events.view.events.undoable is None)
    await app.close()
