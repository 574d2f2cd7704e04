"""`exec` and `process` with real processes: output, endings, time, children, abort."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from openclaw_tui.constants import EXEC_YIELD_SECONDS, TOOL_OUTPUT_MAX_BYTES
from openclaw_tui.errors import ToolError
from openclaw_tui.messages import text_of
from openclaw_tui.tools.base import ToolContext, ToolOutcome
from openclaw_tui.tools.exec import ExecTool
from openclaw_tui.tools.output import SpillStore
from openclaw_tui.tools.process import ProcessTool
from openclaw_tui.tools.process_group import members
from openclaw_tui.tools.processes import ProcessRegistry
from openclaw_tui.tools.workspace import Workspace

linux_only = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc to follow other sessions")


class Bench:
    """The two tools on one registry in a folder of their own."""

    def __init__(self, root: Path, spill: Path) -> None:
        self.root = root
        self.registry = ProcessRegistry(SpillStore(spill))
        self.exec = ExecTool(self.registry)
        self.process = ProcessTool(self.registry)
        self.progress: list[str] = []
        self.context = ToolContext(Workspace(root), "call-1", self.progress.append, None)

    async def run(self, command: str, **arguments: Any) -> ToolOutcome:
        return await self.exec.execute({"command": command, **arguments}, self.context)

    async def follow(self, action: str, **arguments: Any) -> str:
        return text_of((await self.process.execute({"action": action, **arguments}, self.context)).content)


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    root = tmp_path / "project"
    root.mkdir()
    bench = Bench(root, tmp_path / "spill")
    yield bench
    await bench.registry.close()


def _text(outcome: ToolOutcome) -> str:
    return text_of(outcome.content)


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


async def test_output_of_both_streams_and_the_exit_code(bench: Bench) -> None:
    outcome = await bench.run("echo out; echo err >&2; exit 3")
    assert _text(outcome) == "out\nerr\n(Command exited with code 3)"
    assert outcome.details["exitCode"] == 3
    assert not outcome.is_error


async def test_silence_is_said(bench: Bench) -> None:
    assert _text(await bench.run("true")) == "(no output)"


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("no-such-program-here", "command not found"),
        ("/", "cannot be executed"),
        ("kill -KILL $$", "signal SIGKILL"),
    ],
)
async def test_failures_to_run_are_errors_with_a_reason(bench: Bench, command: str, told: str) -> None:
    outcome = await bench.run(command)
    assert outcome.is_error
    assert told in _text(outcome)


async def test_bytes_that_are_no_text_do_no_harm(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Case 136: whatever the locale, output is UTF-8 with replacement."""
    monkeypatch.setenv("LANG", "C")
    monkeypatch.setenv("LC_ALL", "C")
    outcome = await bench.run(r"printf '\xe2\x9c\x93 \xc3\xa9t\xc3\xa9 \xff\n'")
    assert _text(outcome) == "✓ été \ufffd"


async def test_one_endless_line_loses_no_tail(bench: Bench) -> None:
    """Case 137."""
    code = "print('x' * 200_000); print('a'); print('b'); print('c')"
    outcome = await bench.run(f'{sys.executable} -c "{code}"')
    text = _text(outcome)
    assert "\na\nb\nc" in text
    assert len(text.encode()) <= TOOL_OUTPUT_MAX_BYTES + 500
    assert outcome.full_output is not None
    assert outcome.full_output.stat().st_size == 200_007
    assert outcome.full_output.stat().st_mode & 0o077 == 0


async def test_redraws_and_colours_are_gone(bench: Bench) -> None:
    """Case 151: cleaned before it is measured."""
    (bench.root / "p.py").write_text(
        "import sys\nw = sys.stdout.write\nw('\\x1b[?25l\\x1b[31mred\\x1b[0m\\r\\n')\n"
        "w('\\x1b]8;;http://e.org\\x07link\\x1b]8;;\\x07\\x1b]0;title\\x07\\n')\n"
        "for i in range(501):\n    w(f'Downloading {i}%\\r')\nw('\\ndone\\n')\n",
        encoding="utf-8",
    )
    text = _text(await bench.run(f"{sys.executable} p.py"))
    assert text == "red\nlink <http://e.org>\nDownloading 500%\ndone"


async def test_endless_output_stays_small_and_times_out(bench: Bench) -> None:
    """Case 152."""
    beats = 0

    async def beat() -> None:
        nonlocal beats
        while True:
            await asyncio.sleep(0.01)
            beats += 1

    heart = asyncio.create_task(beat())
    outcome = await bench.run("yes", timeout=0.7)
    heart.cancel()
    assert "timed out after 0.7 seconds" in _text(outcome)
    assert outcome.is_error
    assert len(_text(outcome)) <= TOOL_OUTPUT_MAX_BYTES + 1_000
    assert beats > 5
    assert all(len(piece) <= 2_000 for piece in bench.progress)


