"""Undo, redo and engine additions on real APIs: what is sent afterwards is never refused."""

from pathlib import Path

import pytest

from openclaw_tui.models import ApiName
from tests.agent.harness import APIS, agent_on
from tests.strict_fake import Call, Reply, StrictFake


def replies(count: int) -> list[Reply | str]:
    found: list[Reply | str] = []
    for number in range(count):
        found += [
            Reply("looking " * 200, thinking="let me think", calls=[Call("read", {"path": f"f{number}.txt"})]),
            f"read number {number} " + "and explained " * 200,
        ]
    return found


def files(project: Path, count: int) -> None:
    for number in range(count):
        (project / f"f{number}.txt").write_text(f"file {number} port {5400 + number}\n" * 40, encoding="utf-8")


@pytest.mark.parametrize("api", ["anthropic", "openai-responses"])
async def test_undo_and_redo_with_later_turns_send_nothing_that_is_refused(tmp_path: Path, api: ApiName) -> None:
    files(tmp_path, 9)
    async with StrictFake(replies(9)) as fake, agent_on(fake, APIS[api], tmp_path) as it:
        desk = it.session.compactions
        for number in range(4):
            await it.turn(f"Read number {number}.")
        assert (await it.session.compact()).startswith("Compacted")
        await it.turn("Read number 4.")
        assert "later messages follow" in desk.undo()
        await it.turn("Read number 5.")
        assert "done again" in desk.redo()
        await it.turn("Read number 6.")
        desk.undo()
        await it.turn("Read number 7.")
        assert [record.error for record in fake.refused] == []
        assert it.answers[-1].stop_reason == "stop"


@pytest.mark.parametrize("api", ["anthropic", "openai-responses"])
async def test_pieces_that_change_from_turn_to_turn_send_nothing_that_is_refused(tmp_path: Path, api: ApiName) -> None:
    files(tmp_path, 7)
    async with StrictFake(replies(7)) as fake, agent_on(fake, APIS[api], tmp_path, engine="retrieval") as it:
        for number in range(4):
            await it.turn(f"Read number {number}.")
        assert (await it.session.compact()).startswith("Compacted")
        for number in range(3):
            await it.turn(f"Which port does file {number} name?")
        assert [record.error for record in fake.refused] == []
        assert any(b"brought back by relevance" in record.raw for record in fake.requests)
