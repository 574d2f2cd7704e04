"""Draws the pictures of the README anew.

    python -m tests.ui.pictures [FOLDER]

Each state is the real application on a scripted model; `rsvg-convert` (of librsvg) turns Textual's picture into a PNG.
"""

import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

from textual.pilot import Pilot

from openclaw_tui.providers.scripted import Answer
from tests.ui.screen_app import app_of, make_screen, send, settled, shown, type_text, until
from tests.ui.test_screen_snapshots import CHAIN, TALK, asking, project_in, talk

FOLDER = Path(__file__).parent / "pictures"
WIDTH = 1100
"""Of a picture, in pixels."""

Before = Callable[[Pilot[int]], Awaitable[None]]


async def _budget(pilot: Pilot[int]) -> None:
    await talk(pilot)
    await pilot.press("f2", "tab")
    await shown(pilot)


async def _summary(pilot: Pilot[int]) -> None:
    await talk(pilot)
    for text in ("and the second module?", "and the tests?"):
        await send(pilot, text)
        await settled(pilot)
    await send(pilot, "/compact keep the decisions")
    await until(pilot, lambda: app_of(pilot).talk.session.deps.manager.project().compaction is not None)
    await settled(pilot)
    await pilot.press("f4", "enter")
    await shown(pilot)


async def _search(pilot: Pilot[int]) -> None:
    await talk(pilot)
    await pilot.press("ctrl+f")
    await type_text(pilot, "add")
    await until(pilot, lambda: " of " in app_of(pilot).main.transcript.found_words)


async def _rewind(pilot: Pilot[int]) -> None:
    await talk(pilot)
    await pilot.press("escape", "escape")
    await shown(pilot)


_LATER = "It is tested by `test_calc.py`; decision: **integers only**.\n"
_NOTES = "\n\n".join(
    f"## {head}\n{text}"
    for head, text in (
        ("Decisions", "Integers only."),
        ("Open TODOs", "Run pytest -q."),
        ("Constraints/Rules", "None."),
        ("Pending user asks", "None."),
        ("Exact identifiers", "calc.py, cli.py"),
    )
)
LONG_TALK: list[Answer] = [*TALK, _LATER * 40, _LATER * 40, _NOTES]

PICTURES: dict[str, tuple[list[Answer], Before, tuple[int, int], str, bool]] = {
    "talk": (TALK, talk, (130, 38), "dark", True),
    "talk-light": (TALK, talk, (130, 38), "light", True),
    "question": (CHAIN, asking, (110, 30), "dark", True),
    "budget": (TALK, _budget, (130, 38), "dark", True),
    "summary": (LONG_TALK, _summary, (130, 38), "dark", True),
    "search": (TALK, _search, (110, 32), "dark", True),
    "rewind": (TALK, _rewind, (110, 30), "light", True),
    "no-colour": (TALK, talk, (80, 30), "dark", False),
}
"""Steps of the model, what is done, columns and rows, theme, and whether there are colours."""


async def draw(name: str, folder: Path) -> None:
    steps, before, size, theme, colours = PICTURES[name]
    with tempfile.TemporaryDirectory() as home:
        os.environ.update(HOME=home, OPENCLAW_STATE_DIR=f"{home}/state", OPENCLAW_TUI_NO_LOCAL_PROBE="1")
        os.environ.pop("NO_COLOR", None)
        if not colours:
            os.environ["NO_COLOR"] = "1"
        app, _ = make_screen(project_in(Path(home)), steps, config=(f"ui.theme={theme}",))
        async with app.run_test(size=size) as pilot:
            await before(pilot)
            await shown(pilot)
            picture = app.export_screenshot(title="openclaw-tui")
        await app.close()
    subprocess.run(
        ["rsvg-convert", "--width", str(WIDTH), "--output", str(folder / f"{name}.png")],
        input=picture.encode(),
        check=True,
    )


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for name in PICTURES:
        asyncio.run(draw(name, folder))
        print(folder / f"{name}.png")


if __name__ == "__main__":
    main()