async def test_a_timeout_ends_grandchildren_too(bench: Bench) -> None:
    """Case 128: the child holds the pipe and would write a file later."""
    outcome = await bench.run("(sleep 1.2; echo here > canary) & sleep 30", timeout=0.2)
    assert outcome.details["timedOut"]
    await asyncio.sleep(1.3)
    assert not (bench.root / "canary").exists()


async def test_a_child_that_ignores_term_is_killed(bench: Bench) -> None:
    """Case 129: told by its real end."""
    outcome = await bench.run("trap '' TERM; echo $$ > pid; while true; do sleep 0.05; done", timeout=0.2)
    assert outcome.details["signal"] == "SIGKILL"
    assert not _alive(int((bench.root / "pid").read_text(encoding="utf-8")))


async def test_abort_ends_the_whole_group(bench: Bench) -> None:
    task = asyncio.create_task(bench.run("echo $$ > pid; (sleep 60; echo x > canary) & sleep 60"))
    while not (bench.root / "pid").exists() or not (bench.root / "pid").read_text(encoding="utf-8").strip():
        await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not _alive(int((bench.root / "pid").read_text(encoding="utf-8")))
    assert bench.registry.listed() == []


@pytest.mark.parametrize(
    "command",
    [
        "sleep 60 &",
        "sleep 60 >/dev/null 2>&1 & echo started",
        "sleep 60 >/dev/null & echo started",
        pytest.param("(setsid sleep 60 &)", marks=linux_only),
    ],
)
async def test_a_child_left_behind_holds_nobody_up_and_can_be_ended(bench: Bench, command: str) -> None:
    """Case 150."""
    outcome = await asyncio.wait_for(bench.run(command), 8)
    (pid,) = outcome.details["leftBehind"]
    assert f"{pid} (" in _text(outcome)  # on a busy machine it may still have the name of the shell
    assert _alive(pid)
    name = outcome.details["sessionId"]
    assert str(pid) in await bench.follow("list")
    assert "was ended" in await bench.follow("kill", sessionId=name)
    assert not _alive(pid)


async def test_no_terminal_can_be_opened(bench: Bench) -> None:
    """Case 127: the child cannot reach the keyboard, and the model is told what to do."""
    outcome = await bench.run("cat < /dev/tty; echo $?")
    assert "/dev/tty" in _text(outcome)
    asked = await bench.run("read -r answer < /dev/tty && echo got")
    assert "use a non-interactive form" in _text(asked)
    assert _text(await bench.run("read -r line; echo ended")) == "ended"


async def test_an_editor_fails_at_once_with_advice(bench: Bench) -> None:
    """Case 127: `git commit` without -m."""
    setup = "git init -q . && git config user.email a@b.c && git config user.name n && git add . "
    await bench.run(f"echo x > a && {setup}")
    outcome = await bench.run("git commit")
    assert "git commit -m" in _text(outcome)
    assert "use a non-interactive form" in _text(outcome)


