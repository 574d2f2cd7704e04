"""`allowed-tools` of a skill: calls outside the list are refused for the turn it works in, and nothing is granted."""

from pathlib import Path

import pytest

from openclaw_tui.messages import text_of
from openclaw_tui.providers.scripted import Answer, Step
from openclaw_tui.safety.permissions import Act
from openclaw_tui.tools.skill_scope import SkillLimit, SkillScope
from openclaw_tui.tools.workspace import Workspace
from tests.agent.casting import cast, spawn
from tests.agent.harness import Agent, agent
from tests.commands.test_skill_commands import typed
from tests.skills.support import write_skill

LOOKS = "allowed-tools: read, grep, exec(git log:*)\n"


def refusals(it: Agent) -> list[bool]:
    return ["(its allowed-tools)" in text_of(result.content) for result in it.results]


@pytest.mark.parametrize(
    ("tool", "command", "covered"),
    [
        ("read", None, True),
        ("grep", None, True),
        ("ls", None, False),
        ("write", None, False),
        ("recall", None, True),
        ("update_plan", None, True),
        ("process", None, True),
        ("exec", "git log -3", True),
        ("exec", "git log -3 && git log -4", True),
        ("exec", "ls", False),
        ("exec", "git log; rm x", False),
        ("exec", "git log > out.txt", False),
        ("exec", "git log $(rm x)", False),
        ("exec", "sh -c 'git push'", False),
        ("exec", "git log 'unclosed", False),
    ],
)
def test_the_list_is_read_part_by_part(tmp_path: Path, tool: str, command: str | None, covered: bool) -> None:
    limit = SkillLimit("looks", ("Read", "Grep", "Bash(git log:*)", "(nonsense"), tmp_path / "skill")
    path = tmp_path if command else tmp_path / "a.txt"
    act = Act(tool, "read", (path,) if tool not in ("recall", "update_plan", "process") else (), command)
    assert limit.covers(act, Workspace(tmp_path)) is covered


def test_a_list_nobody_understands_leaves_the_skill_its_own_files(tmp_path: Path) -> None:
    limit = SkillLimit("odd", ("(((",), tmp_path / "skill")
    place = Workspace(tmp_path)
    assert not limit.covers(Act("read", "read", (tmp_path / "a.txt",)), place)
    assert limit.covers(Act("read", "read", (tmp_path / "skill" / "SKILL.md",)), place)


def test_patterns_narrow_paths_and_hosts(tmp_path: Path) -> None:
    scope = SkillScope(Workspace(tmp_path))
    limit = SkillLimit("docs", ("write(docs/**)", "web_fetch(domain:example.org)"), tmp_path / "s")
    scope.inherited = (limit,)
    assert not scope.refusal(Act("edit", "write", (tmp_path / "docs" / "a.md",)))
    assert scope.refusal(Act("edit", "write", (tmp_path / "src.py",)))
    assert not scope.refusal(Act("web_fetch", "network", (), None, "https://example.org/x"))
    assert scope.refusal(Act("web_fetch", "network", (), None, "https://example.com/x"))


async def test_a_skill_called_by_name_narrows_its_turn_and_only_that(tmp_path: Path) -> None:
    write_skill(tmp_path / "p" / "skills", "looks", head=LOOKS)
    (tmp_path / "p" / "a.txt").write_text("text\n", encoding="utf-8")
    calls = [("read", {"path": "a.txt"}), ("ls", {"path": "."})]
    script: list[Answer] = [Step(calls=calls), "Done.", Step(calls=[("ls", {"path": "."})]), "Done."]
    async with agent(tmp_path / "p", script) as it:
        await typed(it, "/skill:looks please")
        assert refusals(it) == [False, True]
        assert "the skill looks works with read, grep, exec(git log:*) only" in text_of(it.results[1].content)
        await it.turn("And now?")
        assert refusals(it) == [False, True, False]


async def test_reading_its_skill_md_puts_a_skill_to_work(tmp_path: Path) -> None:
    file = write_skill(tmp_path / "p" / "skills", "looks", head=LOOKS)
    steps: list[Answer] = [Step(calls=[("ls", {"path": "."})]), Step(calls=[("read", {"path": str(file)})])]
    script: list[Answer] = [*steps, Step(calls=[("ls", {"path": "."})]), "Done."]
    async with agent(tmp_path / "p", script) as it:
        await it.turn("Look.")
        assert refusals(it) == [False, False, True]


async def test_the_list_grants_nothing(tmp_path: Path) -> None:
    write_skill(tmp_path / "p" / "skills", "runs", head="allowed-tools: exec\n")
    script: list[Answer] = [Step(calls=[("exec", {"command": "touch made.txt"})]), "Done."]
    async with agent(tmp_path / "p", script, permission_mode="default") as it:
        await typed(it, "/skill:runs")
        assert it.results[0].is_error
        assert "(its allowed-tools)" not in text_of(it.results[0].content)
    assert not (tmp_path / "p" / "made.txt").exists()


async def test_a_sub_agent_stays_within_the_skill_it_was_started_by(tmp_path: Path) -> None:
    write_skill(tmp_path / "p" / "skills", "hands-over", head="allowed-tools: sessions_spawn, read\n")
    play = cast([Step(calls=[spawn()]), "Done."], [Step(calls=[("ls", {"path": "."})]), "Seen."])
    async with agent(tmp_path / "p", play) as it:
        await typed(it, "/skill:hands-over")
        told = play.requests_of(child=True)[-1]
    assert "the skill hands-over works with" in str(told.messages)
