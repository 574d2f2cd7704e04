"""Editing what a running session was made of: shown, priced, and in force only when it is applied."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from openclaw_tui.app.watching import watch_workspace
from openclaw_tui.commands.help_command import all_commands
from openclaw_tui.messages import text_of
from openclaw_tui.providers.scripted import Answer, Step
from openclaw_tui.safety.permissions import Act
from tests.agent.harness import Agent, agent

WORDS = "Long words of an answer. " * 400


@asynccontextmanager
async def watched(it: Agent) -> AsyncIterator[None]:
    watch = watch_workspace(it.app)
    watch.start()
    try:
        yield
    finally:
        await watch.close()


async def said(it: Agent, *parts: str) -> str:
    """The first notice that holds all parts."""
    async with asyncio.timeout(10):
        while True:
            found = next((text for text in it.notices if all(part in text for part in parts)), None)
            if found is not None:
                return found
            await asyncio.sleep(0.01)


async def command(it: Agent, line: str) -> str:
    parsed = all_commands().parse(line)
    assert parsed is not None
    assert parsed.command is not None
    return (await parsed.command.run(it.app, parsed.argument)).text


async def test_an_edited_agents_md_is_shown_with_its_price_and_waits_for_the_users_word(tmp_path: Path) -> None:
    project = tmp_path / "p"
    project.mkdir()
    (project / "AGENTS.md").write_text("Rule one.\n", encoding="utf-8")
    async with agent(project, [WORDS, "Two.", "Three."]) as it, watched(it):
        await it.turn("One?")
        (project / "AGENTS.md").write_text("Rule two.\n", encoding="utf-8")
        text = await said(it, "AGENTS.md", "changed")
        assert "applies at the next compaction; now with /reload (re-reads ~" in text
        await it.turn("Two?")
        first, second = it.provider.requests
        assert second.system_stable == first.system_stable
        assert sum("AGENTS.md" in notice and "changed" in notice for notice in it.notices) == 1
        assert "AGENTS.md" in await command(it, "/reload")
        await it.turn("Three?")
        assert "Rule two." in it.provider.requests[-1].system_stable


async def test_what_changed_in_the_middle_of_a_turn_enters_with_the_compaction(tmp_path: Path) -> None:
    project = tmp_path / "p"
    project.mkdir()
    (project / "AGENTS.md").write_text("Rule one.\n", encoding="utf-8")
    async with agent(project, ["Much text. " * 2000, "More text. " * 2000, "A summary.", "End."]) as it:
        await it.turn("One.")
        await it.turn("Two.")
        (project / "AGENTS.md").write_text("Rule two.\n", encoding="utf-8")
        await it.session.compact()
        await it.turn("Three.")
        assert "Rule two." in it.provider.requests[-1].system_stable


async def test_before_the_first_message_a_change_is_told_and_simply_read(tmp_path: Path) -> None:
    project = tmp_path / "p"
    async with agent(project, ["One."]) as it, watched(it):
        (project / "SOUL.md").write_text("Be brief.\n", encoding="utf-8")
        await said(it, "SOUL.md changed: read with the next message")
        await it.turn("One?")
        assert "Be brief." in it.provider.requests[0].system_stable


async def test_a_new_skill_is_shown_and_waits(tmp_path: Path) -> None:
    project = tmp_path / "p"
    folder = project / ".agents" / "skills" / "brew"
    async with agent(project, ["One.", "Two."]) as it, watched(it):
        await it.turn("One?")
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text("---\nname: brew\ndescription: Makes tea.\n---\nBoil.\n", encoding="utf-8")
        await said(it, "Skills", "changed")
        await it.turn("Two?")
        assert "Makes tea." not in it.provider.requests[1].system_stable


async def test_changed_settings_are_named_and_enter_on_the_users_word(tmp_path: Path) -> None:
    toml = tmp_path / "state" / "tui.toml"
    async with agent(tmp_path / "p", ["One."], mode="default") as it, watched(it):
        await it.turn("One?")
        act = Act("exec", "execute", (), "make all")
        toml.write_text(
            '[permissions]\nallow = ["exec(make:*)"]\n[agents.defaults]\nthinking = "high"\n', encoding="utf-8"
        )
        await said(it, "settings changed: permissions.allow; in force with /reload")
        await said(it, "settings changed: agents.defaults.thinking; in force in a new session")
        assert it.app.permissions.judge(act).decision == "ask"
        assert "permissions.allow" in await command(it, "/reload")
        assert it.app.permissions.judge(act).decision == "allow"
        toml.write_text("[permissions\n", encoding="utf-8")
        await said(it, "tui.toml", "is not valid TOML")
        assert it.app.permissions.judge(act).decision == "allow"


async def test_settings_that_cannot_be_used_change_nothing(tmp_path: Path) -> None:
    toml = tmp_path / "state" / "tui.toml"
    async with agent(tmp_path / "p", ["One."]) as it:
        before = it.session.deps.requests.settings
        toml.parent.mkdir(exist_ok=True)
        toml.write_text(
            '[agents.defaults.contextPruning]\nttl = "soon"\n[permissions]\ndeny = ["exec"]\n', encoding="utf-8"
        )
        text = await command(it, "/reload")
        assert "ttl" in text
        assert it.session.deps.requests.settings is before
        assert not it.app.permissions.denies_whole("exec")


async def test_a_file_the_agent_read_is_stale_when_another_changed_it_and_not_when_the_agent_did(
    tmp_path: Path,
) -> None:
    project = tmp_path / "p"
    project.mkdir()
    for name in ("a.py", "b.py"):
        (project / name).write_text("x = 1\n", encoding="utf-8")
    change = {"path": "a.py", "edits": [{"oldText": "x = 3", "newText": "x = 4"}]}
    own = {"path": "b.py", "content": "x = 9\n"}
    script: list[Answer] = [
        Step(calls=[("read", {"path": "a.py"}), ("read", {"path": "b.py"})]),
        Step(calls=[("write", own)]),
        "Read.",
        Step(calls=[("edit", change)]),
        "No.",
    ]
    async with agent(project, script) as it, watched(it):
        await it.turn("Read.")
        (project / "a.py").write_text("x = 3\n", encoding="utf-8")
        await said(it, "a.py changed since the agent read it")
        await it.turn("Edit.")
        assert it.results[-1].is_error
        assert "changed on disk" in text_of(it.results[-1].content)
        assert not any("b.py" in notice for notice in it.notices)
        assert (project / "a.py").read_text(encoding="utf-8") == "x = 3\n"


async def test_files_a_guide_brings_in_are_watched_as_well(tmp_path: Path) -> None:
    project = tmp_path / "p"
    (project / "docs").mkdir(parents=True)
    (project / "AGENTS.md").write_text("See @docs/style.md\n", encoding="utf-8")
    (project / "docs" / "style.md").write_text("Tabs.\n", encoding="utf-8")
    async with agent(project, [WORDS, "Two."]) as it, watched(it):
        await it.turn("One?")
        await asyncio.sleep(0.3)  # the watch learns of the file with its next look
        (project / "docs" / "style.md").write_text("Spaces, always.\n", encoding="utf-8")
        assert "now with /reload" in await said(it, "AGENTS.md", "changed")
        await command(it, "/reload")
        await it.turn("Two?")
        assert "Spaces, always." in it.provider.requests[-1].system_stable


async def test_a_new_agent_definition_and_a_new_command_are_told(tmp_path: Path, isolated_home: Path) -> None:
    for name in (".claude/agents", ".claude/commands"):
        (isolated_home / name).mkdir(parents=True)
    async with agent(tmp_path / "p", [WORDS]) as it, watched(it):
        await it.turn("One?")
        (isolated_home / ".claude" / "agents" / "helper.md").write_text("---\ndescription: H.\n---\n", encoding="utf-8")
        assert "now with /reload" in await said(it, "gents", "changed: applies")
        (isolated_home / ".claude" / "commands" / "greet.md").write_text("Greet.", encoding="utf-8")
        await said(it, "command files changed: in force with /reload")


async def test_settings_of_a_strange_folder_are_told_and_wait_for_trust(tmp_path: Path) -> None:
    project = tmp_path / "p"
    (project / ".openclaw").mkdir(parents=True)
    async with agent(project, ["One."]) as it, watched(it):
        (project / ".openclaw" / "tui.toml").write_text('[permissions]\nallow = ["exec"]\n', encoding="utf-8")
        await said(it, "settings of this folder changed", "is not trusted", "/trust")
        assert "nothing changed" in await command(it, "/reload")


async def test_a_skill_turned_off_in_the_settings_is_gone_after_reload(tmp_path: Path) -> None:
    project = tmp_path / "p"
    async with agent(project, [WORDS, "Two."]) as it, watched(it):
        await it.turn("One?")
        assert "<name>commit</name>" in it.provider.requests[0].system_stable
        it.app.paths.user_config.write_text('[skills]\ndisabled = ["commit"]\n', encoding="utf-8")
        await said(it, "settings changed: skills.disabled; in force with /reload")
        await command(it, "/reload")
        await it.turn("Two?")
        assert "<name>commit</name>" not in it.provider.requests[-1].system_stable


async def test_a_file_that_goes_stale_in_the_middle_of_a_turn_is_told_then(tmp_path: Path) -> None:
    project = tmp_path / "p"
    project.mkdir()
    (project / "a.txt").write_text("one\n", encoding="utf-8")
    script: list[Answer] = [Step(calls=[("read", {"path": "a.txt"})]), Step("words", hangs=True, events_before=1)]
    async with agent(project, script) as it, watched(it):
        it.session.prompt("Read it.")
        async with asyncio.timeout(10):
            while not it.results:
                await asyncio.sleep(0.01)
        await asyncio.sleep(0.3)
        (project / "a.txt").write_text("one and two\n", encoding="utf-8")
        await said(it, "a.txt changed since the agent read it")
        assert it.session.is_busy
        await it.session.abort()
