"""The screen stands before the first conversation is open: what is typed then is kept, and nothing else happens."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from openclaw_tui.agent.provider_pool import ProviderPool
from openclaw_tui.cli_options import Options
from openclaw_tui.errors import ConfigError
from openclaw_tui.providers.scripted import ScriptedProvider
from openclaw_tui.ui.first_frame import Handover
from openclaw_tui.ui.opening import Opened, compose_for_screen, opened
from openclaw_tui.ui.prompt_history import StoredDraft
from openclaw_tui.ui.textual.app import OpenClawApp
from tests.ui.screen_app import send, settled, shown, status_text, transcript_text, type_text, until


class Held:
    """An opening that waits until it is let go."""

    def __init__(self, project: Path, provider: ScriptedProvider | None = None) -> None:
        project.mkdir(exist_ok=True)
        self.project = project
        self.provider = provider or ScriptedProvider([], forever="nothing more to say")
        self.go = threading.Event()

    def __call__(self) -> Opened:
        self.go.wait(60)
        composed = compose_for_screen(Options(cwd=self.project))
        composed.session.deps.providers = ProviderPool(lambda _model: self.provider)
        return opened(composed)


def app_with(opening: Callable[[], Opened], handover: Handover | None = None) -> OpenClawApp:
    return OpenClawApp(opening, handover)


async def test_messages_of_before_are_sent_in_order_when_the_talk_is_open(tmp_path: Path) -> None:
    opening = Held(tmp_path / "p", ScriptedProvider(["one", "two"], forever="more"))
    app = app_with(opening, Handover(submitted=("first words",)))
    async with app.run_test(size=(100, 30)) as pilot:
        assert "opening…" in status_text(pilot)
        await type_text(pilot, "second words")
        await pilot.press("enter")
        await type_text(pilot, "a draft")
        assert list(app.main.queue.later) == ["first words", "second words"]
        assert opening.provider.requests == []
        opening.go.set()
        await until(pilot, lambda: app.has_talk and len(opening.provider.requests) > 0)
        await settled(pilot)
        await shown(pilot)
        text = transcript_text(pilot)
        assert text.index("first words") < text.index("second words")
        assert app.main.prompt.text == "a draft"
        assert not app.main.queue.display
    await app.close()


async def test_the_up_key_takes_back_what_waits(tmp_path: Path) -> None:
    opening = Held(tmp_path / "p")
    app = app_with(opening)
    async with app.run_test(size=(100, 30)) as pilot:
        await send(pilot, "not this")
        await pilot.press("up")
        assert app.main.prompt.text == "not this"
        assert not app.main.queue.display
        opening.go.set()
        await until(pilot, lambda: "ready" in status_text(pilot))
        assert opening.provider.requests == []
    await app.close()


async def test_a_command_typed_before_is_run_and_not_sent(tmp_path: Path) -> None:
    opening = Held(tmp_path / "p")
    app = app_with(opening)
    async with app.run_test(size=(100, 30)) as pilot:
        await send(pilot, "/status")
        opening.go.set()
        await until(pilot, lambda: "/status" in transcript_text(pilot))
        assert opening.provider.requests == []
    await app.close()


async def test_keys_that_need_a_talk_do_nothing_yet(tmp_path: Path) -> None:
    opening = Held(tmp_path / "p")
    app = app_with(opening)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("shift+tab", "ctrl+p", "ctrl+o", "f2", "escape", "escape", "alt+p", "ctrl+b", "ctrl+v")
        await pilot.press("ctrl+c")
        assert len(app.screen_stack) == 1
        await type_text(pilot, "x")
        await pilot.press("ctrl+c")
        assert app.main.prompt.text == ""
        opening.go.set()
        await until(pilot, lambda: "ready" in status_text(pilot))
        assert app.talk.composed.permissions.mode == "default"
    await app.close()


async def test_leaving_before_it_is_open_keeps_what_was_typed(tmp_path: Path) -> None:
    opening = Held(tmp_path / "p")
    app = app_with(opening)
    async with app.run_test(size=(100, 30)) as pilot:
        await send(pilot, "sent to nobody")
        await type_text(pilot, "half a")
        app.exit(0)
    opening.go.set()
    await app.close()
    paths = app.talk.composed.paths
    assert StoredDraft.of_project(paths.history, paths.project).load() == "sent to nobody\nhalf a"
    assert opening.provider.requests == []


async def test_an_old_draft_goes_aside_when_something_new_is_typed(tmp_path: Path) -> None:
    first = Held(tmp_path / "p")
    first.go.set()
    app = app_with(first)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: "ready" in status_text(pilot))
        await type_text(pilot, "of before")
    await app.close()
    second = Held(tmp_path / "p")
    app = app_with(second)
    async with app.run_test(size=(100, 30)) as pilot:
        await type_text(pilot, "new")
        second.go.set()
        await until(pilot, lambda: app.has_talk and app.main.stash.drafts)
        assert app.main.prompt.text == "new"
        assert app.main.stash.drafts == ["of before"]
    await app.close()


async def test_what_cannot_be_opened_ends_the_screen_with_the_reason(tmp_path: Path) -> None:
    def refuses() -> Opened:
        raise ConfigError("tui.toml, line 1: no")

    app = app_with(refuses)
    async with app.run_test(size=(100, 30)):
        while app.failure is None:
            await asyncio.sleep(0.01)
    assert str(app.failure) == "tui.toml, line 1: no"
    await app.close()


def test_the_screen_needs_nothing_of_the_agent_to_stand() -> None:
    code = (
        "import sys, openclaw_tui.ui.textual.app, openclaw_tui.ui.opening\n"
        "print(*sorted(n for n in sys.modules if n.startswith('openclaw_tui.')))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    heavy = ("app.", "session.", "compaction.", "context.", "memory.", "providers.", "safety.", "skills.", "ledger.")
    assert [name for name in loaded if name.removeprefix("openclaw_tui.").startswith(heavy)] == []
    assert [
        n for n in loaded if n.startswith(("openclaw_tui.agent.", "openclaw_tui.tools.", "openclaw_tui.commands."))
    ] == [
        "openclaw_tui.commands.registry",
        "openclaw_tui.tools.terminal_text",
    ]


async def test_an_idle_screen_and_a_command_import_no_sdk_and_a_message_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    warmed: list[str] = []
    monkeypatch.setattr("openclaw_tui.providers.registry.warm", warmed.append)
    opening = Held(tmp_path / "p")
    opening.go.set()
    app = app_with(opening)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: "ready" in status_text(pilot))
        await type_text(pilot, "/status")
        assert warmed == []
        app.main.prompt.set_text("")
        await type_text(pilot, "fix it")
        assert warmed == [app.talk.session.model.api]
    await app.close()
