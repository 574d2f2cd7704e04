"""`/permissions`: the mode, every rule with its place, the last decisions with their answers, the sandbox."""

import shlex
from pathlib import Path
from typing import Any

import pytest

from openclaw_tui.commands.help_command import all_commands
from openclaw_tui.events import ApprovalRequested
from openclaw_tui.messages import text_of
from openclaw_tui.providers.scripted import Answer, Step
from openclaw_tui.tools.approval import Decision
from tests.agent.harness import Agent, agent


async def shown(it: Agent) -> str:
    parsed = all_commands(it.app.paths, trusted=False).parse("/permissions")
    assert parsed is not None
    assert parsed.command is not None
    return (await parsed.command.run(it.app, parsed.argument)).text


def calls(*arguments: dict[str, Any]) -> Step:
    return Step(calls=[("exec", given) for given in arguments])


async def test_rules_with_their_place_and_the_last_decisions_with_their_answers(tmp_path: Path) -> None:
    project = tmp_path / "p"
    (project / ".openclaw").mkdir(parents=True)
    (project / ".openclaw" / "tui.toml").write_text('permissions.deny = ["exec(rm:*)"]\n', encoding="utf-8")
    script: list[Answer] = [calls({"command": "make one"}, {"command": "rm -rf x"}, {"command": "ls"}), "done"]
    async with agent(project, script, interactive=True, mode="default", allowed_tools=("exec(git status:*)",)) as it:
        assert "no rules" not in await shown(it)
        it.session.prompt("go")
        question = await it.until_seen(ApprovalRequested)
        it.session.approvals.resolve(question.approval_id, Decision("deny", "not now"))
        await it.rest()
        rows = [" ".join(line.split()) for line in (await shown(it)).splitlines()]
    assert rows[0] == "mode default"
    assert "allow exec(git status:*) flag" in rows
    assert "deny exec(rm:*) project" in rows
    assert "asked: no exec: make one it runs a command that may change things" in rows
    assert "deny exec: rm -rf x exec(rm:*) (project)" in rows
    assert "allow exec: ls commands that only look" in rows


async def test_what_is_shown_in_the_question_is_what_runs(tmp_path: Path) -> None:
    project = tmp_path / "p"
    command = "printf '%s|' \"$A\" \"$PWD\" 'x\u200by' > out"
    script: list[Answer] = [calls({"command": command, "env": {"A": "1 2"}, "workdir": "sub"}), "done"]
    (project / "sub").mkdir(parents=True)
    async with agent(project, script, interactive=True, mode="default") as it:
        it.session.prompt("go")
        question = await it.until_seen(ApprovalRequested)
        assert question.preview == f"export A={shlex.quote('1 2')}\n{command}"
        assert "in sub" in question.title
        it.session.approvals.resolve(question.approval_id, Decision("once"))
        await it.rest()
    made = (project / "sub" / "out").read_text(encoding="utf-8")
    assert made == f"1 2|{project / 'sub'}|x\u200by|"


@pytest.mark.parametrize("mode", ["default", "bypassPermissions"])
async def test_composed_program_runs_commands_in_the_sandbox_and_says_so(tmp_path: Path, mode: str) -> None:
    project = tmp_path / "p"
    script: list[Answer] = [calls({"command": "echo inside > made; touch /usr/openclaw-probe; true"}), "done"]
    options: dict[str, Any] = {"config": ("sandbox.mode=auto",), "allowed_tools": ("exec",)}
    async with agent(project, script, mode=mode, **options) as it:
        assert "sandbox" in await shown(it)
        await it.turn("go")
        said = await shown(it)
        holds = it.app.sandbox.state == "on"
        assert ("bubblewrap holds" in said) is holds
        assert (it.app.sandbox.label() == "sandbox") is holds
        if holds:
            assert "Read-only" in text_of(it.results[0].content)
    assert (project / "made").exists()


async def test_network_is_asked_for_and_refused_where_nobody_can_be_asked(tmp_path: Path) -> None:
    script: list[Answer] = [calls({"command": "ls", "sandbox": "network"}), "done"]
    async with agent(tmp_path / "p", script, mode="default", config=("sandbox.mode=auto",)) as it:
        may_hold = it.app.sandbox.may_hold
        await it.turn("go")
        said = text_of(it.results[0].content)
    assert ("Not run" in said and "network" in said) is may_hold
