"""A session that another process has open: the screen offers to read, fork or take it over."""

import dataclasses
from pathlib import Path

import pytest

from openclaw_tui.session import lock
from openclaw_tui.session.listing import newest_session
from openclaw_tui.session.lock import lease_path
from openclaw_tui.ui.text import status_parts
from openclaw_tui.ui.textual.screens.picker import PickerScreen
from tests.ui.screen_app import make_screen, send, settled, shown, transcript_text, until


@pytest.mark.parametrize(
    ("way", "goes_on_with_it", "writes", "at_the_start"),
    [("read only", True, False, False), ("fork", False, True, False), ("take over", True, True, True)],
)
async def test_held_session_is_opened_in_the_way_that_is_chosen(
    tmp_path: Path, way: str, goes_on_with_it: bool, writes: bool, at_the_start: bool
) -> None:
    project = tmp_path / "p"
    app, _ = make_screen(project, ["the answer"])
    async with app.run_test() as pilot:
        await send(pilot, "the question")
        await settled(pilot)
    await app.close()
    held = newest_session(app.talk.composed.paths.sessions, project)
    assert held is not None
    lease = f'{{"pid":1,"createdAt":"2026-12-01T10:00:00","starttime":"{lock.start_time(1)}"}}'
    lease_path(held.path).write_text(lease, encoding="utf-8")
    at_start = dataclasses.replace(app.talk.composed.options, resume=held.id) if at_the_start else None
    app, _ = make_screen(project, held=at_start)
    async with app.run_test(size=(110, 30)) as pilot:
        first = app.talk
        if not at_the_start:
            await send(pilot, f"/resume {held.id}")
        await until(pilot, lambda: isinstance(app.screen, PickerScreen))
        await pilot.press(*way.replace(" ", ""), "enter") if way == "fork" else await pilot.press(
            way[0], way[1], "enter"
        )
        await until(pilot, lambda: app.talk is not first)
        await shown(pilot)
        assert "the question" in transcript_text(pilot)
        assert (app.talk.session.session_id == held.id) is goes_on_with_it
        assert ("read only" in status_parts(app.talk.composed, busy="", queued=0)) is not writes
        before = held.path.read_bytes()
        await send(pilot, "and now?")
        await settled(pilot)
        if not writes:
            assert held.path.read_bytes() == before
            assert "reading only" in transcript_text(pilot)
            assert app.main.prompt.text == "and now?"
    await app.close()
    assert app.talk.composed.options.take_over is False
