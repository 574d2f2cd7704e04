"""`/memory`, `memory search` and the two tools, in a composed program."""

import json
from pathlib import Path

import pytest

from openclaw_tui.cli import main
from openclaw_tui.commands.help_command import all_commands
from openclaw_tui.commands.registry import CommandOutput
from openclaw_tui.messages import text_of
from openclaw_tui.providers.scripted import Step
from tests.agent.harness import NO_FLUSH, Agent, agent, compose, running
from tests.memory.support import note

FLUSH_ON = (NO_FLUSH.replace("false", "true"),)


async def typed(it: Agent, line: str) -> CommandOutput:
    parsed = all_commands().parse(line)
    assert parsed is not None
    assert parsed.command is not None, parsed.problem
    return await parsed.command.run(it.app, parsed.argument)


async def test_the_model_searches_and_reads_notes(tmp_path: Path) -> None:
    note(tmp_path, "memory/2026-01-02.md", "- nothing\n- codename: ZEBRA-7\n- nothing\n")
    note(tmp_path, "private.md", "no")
    script: list[Step | str] = [
        Step(calls=[("memory_search", {"query": "codename"})]),
        Step(calls=[("memory_get", {"path": "memory/2026-01-02.md", "from": 2, "lines": 1})]),
        Step(calls=[("memory_get", {"path": "private.md"})]),
        Step(calls=[("memory_get", {"path": "memory/2020-01-01.md"})]),
        "done",
    ]
    async with agent(tmp_path, script, mode="default") as it:
        await it.turn("What is the codename?")
        prompt = it.provider.requests[0].system_stable
        search, got, refused, absent = it.results
    assert "## Memory Recall" in prompt
    assert "memory/2026-01-02.md#L1-L4" in text_of(search.content)
    assert "ZEBRA-7" in text_of(search.content)
    assert text_of(got.content) == "- codename: ZEBRA-7"
    assert refused.is_error
    assert "no note" in text_of(refused.content)
    assert not absent.is_error


async def test_turned_off_the_tools_are_gone(tmp_path: Path) -> None:
    async with agent(tmp_path, ["ok"], config=("agents.defaults.memorySearch.enabled=false",)) as it:
        await it.turn("hi")
        request = it.provider.requests[0]
    assert not any(tool.name.startswith("memory") for tool in request.tools)
    assert "Memory Recall" not in request.system_stable


async def test_memory_shows_searches_and_names_the_files(tmp_path: Path) -> None:
    note(tmp_path, "MEMORY.md", "- codename ZEBRA\n")
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "bad.md").symlink_to("/etc/hostname")
    async with agent(tmp_path, [], config=FLUSH_ON) as it:
        shown = (await typed(it, "/memory")).text
        assert f"in this project: {tmp_path}" in shown
        assert "MEMORY.md: 17 bytes" in shown
        assert "leads out" in shown
        assert "done 0 times" in shown
        assert "MEMORY.md#L1" in (await typed(it, "/memory search zebra")).text
        assert str(tmp_path / "MEMORY.md") in (await typed(it, "/memory edit")).text
        assert (await typed(it, "/memory nonsense")).is_error
        assert (await typed(it, "/memory search")).is_error
        assert "nothing to take back" in (await typed(it, "/memory undo")).text


async def test_reload_takes_an_edited_note_in(tmp_path: Path) -> None:
    note(tmp_path, "MEMORY.md", "- old\n")
    async with agent(tmp_path, ["a", "b", "c"]) as it:
        await it.turn("one")
        note(tmp_path, "MEMORY.md", "- a new decision\n")
        await it.turn("two")
        await typed(it, "/memory reload")
        await it.turn("three")
        prompts = [request.system_stable for request in it.provider.requests]
    assert prompts[0] == prompts[1], "the prefix stays until the user says so"
    assert "a new decision" in prompts[2]


async def test_a_decision_of_monday_is_known_on_tuesday(tmp_path: Path) -> None:
    """Told once, compacted twice, restarted: it is in the next session's prompt and found by the search."""
    async with running(compose(tmp_path / "p", config=FLUSH_ON)) as monday:
        await monday.turn("We decided that the service listens on port 8471.")
        for _ in range(2):
            for number in range(5):
                await monday.turn(f"list the files, time {number} " + "word " * 900)
            await monday.session.compact()
    async with agent(tmp_path / "p", [Step(calls=[("memory_search", {"query": "which port"})]), "8471"]) as tuesday:
        await tuesday.turn("Which port did we decide on?")
        prompt = tuesday.provider.requests[0].system_stable
        assert "port 8471" in text_of(tuesday.results[0].content)
    assert "Notes from earlier sessions" in prompt
    assert "port 8471" in prompt
    assert list((tmp_path / "p").iterdir()) == [], "a project without notes is not written into"


def test_memory_search_from_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    note(tmp_path / "p", "MEMORY.md", "- codename ZEBRA\n")
    monkeypatch.chdir(tmp_path / "p")
    assert main(["memory", "search", "zebra", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [hit["path"] for hit in data["hits"]] == ["MEMORY.md"]
    assert data["root"] == str(tmp_path / "p")
    assert main(["memory", "search", "nowhere"]) == 0
    assert "nothing found in 1 files" in capsys.readouterr().out
    assert not (tmp_path / "state").exists(), "looking writes nothing"
