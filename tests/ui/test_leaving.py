"""Leaving: what Ctrl+C and Ctrl+D do, which words leave, and what is asked before."""

from pathlib import Path

import pytest

from openclaw_tui.providers.scripted import Step
from openclaw_tui.ui.textual.screens.confirm import ConfirmScreen
from tests.ui.screen_app import HANGS, make_screen, send, settled, status_text, transcript_text, type_text, until


async def test_ctrl_c_clears_first_then_stops_then_leaves(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p", [HANGS])
    async with app.run_test() as pilot:
        await send(pilot, "begin")
        await until(pilot, lambda: "some words" in transcript_text(pilot))
        await type_text(pilot, "draft")
        await pilot.press("ctrl+c")
        assert app.main.prompt.text == ""
        assert "interrupted" not in transcript_text(pilot)
        await pilot.press("ctrl+c")
        await settled(pilot)
        assert "■ interrupted" in transcript_text(pilot)
        assert app.is_running
        app.main._pressed.clear()
        await pilot.press("ctrl+c")
        assert "Ctrl+C again leaves" in status_text(pilot)
        await pilot.press("ctrl+c")
        await pilot.pause()
    assert app.return_value == 0
    await app.close()


async def test_leaving_asks_before_it_ends_a_background_command(tmp_path: Path) -> None:
    step = Step(calls=[("exec", {"command": "sleep 300", "background": True})])
    app, _ = make_screen(tmp_path / "p", [step, "started"], permission_mode="bypassPermissions")
    async with app.run_test() as pilot:
        await send(pilot, "start it")
        await settled(pilot)
        assert app.talk.background_commands() == ["sleep 300"]
        await pilot.press("ctrl+c", "ctrl+c")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen))
        await pilot.press("n")
        await pilot.pause()
        assert app.is_running
        assert app.talk.background_commands() == ["sleep 300"]
        await pilot.press("ctrl+d")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen))
        await pilot.press("y")
        await pilot.pause()
    assert app.return_value == 0
    await app.close()


async def test_ctrl_d_deletes_in_a_text_and_leaves_an_empty_prompt(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p")
    async with app.run_test() as pilot:
        await type_text(pilot, "ab")
        await pilot.press("home", "ctrl+d")
        assert app.main.prompt.text == "b"
        await pilot.press("ctrl+d", "ctrl+d")
        await pilot.pause()
    assert app.return_value == 0
    await app.close()


@pytest.mark.parametrize("word", ["/exit", "/quit", "exit", ":q"])
async def test_leaving_words(tmp_path: Path, word: str) -> None:
    app, _ = make_screen(tmp_path / "p")
    async with app.run_test() as pilot:
        await send(pilot, word)
        await pilot.pause()
    assert app.return_value == 0
    await app.close()
