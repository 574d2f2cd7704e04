"""Agent definitions from files, the user's own agents, and the commands about both."""

import dataclasses
import json
from pathlib import Path

import pytest

from openclaw_tui.agent.agent_files import agents_index, read_agent_files
from openclaw_tui.app.compose import load_settings
from openclaw_tui.commands.help_command import all_commands
from openclaw_tui.commands.registry import CommandOutput
from openclaw_tui.errors import ConfigError
from openclaw_tui.messages import text_of
from openclaw_tui.options import Options
from openclaw_tui.providers.scripted import Step
from tests.agent.casting import Cast, cast, spawn
from tests.agent.harness import APIS, Agent, agent, agent_on, compose
from tests.strict_fake import Call, Record, Reply, StrictFake


def define(folder: Path, name: str, head: str = "", body: str = "Be thorough.") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.md"
    path.write_text(f"---\nname: {name}\ndescription: Does {name}.\n{head}---\n{body}\n", encoding="utf-8")
    return path


def state_toml(tmp_path: Path, text: str) -> None:
    (tmp_path / "state").mkdir(exist_ok=True)
    (tmp_path / "state" / "tui.toml").write_text(text, encoding="utf-8")


async def typed(it: Agent, line: str) -> CommandOutput:
    parsed = all_commands().parse(line)
    assert parsed is not None
    assert parsed.command is not None, parsed.problem
    return await parsed.command.run(it.app, parsed.argument)


def test_files_are_read_nearest_first_and_what_cannot_be_used_is_told(tmp_path: Path) -> None:
    near, far = tmp_path / "near", tmp_path / "far"
    define(near, "reviewer", "tools: Read, Grep, Bash\nmodel: inherit\n")
    define(far, "reviewer")
    define(far, "writer", "tools:\n  - write\nmodel: anthropic/claude-sonnet-5-5\n")
    (far / "nothing.md").write_text("no head", encoding="utf-8")
    (far / "mute.md").write_text("---\nname: mute\n---\nx", encoding="utf-8")
    (far / "binary.md").write_bytes(b"\xff\xfe\x00")
    (far / "huge.md").write_bytes(b"x" * 100_000)
    found = read_agent_files([near, tmp_path / "none", far])
    assert [agent.name for agent in found.agents] == ["reviewer", "writer"]
    reviewer, writer = found.agents
    assert (reviewer.tools, reviewer.model, reviewer.instructions) == (("Read", "Grep", "Bash"), "", "Be thorough.")
    assert (writer.tools, writer.model) == (("write",), "anthropic/claude-sonnet-5-5")
    assert [Path(problem.split(": ")[0]).name for problem in found.problems] == [
        "binary.md",
        "huge.md",
        "mute.md",
        "nothing.md",
        "reviewer.md",
    ]
    assert agents_index(found.agents) == "- reviewer: Does reviewer.\n- writer: Does writer."


async def test_a_definition_gives_a_child_its_tools_and_its_instructions(tmp_path: Path, isolated_home: Path) -> None:
    define(isolated_home / ".claude" / "agents", "reviewer", "tools: Read, Grep, mcp__other\n", "Look for races.")
    play = cast([Step(calls=[spawn(agent="Reviewer"), spawn(agent="nobody")]), "Done."], ["Fine."])
    async with agent(tmp_path / "p", play) as it:
        await it.turn("Review.")
        (asked,) = play.requests_of(child=True)
        first = play.requests_of(child=False)[0]
        refused = text_of(it.results[1].content)
    assert "- reviewer: Does reviewer." in first.system_stable
    assert [tool.name for tool in asked.tools] == ["read", "grep"]
    assert "Look for races." in asked.system_dynamic
    assert "there is no agent definition 'nobody'; there are reviewer" in refused


async def test_definitions_of_a_project_count_only_where_it_is_trusted(tmp_path: Path) -> None:
    define(tmp_path / "p" / ".agents" / "agents", "theirs")
    async with agent(tmp_path / "p", ["Hello."]) as it:
        assert it.app.subagents.definitions().agents == ()
        assert "left out: it is not trusted" in (await typed(it, "/agents")).text
        assert "agent .agents/agents/theirs.md" in (await typed(it, "/trust")).text
        assert "is trusted" in (await typed(it, "/trust grant")).text
        assert "theirs" in (await typed(it, "/agents")).text
        assert "theirs" not in it.session.deps.requests.preview_prompt()[0].dynamic


