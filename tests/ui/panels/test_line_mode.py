"""The toolbar of line mode is the panels' twin: the same figures, gathered only when something has changed."""

from pathlib import Path

import pytest

from openclaw_tui.ui.context_line import context_view, toolbar_text
from openclaw_tui.ui.line.look import Look
from openclaw_tui.ui.line.render import LineRenderer
from openclaw_tui.ui.line.talk import Talk
from tests.agent.harness import agent


async def test_the_toolbar_says_what_the_panels_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    async with agent(tmp_path / "p", ["a first answer"], forever="more") as it:
        talk = Talk(it.app, LineRenderer(lambda _text: None, Look(redraws=False, styled=False)))
        await talk.start()
        before = talk.toolbar()
        assert before == f"scripted/script · bypassPermissions · no sandbox │ {toolbar_text(context_view(it.app))}"
        assert talk.toolbar() == before
        await it.turn("hello")
        talk.catch_up()
        assert talk.toolbar().endswith(toolbar_text(context_view(it.app)))
        assert talk.toolbar() != before
        monkeypatch.setenv("COLUMNS", "60")
        assert len(talk.toolbar()) < 70
