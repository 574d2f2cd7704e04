"""A model server on this machine is offered once, in both front ends; the answer holds for the next start."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import cast

import pytest

from openclaw_tui.app.compose import App, build_app
from openclaw_tui.options import Options
from openclaw_tui.providers.catalog import LOCAL_PORTS
from openclaw_tui.ui.line.offering import ask_for_server
from openclaw_tui.ui.line.reader import TypedLine
from openclaw_tui.ui.opening import opened
from openclaw_tui.ui.textual.app import OpenClawApp
from openclaw_tui.ui.textual.screens.confirm import ConfirmScreen
from tests.providers.test_local_servers import Pages, page_server
from tests.ui.screen_app import shown, transcript_text, until

OLLAMA: Pages = {
    "/api/tags": {
        "models": [
            {"name": "no-tools", "capabilities": ["completion"]},
            {"name": "small", "capabilities": ["tools"]},
            {"name": "qwen3:8b", "capabilities": ["completion", "tools"]},
        ]
    },
    "/api/ps": {"models": [{"name": "small", "context_length": 4096}, {"name": "qwen3:8b", "context_length": 32_768}]},
}


@pytest.fixture(autouse=True)
async def ollama(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    async with page_server(OLLAMA) as server:
        ports = cast("dict[str, int]", LOCAL_PORTS)
        monkeypatch.delenv("OPENCLAW_TUI_NO_LOCAL_PROBE")
        for kind in ("llamacpp", "lmstudio", "vllm"):
            monkeypatch.delitem(ports, kind)
        monkeypatch.setitem(ports, "ollama", server.port)
        yield


async def started(project: Path, *, interactive: bool = True) -> App:
    project.mkdir(exist_ok=True)
    channel = "tui" if interactive else "cli"
    return await asyncio.to_thread(build_app, Options(cwd=project), channel=channel, interactive=interactive)


class Reader:
    """A reader with one line to give, or at its end."""

    is_live = True

    def __init__(self, line: str | None) -> None:
        self._line = line

    async def read(self) -> TypedLine:
        if self._line is None:
            raise EOFError
        return TypedLine(self._line)

    def write(self, text: str) -> None: ...

    def refresh(self) -> None: ...

    def put_draft(self, text: str) -> None: ...

    def remember(self, text: str) -> None: ...

    def leave(self) -> None: ...

    def close(self) -> None: ...


@pytest.mark.parametrize(
    ("key", "model"), [("y", "ollama/qwen3:8b"), ("n", "offline/guide"), ("escape", "offline/guide")]
)
async def test_the_full_screen_asks_once(tmp_path: Path, key: str, model: str) -> None:
    composed = await started(tmp_path / "p")
    app = OpenClawApp(opened(composed))
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen))
        await pilot.press(key)
        await until(pilot, lambda: not isinstance(app.screen, ConfirmScreen))
        await shown(pilot)
        assert composed.session.model.ref == model
        assert ("model is now ollama/qwen3:8b" in transcript_text(pilot)) is (key == "y")
    again = await started(tmp_path / "p")
    assert again.offer is None
    assert again.session.model.ref == model
    assert any("found ollama" in notice for notice in again.notices) is False
    await again.session.close()


@pytest.mark.parametrize(
    ("typed", "model", "asked_again"),
    [("y", "ollama/qwen3:8b", False), ("no", "offline/guide", False), (None, "offline/guide", True)],
)
async def test_line_mode_asks_with_y_and_n(tmp_path: Path, typed: str | None, model: str, asked_again: bool) -> None:
    app = await started(tmp_path / "p")
    said: list[str] = []
    await ask_for_server(app, Reader(typed), said.append)
    assert "Use its model qwen3:8b?" in said[0]
    assert app.session.model.ref == model
    await app.session.close()
    again = await started(tmp_path / "p")
    assert (again.offer is not None) is asked_again
    assert again.session.model.ref == model
    await again.session.close()


async def test_print_mode_names_it_and_does_not_use_it_even_after_a_yes(tmp_path: Path) -> None:
    app = await started(tmp_path / "p")
    await ask_for_server(app, Reader("y"), lambda _: None)
    await app.session.close()
    printed = await started(tmp_path / "p", interactive=False)
    assert printed.session.model.ref == "offline/guide"
    assert printed.offer is None
    assert any("found ollama" in notice for notice in printed.notices)
    await printed.session.close()
