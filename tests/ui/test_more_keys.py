"""Keys of the main screen and of the session tree that no other test presses."""

from pathlib import Path

import pytest

from openclaw_tui.ui.textual.screens.tree import TreePicker
from tests.ui.screen_app import app_of, make_screen, send, settled, shown, status_text, transcript_text, until
from tests.ui.test_going_back_screens import opened, talked
from tests.ui.test_prompt_acts import PNG


async def test_alt_t_says_what_the_model_can_do_about_thinking(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p")
    async with app.run_test(size=(120, 40)) as pilot:
        levels = app.talk.session.model.thinking_levels or ("off",)
        before = app.talk.session.thinking
        await pilot.press("alt+t")
        await shown(pilot)
        if len(levels) < 2:
            assert "has no thinking levels" in status_text(pilot)
            assert app.talk.session.thinking == before
        else:
            assert app.talk.session.thinking != before
            assert f"thinking is now {app.talk.session.thinking}" in status_text(pilot)
    await app.close()


@pytest.mark.parametrize(("undo", "redo"), [("ctrl+underscore", "ctrl+y"), ("alt+z", "alt+y")])
async def test_undo_and_redo_of_what_is_written(tmp_path: Path, undo: str, redo: str) -> None:
    app, _ = make_screen(tmp_path / "p")
    async with app.run_test() as pilot:
        await pilot.press("a", "b", "c")
        await pilot.press(undo)
        assert app.main.prompt.text == ""
        await pilot.press(redo)
        assert app.main.prompt.text == "abc"
    await app.close()


async def test_ctrl_up_and_down_scroll_by_a_line(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p", ["\n\n".join(f"line {number}" for number in range(80))])
    async with app.run_test(size=(80, 24)) as pilot:
        await send(pilot, "many lines")
        await settled(pilot)
        end = app.main.transcript.scroll_offset.y
        await pilot.press("ctrl+up", "ctrl+up")
        await until(pilot, lambda: app.main.transcript.scroll_offset.y == end - 2)
        await pilot.press("ctrl+down")
        await until(pilot, lambda: app.main.transcript.scroll_offset.y == end - 1)
    await app.close()


async def test_ctrl_l_draws_again_and_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app, _ = make_screen(tmp_path / "p", ["hi there"])
    drawn: list[bool] = []
    async with app.run_test() as pilot:
        await send(pilot, "hello")
        await settled(pilot)
        app.main.prompt.set_text("a draft")
        before, refresh = transcript_text(pilot), app.refresh

        def counted(*, repaint: bool = True, layout: bool = False, recompose: bool = False) -> object:
            drawn.append(repaint and layout)
            return refresh(repaint=repaint, layout=layout, recompose=recompose)

        monkeypatch.setattr(app, "refresh", counted)
        await pilot.press("ctrl+l")
        await shown(pilot)
        assert True in drawn
        assert transcript_text(pilot) == before
        assert app.main.prompt.text == "a draft"
    await app.close()


async def test_ctrl_z_leaves_for_the_shell_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app, _ = make_screen(tmp_path / "p")
    left: list[str] = []
    monkeypatch.setattr(app, "action_suspend_process", lambda: left.append(app.main.prompt.text))
    async with app.run_test() as pilot:
        app.main.prompt.set_text("a draft")
        await pilot.press("ctrl+z")
        await shown(pilot)
        assert left == ["a draft"]
        assert app.main.prompt.text == "a draft"
    await app.close()


@pytest.mark.parametrize("key", ["ctrl+v", "alt+v"])
async def test_a_picture_on_the_clipboard_becomes_a_chip(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    (tmp_path / "shot.png").write_bytes(PNG)
    reader = programs / "wl-paste"
    reader.write_text(f"#!/bin/sh\ncat '{tmp_path / 'shot.png'}'\n", encoding="utf-8")
    reader.chmod(0o700)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    app, _ = make_screen(tmp_path / "p")
    async with app.run_test() as pilot:
        await pilot.press(key)
        await until(pilot, lambda: app.main.prompt.text != "")
        written = app.main.prompt.area.chips.expanded(app.main.prompt.text).strip()
        assert Path(written.removeprefix("@").strip('"')).read_bytes() == PNG
    await app.close()


async def test_the_tree_filters_labels_and_forks_by_key(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p", ["hi there", "and a word", "another"])
    async with app.run_test(size=(120, 40)) as pilot:
        await talked(pilot)
        before = app.talk.session.deps.manager.session_id
        await send(pilot, "/tree")
        tree = await opened(pilot, TreePicker)
        everything = [row.label for row in tree._shown]
        await pilot.press("tab")
        await pilot.pause()
        assert [row.label for row in tree._shown] != everything
        chosen = tree.selected
        assert chosen is not None
        await pilot.press("f2", "h", "e", "r", "e", "enter")
        await pilot.pause()
        assert app.talk.session.deps.manager.labels()[chosen.key] == "here"
        assert app_of(pilot).screen is tree
        await pilot.press("ctrl+f")
        await until(pilot, lambda: app.talk.session.deps.manager.session_id != before)
    await app.close()


async def test_ctrl_n_goes_to_the_later_prompt(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p", ["one", "two"])
    async with app.run_test() as pilot:
        for text in ("first", "second"):
            await send(pilot, text)
            await settled(pilot)
        await pilot.press("up", "up")
        assert app.main.prompt.text == "first"
        await pilot.press("ctrl+n")
        assert app.main.prompt.text == "second"
    await app.close()
