"""Whole tool outputs: stored under the id the model knows, found again after a resume, a fork, a compaction."""

import stat
import sys
from pathlib import Path

import msgspec

from openclaw_tui.commands.help_command import all_commands
from openclaw_tui.messages import ToolResultMessage, text_of
from openclaw_tui.providers.scripted import Answer, Step
from tests.agent.harness import SCRIPTED, Agent, agent

LINES = 30_000


def printing(lines: int = LINES) -> Step:
    program = f"for n in range({lines}): print('line', n, 'of the log, with some more words')"
    return Step(calls=[("exec", {"command": f'{sys.executable} -c "{program}"'})])


def recalling(**arguments: str) -> Step:
    return Step(calls=[("recall", arguments)])


def last_result(it: Agent) -> str:
    return text_of(it.results[-1].content)


def artifacts(it: Agent) -> Path:
    return it.path.with_suffix(".artifacts")


async def typed(it: Agent, line: str) -> str:
    parsed = all_commands().parse(line)
    assert parsed is not None
    assert parsed.command is not None
    return (await parsed.command.run(it.app, parsed.argument)).text


async def test_long_output_is_stored_whole_and_the_model_can_ask_for_its_middle(tmp_path: Path) -> None:
    script: list[Answer] = [
        printing(),
        recalling(id="t1", lines="15000-15003"),
        recalling(id="t1", pattern="line 29123 "),
        "Done.",
    ]
    async with agent(tmp_path, script) as it:
        await it.turn("Run it.")
        first, second, third = (text_of(result.content) for result in it.results)
        assert 'recall("t1")' in first
        assert len(first) < 60_000
        assert "line 29999 " in first, "the end is kept"
        assert "line 14999 of the log" in second
        assert "line 15002 of the log" in second
        assert "29124: line 29123 of" in third
        stored = list((artifacts(it) / "whole").iterdir())
        assert {stat.S_IMODE(path.stat().st_mode) for path in stored} == {0o600}
        assert list((artifacts(it) / "outputs").iterdir()) == [], "the tool's own file is gone"
        assert str(artifacts(it)) not in first, "no path of the machine stays in the session"


async def test_same_output_twice_is_stored_once_under_both_ids(tmp_path: Path) -> None:
    async with agent(tmp_path, [printing(), printing(), recalling(id="t2", lines="5-6"), "Done."]) as it:
        await it.turn("Twice.")
        assert "line 5 of" in last_result(it)
        assert len(list((artifacts(it) / "whole").glob("*.z"))) == 1


async def test_output_is_found_after_a_resume_and_in_a_fork(tmp_path: Path) -> None:
    async with agent(tmp_path, [printing(), "Done."]) as it:
        await it.turn("Run it.")
        session = it.session.session_id
    look: list[Answer] = [recalling(id="t1", lines="777"), "There."]
    async with agent(tmp_path, look, resume=session) as it:
        await it.turn("Look.")
        assert "line 776 of" in last_result(it)
        assert it.results[-1].details is not None
        assert it.results[-1].details["resultId"] == "t2"
    async with agent(tmp_path, look, resume=session, fork=True) as it:
        await it.turn("Look.")
        assert it.session.session_id != session
        assert "line 776 of" in last_result(it)


async def test_what_an_earlier_process_could_not_pack_is_packed_at_the_next_start(tmp_path: Path) -> None:
    async with agent(tmp_path, [printing(), "Done."]) as it:
        await it.turn("Run it.")
        await it.session.deps.outputs.settle()
        store = it.session.deps.outputs.store
        found = store.find("t1")
        assert found is not None
        whole = b"".join(store.chunks(found))
        details = it.results[0].details or {}
        folder, spilled = artifacts(it) / "whole", Path(str(details["fullOutput"]))
    for path in folder.iterdir():
        path.unlink()
    spilled.write_bytes(whole)
    async with agent(tmp_path, [recalling(id="t1", lines="42"), "Done."], continue_last=True) as it:
        await it.turn("Look.")
        assert "line 41 of" in last_result(it)
        assert not spilled.exists()


async def test_talk_that_a_summary_covers_is_found_by_its_text(tmp_path: Path) -> None:
    long = "word " * 10_000
    script = [f"The door code is WXYZ-4711. {long}", *[long] * 5]
    wide = msgspec.structs.replace(SCRIPTED, context_window=400_000)
    async with agent(tmp_path, script, model=wide, forever="A summary: nothing is open.") as it:
        for _ in range(6):
            await it.turn("Go on.")
        assert "Compacted" in await it.session.compact()
        assert not any("WXYZ" in text_of(answer.content) for answer in it.answers)
        provider = it.provider
        provider.steps = [*["-"] * len(provider.requests), recalling(pattern="WXYZ"), "It is WXYZ-4711."]
        await it.turn("What was the door code?")
        assert "WXYZ-4711" in last_result(it)
        assert "assistant:" in last_result(it)


async def test_user_looks_up_by_id_by_lines_and_by_text(tmp_path: Path) -> None:
    async with agent(tmp_path, [printing(), "The wolf is at the door."]) as it:
        assert "No tool output" in await typed(it, "/recall")
        await it.turn("Run it.")
        assert "t1" in await typed(it, "/recall")
        assert "exec" in await typed(it, "/recall")
        assert "line 9 of" in await typed(it, "/recall t1 10-12")
        assert 'recall(lines="' in await typed(it, "/recall t1")
        assert "1 line with" in await typed(it, "/recall t1 line 20123 ")
        assert "The wolf is at the door." in await typed(it, "/recall the wolf")
        assert "holds 'nowhere'" in await typed(it, "/recall nowhere")


async def test_session_without_a_file_leaves_no_outputs_behind(tmp_path: Path) -> None:
    async with agent(tmp_path, [printing(), recalling(id="t1", lines="3"), "Done."], no_session=True) as it:
        await it.turn("Run it.")
        assert "line 2 of" in last_result(it)
        folder = it.session.deps.outputs.store.folder
        assert folder.is_dir()
    assert not folder.parent.exists()


async def test_fifty_megabytes_stay_out_of_memory(tmp_path: Path) -> None:
    """The whole of it is in the store; the process does not grow by what it passed on."""
    program = "import sys; [sys.stdout.write('x' * 99 + chr(10)) for _ in range(500_000)]; print('the end')"
    flood = Step(calls=[("exec", {"command": f'{sys.executable} -c "{program}"'})])
    async with agent(tmp_path, ["Ready.", flood, "Done."]) as it:
        await it.turn("Warm up.")
        idle = _peak_kb()
        await it.turn("Flood.")
        await it.session.deps.outputs.settle()
        assert _peak_kb() - idle < 32 * 1024
        found = it.session.deps.outputs.store.find("t1")
        assert found is not None
        assert found.size == 50_000_000 + len("the end\n")
        assert "the end" in last_result(it)
        assert all(len(text_of(m.content)) < 60_000 for m in it.messages if isinstance(m, ToolResultMessage))


def _peak_kb() -> int:
    """Highest resident size so far, in KB."""
    status = Path("/proc/self/status")
    if not status.exists():
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return int(next(line.split()[1] for line in status.read_text(encoding="ascii").splitlines() if "VmHWM" in line))
