"""Keys that act in the panels of a real session: clear and put back, versions of a break, a compaction's tabs, undo."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from textual.pilot import Pilot
from textual.screen import Screen

from openclaw_tui.constants import COMPACTED_PLACEHOLDER
from openclaw_tui.messages import Usage, text_of
from openclaw_tui.providers.scripted import ScriptedProvider, Step
from openclaw_tui.ui.textual.panels.choice import ChoiceScreen
from openclaw_tui.ui.textual.panels.compaction import CompactionScreen
from openclaw_tui.ui.textual.panels.looking import TextScreen, VersionsScreen
from openclaw_tui.ui.textual.panels.zoom import PanelScreen
from tests.agent.harness import NO_FLUSH, SCRIPTED
from tests.ui.panels.panel_app import panel_text, zoomed
from tests.ui.screen_app import app_of, make_screen, send, settled, transcript_text, until

WARM = Usage(input=100, cache_read=7_000, cache_write=3_000, output=50)
COLD = Usage(input=9_000, cache_read=100, cache_write=3_000, output=50)
CACHED = replace(SCRIPTED, caches_prefix=True, cache_breakpoints=True)
SUMMARY = "## Decisions\nUse tabs."
TODO = "- [ ] write the changelog\n"


@asynccontextmanager
async def working(tmp_path: Path, turns: int = 4) -> AsyncIterator[tuple[Pilot[int], ScriptedProvider]]:
    """A session in which a file was read and some turns followed, on the screen."""
    project = tmp_path / "p"
    project.mkdir()
    (project / "AGENTS.md").write_text("Keep it simple.\n" * 40, encoding="utf-8")
    (project / "big.txt").write_text("number 12345 of many\n" * 400, encoding="utf-8")
    read = Step(calls=[("read", {"path": "big.txt"})], usage=WARM)
    config = (NO_FLUSH, "agents.defaults.compaction.keepRecentTokens=3000")
    app, provider = make_screen(project, [read, Step(TODO + "word " * 500, usage=WARM)], config=config)
    async with app.run_test(size=(120, 40)) as pilot:
        app.talk.session.deps.requests.use_model(CACHED)
        await send(pilot, "read the big file")
        await settled(pilot)
        provider.forever = Step("more words " * 500, usage=WARM)
        for number in range(turns):
            await send(pilot, f"go on {number}")
            await settled(pilot)
        yield pilot, provider


async def opened(pilot: Pilot[int], key: str) -> PanelScreen:
    await pilot.press(key)
    await until(pilot, lambda: isinstance(app_of(pilot).screen, PanelScreen))
    screen = app_of(pilot).screen
    assert isinstance(screen, PanelScreen)
    return screen


async def on_screen(pilot: Pilot[int], kind: type[Screen[Any]]) -> None:
    await until(pilot, lambda: isinstance(app_of(pilot).screen, kind))


def keys_line(pilot: Pilot[int]) -> str:
    return str(app_of(pilot).screen.query_one("#zoom-keys").render())


async def choose(pilot: Pilot[int], name: str) -> None:
    budget = zoomed(pilot).budget
    items = zoomed(pilot).view.budget.items
    budget.move(-100)
    budget.move(next(n for n, item in enumerate(items) if item.name.startswith(name)))
    await pilot.pause()


async def compacted(pilot: Pilot[int], provider: ScriptedProvider) -> None:
    provider.forever = Step(SUMMARY, usage=WARM)
    await send(pilot, "/compact")
    ledger = app_of(pilot).talk.composed.ledger
    await until(pilot, lambda: ledger.last("compaction", "done") is not None)
    await settled(pilot)
    provider.forever = Step("ok", usage=WARM)


async def test_a_result_is_looked_at_cleared_after_its_price_and_put_back(tmp_path: Path) -> None:
    async with working(tmp_path) as (pilot, provider):
        await opened(pilot, "f2")
        await choose(pilot, "t1")
        await pilot.press("enter")
        await on_screen(pilot, TextScreen)
        text = app_of(pilot).screen
        assert isinstance(text, TextScreen)
        assert "number 12345" in text.text
        await pilot.press("escape")
        await on_screen(pilot, PanelScreen)
        await pilot.press("c")
        await on_screen(pilot, ChoiceScreen)
        await pilot.press("escape")
        await until(pilot, lambda: "left as it is" in keys_line(pilot))
        await pilot.press("c")
        await on_screen(pilot, ChoiceScreen)
        await pilot.press("1")
        await until(pilot, lambda: isinstance(app_of(pilot).screen, PanelScreen) and "cleared" in keys_line(pilot))
        await pilot.press("escape")
        await send(pilot, "and now?")
        await settled(pilot)
        sent = [text_of(message.content) for message in provider.requests[-1].messages]
        assert any(text.startswith(COMPACTED_PLACEHOLDER) for text in sent)
        await opened(pilot, "f2")
        await app_of(pilot).talk.session.wait_idle()
        zoomed(pilot).ask("/context recall t1")
        await until(pilot, lambda: "put back" in keys_line(pilot))


async def test_views_tree_map_and_files_of_the_budget(tmp_path: Path) -> None:
    async with working(tmp_path, turns=1) as (pilot, _):
        screen = await opened(pilot, "f2")
        await pilot.press("b")
        assert screen.budget.at == 1
        await pilot.press("tab")
        await pilot.pause()
        assert "▸ + ▓ tool schemas" in panel_text(screen.budget)
        await pilot.press("right", "down")
        await pilot.pause()
        assert screen.budget.chosen is not None
        assert screen.budget.chosen[0].startswith("tool ")
        await pilot.press("left")
        assert screen.budget.at == 0
        await pilot.press("left", "s", "s")
        await pilot.pause()
        assert "by tokens × calls to come" in panel_text(screen.budget)
        await pilot.press("3")
        await pilot.pause()
        assert "t1 read big" in panel_text(screen.budget)
        await pilot.press("4")
        await pilot.pause()
        assert "AGENTS.md" in panel_text(screen.budget)
        assert "whole" in panel_text(screen.budget)
        await pilot.press("shift+tab", "1", "home", "end")
        await pilot.press("o")
        await until(pilot, lambda: "file" in keys_line(pilot) or "terminal" in keys_line(pilot))


async def test_a_break_shows_both_versions_side_by_side(tmp_path: Path) -> None:
    async with working(tmp_path) as (pilot, provider):
        project = app_of(pilot).talk.composed.paths.project
        (project / "AGENTS.md").write_text("Keep it simple.\n" * 39 + "Use spaces.\n", encoding="utf-8")
        await send(pilot, "/reload now")
        await pilot.pause()
        provider.forever = Step("again", usage=COLD)
        await send(pilot, "and now?")
        await settled(pilot)
        screen = await opened(pilot, "f3")
        await until(pilot, lambda: bool(screen.view.cache.breaks))
        assert screen.cache.chosen is not None
        await pilot.press("down", "enter")
        await on_screen(pilot, VersionsScreen)
        versions = app_of(pilot).screen
        assert isinstance(versions, VersionsScreen)
        await pilot.pause()
        text = "\n".join(strip.text for strip in (versions.versions.render_line(y) for y in range(60)))
        assert "− Keep it simple." in text
        assert "+ Use spaces." in text
        await pilot.press("escape")


async def test_a_compaction_opens_in_five_tabs_is_edited_and_what_was_lost_goes_back(tmp_path: Path) -> None:
    async with working(tmp_path) as (pilot, provider):
        await compacted(pilot, provider)
        await opened(pilot, "f4")
        await pilot.press("3", "enter")
        await on_screen(pilot, CompactionScreen)
        screen = app_of(pilot).screen
        assert isinstance(screen, CompactionScreen)
        await pilot.pause()
        assert "Use tabs." in panel_text(screen.panel)
        await pilot.press("tab")
        await pilot.pause()
        assert "number 12345" in panel_text(screen.panel)
        await pilot.press("5")
        await pilot.pause()
        assert "paid back" in panel_text(screen.panel)
        await pilot.press("4", "3")
        await pilot.pause()
        assert "write the changelog" in panel_text(screen.panel)
        await pilot.press("plus")
        session = app_of(pilot).talk.session
        await until(
            pilot,
            lambda: (
                isinstance(app_of(pilot).screen, ChoiceScreen) or "changelog" in session.compactions.record().summary
            ),
        )
        if isinstance(app_of(pilot).screen, ChoiceScreen):
            await pilot.press("1")
        await until(pilot, lambda: "changelog" in session.compactions.record().summary)
        await until(pilot, lambda: screen.record.is_edited and screen.is_current)
        await pilot.press("1", "e", "x", "y", "ctrl+s")
        await until(pilot, lambda: session.compactions.record().summary.startswith("xy"))
        await until(pilot, lambda: "Summary changed" in keys_line(pilot))
        await pilot.press("z")
        await until(pilot, lambda: not session.compactions.record().summary.startswith("xy"))
        await pilot.press("e", "escape", "escape")
        await on_screen(pilot, PanelScreen)


async def test_undo_asks_how_when_turns_followed_and_redo_comes_back(tmp_path: Path) -> None:
    async with working(tmp_path) as (pilot, provider):
        await compacted(pilot, provider)
        await send(pilot, "said since")
        await settled(pilot)
        manager = app_of(pilot).talk.session.deps.manager
        screen = await opened(pilot, "f4")
        await pilot.press("3", "end")
        await until(pilot, lambda: screen.can_undo)
        await pilot.press("u")
        await on_screen(pilot, ChoiceScreen)
        choice = app_of(pilot).screen
        assert isinstance(choice, ChoiceScreen)
        assert [answer.key for answer in choice.answers] == ["keep", "branch", "again"]
        await pilot.press("down", "up", "2")
        await until(pilot, lambda: manager.project().compaction is None)
        assert all("said since" not in text_of(m.content) for m in manager.project().messages)
        await until(pilot, lambda: isinstance(app_of(pilot).screen, PanelScreen))
        await pilot.press("y")
        await until(pilot, lambda: manager.project().compaction is not None)


async def test_from_an_event_to_its_line_in_the_talk_and_back(tmp_path: Path) -> None:
    async with working(tmp_path) as (pilot, _):
        await send(pilot, "/context clear t1 now")
        await until(pilot, lambda: "guard cleared" in transcript_text(pilot))
        screen = await opened(pilot, "alt+e")
        await until(pilot, lambda: screen.events.selected is not None and screen.events.selected.verb == "cleared")
        await pilot.press("t")
        await until(pilot, lambda: not isinstance(app_of(pilot).screen, PanelScreen))
        assert "guard cleared" in transcript_text(pilot)
        screen = await opened(pilot, "f4")
        await pilot.press("x")
        await until(pilot, lambda: "events written to" in keys_line(pilot))
        assert list(app_of(pilot).talk.composed.paths.project.glob("events-*.jsonl"))


async def test_a_typed_command_with_a_price_asks_before_it_acts(tmp_path: Path) -> None:
    async with working(tmp_path, turns=1) as (pilot, _):
        session = app_of(pilot).talk.session
        await send(pilot, "/model offline/guide")
        await on_screen(pilot, ChoiceScreen)
        await pilot.press("escape")
        await pilot.pause()
        assert session.model.ref == CACHED.ref
        await send(pilot, "/model offline/guide")
        await on_screen(pilot, ChoiceScreen)
        await pilot.press("enter")
        await until(pilot, lambda: session.model.ref == "offline/guide")
