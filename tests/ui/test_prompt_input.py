"""The prompt: newlines, history at its edges, pastes, completion, whole graphemes."""

from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot

from openclaw_tui.ui.textual.widgets.prompt_area import PromptArea
from tests.ui.screen_app import app_of, make_screen, settled, shown, transcript_text, type_text, until

FAMILY = "👨‍👩‍👧"
FLAG = "🇫🇷"
ACCENT = "e\u0301"


def area_of(pilot: Pilot[int]) -> PromptArea:
    return app_of(pilot).main.prompt.area


async def paste(pilot: Pilot[int], text: str) -> None:
    app_of(pilot).post_message(events.Paste(text))
    await pilot.pause()
    await pilot.pause()


async def test_enter_sends_and_four_keys_make_a_new_line(tmp_path: Path) -> None:
    app, provider = make_screen(tmp_path / "p")
    async with app.run_test() as pilot:
        await pilot.press("a", "shift+enter", "b", "ctrl+j", "c", "alt+enter", "d", "backslash", "enter", "e")
        assert area_of(pilot).text == "a\nb\nc\nd\ne"
        await pilot.press("enter")
        await settled(pilot)
        assert area_of(pilot).text == ""
        assert len(provider.requests) == 1
        assert "▌ a" in transcript_text(pilot)
    await app.close()