async def test_the_model_of_a_child_is_the_orders_the_definitions_the_configured_or_the_parents(
    tmp_path: Path, isolated_home: Path
) -> None:
    define(isolated_home / ".agents" / "agents", "strange", "model: from-nowhere\n")
    define(isolated_home / ".agents" / "agents", "guide", "model: offline/guide\n")
    calls = [spawn(model="from-nowhere"), spawn(agent="strange"), spawn(agent="guide"), spawn()]
    play = cast([Step(calls=calls), "Done."], ["Fine."])
    async with agent(tmp_path / "p", play) as it:
        await it.turn("Go.")
        results = it.results
        notices = it.notices
        used = [request.model.ref for request in play.requests_of(child=True)]
    assert [result.is_error for result in results] == [True, False, False, False]
    assert "Leave `model` out to use scripted/script" in text_of(results[0].content)
    assert any("from-nowhere" in notice and "scripted/script is used" in notice for notice in notices)
    assert sorted(used) == ["offline/guide", "scripted/script", "scripted/script"]


async def test_running_and_ended_sub_agents_are_listed_and_told_to_the_model(tmp_path: Path) -> None:
    play = cast([Step(calls=[spawn(label="look")]), Step(calls=[("session_status", {})]), "Done."], ["Fine."])
    async with agent(tmp_path / "p", play) as it:
        await it.turn("Go.")
        assert "look" in (await typed(it, "/agents")).text
        told = text_of(it.results[-1].content)
    assert "model: scripted/script" in told
    assert "sub-agent: look · completed · 1 calls" in told


async def test_an_agent_of_the_list_has_its_own_folder_model_skills_and_sessions(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "SOUL.md").write_text("A quiet soul.\n", encoding="utf-8")
    state_toml(
        tmp_path,
        f'[[agents.list]]\nid = "scribe"\nworkspace = "{tmp_path / "notes"}"\nmodel = "google/gemini-4-argon"\n'
        'skills = ["commit"]\n[agents.defaults]\nmodel = "openai/gpt-6.2-sol"\n',
    )
    scribe = compose(tmp_path / "p", agent="Scribe", model=None)
    assert (scribe.session.model.ref, scribe.app.paths.project) == ("google/gemini-4-argon", tmp_path / "notes")
    assert scribe.session.session_key.startswith("agent:scribe:cli:dm:")
    prompt = scribe.session.deps.requests.preview_prompt()[0].stable
    assert "A quiet soul." in prompt
    assert "<name>commit</name>" in prompt
    assert "<name>refactoring</name>" not in prompt
    assert scribe.app.paths.sessions == tmp_path / "state" / "agents" / "scribe" / "sessions"
    main = compose(tmp_path / "p", model=None)
    assert (main.session.model.ref, main.app.paths.project) == ("openai/gpt-6.2-sol", tmp_path / "p")
    asked_for = compose(tmp_path / "p", agent="scribe", cwd_given=True)
    assert asked_for.app.paths.project == tmp_path / "p"
    for it in (scribe, main, asked_for):
        await it.session.close()


def test_without_the_flag_bindings_and_the_default_decide_by_channel(tmp_path: Path) -> None:
    state_toml(
        tmp_path,
        '[[agents.list]]\nid = "main"\n[[agents.list]]\nid = "helper"\ndefault = true\n'
        '[[agents.list]]\nid = "robot"\n[[bindings]]\nagentId = "robot"\nmatch = { channel = "cli" }\n',
    )
    options = Options(cwd=tmp_path)
    assert load_settings(options, channel="tui")[0].agent_id == "helper"
    assert load_settings(options, channel="cli")[0].agent_id == "robot"
    assert load_settings(dataclasses.replace(options, agent="main"), channel="cli")[0].agent_id == "main"


async def test_personal_copies_of_one_agent_go_before_those_of_all(tmp_path: Path) -> None:
    for folder, text in (("workspace", "For all."), ("workspace-writer", "For the writer.")):
        (tmp_path / "state" / folder).mkdir(parents=True)
        (tmp_path / "state" / folder / "SOUL.md").write_text(text, encoding="utf-8")
    prompts = []
    for name in (None, "writer"):
        async with agent(tmp_path / "p", ["ok"], agent=name) as it:
            await it.turn("Hi.")
            prompts.append(it.provider.requests[0].system_stable)
    assert "For all." in prompts[0]
    assert "For the writer." in prompts[1]
    assert "For all." not in prompts[1]


def test_a_workspace_that_is_gone_is_told(tmp_path: Path) -> None:
    state_toml(tmp_path, f'[[agents.list]]\nid = "scribe"\nworkspace = "{tmp_path / "gone"}"\n')
    with pytest.raises(ConfigError, match="workspace of scribe is no directory"):
        load_settings(Options(cwd=tmp_path, agent="scribe"))


