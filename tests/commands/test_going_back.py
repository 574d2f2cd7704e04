"""`/rewind`, `/tree`, `/fork`, `/diff`, `/btw`, `/export`, `/copy` as lines of text: what they say and do."""

import subprocess
from pathlib import Path

import pytest

from openclaw_tui.commands.help_command import all_commands
from openclaw_tui.commands.registry import CommandOutput
from openclaw_tui.errors import SessionError
from openclaw_tui.messages import text_of
from openclaw_tui.models import ApiName
from openclaw_tui.providers.scripted import Answer, Step
from tests.agent.harness import APIS, Agent, agent, agent_on
from tests.strict_fake import Call, Reply, StrictFake


async def say(it: Agent, line: str) -> CommandOutput:
    parsed = all_commands().parse(line)
    assert parsed is not None
    assert parsed.command is not None, line
    return await parsed.command.run(it.app, parsed.argument)


def write(path: str, content: str) -> Step:
    return Step(calls=[("write", {"path": path, "content": content})])


TALK: list[Answer] = ["hello", write("a.txt", "1\n"), "made a", Step(calls=[("exec", {"command": "true"})]), "ran"]


async def talked(it: Agent) -> None:
    for text in ("hi", "make a", "run it"):
        await it.turn(text)


async def test_rewind_lists_shows_and_does(tmp_path: Path) -> None:
    async with agent(tmp_path / "p", TALK) as it:
        await talked(it)
        listed = (await say(it, "/rewind")).text
        assert "make a" in listed
        assert "1 file" in listed
        shown = (await say(it, "/rewind 2")).text
        assert "remove  a.txt  +0 -1 lines" in shown
        assert "not covered" in shown
        assert "true" in shown
        assert (tmp_path / "p" / "a.txt").exists()
        done = await say(it, "/rewind 2 both")
        assert done.action == "rewound"
        assert done.draft == "make a"
        assert not (tmp_path / "p" / "a.txt").exists()
        assert (await say(it, "/rewind undo")).action == "rewound"
        assert (tmp_path / "p" / "a.txt").exists()


@pytest.mark.parametrize("line", ["/rewind 9", "/rewind x", "/rewind 1 sideways", "/rewind 1 both now", "/tree what"])
async def test_what_cannot_be_understood_changes_nothing_and_says_how(tmp_path: Path, line: str) -> None:
    async with agent(tmp_path / "p", ["a"]) as it:
        await it.turn("hi")
        before = it.path.read_bytes()
        output = await say(it, line)
        assert output.is_error
        assert line.split()[0] in output.text
        assert it.path.read_bytes() == before


async def test_undo_and_restore_open_the_same_picker(tmp_path: Path) -> None:
    async with agent(tmp_path / "p", TALK) as it:
        await talked(it)
        assert (await say(it, "/undo")).payload == "last_change"
        assert (await say(it, "/restore")).payload == "last_prompt"
        assert (await say(it, "/undo")).text == (await say(it, "/rewind")).text


async def test_the_tree_shows_branches_labels_and_where_one_stands(tmp_path: Path) -> None:
    async with agent(tmp_path / "p", ["one", "two", "other"]) as it:
        await it.turn("first")
        await it.turn("second")
        two = it.answers[-1].entry_id
        await say(it, "/rewind 2 talk")
        await it.turn("instead")
        await say(it, f"/tree label {two} keep this")
        text = (await say(it, "/tree")).text
        assert "├─> second" in text
        assert "└─> instead" in text
        assert "[keep this]" in text
        assert next(line for line in text.splitlines() if "← here" in line).endswith("· other  ← here")
        assert (await say(it, "/tree prompts")).text.count(">") == 3
        assert "two" in (await say(it, "/tree labelled")).text
        await say(it, "/tree go keep this")
        assert [text_of(m.content) for m in it.prompts] == ["first", "second"]
        with pytest.raises(SessionError, match="no label"):
            await say(it, "/tree go nowhere")


async def test_a_fork_can_begin_before_a_prompt(tmp_path: Path) -> None:
    async with agent(tmp_path / "p", TALK) as it:
        await talked(it)
        output = await say(it, "/fork 2")
        assert output.options is not None
        assert output.options.fork
        assert output.draft == "make a"
        session, at = output.options.resume, output.options.fork_at
        plain = await say(it, "/fork")
        assert plain.options is not None
        assert plain.options.fork_at is None
    async with agent(tmp_path / "p", [], resume=session, fork=True, fork_at=at) as copy:
        assert [text_of(m.content) for m in copy.prompts] == ["hi"]


def git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.email=a@b", "-c", "user.name=n")
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


async def test_diff_tells_the_sessions_changes_from_others(tmp_path: Path) -> None:
    project = tmp_path / "p"
    project.mkdir()
    for name in ("mine.txt", "yours.txt", "both.txt"):
        (project / name).write_text("0\n", encoding="utf-8")
    git(project, "init", "-q")
    git(project, "add", ".")
    git(project, "commit", "-qm", "x")
    (project / "yours.txt").write_text("yours\n", encoding="utf-8")
    (project / "both.txt").write_text("before\n", encoding="utf-8")
    (project / "new.txt").write_text("new\n", encoding="utf-8")
    read = Step(calls=[("read", {"path": "mine.txt"}), ("read", {"path": "both.txt"})])
    async with agent(project, [read, write("mine.txt", "mine\n"), write("both.txt", "after\n"), "ok"]) as it:
        await it.turn("go")
        text = (await say(it, "/diff")).text
        ours, _, others = text.partition("otherwise, since the last commit")
        assert "by this session: 2 files" in ours
        assert "-before\n+after" in others
        assert "-0\n+before" in others
        assert "new.txt  +1 -0 lines  untracked" in others
        assert "yours.txt" in others
        assert "yours.txt" not in ours
        assert "+++ b/mine.txt" in (await say(it, "/diff mine")).text
        assert (await say(it, "/diff nothing.txt")).is_error