async def test_what_is_typed_right_behind_enter_is_a_text_of_its_own(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p")
    async with app.run_test() as pilot:
        for key in ("o", "n", "e", "enter", "t", "w", "x", "backspace", "o"):
            app.post_message(events.Key(key, key if len(key) == 1 else None))
        await settled(pilot)
        assert area_of(pilot).text == "two"
        assert "▌ one" in transcript_text(pilot)
    await app.close()


async def test_up_and_down_walk_the_history_and_keep_the_draft(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p")
    async with app.run_test() as pilot:
        area = area_of(pilot)
        area.prompts.entries = ["first", "second\nof two lines"]
        area.set_text("1\n2\n3\n4\n5")
        await pilot.press("up", "up", "up", "up")
        assert area.cursor_location[0] == 0
        await pilot.press("up")
        assert area.text == "second\nof two lines"
        await pilot.press("up")
        assert area.text == "first"
        await pilot.press("X", "down", "down", "down")
        assert area.text == "1\n2\n3\n4\n5"
        await pilot.press("up", "up", "up", "up", "up", "up")
        assert area.text == "firstX"
        await pilot.press("alt+z")
        assert area.text != "firstX"
    await app.close()


async def test_a_pasted_block_with_carriage_returns_and_escapes_sends_nothing(tmp_path: Path) -> None:
    app, provider = make_screen(tmp_path / "p")
    async with app.run_test() as pilot:
        await paste(pilot, "one\r\ntwo\r\nthree\r\nfour\r\nfive\x1b[201~\x03")
        assert area_of(pilot).text == "one\ntwo\nthree\nfour\nfive␛[201~␃"
        assert provider.requests == []
    await app.close()


async def test_a_long_paste_is_a_chip_that_is_sent_whole_and_deleted_whole(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p")
    text = "\n".join(f"line {number}" for number in range(40))
    async with app.run_test() as pilot:
        await type_text(pilot, "see ")
        await paste(pilot, text)
        assert area_of(pilot).text == "see [pasted #1 · 40 lines]"
        await pilot.press("backspace")
        assert area_of(pilot).text == "see "
        await paste(pilot, text)
        await pilot.press("enter")
        await settled(pilot)
        message = app.talk.session.deps.manager.project().messages[0]
        assert getattr(message.content[0], "text", "") == f"see {text}"
    await app.close()


@pytest.mark.parametrize("visible", ["好", FAMILY, FLAG, ACCENT, "👍🏽"])
async def test_arrows_and_backspace_move_by_whole_graphemes(tmp_path: Path, visible: str) -> None:
    app, _ = make_screen(tmp_path / "p")
    async with app.run_test() as pilot:
        area = area_of(pilot)
        area.set_text(f"a{visible}b")
        await pilot.press("left", "left")
        assert area.cursor_location == (0, 1)
        await pilot.press("right")
        assert area.cursor_location == (0, 1 + len(visible))
        await pilot.press("backspace")
        assert area.text == "ab"
        await pilot.press("left", "delete")
        assert area.text == "b"
    await app.close()


async def test_the_caret_stands_behind_the_cells_of_wide_text(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p")
    async with app.run_test() as pilot:
        area = area_of(pilot)
        start = area.cursor_screen_offset.x
        area.set_text("你好，世界ab")
        await pilot.pause()
        assert area.cursor_screen_offset.x - start == 5 * 2 + 2
        await pilot.press("left", "left", "left")
        assert area.cursor_screen_offset.x - start == 4 * 2
        assert app.cursor_position == area.cursor_screen_offset
    await app.close()


async def test_a_command_is_completed_with_its_argument_hint(tmp_path: Path) -> None:
    app, provider = make_screen(tmp_path / "p")
    async with app.run_test() as pilot:
        await type_text(pilot, "/ren")
        await pilot.pause()
        menu = area_of(pilot).menu
        assert [item.label for item in menu.items] == ["/rename [name]"]
        await pilot.press("tab")
        assert area_of(pilot).text == "/rename "
        assert not menu.is_open
        await type_text(pilot, "my work")
        await pilot.press("enter")
        await shown(pilot)
        assert app.talk.session.deps.manager.name == "my work"
        assert provider.requests == []
    await app.close()


async def test_enter_right_behind_an_argument_sends_though_the_menu_is_of_the_text_before(tmp_path: Path) -> None:
    app, provider = make_screen(tmp_path / "p")
    async with app.run_test() as pilot:
        await type_text(pilot, "/rename")
        await pilot.pause()
        assert area_of(pilot).menu.is_open
        for key in (*" mine", "enter"):
            app.post_message(events.Key("space" if key == " " else key, key if len(key) == 1 else None))
        await shown(pilot)
        assert area_of(pilot).text == ""
        assert app.talk.session.deps.manager.name == "mine"
        assert provider.requests == []
    await app.close()


async def test_a_likely_command_is_offered_for_a_typing_mistake(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p")
    async with app.run_test() as pilot:
        await type_text(pilot, "/sttaus")
        await pilot.pause()
        assert "/status" in [item.insert.strip() for item in area_of(pilot).menu.items]
        await pilot.press("escape")
        assert not area_of(pilot).menu.is_open
        assert area_of(pilot).text == "/sttaus"
    await app.close()


async def test_files_are_completed_by_any_part_of_their_path(tmp_path: Path) -> None:
    project = tmp_path / "p"
    (project / "src" / "deep").mkdir(parents=True)
    (project / "src" / "deep" / "calculator.py").write_text("", encoding="utf-8")
    (project / "with space.md").write_text("", encoding="utf-8")
    app, _ = make_screen(project)
    async with app.run_test() as pilot:
        menu = area_of(pilot).menu
        await type_text(pilot, "look at @calc")
        await until(pilot, lambda: menu.is_open)
        await pilot.press("enter")
        assert area_of(pilot).text == "look at @src/deep/calculator.py "
        await type_text(pilot, "@with")
        await until(pilot, lambda: menu.is_open)
        await pilot.press("tab")
        assert area_of(pilot).text.endswith('@"with space.md" ')
    await app.close()


async def test_a_draft_survives_the_end_of_the_program(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p")
    async with app.run_test() as pilot:
        await type_text(pilot, "half a thought")
    await app.close()
    again, _ = make_screen(tmp_path / "p")
    async with again.run_test() as pilot:
        assert area_of(pilot).text == "half a thought"
        await pilot.press("enter")
        await settled(pilot)
    await again.close()
    third, _ = make_screen(tmp_path / "p")
    async with third.run_test() as pilot:
        assert area_of(pilot).text == ""
    await third.close()