async def test_the_agent_command_lists_and_switches(tmp_path: Path) -> None:
    state_toml(tmp_path, '[[agents.list]]\nid = "scribe"\nname = "The Scribe"\n')
    async with agent(tmp_path / "p", ["Hello."], agent="main") as it:
        await it.turn("Hi.")
        listed = (await typed(it, "/agent")).text.splitlines()
        assert listed == ["   scribe  The Scribe", "*  main"]
        switch = await typed(it, "/agent scribe")
        assert switch.action == "switch"
        assert switch.options is not None
        assert (switch.options.agent, switch.options.resume) == ("scribe", None)
        assert (await typed(it, "/agent nobody")).is_error
        assert "works already" in (await typed(it, "/agent main")).text


def children(record: Record) -> Reply | str:
    """What a strict server says to parent and children, told apart by their prompt."""
    sent = json.dumps(record.body)
    if "Subagent Context" in sent and "You are a sub-agent, started by another agent" in sent:
        return "Forty-two." if "Find the number." in sent else "Blue."
    if "Forty-two." in sent:
        return "It is forty-two, and blue."
    calls = [Call("sessions_spawn", {"task": f"Find the {what}."}) for what in ("number", "colour")]
    return Reply(calls=calls)


@pytest.mark.parametrize("api", list(APIS))
async def test_every_api_takes_a_parent_and_children_that_run_side_by_side(tmp_path: Path, api: str) -> None:
    model = next(model for name, model in APIS.items() if name == api)
    async with StrictFake(children) as fake, agent_on(fake, model, tmp_path / "p") as it:
        ended = await it.turn("Which number, which colour?")
        texts = [text_of(result.content) for result in it.results]
        answer = text_of(it.answers[-1].content)
    assert ended.outcome == "done"
    assert ["Forty-two." in texts[0], "Blue." in texts[1]] == [True, True]
    assert answer == "It is forty-two, and blue."


def reporting(record: Record) -> Reply | str:
    sent = json.dumps(record.body)
    if "You are a sub-agent, started by another agent" in sent:
        return Reply("Forty-two.", delay=0.2)
    if "Internal task completion event" in sent:
        return "It is forty-two."
    if "Accepted: sub-agent" in sent:
        return "I wait."
    return Reply(calls=[Call("sessions_spawn", {"task": "Find it.", "wait": False})])


@pytest.mark.parametrize("api", list(APIS))
async def test_every_api_takes_a_report_as_the_beginning_of_a_turn(tmp_path: Path, api: str) -> None:
    model = next(model for name, model in APIS.items() if name == api)
    async with StrictFake(reporting) as fake, agent_on(fake, model, tmp_path / "p") as it:
        await it.turn("Which number?")
        await it.session.wait_done()
        answers = [text_of(answer.content) for answer in it.answers]
    assert answers[1:] == ["I wait.", "It is forty-two."]


async def test_a_session_with_reports_goes_on_after_a_restart(tmp_path: Path) -> None:
    play = cast([Step(calls=[spawn(wait=False)]), "Waiting.", "Thanks."], ["Found."])
    async with agent(tmp_path / "p", play) as it:
        await it.turn("Look.")
        await it.session.wait_done()
        session_id, before = it.session.session_id, it.messages
    async with agent(tmp_path / "p", Cast(["Again."], []), resume=session_id) as it:
        assert it.messages == before
        await it.turn("Go on.")
        assert [message.origin for message in it.prompts] == ["user", "subagent", "user"]


async def test_a_running_sub_agent_is_steered_looked_at_and_killed(tmp_path: Path) -> None:
    """A word reaches it at its next step; a kill ends that one alone, and the parent is told by a message."""
    slow = Step(calls=[("exec", {"command": "sleep 0.3"})])
    play = cast(
        [Step(calls=[spawn(label="one", wait=False), spawn(label="two", wait=False)]), "Waiting.", "Noted.", "Noted."],
        [slow, lambda request: "Steered." if "look at b.py" in str(request.messages) else Step(hangs=True)],
    )
    async with agent(tmp_path / "p", play) as it:
        await it.turn("Go.")
        assert "told at its next step" in (await typed(it, "/agents steer one look at b.py")).text
        two = it.app.subagents.runs.named("two")[0]
        assert "two stopped" in (await typed(it, f"/subagents kill {two.number}")).text
        await it.session.wait_done()
        log = (await typed(it, "/agents log #1")).text
        assert (await typed(it, "/agents kill nobody")).is_error
        assert (await typed(it, "/agents dance")).is_error
        assert "is completed already" in (await typed(it, "/agents kill one")).text
        listed = (await typed(it, "/agents")).text
        said = [text_of(message.content) for message in it.messages if getattr(message, "origin", "") == "subagent"]
    assert "exec:" in log
    assert "says: Steered." in log
    assert "#2" in listed
    assert "stopped (by the user)" in listed
    assert any("'two' stopped: by the user" in text for text in said)
    assert any("Steered." in text for text in said)
