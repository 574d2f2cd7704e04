"""The sandbox of commands: what it shuts, what it lets through, and that it is in force only where it holds."""

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from openclaw_tui.errors import ToolError
from openclaw_tui.messages import text_of
from openclaw_tui.safety.sandbox import Sandbox, SandboxSettings
from openclaw_tui.tools.base import ToolContext, ToolOutcome
from openclaw_tui.tools.exec import ExecTool
from openclaw_tui.tools.output import SpillStore
from openclaw_tui.tools.processes import ProcessRegistry
from openclaw_tui.tools.workspace import Workspace


class Bench:
    """A project, a home with secrets, a state directory, and `exec` with a sandbox around its commands."""

    def __init__(self, folder: Path, settings: SandboxSettings | None = None) -> None:
        self.home = folder / "home"
        self.project = self.home / "project"
        self.state = folder / "state"
        self.project.mkdir(parents=True, exist_ok=True)
        self.state.mkdir(exist_ok=True)
        self.workspace = Workspace(self.project, readable=(self.state / "skills",))
        self.sandbox = Sandbox(
            settings or SandboxSettings(), self.workspace, hidden=(self.state,), readable=self.workspace.readable
        )
        self.processes = ProcessRegistry(SpillStore(folder / "spill"))
        self.exec = ExecTool(self.processes, sandbox=self.sandbox)

    async def run(self, command: str, **arguments: object) -> ToolOutcome:
        context = ToolContext(self.workspace, "c1", lambda _: None, None)
        return await self.exec.execute({"command": command, **arguments}, context)

    async def text(self, command: str, **arguments: object) -> str:
        return text_of((await self.run(command, **arguments)).content)


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    made = Bench(tmp_path)
    yield made
    await made.processes.close()
    await made.sandbox.aclose()


@pytest.fixture
async def held(bench: Bench) -> Bench:
    """The bench where the sandbox holds. Where the trial run fails is tested below with fakes."""
    if not await bench.sandbox.prepare():
        assert bench.sandbox.problem
        assert not bench.sandbox.may_hold
        pytest.skip(f"no sandbox on this machine: {bench.sandbox.problem}")
    return bench


