"""Colours: all text is readable in both themes, no colour means no colour, unknown names fall back."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.color import Color as RichColor
from rich.style import Style
from textual.app import App
from textual.color import Color
from textual.strip import Strip

from openclaw_tui.constants import MIN_TEXT_CONTRAST
from openclaw_tui.providers.scripted import Answer, Step
from openclaw_tui.ui.textual.screens.approval import ApprovalScreen
from openclaw_tui.ui.textual.themes import DARK, LIGHT, choose_theme
from tests.ui.screen_app import WRITE, make_screen, send, settled, shown, transcript_text, type_text, until

RULES = set("─━│┼╭╮╰╯▌▔▁▂▃▄▅▆▇█▊▎▐░▒▓▚▞╱╲ ")
"""Lines, bars, fill patterns and scroll bars: nothing to read."""


def strips_of(app: App[int]) -> list[Strip]:
    """The rows on the screen, as they would be written to the terminal."""
    return app.screen._compositor.render_strips()


def faint_texts(app: App[int]) -> Iterator[tuple[str, str]]:
    """Texts of the screen with too little contrast, each with its colours."""
    for strip in strips_of(app):
        for segment in strip:
            text = segment.text.strip()
            if not text or set(text) <= RULES:
                continue
            style = segment.style or Style()
            contrast = contrast_of(style)
            if contrast is None or contrast < MIN_TEXT_CONTRAST:
                yield text, f"{style} {contrast}"


def contrast_of(style: Style) -> float | None:
    """None where one of the two colours is left to the terminal."""
    front, ground = style.color, style.bgcolor
    if front is None or ground is None or front.is_default or ground.is_default:
        return None
    if style.reverse:
        front, ground = ground, front
    return luminance_ratio(front, ground)


def luminance_ratio(first: RichColor, second: RichColor) -> float:
    """WCAG 2."""
    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(color: RichColor) -> float:
    parts = [part / 255 for part in color.get_truecolor()]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


TALK: list[Answer] = [
    Step(
        "Some *prose* with `code`.\n\n```python\nx = 1  # one\n```\n\n> quote\n\n| a | b |\n|---|---|\n| 1 | 2 |",
        thinking="hm",
        calls=[("ls", {"path": "nowhere"})],
    ),
    WRITE,
    "done",
]


@pytest.mark.parametrize("theme", ["dark", "light", "openclaw-contrast-dark", "openclaw-contrast-light"])
async def test_all_text_has_enough_contrast_on_every_screen(tmp_path: Path, theme: str) -> None:
    app, _ = make_screen(tmp_path / "p", TALK, config=(f"ui.theme={theme}",))
    found: dict[str, list[tuple[str, str]]] = {}
    async with app.run_test(size=(90, 40)) as pilot:
        await shown(pilot)
        found["start"] = list(faint_texts(app))
        await send(pilot, "begin")
        await until(pilot, lambda: app.screen is not app.main)
        found["approval"] = list(faint_texts(app))
        assert isinstance(app.screen, ApprovalScreen)
        app.screen._armed_at = 0.0
        await pilot.press("4")
        await pilot.pause()
        await type_text(pilot, "x")
        found["reason"] = list(faint_texts(app))
        await pilot.press("enter")
        await settled(pilot)
        await pilot.press("ctrl+o")
        app.main.transcript.add_notice("warning", "careful")
        app.main.transcript.add_notice("error", "broken")
        app.main.transcript.add_separator("guard trimmed")
        await shown(pilot)
        found["talk"] = list(faint_texts(app))
        app.main.prompt.show_mark("↓ new output below")
        app.main.queue.show_messages(("one",), ("two",))
        await type_text(pilot, "/")
        await shown(pilot)
        found["menu"] = list(faint_texts(app))
        app.main.prompt.clear()
        app.main.prompt.close_menu()
        await pilot.press("f1")
        await pilot.pause()
        found["help"] = list(faint_texts(app))
        await pilot.press("escape")
        await pilot.press("alt+p")
        await pilot.pause()
        await type_text(pilot, "o")
        await pilot.pause()
        found["picker"] = list(faint_texts(app))
        await pilot.press("escape")
    await app.close()
    assert {screen: texts for screen, texts in found.items() if texts} == {}


async def test_an_unknown_theme_falls_back_with_a_notice(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p", config=("ui.theme=no-such-theme",))
    async with app.run_test() as pilot:
        await shown(pilot)
        assert app.theme == DARK.name
        assert "there is no theme 'no-such-theme'" in transcript_text(pilot)
    await app.close()


def test_the_theme_follows_the_ground_unless_it_is_named() -> None:
    names = {DARK.name, LIGHT.name, "nord"}
    assert choose_theme("auto", "light", names) == (LIGHT.name, "")
    assert choose_theme("auto", None, names) == (DARK.name, "")
    assert choose_theme("nord", "light", names) == ("nord", "")
    assert choose_theme("light", "dark", names) == (LIGHT.name, "")
    assert choose_theme("gone", "light", names)[0] == LIGHT.name


async def test_no_color_leaves_no_hue_and_states_are_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app, _ = make_screen(tmp_path / "p", [TALK[0], "done"])
    async with app.run_test(size=(90, 30)) as pilot:
        await send(pilot, "begin")
        await settled(pilot)
        hues = set()
        for strip in strips_of(app):
            filtered = strip
            for line_filter in app._filters:
                filtered = filtered.apply_filter(line_filter, Color.parse("black"))
            hues |= {
                colour.get_truecolor()
                for segment in filtered
                if segment.style
                for colour in (segment.style.color, segment.style.bgcolor)
                if colour is not None
            }
        assert all(max(hue) - min(hue) <= 1 for hue in hues)
        assert "failed" in transcript_text(pilot)
    await app.close()