async def test_looking_at_changes_runs_nothing_of_the_repository(tmp_path: Path) -> None:
    project, ran = tmp_path / "p", tmp_path / "ran"
    project.mkdir()
    (project / "a.txt").write_text("0\n", encoding="utf-8")
    (project / ".gitattributes").write_text("*.txt filter=evil diff=evil\n", encoding="utf-8")
    git(project, "init", "-q")
    git(project, "add", ".")
    git(project, "commit", "-qm", "x")
    script = tmp_path / "evil.sh"
    script.write_text(f"#!/bin/sh\ntouch {ran}\ncat\n", encoding="utf-8")
    script.chmod(0o755)
    for name in ("filter.evil.clean", "filter.evil.smudge", "diff.evil.textconv", "diff.external", "core.fsmonitor"):
        git(project, "config", name, str(script))
    ran.unlink(missing_ok=True)
    (project / "a.txt").write_text("1\n", encoding="utf-8")
    async with agent(project, []) as it:
        assert "a.txt" in (await say(it, "/diff")).text
    assert not ran.exists()


async def test_export_asks_before_it_overwrites(tmp_path: Path) -> None:
    project = tmp_path / "p"
    async with agent(project, ["hello"]) as it:
        await it.turn("hi")
        assert "written" in (await say(it, "/export talk.md")).text
        assert "hello" in (project / "talk.md").read_text(encoding="utf-8")
        (project / "talk.md").write_text("precious", encoding="utf-8")
        asked = await say(it, "/export talk.md")
        assert asked.action == "confirm"
        assert (project / "talk.md").read_text(encoding="utf-8") == "precious"
        assert "written" in (await say(it, asked.payload)).text
        assert (await say(it, "/export talk.pdf")).is_error
        for name in ("t.html", "t.jsonl"):
            await say(it, f"/export {name}")
            assert (project / name).stat().st_size > 0


async def test_copy_takes_answers_and_code(tmp_path: Path) -> None:
    code = "Look:\n\n```python\na = 1\n```\n\nand\n\n~~~\nb = ```2```\n~~~\n"
    async with agent(tmp_path / "p", [code, "the last"]) as it:
        assert (await say(it, "/copy")).is_error
        await it.turn("one")
        await it.turn("two")
        assert (await say(it, "/copy")).payload == "the last"
        assert (await say(it, "/copy 2")).payload == code
        assert (await say(it, "/copy code 2")).payload == "b = ```2```"
        assert (await say(it, "/copy code")).is_error
        assert (await say(it, "/copy 3")).is_error
        assert (await say(it, "/copy -1")).is_error


@pytest.mark.parametrize("api", list(APIS))
async def test_an_aside_leaves_no_trace_and_the_prefix_holds(tmp_path: Path, api: ApiName) -> None:
    script: list[Reply | str] = [Reply("x " * 900, thinking="hm", calls=[Call("ls", {"path": "."})]), "y " * 900]
    async with StrictFake([*script, "beside", "three"]) as fake, agent_on(fake, APIS[api], tmp_path) as it:
        await it.turn("look")
        said, spent = it.messages, it.session.deps.spent_usd
        output = await say(it, "/btw which folder was it?")
        assert output.payload == "beside"
        assert it.messages == said
        await it.turn("go on")
        assert [record.error for record in fake.refused] == []
        assert b"which folder was it" in fake.requests[-2].raw
        assert b"which folder was it" not in fake.requests[-1].raw
        row = it.session.deps.acts.ledger.last("talk", "aside")
        assert row is not None
        if APIS[api].price is not None:
            assert it.session.deps.spent_usd > spent
            assert row.cost_usd


@pytest.mark.parametrize("api", list(APIS))
async def test_the_request_after_a_rewind_is_accepted_and_its_prefix_is_still_cached(
    tmp_path: Path, api: ApiName
) -> None:
    replies: list[Reply | str] = []
    for number in range(5):
        look = Reply("see " * 400, thinking="let me think", calls=[Call("ls", {"path": "."})])
        replies += [look, f"number {number} " + "and more " * 400]
    async with StrictFake(replies) as fake, agent_on(fake, APIS[api], tmp_path) as it:
        for number in range(3):
            await it.turn(f"Look, number {number}.")
        await say(it, "/rewind 3 talk")
        await it.turn("Something else.")
        assert [record.error for record in fake.refused] == []
        assert it.answers[-1].stop_reason == "stop"
        first = next(m for m in it.answers[4:] if m.usage.prompt_tokens)
        held = first.usage.cache_read / first.usage.prompt_tokens
        assert held > 0.5, f"{api}: only {held:.0%} of the prompt came from the cache"
        await say(it, "/rewind undo")
        await it.turn("On with the old one.")
        assert [record.error for record in fake.refused] == []