def fake_bubblewrap(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    folder.mkdir(exist_ok=True)
    program = folder / "bwrap"
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


async def test_project_and_temporary_folder_can_be_written(held: Bench) -> None:
    assert "done" in await held.text("echo a > file && echo b > /tmp/other && cat file /tmp/other && echo done")
    assert (held.project / "file").read_text(encoding="utf-8") == "a\n"
    assert "b" in await held.text("cat /tmp/other"), "the next command finds what this one left in /tmp"


async def test_nothing_else_can_be_written_and_the_result_says_why(held: Bench) -> None:
    target = held.state / "outside.txt"
    said = await held.text(f"echo x > {target}")
    assert not target.exists()
    assert "The sandbox may be the cause" in said


async def test_places_of_secrets_and_the_state_are_not_there(held: Bench) -> None:
    (held.home / ".ssh").mkdir()
    (held.home / ".ssh" / "id").write_text("SECRET-1", encoding="utf-8")
    (held.home / ".netrc").write_text("SECRET-2", encoding="utf-8")
    (held.state / "keys").write_text("SECRET-3", encoding="utf-8")
    (held.state / "skills").mkdir()
    (held.state / "skills" / "run.sh").write_text("echo a skill", encoding="utf-8")
    said = await held.text(f"cat ~/.ssh/* ~/.netrc {held.state}/keys; ls -a ~/.ssh; sh {held.state}/skills/run.sh")
    assert "SECRET" not in said
    assert "a skill" in said
    assert "cannot" in await held.text("touch ~/.ssh/authorized_keys")


async def test_secret_reached_through_a_link_is_hidden_too(held: Bench) -> None:
    elsewhere = held.home.parent / "vault"
    elsewhere.mkdir()
    (elsewhere / "id").write_text("SECRET", encoding="utf-8")
    (held.home / ".ssh").symlink_to(elsewhere)
    assert "SECRET" not in await held.text(f"cat {elsewhere}/id ~/.ssh/id")


async def test_place_that_was_asked_to_be_shown_is_there(held: Bench, tmp_path: Path) -> None:
    (held.home / ".npmrc").write_text("registry=here", encoding="utf-8")
    open_bench = Bench(tmp_path, SandboxSettings(shown=(held.home / ".npmrc",), writable=(tmp_path / "extra",)))
    (tmp_path / "extra").mkdir()
    assert "registry=here" in await open_bench.text("cat ~/.npmrc")
    await open_bench.text(f"touch {tmp_path}/extra/made")
    assert (tmp_path / "extra" / "made").exists()
    await open_bench.processes.close()
    await open_bench.sandbox.aclose()


async def test_there_is_no_network_without_leave(held: Bench) -> None:
    server = await asyncio.start_server(lambda reader, writer: writer.close(), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    knock = f"(exec 3<>/dev/tcp/127.0.0.1/{port}) && echo reached"
    shut = await held.text(knock)
    opened = await held.text(knock, sandbox="network")
    server.close()
    assert "reached" not in shut
    assert 'sandbox: "network"' in shut
    assert "reached" in opened


async def test_provider_keys_of_this_program_cannot_be_read_from_its_process(held: Bench) -> None:
    said = await held.text(f"cat /proc/{os.getpid()}/environ; ls /proc | grep -cE '^[0-9]+$'")
    assert "HOME=" not in said
    assert int(said.split()[-5] if "exited" in said else said.split()[-1]) < 10


async def test_rights_to_undo_the_sandbox_are_not_there(held: Bench) -> None:
    said = await held.text("grep CapEff /proc/self/status; mount -o remount,rw / ; touch /usr/x")
    assert "0000000000000000" in said
    assert "Read-only" in said


async def test_git_works_but_its_hooks_and_settings_stay(held: Bench) -> None:
    subprocess.run(["git", "init", "-q", str(held.project)], check=True)
    said = await held.text("touch a && git add a && git -c user.name=n -c user.email=e@e commit -qm one && git log")
    assert "one" in said
    await held.text("echo evil > .git/hooks/pre-commit; git config core.fsmonitor evil")
    assert not (held.project / ".git" / "hooks" / "pre-commit").exists()
    assert "evil" not in (held.project / ".git" / "config").read_text(encoding="utf-8")


async def test_working_tree_beside_its_repository_can_commit(held: Bench) -> None:
    main = held.home / "main"
    git = ["git", "-C", str(main), "-c", "user.name=n", "-c", "user.email=e@e"]
    subprocess.run(["git", "init", "-q", str(main)], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "zero"], check=True)
    subprocess.run([*git, "worktree", "add", "-q", str(held.project)], check=True)
    said = await held.text("touch a && git add a && git -c user.name=n -c user.email=e@e commit -qm one && git log")
    assert "one" in said


async def test_forged_git_file_opens_no_other_folder(held: Bench) -> None:
    other = held.home / "other"
    subprocess.run(["git", "init", "-q", str(other)], check=True)
    (held.project / ".git").write_text(f"gitdir: {other}/.git\n", encoding="utf-8")
    await held.text(f"touch {other}/.git/made")
    assert not (other / ".git" / "made").exists()


async def test_ended_command_takes_its_children_with_it(held: Bench) -> None:
    said = await held.text("sleep 61.25 & echo started")
    assert "started" in said
    assert "left behind" not in said
    assert "background: true" in said


async def test_command_over_its_time_may_clean_up_before_it_is_killed(held: Bench) -> None:
    outcome = await held.run("trap 'echo cleaned > mark; exit 3' TERM; sleep 50 & wait", timeout=0.3)
    assert outcome.is_error
    assert (held.project / "mark").exists()


async def test_background_command_runs_inside_and_ends_when_told(held: Bench) -> None:
    outcome = await held.run("touch begun; sleep 62.5; touch /usr/never", background=True)
    running = held.processes.get(str(outcome.details["sessionId"]))
    assert running.launch.sandbox == "on"
    await held.processes.stop(running)
    assert running.return_code is not None
    assert not running.left_behind


async def test_command_does_not_outlive_a_program_that_is_killed(held: Bench, tmp_path: Path) -> None:
    """The program of this trial starts a command in the sandbox and is killed with SIGKILL."""
    begun, length = held.project / "begun", f"7{os.getpid()}.5"
    program = tmp_path / "program.py"
    program.write_text(
        "import subprocess, sys, time\nsubprocess.Popen(sys.argv[1:], start_new_session=True)\ntime.sleep(60)\n",
        encoding="utf-8",
    )
    argv = held.sandbox.wrapped(("/bin/sh", "-c", f"touch {begun}; sleep {length} & sleep {length}"), held.project)
    running = subprocess.Popen([sys.executable, str(program), *argv])
    try:
        await _until(begun.exists)
    finally:
        running.kill()
        running.wait()
    await _until(lambda: not _runs(f"sleep\0{length}"))


async def _until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not holds():
            await asyncio.sleep(0.02)


def _runs(words: str) -> bool:
    for number in (name for name in os.listdir("/proc") if name.isdigit()):
        try:
            if words in (Path("/proc") / number / "cmdline").read_text(encoding="utf-8", errors="replace"):
                return True
        except OSError:
            continue
    return False


async def test_command_the_user_typed_runs_outside_unless_the_sandbox_is_required(held: Bench, tmp_path: Path) -> None:
    assert held.exec.intent({"command": "ls", "sandbox": "typed"}, held.workspace).reach == ""
    await held.text(f"touch {held.home}/typed", sandbox="typed")
    assert (held.home / "typed").exists()
    required = Bench(tmp_path, SandboxSettings(mode="required"))
    await required.text(f"touch {held.home}/required", sandbox="typed")
    assert not (held.home / "required").exists()
    await required.processes.close()
    await required.sandbox.aclose()


async def test_command_sent_outside_runs_without_it(held: Bench) -> None:
    await held.text(f"touch {held.home}/made", sandbox="off")
    assert (held.home / "made").exists()


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo 'bwrap: No permissions to create new namespace' >&2; exit 1", "No permissions to create new namespace"),
        ('while [ "$1" != -- ]; do shift; done; shift; exec "$@"', "did not hold"),
        ("exec sleep 30", "more than"),
    ],
    ids=["refuses", "pretends", "hangs"],
)
async def test_sandbox_that_does_not_hold_is_not_in_force(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, said: str
) -> None:
    monkeypatch.setattr("openclaw_tui.safety.sandbox.SANDBOX_PROBE_SECONDS", 0.5)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    fake_bubblewrap(tmp_path / "bin", monkeypatch, script)
    bench = Bench(tmp_path)
    assert "plain" in await bench.text("echo plain")
    assert bench.sandbox.state == "failed"
    assert said in bench.sandbox.problem
    assert bench.sandbox.label() == "no sandbox"
    assert not list(Path(tempfile.gettempdir()).glob("openclaw-sandbox-*"))
    required = Bench(tmp_path, SandboxSettings(mode="required"))
    with pytest.raises(ToolError, match=r"sandbox\.mode is required"):
        await required.run("touch never")
    assert not (bench.project / "never").exists()