async def test_keys_of_ours_do_not_reach_commands(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Case 230."""
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "MY_GATEWAY_KEY", "OTHER"):
        monkeypatch.setenv(name, "sk-value")
    bench.exec = ExecTool(bench.registry, key_variables=("MY_GATEWAY_KEY",), passed_through=("OPENAI_API_KEY",))
    lines = _text(await bench.run("env")).splitlines()
    names = {line.partition("=")[0] for line in lines}
    assert not names & {"ANTHROPIC_API_KEY", "GEMINI_API_KEY", "MY_GATEWAY_KEY"}
    assert {"OPENAI_API_KEY", "OTHER", "PATH", "HOME"} <= names
    assert "OPENCLAW_SHELL=exec" in lines
    assert "GIT_TERMINAL_PROMPT=0" in lines
    assert "PAGER=cat" in lines


async def test_what_is_shown_is_what_runs(bench: Bench) -> None:
    arguments = {"command": 'echo "$A"', "env": {"A": "it's; echo no"}}
    intent = bench.exec.intent(arguments, bench.context.workspace)
    assert intent.command == "export A='it'\"'\"'s; echo no'\necho \"$A\""
    assert intent.preview == intent.command
    assert _text(await bench.exec.execute(arguments, bench.context)) == "it's; echo no"


@pytest.mark.parametrize("name", ["PATH", "LD_PRELOAD", "DYLD_INSERT_LIBRARIES", "BASH_ENV", "A B", "1X"])
def test_variables_that_load_other_code_are_refused(bench: Bench, name: str) -> None:
    with pytest.raises(ToolError, match="exec: env"):
        bench.exec.intent({"command": "ls", "env": {name: "x"}}, bench.context.workspace)


def test_a_missing_folder_is_named(bench: Bench) -> None:
    with pytest.raises(ToolError, match="nowhere"):
        bench.exec.intent({"command": "ls", "workdir": "nowhere"}, bench.context.workspace)


async def test_a_long_command_goes_to_the_background_and_is_followed(bench: Bench) -> None:
    outcome = await bench.run("echo first; while [ ! -e go ]; do sleep 0.02; done; echo second; exit 4", yieldMs=300)
    name = outcome.details["sessionId"]
    assert outcome.details["status"] == "running"
    assert "first" in _text(outcome)
    assert "(no new output)" in await bench.follow("poll", sessionId=name)
    (bench.root / "go").touch()
    seen = ""
    while "exited" not in seen:
        seen += await bench.follow("poll", sessionId=name, timeout=2000)
    assert "second" in seen
    assert "exited with code 4" in seen
    assert "first\nsecond\n[lines 1-2 of 2]" in await bench.follow("log", sessionId=name)
    assert "second\n[lines 2-2 of 2]" in await bench.follow("log", sessionId=name, offset=2)


async def test_a_background_command_can_be_written_to_and_killed(bench: Bench) -> None:
    outcome = await bench.run("while read -r line; do echo got $line; done; sleep 60", background=True)
    name = outcome.details["sessionId"]
    await bench.follow("write", sessionId=name, data="hello\n")
    assert "got hello" in await bench.follow("poll", sessionId=name, timeout=2000)
    assert "was ended" in await bench.follow("kill", sessionId=name)
    assert not _alive(outcome.details["pid"])
    assert "ended by signal" in await bench.follow("list")


async def test_a_timeout_also_holds_in_the_background(bench: Bench) -> None:
    outcome = await bench.run("sleep 60", background=True, timeout=0.5)
    text = await bench.follow("poll", sessionId=outcome.details["sessionId"], timeout=4000)
    assert "timed out after 0.5 s" in text


async def test_input_for_a_command_without_any_is_refused(bench: Bench) -> None:
    outcome = await bench.run("sleep 60", yieldMs=50)
    with pytest.raises(ToolError, match="background: true"):
        await bench.follow("write", sessionId=outcome.details["sessionId"], data="x")


async def test_an_unknown_id_lists_the_known_ones(bench: Bench) -> None:
    outcome = await bench.run("sleep 60", yieldMs=50)
    with pytest.raises(ToolError, match=outcome.details["sessionId"]):
        await bench.follow("poll", sessionId="nope")


async def test_closing_the_registry_ends_everything(bench: Bench) -> None:
    first = await bench.run("sleep 60 & sleep 61", yieldMs=50)
    second = await bench.run("sleep 62 &")
    pids = [first.details["pid"], *second.details["leftBehind"]]
    await bench.registry.close()
    assert not any(_alive(pid) for pid in pids)
    assert members(first.details["pid"], "none") == []


async def test_kill_now_needs_no_loop(bench: Bench) -> None:
    outcome = await bench.run("trap '' TERM; sleep 60", yieldMs=100)
    await asyncio.to_thread(bench.registry.kill_now)
    while _alive(outcome.details["pid"]):
        await asyncio.sleep(0.02)


async def test_live_output_arrives_while_it_runs(bench: Bench) -> None:
    task = asyncio.create_task(bench.run("echo one; while [ ! -e go ]; do sleep 0.02; done; echo two"))
    while not any("one" in piece for piece in bench.progress):
        await asyncio.sleep(0.02)
    (bench.root / "go").touch()
    await task
    assert "".join(bench.progress) == "one\ntwo\n"


async def test_no_descriptor_stays_open(bench: Bench) -> None:
    await bench.run("true")
    before = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0
    for _ in range(5):
        await bench.run("echo x")
    with pytest.raises(ToolError, match="cannot start"):
        await bench.run("x" * 3_000_000)
    after = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0
    assert after <= before


@pytest.mark.parametrize(("code", "is_error"), [(0, False), (1, False), (126, True), (127, True)])
async def test_an_exit_code_is_a_result_and_only_a_command_that_could_not_run_is_a_failure(
    bench: Bench, code: int, is_error: bool
) -> None:
    outcome = await bench.run(f"echo said; exit {code}")
    assert "said" in _text(outcome)
    assert outcome.is_error is is_error
    if code:
        assert str(code) in _text(outcome)


def test_a_command_goes_to_the_background_after_ten_seconds_unless_told_otherwise() -> None:
    assert EXEC_YIELD_SECONDS == 10.0
