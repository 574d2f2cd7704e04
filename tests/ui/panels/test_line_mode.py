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


async def test_a_key_in_the_draft_is_warned_of_by_the_toolbar_or_else_by_a_line_and_once(tmp_path: Path) -> None:
    key = "sk-ant-api03-" + "Ab1" * 12
    said: list[str] = []
    async with agent(tmp_path / "p", ["one", "two", "three"]) as it:
        talk = Talk(it.app, LineRenderer(said.append, Look(redraws=False, styled=False)))
        await talk.start()
        assert talk.toolbar(f"use {key}").startswith("this looks like a key; it will be sent to scripted")
        assert "looks like a key" not in talk.toolbar(f"/login anthropic {key}")
        talk.prompt(f"use {key}", while_busy="steering")
        await talk.settle()
        assert "looks like a key" not in "".join(said)
        talk.prompt(f"and {key[:-3]}Zz9", while_busy="steering")
        await talk.settle()
        talk.prompt(f"again {key[:-3]}Zz9", while_busy="steering")
        await talk.settle()
        assert "".join(said).count("this looks like a key") == 1
        await talk.close()
