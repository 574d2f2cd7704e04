"""Any size of terminal, back and forth, while text streams and wide characters are being typed."""

from pathlib import Path

import pytest

from openclaw_tui.providers.scripted import Step
from openclaw_tui.ui.textual.screens.approval import ApprovalScreen
from tests.ui.screen_app import WRITE, make_screen, send, settled, shown, until

SIZES = [(1, 1), (7, 3), (20, 5), (2, 2), (1, 30), (200, 1), (40, 9), (80, 24), (5, 4), (120, 40)]


async def test_resizing_while_streaming_never_fails_and_the_text_is_all_there(tmp_path: Path) -> None:
    answer = "\n\n".join(
        f"Absatz {n}: 你好 👨‍👩‍👧 and `code`\n\n| a | b |\n|---|---|\n| {n} | [x] |" for n in range(12)
    )
    app, _ = make_screen(tmp_path / "p", [Step(answer)])
    async with app.run_test() as pilot:
        app.main.prompt.set_text("你好，世界 🇫🇷 e\u0301 draft")
        app.talk.session.prompt("begin")
        for width, height in SIZES:
            await pilot.resize_terminal(width, height)
            await pilot.press("left", "right", "好", "backspace")
            await pilot.pause()
        await settled(pilot)
        assert app.main.prompt.text == "你好，世界 🇫🇷 e\u0301 draft"
        assert "Absatz 11" in app.main.transcript.plain_text()
    await app.close()


@pytest.mark.parametrize("size", [(1, 1), (7, 3), (20, 5), (40, 10)])
async def test_dialogs_open_and_answer_at_tiny_sizes(tmp_path: Path, size: tuple[int, int]) -> None:
    app, _ = make_screen(tmp_path / "p", [WRITE, "done"])
    async with app.run_test(size=size) as pilot:
        await pilot.press("f1")
        await pilot.pause()
        await pilot.press("escape")
        await pilot.press("alt+p")
        await pilot.pause()
        await pilot.press("escape")
        await send(pilot, "/he")
        await pilot.press("escape")
        app.main.prompt.clear()
        await send(pilot, "do it")
        await until(pilot, lambda: app.screen is not app.main)
        assert isinstance(app.screen, ApprovalScreen)
        app.screen._armed_at = 0.0
        await pilot.resize_terminal(80, 24)
        await pilot.resize_terminal(*size)
        await pilot.press("y")
        await settled(pilot)
        assert (tmp_path / "p" / "notes.txt").exists()
    await app.close()


async def test_at_five_rows_the_prompt_is_still_there(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p")
    async with app.run_test(size=(20, 5)) as pilot:
        await shown(pilot)
        area = app.main.prompt.area.region
        assert area.height >= 1
        assert area.bottom <= 5
    await app.close()
