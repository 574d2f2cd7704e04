"""The user's own keys hold from the start and after `/keymap` at once; what cannot be used is told."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from openclaw_tui.ui.textual.keymap import use_keys
from openclaw_tui.ui.textual.screens.help import HelpScreen
from openclaw_tui.ui.textual.screens.model_picker import ModelPicker
from tests.ui.screen_app import make_screen, send, shown, transcript_text, type_text, until


@pytest.fixture(autouse=True)
def table_keys_again() -> Iterator[None]:
    yield
    use_keys({})


def settings(tmp_path: Path, text: str) -> None:
    (tmp_path / "state").mkdir(exist_ok=True)
    (tmp_path / "state" / "tui.toml").write_text(text, encoding="utf-8")


async def test_keys_of_the_settings_hold_from_the_start(tmp_path: Path) -> None:
    settings(tmp_path, '[ui.keys]\npick_model = "f9"\nredo = "f10"\n')
    app, _ = make_screen(tmp_path / "p")
    async with app.run_test(size=(90, 30)) as pilot:
        await shown(pilot)
        await pilot.press("alt+p")
        assert app.screen is app.main
        await pilot.press("f9")
        await until(pilot, lambda: isinstance(app.screen, ModelPicker))
        await pilot.press("escape")
        await type_text(pilot, "one")
        await pilot.press("ctrl+underscore", "f10")
        assert app.main.prompt.text == "one"
    await app.close()


async def test_a_key_given_by_keymap_works_at_once_and_the_old_one_is_free(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p")
    async with app.run_test(size=(90, 30)) as pilot:
        await send(pilot, "/keymap pick_model f9")
        await until(pilot, lambda: "pick_model has the key f9 now" in transcript_text(pilot))
        await pilot.press("alt+p")
        assert app.screen is app.main
        await pilot.press("f9")
        await until(pilot, lambda: isinstance(app.screen, ModelPicker))
        await pilot.press("escape")
        await send(pilot, "/keymap pick_model f10")
        await until(pilot, lambda: "pick_model has the key f10 now" in transcript_text(pilot))
        await pilot.press("f9")
        assert app.screen is app.main
        await pilot.press("f10")
        await until(pilot, lambda: isinstance(app.screen, ModelPicker))
    await app.close()
    assert 'pick_model = "f10"' in (tmp_path / "state" / "tui.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('pick_model = "ctrl+r"', "is the key of search_history"),
        ('pick_modle = "f9"', "there is no action pick_modle"),
        ('pick_model = "x"', "is no key, or one that types"),
    ],
)
async def test_what_cannot_be_used_is_told_and_the_rest_holds(tmp_path: Path, line: str, said: str) -> None:
    settings(tmp_path, f'[ui.keys]\nhelp = "f8"\n{line}\n')
    app, _ = make_screen(tmp_path / "p")
    async with app.run_test(size=(110, 30)) as pilot:
        await until(pilot, lambda: said in transcript_text(pilot))
        await pilot.press("f8")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))
    await app.close()
