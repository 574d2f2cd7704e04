"""Esc Esc, the picker of prompts, the session tree and the changes of files on the full screen."""

from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import OptionList, Static

from openclaw_tui.providers.scripted import Answer, Step
from openclaw_tui.ui.textual.screens.diff import DiffScreen
from openclaw_tui.ui.textual.screens.rewind import RewindPicker
from openclaw_tui.ui.textual.screens.tree import TreePicker
from tests.ui.screen_app import app_of, make_screen, send, settled, shown, transcript_text, until
from tests.ui.transcript_app import screen_text

MAKE = Step(calls=[("write", {"path": "notes.txt", "content": "hello\n"})])
STEPS: list[Answer] = ["hi there", MAKE, "made", "and a word", "another"]


async def talked(pilot: Pilot[int]) -> None:
    for text in ("hello", "make notes", "say a word"):
        await send(pilot, text)
        await settled(pilot)


async def opened(pilot: Pilot[int], kind: type[Any]) -> Any:
    app = app_of(pilot)
    await until(pilot, lambda: isinstance(app.screen, kind))
    await app.workers.wait_for_complete([w for w in app.workers if w.group == "preview"])
    await pilot.pause()
    return app.screen


async def test_escape_twice_on_an_empty_prompt_goes_back_with_talk_and_files(tmp_path: Path) -> None:
    project = tmp_path / "p"
    app, _ = make_screen(project, STEPS, permission_mode="acceptEdits")
    async with app.run_test(size=(120, 40)) as pilot:
        await talked(pilot)
        assert (project / "notes.txt").exists()
        await pilot.press("escape", "escape")
        picker = await opened(pilot, RewindPicker)
        assert picker.query_one(OptionList).highlighted == 2
        await pilot.press("up")
        await opened(pilot, RewindPicker)
        await until(pilot, lambda: "notes.txt" in str(picker.query_one("#picker-preview", Static).render()))
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is not picker)
        await pilot.press("enter")
        await until(pilot, lambda: app.main.prompt.text == "make notes")
        assert not (project / "notes.txt").exists()
        text = transcript_text(pilot)
        assert "hi there" in text
        assert "and a word" not in text
        assert "1 file put" in text
        app.main.prompt.clear()
        await send(pilot, "/rewind undo")
        await until(pilot, lambda: "The rewind is undone" in transcript_text(pilot))
        assert (project / "notes.txt").exists()
        assert "and a word" in transcript_text(pilot)
    await app.close()


async def test_undo_opens_at_the_last_change_of_files(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p", STEPS, permission_mode="acceptEdits")
    async with app.run_test(size=(120, 40)) as pilot:
        await talked(pilot)
        await send(pilot, "/undo")
        picker = await opened(pilot, RewindPicker)
        assert picker.query_one(OptionList).highlighted == 1
        await pilot.press("escape")
        await shown(pilot)
        assert app.screen is app.main
    await app.close()


async def test_the_tree_switches_to_another_branch(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p", STEPS, permission_mode="acceptEdits")
    async with app.run_test(size=(120, 40)) as pilot:
        await talked(pilot)
        await send(pilot, "/rewind 3 talk")
        await until(pilot, lambda: app.main.prompt.text == "say a word")
        await send(pilot, "something else")
        await settled(pilot)
        await send(pilot, "/tree")
        tree = await opened(pilot, TreePicker)
        labels = [row.label for row in tree._shown]
        left = next(at for at, label in enumerate(labels) if "and a word" in label)
        tree.query_one(OptionList).highlighted = left
        await pilot.press("enter")
        await until(pilot, lambda: "and a word" in transcript_text(pilot))
        assert "something else" not in transcript_text(pilot)
    await app.close()


async def test_changes_are_shown_file_by_file(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p", STEPS, permission_mode="acceptEdits")
    async with app.run_test(size=(120, 40)) as pilot:
        await talked(pilot)
        await send(pilot, "/diff")
        screen = await opened(pilot, DiffScreen)
        await until(pilot, lambda: "notes.txt" in screen_text(screen.files))
        text = screen_text(screen.files)
        assert "by this session" in text
        assert "hello" in text
        await pilot.press("escape")
        await shown(pilot)
        assert app.screen is app.main
    await app.close()


@pytest.mark.parametrize("line", ["/export talk.md"])
async def test_a_file_that_exists_is_replaced_only_after_a_yes(tmp_path: Path, line: str) -> None:
    project = tmp_path / "p"
    app, _ = make_screen(project, ["hi there"])
    (project / "talk.md").write_text("precious", encoding="utf-8")
    async with app.run_test(size=(120, 40)) as pilot:
        await send(pilot, "hello")
        await settled(pilot)
        for key, kept in (("n", True), ("y", False)):
            await send(pilot, line)
            await until(pilot, lambda: app.screen is not app.main)
            await pilot.press(key)
            await until(pilot, lambda: app.screen is app.main)
            await app.workers.wait_for_complete()
            assert ((project / "talk.md").read_text(encoding="utf-8") == "precious") is kept
    await app.close()
