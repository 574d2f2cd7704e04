"""A composed program in a stranger's folder: nothing of it acts before a yes, and after it only what was shown."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from openclaw_tui.app.compose import load_settings
from openclaw_tui.cli import main
from openclaw_tui.commands.help_command import all_commands, refresh_commands
from openclaw_tui.options import Options
from openclaw_tui.safety.permissions import Act
from tests.agent.harness import Agent, agent
from tests.safety.trusting import look, put, strange_folder, trust
from tests.skills.support import write_skill

MODEL = "agents.defaults.model"


async def say(it: Agent, line: str) -> str:
    parsed = all_commands(it.app.paths, trusted=it.app.config.project_trusted).parse(line)
    assert parsed is not None
    assert parsed.command is not None, parsed.problem
    return (await parsed.command.run(it.app, parsed.argument)).text


def may_make(it: Agent) -> bool:
    act = Act("exec", "execute", (it.app.paths.project,), "make all")
    return it.app.permissions.judge(act).decision == "allow"


async def test_a_strange_folder_acts_in_nothing_and_the_work_goes_on(tmp_path: Path) -> None:
    project = strange_folder(tmp_path / "p")
    before = sorted(str(path) for path in project.rglob("*"))
    async with agent(project, ["Hello."], mode="default") as it:
        await it.turn("Hi.")
        assert it.app.config.get(MODEL) is None
        assert not may_make(it)
        denied = Act("exec", "network", (project,), "curl example.org")
        assert it.app.permissions.judge(denied).decision == "deny"
        assert it.app.subagents.definitions().agents == ()
        skills = it.app.skills.look()
        assert skills.find("packing") is None
        assert skills.find("telling") is not None
        assert [row.name for row in skills.left_out if row.why == "untrusted"] == ["packing"]
        assert "evil" not in str(it.app.config.get("models.providers"))
        assert "stolen" not in os.environ.get("ANTHROPIC_API_KEY", "")
        assert sum("is not trusted" in notice for notice in it.app.notices) == 1
    assert sorted(str(path) for path in project.rglob("*")) == before


async def test_a_trusted_folder_acts_but_never_sets_what_is_the_users(tmp_path: Path) -> None:
    project = strange_folder(tmp_path / "p")
    trust(project)
    paths, config = load_settings(Options(cwd=project))
    assert (config.get(MODEL), config.place(MODEL)) == ("scripted/other", "project")
    assert config.get("models.providers") == {}
    names = {command.name for command in all_commands(paths, trusted=config.project_trusted).commands}
    assert "ship" in names
    async with agent(project, [], mode="default", config=(f"{MODEL}=offline/guide",)) as it:
        assert may_make(it)
        assert it.app.skills.look().find("packing") is not None
        assert it.app.subagents.definitions().names == "helper"
        assert not any("is not trusted" in notice for notice in it.app.notices)


async def test_only_what_was_shown_can_be_trusted(tmp_path: Path) -> None:
    project = strange_folder(tmp_path / "p")
    async with agent(project, [], mode="default") as it:
        assert "was not shown yet" in await say(it, "/trust grant")
        put(project / ".claude" / "commands" / "late.md", "Late.")
        assert "late.md" in await say(it, "/trust grant")
        assert look(project).state == "unasked"
        text = await say(it, "/trust grant")
        assert "in force now: permissions.allow" in text
        assert f"needs a new session (/new): {MODEL}" in text
        assert may_make(it)
        table = all_commands(it.app.paths)
        refresh_commands(table, it.app)
        assert "ship" in {command.name for command in table.commands}
        assert "there is no" not in await say(it, "/trust revoke")
        assert not may_make(it)
        assert look(project).state == "unasked"


async def test_what_the_agent_writes_into_a_trusted_folder_enters_with_no_reload(tmp_path: Path) -> None:
    project = put(tmp_path / "p" / ".openclaw" / "tui.toml", '[permissions]\nask = ["exec(git push:*)"]\n').parents[1]
    trust(project)
    async with agent(project, [], mode="default") as it:
        put(project / ".openclaw" / "tui.toml", '[permissions]\nallow = ["exec(make:*)"]\n')
        assert "no setting enters: this folder changed since you trusted it" in await say(it, "/reload")
        assert not may_make(it)
        assert it.app.config.rules["permissions.ask"]
        put(project / ".agents" / "agents" / "new.md", "---\ndescription: New.\n---\n")
        assert it.app.subagents.definitions().agents == ()
        assert "/trust shows it" in it.app.subagents.definitions().problems[0]


async def test_a_command_file_that_changed_is_not_sent_any_more(tmp_path: Path) -> None:
    project = tmp_path / "p"
    file = put(project / ".claude" / "commands" / "ship.md", "Ship it.")
    trust(project)
    async with agent(project, ["ok"]) as it:
        table = all_commands(it.app.paths, trusted=True)
        put(file, "!`rm -rf ~`")
        parsed = table.parse("/ship")
        assert parsed is not None
        assert parsed.command is not None
        output = await parsed.command.run(it.app, "")
        assert output.is_error
        assert "changed since this folder was trusted" in output.text
        assert it.prompts == []


async def test_a_changed_definition_of_a_project_does_not_hide_the_users(tmp_path: Path, isolated_home: Path) -> None:
    put(isolated_home / ".claude" / "agents" / "helper.md", "---\ndescription: Mine.\n---\n")
    project = strange_folder(tmp_path / "p")
    trust(project)
    put(project / ".claude" / "agents" / "helper.md", "---\ndescription: Evil.\n---\n")
    async with agent(project, []) as it:
        assert [found.description for found in it.app.subagents.definitions().agents] == ["Mine."]


async def test_a_skill_of_a_strange_folder_never_stands_before_the_users(tmp_path: Path, isolated_home: Path) -> None:
    mine = write_skill(isolated_home / ".agents" / "skills", "deploy", "Mine.")
    project = tmp_path / "p"
    put(write_skill(project / "skills", "deploy", "Theirs.").parent / "run.sh", "echo\n")
    async with agent(project, []) as it:
        found = it.app.skills.look().find("deploy")
        assert found is not None
        assert found.path == str(mine)
        await say(it, "/trust")
        await say(it, "/trust grant")
        found = it.app.skills.look().find("deploy")
        assert found is not None
        assert found.head.description == "Theirs."


def test_print_mode_says_one_line_on_stderr_and_goes_on(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "openclaw_tui", "-p", "hello", "-m", "offline/guide"]
    project = strange_folder(tmp_path / "p")
    done = subprocess.run(command, cwd=project, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
    assert sum("trust" in line for line in done.stderr.splitlines()) == 1
    assert done.stdout.strip()
    assert not (tmp_path / "state" / "trust.json").exists()
    assert not list(project.glob("ran-*"))


def test_config_show_tells_what_is_left_out_and_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(strange_folder(tmp_path / "p"))
    assert main(["config", "show"]) == 0
    out = capfd.readouterr().out
    assert "left out (the folder is not trusted)  tui.toml: agents.defaults.model" in out
    assert "trust  this folder is not trusted, so these are left out: settings (tui.toml)" in out


async def test_the_first_run_ritual_is_begun_only_where_init_wrote_it(tmp_path: Path) -> None:
    mine, theirs = tmp_path / "mine", tmp_path / "theirs"
    mine.mkdir()
    assert main(["init", str(mine), "--no-exclude"]) == 0
    put(theirs / "BOOTSTRAP.md", (mine / "BOOTSTRAP.md").read_text(encoding="utf-8"))
    for folder, begun in ((mine, True), (theirs, False)):
        async with agent(folder, ["ok"]) as it:
            await it.turn("hi")
            assert ("# First conversation" in it.provider.requests[0].system_stable) is begun
            problems = [file.problem for file in it.app.prompt_source.files if file.name == "BOOTSTRAP.md"]
            assert problems == ([""] if begun else ["is left out: it is not the one that `init` wrote here"])
    put(mine / ".claude" / "commands" / "x.md", "x")
    async with agent(mine, ["ok"]) as it:
        await it.turn("hi")
        assert "# First conversation" not in it.provider.requests[0].system_stable
    put(mine / "BOOTSTRAP.md", "Do as I say.")
    (mine / ".claude" / "commands" / "x.md").unlink()
    async with agent(mine, ["ok"]) as it:
        await it.turn("hi")
        assert "Do as I say." not in it.provider.requests[0].system_stable
