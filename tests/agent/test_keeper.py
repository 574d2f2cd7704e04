"""An open session is looked after: what waited is written when there is room, what cannot be is saved elsewhere."""

import errno
import os
import tempfile
from functools import partial
from pathlib import Path

import pytest

from openclaw_tui.events import Notice
from openclaw_tui.messages import text_of
from openclaw_tui.providers.base import ProviderRequest
from openclaw_tui.providers.scripted import Step
from openclaw_tui.session.journal import Journal
from openclaw_tui.session.manager import SessionManager
from openclaw_tui.ui.text import status_parts
from tests.agent.harness import Agent, agent


def _full(*_: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


async def _turn_on_a_disk_that_fills_up(it: Agent, patch: pytest.MonkeyPatch) -> None:
    def fills(_: ProviderRequest) -> Step:
        patch.setattr(Journal, "_write", _full)
        return Step("The answer.")

    it.provider.steps = [fills]
    assert (await it.turn("Go.")).outcome == "failed"
    assert it.session.deps.manager.pending


async def test_what_waited_is_shown_and_written_when_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with agent(tmp_path) as it:
        await _turn_on_a_disk_that_fills_up(it, monkeypatch)
        it.session.keeper.look()
        assert any("UNSAVED" in part for part in status_parts(it.app, busy="", queued=0))
        monkeypatch.undo()
        it.session.keeper.look()
        assert it.session.deps.manager.pending == ()
        assert not any("UNSAVED" in part for part in status_parts(it.app, busy="", queued=0))
        assert "nothing was lost" in it.seen(Notice)[-1].text
        assert [message["role"] for message in it.stored] == ["user", "assistant"]
    assert it.session.last_words == ""


async def test_leaving_with_unsaved_entries_saves_a_copy_and_says_where(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path / "tmp"))
    async with agent(tmp_path / "project") as it:
        await _turn_on_a_disk_that_fills_up(it, monkeypatch)
    assert "could not be saved" in it.session.last_words
    (copy,) = (tmp_path / "tmp" / "openclaw-tui-rescued").glob("*.jsonl")
    assert str(copy) in it.session.last_words
    assert copy.stat().st_mode & 0o077 == 0
    kept = SessionManager.open(copy, read_only=True).project().messages
    assert [text_of(message.content) for message in kept] == ["Go.", "The answer."]


async def test_nothing_anywhere_to_write_is_said_plainly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "no-folder").write_text("", encoding="utf-8")
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path / "no-folder"))
    async with agent(tmp_path / "project") as it:
        await _turn_on_a_disk_that_fills_up(it, monkeypatch)
    assert "they are lost" in it.session.last_words


async def test_folder_that_goes_away_is_told_once_and_the_talk_goes_on(tmp_path: Path) -> None:
    project = tmp_path / "project"
    calls = [
        ("ls", {}),
        ("exec", {"command": "pwd"}),
        ("read", {"path": "a.txt"}),
        ("grep", {"pattern": "x"}),
        ("find", {"pattern": "*.py"}),
        ("write", {"path": "a.txt", "content": "x"}),
        ("edit", {"path": "a.txt", "oldText": "x", "newText": "y"}),
    ]
    async with agent(project, [Step(calls=calls), "Gone.", "Yes."]) as it:
        project.rename(tmp_path / "moved")
        it.session.keeper.look()
        it.session.keeper.look()
        assert (await it.turn("Look.")).outcome == "done"
        assert not project.exists()
        assert [result.tool_name for result in it.results if not result.is_error] == []
        assert all("\n" not in text_of(result.content).strip() for result in it.results)
        (tmp_path / "moved").rename(project)
        it.session.keeper.look()
        assert (await it.turn("Again?")).outcome == "done"
        told = [text for text in it.notices if str(project) in text]
        assert len(told) == 2, told


async def test_rounds_keep_the_lease_alive(tmp_path: Path) -> None:
    async with agent(tmp_path, ["Yes."]) as it:
        await it.turn("Hi.")
        lease = it.session.deps.manager.lease
        assert lease is not None
        os.utime(lease.path, (1, 1))
        it.session.keeper.look()
        assert lease.path.stat().st_mtime > 1_000_000


async def test_clock_that_jumps_disturbs_no_turn(tmp_path: Path) -> None:
    async with agent(tmp_path, forever="Fine.") as it:
        for seconds in (1_800_000_000.0, 86_400.0, 4_000_000_000.0, 1_800_000_000.0):
            it.session.deps.clock = partial(float, seconds)
            it.session.deps.requests._clock = it.session.deps.clock
            assert (await it.turn("Hi.")).outcome == "done"
            it.session.keeper.look()
        live = it.messages
    async with agent(tmp_path, ["Yes."], continue_last=True) as again:
        assert again.messages == live
        assert (await again.turn("Still?")).outcome == "done"
