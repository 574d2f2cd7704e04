"""Secrets on their way through an agent: no tool shows one, and what carries a mark is written back or refused."""

from pathlib import Path
from typing import Any

import pytest

from openclaw_tui.messages import text_of
from openclaw_tui.providers.scripted import Answer, Step
from tests.agent.harness import agent

KEY = "sk-ant-api03-" + "Ab1" * 12
PASSWORD = "hunter2-and-more"
ENV = f"NAME=demo\r\nDB_PASSWORD={PASSWORD}\nANTHROPIC_API_KEY={KEY}\n"
CODE = "token = get_token()\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "p"
    folder.mkdir()
    (folder / ".env").write_bytes(ENV.encode())
    (folder / "app.py").write_text(CODE, encoding="utf-8")
    return folder


async def test_every_way_to_look_at_a_file_hides_the_same(project: Path) -> None:
    looks: list[tuple[str, dict[str, Any]]] = [
        ("read", {"path": ".env"}),
        ("grep", {"pattern": "PASSWORD", "path": ".env"}),
        ("exec", {"command": "cat .env"}),
        ("exec", {"command": "cat .env >&2; exit 3"}),
        ("read", {"path": "app.py"}),
    ]
    async with agent(project, [*(Step(calls=[call]) for call in looks), "done"]) as it:
        await it.turn("Look.")
        shown = [text_of(result.content) for result in it.results]
        stored = it.app.session.deps.manager.path
    for text in shown[:4]:
        assert "DB_PASSWORD=⟦secret:1⟧" in text
        assert PASSWORD[:5] not in text
        assert PASSWORD[-5:] not in text
        assert KEY[:14] not in text
    assert CODE.strip() in shown[4]
    assert stored is not None
    assert PASSWORD not in stored.read_text(encoding="utf-8")


async def test_the_original_goes_back_into_its_own_file(project: Path) -> None:
    patch = "*** Begin Patch\n*** Update File: .env\n DB_PASSWORD=⟦secret:1⟧\n+MORE=1\n*** End Patch\n"
    edits = [{"oldText": "NAME=demo", "newText": "NAME=other"}]
    steps: list[Answer] = [
        Step(calls=[("read", {"path": ".env"})]),
        Step(calls=[("edit", {"path": ".env", "edits": edits})]),
        Step(calls=[("apply_patch", {"input": patch})]),
        Step(calls=[("read", {"path": ".env"})]),
        Step(calls=[("write", {"path": ".env", "content": "K=⟦secret:2⟧\nP=⟦secret:1⟧\n"})]),
        "done",
    ]
    async with agent(project, steps) as it:
        await it.turn("Change it.")
        problems = [text_of(result.content) for result in it.results if result.is_error]
        seen = [text_of(result.content) for result in it.results]
    assert problems == []
    assert all(KEY not in text and PASSWORD not in text for text in seen)
    assert (project / ".env").read_text(encoding="utf-8") == f"K={KEY}\nP={PASSWORD}\n"


async def test_a_mark_in_another_place_is_refused_with_the_reason(project: Path) -> None:
    steps: list[Answer] = [
        Step(calls=[("read", {"path": ".env"})]),
        Step(calls=[("write", {"path": "copy.txt", "content": "DB_PASSWORD=⟦secret:1⟧\n"})]),
        Step(calls=[("exec", {"command": "echo ⟦secret:1⟧"})]),
        "done",
    ]
    async with agent(project, steps) as it:
        await it.turn("Copy it.")
        _, written, run = it.results
    assert written.is_error
    assert "not in copy.txt" in text_of(written.content)
    assert run.is_error
    assert "have not seen" in text_of(run.content)
    assert not (project / "copy.txt").exists()


async def test_the_setting_switches_it_off(project: Path) -> None:
    steps: list[Answer] = [Step(calls=[("read", {"path": ".env"})]), "done"]
    async with agent(project, steps, config=("secrets.mask=false",)) as it:
        await it.turn("Look.")
        assert PASSWORD in text_of(it.results[0].content)