def test_folder_a_killed_run_left_behind_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    fake_bubblewrap(tmp_path / "bin", monkeypatch, "exit 1")
    for name, age in (("old", 100_000), ("new", 10)):
        inner = tmp_path / f"openclaw-sandbox-{name}" / "tmp"
        inner.mkdir(parents=True)
        for folder in (inner, inner.parent):
            os.utime(folder, (time.time() - age, time.time() - age))
    Sandbox(SandboxSettings(), Workspace(tmp_path / "project")).probe()
    assert [path.name for path in tmp_path.glob("openclaw-sandbox-*")] == ["openclaw-sandbox-new"]


def test_bubblewrap_a_project_brings_along_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = tmp_path / "project"
    project.mkdir()
    fake_bubblewrap(project / "bin", monkeypatch, "exit 0")
    assert Sandbox(SandboxSettings(), Workspace(project)).program != str(project / "bin" / "bwrap")


async def test_machine_without_bubblewrap_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only = tmp_path / "bin"
    only.mkdir()
    for name in ("bash", "sh"):
        found = shutil.which(name)
        assert found
        (only / name).symlink_to(found)
    monkeypatch.setenv("PATH", str(only))
    bench = Bench(tmp_path)
    assert "plain" in await bench.text("echo plain")
    assert bench.sandbox.state == "missing"
    assert "not installed" in bench.sandbox.problem


async def test_sandbox_that_is_switched_off_is_off(tmp_path: Path) -> None:
    bench = Bench(tmp_path, SandboxSettings(mode="off"))
    await bench.text(f"touch {bench.home}/made")
    assert (bench.home / "made").exists()
    assert bench.sandbox.state == "off"


async def test_required_sandbox_lets_nothing_out(tmp_path: Path) -> None:
    bench = Bench(tmp_path, SandboxSettings(mode="required"))
    if bench.sandbox.program is not None:
        with pytest.raises(ToolError, match="nothing runs outside"):
            bench.exec.intent({"command": "true", "sandbox": "off"}, bench.workspace)
