"""Editing what a talk is made of while the screen runs: shown soon, in no request before it is applied."""

import asyncio
from pathlib import Path

import pytest

from tests.safety.trusting import put
from tests.skills.support import write_skill
from tests.ui.screen_app import app_of, make_screen, send, settled, shown, transcript_text

WORDS = "Long words of an answer. " * 400


@pytest.mark.parametrize(
    ("name", "text", "told", "entered"),
    [
        ("p/AGENTS.md", "Rule two.\n", "AGENTS.md changed", "Rule two."),
        ("home/.agents/skills/deploy/SKILL.md", "---\nname: deploy\ndescription: Other.\n---\n", "Skills", "Other."),
        ("state/tui.toml", '[skills]\ndisabled = ["deploy"]\n', "settings changed: skills.disabled", ""),
    ],
)
async def test_an_edit_is_announced_and_waits_for_reload(
    tmp_path: Path, isolated_home: Path, name: str, text: str, told: str, entered: str
) -> None:
    put(tmp_path / "p" / "AGENTS.md", "Rule one.\n")
    write_skill(isolated_home / ".agents" / "skills", "deploy", "Put it online.")
    app, provider = make_screen(tmp_path / "p", [WORDS, "Two.", "Three."])
    async with app.run_test(size=(110, 40)) as pilot:
        await send(pilot, "One?")
        await settled(pilot)
        put(tmp_path / name, text)
        async with asyncio.timeout(10):
            while told not in transcript_text(pilot):
                await asyncio.sleep(0.02)
                await shown(pilot)
        assert "/reload" in transcript_text(pilot)
        if entered:
            assert "re-reads ~" in transcript_text(pilot)
        await send(pilot, "Two?")
        await settled(pilot)
        first, second = provider.requests
        assert second.system_stable == first.system_stable
        await send(pilot, "/reload")
        await shown(pilot)
        await send(pilot, "Three?")
        await settled(pilot)
        last = provider.requests[-1].system_stable
        assert last != first.system_stable
        assert entered in last
        assert ("<name>deploy</name>" in last) is bool(entered)
        assert app_of(pilot).talk.session.is_busy is False
