"""`/skills`, `/skill:name` and commands from Markdown files, in a composed program."""

import json
from pathlib import Path

import pytest

from openclaw_tui.cli import main
from openclaw_tui.commands.file_commands import file_commands, filled
from openclaw_tui.commands.help_command import all_commands
from openclaw_tui.commands.registry import CommandOutput
from openclaw_tui.config.paths import resolve_paths
from openclaw_tui.messages import text_of
from tests.agent.harness import Agent, agent
from tests.safety.trusting import trust
from tests.skills.support import write_skill


async def typed(it: Agent, line: str, *, trusted: bool = False) -> CommandOutput:
    parsed = all_commands(it.app.paths, trusted=trusted).parse(line)
    assert parsed is not None
    assert parsed.command is not None, parsed.problem
    output = await parsed.command.run(it.app, parsed.argument)
    await it.rest()
    return output


async def test_the_index_is_in_the_prompt_and_the_body_is_not(tmp_path: Path) -> None:
    write_skill(tmp_path / "p" / "skills", "deploy", "Put it online.", body="SECRET-BODY")
    async with agent(tmp_path / "p", ["ok"]) as it:
        await it.turn("hello")
        sent = it.provider.requests[0].system_stable
    assert "## Skills (mandatory)" in sent
    assert "<name>deploy</name>" in sent
    assert "<name>commit</name>" in sent
    assert "SECRET-BODY" not in sent


@pytest.mark.parametrize("line", ["/skill:deploy to staging", "/skill deploy to staging"])
async def test_a_skill_is_asked_for_by_name(tmp_path: Path, line: str) -> None:
    file = write_skill(tmp_path / "p" / "skills", "deploy", head="allowed-tools: read, exec\n")
    async with agent(tmp_path / "p", ["ok"]) as it:
        await typed(it, line)
        said = text_of(it.prompts[0].content)
    assert str(file) in said
    assert "Input: to staging" in said
    assert "only these tools: read, exec" in said
    assert "grants nothing" in said


async def test_asking_for_a_skill_that_is_not_in_use_says_why(tmp_path: Path) -> None:
    write_skill(tmp_path / "p" / "skills", "needs", head="requirements: {bins: [no-such-program]}\n")
    write_skill(tmp_path / "p" / "skills", "inner", head="user-invocable: false\n")
    async with agent(tmp_path / "p", []) as it:
        assert "no-such-program" in (await typed(it, "/skill:needs")).text
        assert "model only" in (await typed(it, "/skill:inner")).text
        assert "there is no skill nothing" in (await typed(it, "/skill:nothing")).text
        assert "commit" in (await typed(it, "/skill")).text
        assert it.prompts == []


async def test_skills_tells_of_every_one(tmp_path: Path) -> None:
    skills = tmp_path / "p" / "skills"
    write_skill(skills, "fine", "Works: well")
    write_skill(skills, "huge", body="x" * 300_000)
    (skills / "broken").mkdir()
    (skills / "broken" / "SKILL.md").write_text("no head", encoding="utf-8")
    write_skill(skills, "commit", "Another commit.")
    (tmp_path / "p" / ".claude" / "commands").mkdir(parents=True)
    (tmp_path / "p" / ".claude" / "commands" / "x.md").write_text("x", encoding="utf-8")
    async with agent(tmp_path / "p", []) as it:
        text = (await typed(it, "/skills")).text
    for expected in ("fine", f"{skills}/broken/SKILL.md:1", "too large", "behind another", "not valid YAML"):
        assert expected in text
    assert "1 command files of this folder are left out: it is not trusted" in text


async def test_a_command_file_becomes_a_command_where_it_may(tmp_path: Path, isolated_home: Path) -> None:
    for folder in (tmp_path / "p", isolated_home):
        (folder / ".claude" / "commands").mkdir(parents=True)
    (isolated_home / ".claude" / "commands" / "greet.md").write_text(
        "---\ndescription: Say hello\n---\nGreet $1 and $ARGUMENTS.\n", encoding="utf-8"
    )
    (tmp_path / "p" / ".claude" / "commands" / "near.md").write_text("!`rm -rf x`\nThen look.", encoding="utf-8")
    (isolated_home / ".claude" / "commands" / "help.md").write_text("mine", encoding="utf-8")
    trust(tmp_path / "p")
    async with agent(tmp_path / "p", ["ok", "ok"]) as it:
        await typed(it, "/greet Ann Bob")
        await typed(it, "/near", trusted=True)
        said = [text_of(prompt.content) for prompt in it.prompts]
        assert said[0] == "Greet Ann and Ann Bob."
        assert "!`rm -rf x`" in said[1]
        assert "commands to run first" in said[1]
        untrusted, problems = file_commands(it.app.paths, {"help"}, trusted=False)
    assert [command.name for command in untrusted] == ["greet"]
    assert any("help.md" in problem for problem in problems)
    assert not (tmp_path / "p" / "x").exists()


def test_arguments_are_put_in_or_follow() -> None:
    assert filled("A $1 B $2 C $ARGUMENTS", "x y") == "A x B y C x y"
    assert filled("No place", "x") == "No place\n\nx"
    assert filled("$3!", "x") == "!"


def test_skills_list(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    write_skill(tmp_path / "p" / ".agents" / "skills", "deploy", "Put it online.")
    monkeypatch.chdir(tmp_path / "p")
    assert main(["skills", "list", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    deploy = next(row for row in data["active"] if row["name"] == "deploy")
    assert (deploy["from"], deploy["trusted"], deploy["listed"]) == ("project", False, True)
    assert main(["skills", "list"]) == 0
    assert "deploy" in capsys.readouterr().out
    assert not (resolve_paths(tmp_path / "p").state / "cache" / "skills.msgpack").exists(), "looking writes nothing"
