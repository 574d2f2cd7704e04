"""The panels' own screens on fixed figures: selection, details, filters, undo, scrolling."""

from openclaw_tui.ui.events_view import LAYER_WORDS
from openclaw_tui.ui.textual.panels.zoom import BADGE_KEYS
from tests.ui.panels.panel_app import PanelApp, panel_text, zoomed
from tests.ui.panels.views import FULL, NOTHING_YET, UNTOLD, VIEW

SIZE = (100, 30)


async def test_the_newest_act_is_chosen_and_keys_move_the_choice() -> None:
    app = PanelApp("events", VIEW)
    async with app.run_test(size=SIZE) as pilot:
        events = zoomed(pilot).events
        assert events.selected is not None
        assert events.selected.verb == "written"
        await pilot.press("up", "k")
        assert events.selected.verb == "file cut"
        await pilot.press("home")
        assert events.selected.verb == "made"
        await pilot.press("end")
        assert events.selected.verb == "written"
        await pilot.pause()
        assert "▸ 00:52 M  written MEMORY.md, 2 notes" in panel_text(events)


async def test_enter_opens_reason_way_back_and_data() -> None:
    app = PanelApp("events", VIEW)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("home", "down", "enter")
        await pilot.pause()
        text = panel_text(zoomed(pilot).events)
        for words in ("L2 guard: trimmed", "41,000 → 12,400 tokens", 'recall("t17")', "t17 exec, over the line"):
            assert words in text
        await pilot.press("enter")
        await pilot.pause()
        assert "recall(" not in panel_text(zoomed(pilot).events)


async def test_digits_filter_by_layer_and_again_show_all() -> None:
    app = PanelApp("events", VIEW)
    async with app.run_test(size=SIZE) as pilot:
        events = zoomed(pilot).events
        await pilot.press("3")
        assert [row.verb for row in events.rows] == ["compacted"]
        await pilot.press("r")
        assert [row.verb for row in events.rows] == ["made"]
        await pilot.press("r")
        assert len(events.rows) == 7
        await pilot.press("m", "0")
        assert len(events.rows) == 7
    assert set(BADGE_KEYS.values()) == set(LAYER_WORDS)


async def test_undo_is_offered_on_the_compaction_that_holds_and_nowhere_else() -> None:
    app = PanelApp("events", VIEW)
    async with app.run_test(size=SIZE) as pilot:
        screen = zoomed(pilot)
        await pilot.press("u")
        assert (app.undone, screen.can_undo) == (0, False)
        await pilot.press("3")
        await pilot.pause()
        assert screen.can_undo
        assert "u undo this compaction" in str(screen.query_one("#zoom-keys").render())
        await pilot.press("u")
        await pilot.pause()
        assert app.undone == 1
        assert app.screen is not screen


async def test_without_the_command_the_key_is_not_shown() -> None:
    app = PanelApp("events", VIEW)
    async with app.run_test(size=SIZE) as pilot:
        screen = zoomed(pilot)
        screen._undo = None
        await pilot.press("3", "u")
        await pilot.pause()
        assert "undo" not in str(screen.query_one("#zoom-keys").render())
        assert app.undone == 0


async def test_a_click_chooses_a_row_and_the_wheel_moves() -> None:
    app = PanelApp("events", VIEW)
    async with app.run_test(size=SIZE) as pilot:
        events = zoomed(pilot).events
        await pilot.click(events, offset=(10, 3))
        assert events.selected is not None
        assert events.selected.verb == "trimmed"


async def test_the_cache_screen_shows_both_versions_of_the_line_that_differs() -> None:
    app = PanelApp("cache", VIEW)
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.pause()
        text = panel_text(zoomed(pilot).cache)
    for words in ("AGENTS.md, line 14", "− Run the tests with `pytest -q`.", "+ Run the tests with `pytest -q -x`."):
        assert words in text


async def test_the_budget_screen_lists_files_with_what_was_cut() -> None:
    app = PanelApp("budget", VIEW)
    async with app.run_test(size=(100, 50)) as pilot:
        await pilot.pause()
        text = panel_text(zoomed(pilot).budget)
    assert "31,204    20,000  lines 210-388 cut" in text
    assert "75 % guard 150k · 90 % overflow 180k · C compaction 180k" in text
    assert "~12.4k" in text
    assert "$0.0124" in text


async def test_states_are_words_not_only_colours() -> None:
    for view, words in (
        (FULL, "compaction before the next call"),
        (NOTHING_YET, "not measured yet: estimate"),
        (NOTHING_YET, "no call yet"),
        (NOTHING_YET, "no layer has changed the context yet"),
        (UNTOLD, "hits not reported by this provider"),
    ):
        app = PanelApp("side", view)
        async with app.run_test(size=(42, 50)) as pilot:
            await pilot.pause()
            assert words in "\n".join(panel_text(panel) for panel in app.side.panels)
