"""Going back: files to what they were, the talk to before a prompt, and taking it back."""

from pathlib import Path
from typing import Any

import pytest

from openclaw_tui.agent.rewind_desk import Prompt, RewindDesk
from openclaw_tui.app.compose import build_app
from openclaw_tui.messages import text_of
from openclaw_tui.options import Options
from openclaw_tui.providers.scripted import Answer, Step
from tests.agent.harness import Agent, agent


def write(path: str, content: str) -> Step:
    return Step(calls=[("write", {"path": path, "content": content})])


def edit(path: str, old: str, new: str) -> Step:
    return Step(calls=[("edit", {"path": path, "edits": [{"oldText": old, "newText": new}]})])


def read(path: str) -> Step:
    return Step(calls=[("read", {"path": path})])


def patch(text: str) -> Step:
    return Step(calls=[("apply_patch", {"input": f"*** Begin Patch\n{text}\n*** End Patch"})])


def run(command: str) -> Step:
    return Step(calls=[("exec", {"command": command})])


def desk_of(it: Agent) -> RewindDesk:
    return it.app.rewinds


def prompt(it: Agent, number: int) -> Prompt:
    return desk_of(it).prompts()[number - 1]


def tree_of(project: Path) -> dict[str, tuple[int, bytes]]:
    """Every file with its mode bits and bytes, and every folder."""
    found: dict[str, tuple[int, bytes]] = {}
    for path in sorted(project.rglob("*")):
        name = str(path.relative_to(project))
        found[name] = (0, b"") if path.is_dir() else (path.stat().st_mode & 0o7777, path.read_bytes())
    return found


async def test_files_come_back_with_their_bytes_and_modes_and_new_ones_go(tmp_path: Path) -> None:
    project = tmp_path / "p"
    project.mkdir()
    (project / "run.sh").write_bytes(b"#!/bin/sh\r\necho one\r\n")
    (project / "run.sh").chmod(0o750)
    (project / "old.txt").write_text("old\n", encoding="utf-8")
    before = tree_of(project)
    steps: list[Answer] = [
        "hello",
        read("run.sh"),
        edit("run.sh", "echo one", "echo two"),
        write("a/b/new.txt", "new\n"),
        patch("*** Delete File: old.txt"),
        patch("*** Update File: run.sh\n*** Move to: bin/go.sh\n@@\n-echo two\n+echo three"),
        "done",
    ]
    async with agent(project, steps) as it:
        await it.turn("hello")
        await it.turn("change everything")
        assert {"old.txt", "run.sh"}.isdisjoint(tree_of(project))
        preview = desk_of(it).preview(prompt(it, 2))
        assert {desk_of(it).name_of(file): file.act for file in preview.plan.files} == {
            "run.sh": "create",
            "a/b/new.txt": "delete",
            "old.txt": "create",
            "bin/go.sh": "delete",
        }
        outcome = await desk_of(it).rewind(prompt(it, 2), "both")
        assert outcome.draft == "change everything"
        assert "4 files put back" in outcome.line
        assert tree_of(project) == before
        assert [text_of(said.content) for said in it.prompts] == ["hello"]


async def test_a_rewind_can_be_undone_and_done_again(tmp_path: Path) -> None:
    project = tmp_path / "p"
    steps: list[Answer] = [write("a.txt", "one\n"), "one", edit("a.txt", "one", "two"), "two", "three"]
    async with agent(project, steps) as it:
        await it.turn("write one")
        await it.turn("make it two")
        said = it.messages
        await desk_of(it).rewind(prompt(it, 2), "both")
        assert (project / "a.txt").read_text(encoding="utf-8") == "one\n"
        outcome = await desk_of(it).undo()
        assert (project / "a.txt").read_text(encoding="utf-8") == "two\n"
        assert it.messages == said
        assert "undone" in outcome.line
        await desk_of(it).undo()
        assert (project / "a.txt").read_text(encoding="utf-8") == "one\n"
        assert len(it.messages) < len(said)


async def test_a_rewound_session_opens_where_the_talk_was_put_and_can_still_be_undone(tmp_path: Path) -> None:
    project = tmp_path / "p"
    async with agent(project, [write("a.txt", "1\n"), "made", "more"]) as it:
        await it.turn("make a")
        await it.turn("more")
        await desk_of(it).rewind(prompt(it, 1), "both")
        session, spent = it.session.session_id, it.session.deps.spent_usd
        assert not (project / "a.txt").exists()
        assert spent > 0
    async with agent(project, [], resume=session) as again:
        assert again.messages == ()
        assert again.session.deps.spent_usd == pytest.approx(spent)
        await desk_of(again).undo()
        assert (project / "a.txt").read_text(encoding="utf-8") == "1\n"
        assert len(again.prompts) == 2
        assert again.session.deps.spent_usd == pytest.approx(spent)


async def test_a_file_somebody_else_changed_is_told_and_left_alone_until_the_second_yes(tmp_path: Path) -> None:
    project = tmp_path / "p"
    steps: list[Answer] = [write("a.txt", "1\n"), write("b.txt", "1\n"), "made", edit("b.txt", "mine", "2"), "x"]
    async with agent(project, steps) as it:
        await it.turn("make them")
        (project / "a.txt").write_text("by hand\n", encoding="utf-8")
        assert [f.conflict for f in desk_of(it).preview(prompt(it, 1)).plan.conflicts] == [
            "changed since by someone else"
        ]
        outcome = await desk_of(it).rewind(prompt(it, 1), "files")
        assert (project / "a.txt").read_text(encoding="utf-8") == "by hand\n"
        assert not (project / "b.txt").exists()
        assert "Left alone: a.txt" in outcome.line
        await desk_of(it).rewind(prompt(it, 1), "files", overwrite=True)
        assert not (project / "a.txt").exists()
        await desk_of(it).undo()
        assert (project / "a.txt").read_text(encoding="utf-8") == "by hand\n"


async def test_a_change_of_others_between_two_of_ours_is_a_conflict(tmp_path: Path) -> None:
    project = tmp_path / "p"
    async with agent(project, [write("a.txt", "1\n"), "made", read("a.txt"), edit("a.txt", "x", "2"), "y"]) as it:
        await it.turn("make it")
        (project / "a.txt").write_text("x\n", encoding="utf-8")
        await it.turn("edit it")
        assert (project / "a.txt").read_text(encoding="utf-8") == "2\n"
        conflicts = desk_of(it).preview(prompt(it, 1)).plan.conflicts
        assert [file.conflict for file in conflicts] == ["changed by someone else in between; that goes too"]
        assert desk_of(it).preview(prompt(it, 2)).plan.conflicts == ()


async def test_shell_commands_of_the_span_are_named_refused_ones_not(tmp_path: Path) -> None:
    steps: list[Answer] = [run("echo hi > made.txt"), "done", run("true"), "more"]
    async with agent(tmp_path / "p", steps, disallowed_tools=("exec(true)",)) as it:
        await it.turn("run it")
        await it.turn("run that")
        preview = desk_of(it).preview(prompt(it, 1))
        assert preview.commands == ("echo hi > made.txt",)
        await desk_of(it).rewind(prompt(it, 1), "both")
        assert (tmp_path / "p" / "made.txt").exists()


async def test_files_alone_go_back_and_the_model_is_told(tmp_path: Path) -> None:
    project = tmp_path / "p"
    async with agent(project, [write("a.txt", "1\n"), "made", "seen"]) as it:
        await it.turn("make it")
        await desk_of(it).rewind(prompt(it, 1), "files")
        await it.turn("what now?")
        told = text_of(it.provider.requests[-1].messages[-2].content)
        assert "put these files back" in told
        assert "a.txt" in told


async def test_a_path_that_became_a_link_is_never_written_through(tmp_path: Path) -> None:
    project, outside = tmp_path / "p", tmp_path / "precious.txt"
    outside.write_text("mine\n", encoding="utf-8")
    project.mkdir()
    (project / "a.txt").write_text("0\n", encoding="utf-8")
    async with agent(project, [read("a.txt"), edit("a.txt", "0", "1"), "made"]) as it:
        await it.turn("edit it")
        (project / "a.txt").unlink()
        (project / "a.txt").symlink_to(outside)
        outcome = await desk_of(it).rewind(prompt(it, 1), "files", overwrite=True)
        assert "leads elsewhere" in outcome.line
        assert outside.read_text(encoding="utf-8") == "mine\n"


async def test_links_are_followed_at_the_time_of_writing_and_stay_links(tmp_path: Path) -> None:
    project = tmp_path / "p"
    project.mkdir()
    (project / "real.txt").write_text("0\n", encoding="utf-8")
    (project / "link.txt").symlink_to("real.txt")
    async with agent(project, [read("link.txt"), edit("link.txt", "0", "1"), "made"]) as it:
        await it.turn("edit it")
        await desk_of(it).rewind(prompt(it, 1), "both")
        assert (project / "link.txt").is_symlink()
        assert (project / "real.txt").read_text(encoding="utf-8") == "0\n"


async def test_files_outside_the_project_are_covered_too(tmp_path: Path) -> None:
    outside = tmp_path / "elsewhere" / "x.txt"
    async with agent(tmp_path / "p", [write(str(outside), "1\n"), "made"]) as it:
        await it.turn("make it")
        assert outside.exists()
        await desk_of(it).rewind(prompt(it, 1), "both")
        assert not outside.parent.exists()


async def test_sub_agents_writes_come_back_with_the_talk_that_started_them(tmp_path: Path) -> None:
    project = tmp_path / "p"
    spawn: dict[str, Any] = {"task": "write it", "label": "w"}
    steps: list[Answer] = [
        Step(calls=[("sessions_spawn", spawn)]),
        write("child.txt", "c\n"),
        "written",
        "done",
        "done",
    ]
    async with agent(project, steps) as it:
        await it.turn("have it written")
        await it.session.wait_done()
        if not (project / "child.txt").exists():
            pytest.fail(str(it.stored))
        change = desk_of(it).store.changes[0]
        assert "subagent" in change.by
        await desk_of(it).rewind(prompt(it, 1), "both")
        assert not (project / "child.txt").exists()


async def test_a_fork_can_rewind_what_its_origin_wrote(tmp_path: Path) -> None:
    project = tmp_path / "p"
    async with agent(project, [write("a.txt", "1\n"), "made"]) as it:
        await it.turn("make it")
        session = it.session.session_id
    async with agent(project, [], resume=session, fork=True) as copy:
        assert copy.session.session_id != session
        await desk_of(copy).rewind(prompt(copy, 1), "files")
        assert not (project / "a.txt").exists()


async def test_going_to_another_branch_and_back_keeps_both(tmp_path: Path) -> None:
    async with agent(tmp_path / "p", ["one", "two", "other"]) as it:
        await it.turn("first")
        await it.turn("second")
        end = it.answers[-1].entry_id or ""
        await desk_of(it).rewind(prompt(it, 2), "talk")
        await it.turn("another second")
        outcome = await desk_of(it).go_to(end)
        assert outcome.moved
        assert [text_of(said.content) for said in it.prompts] == ["first", "second"]
        assert len(it.session.deps.manager.leaves()) >= 2
        await desk_of(it).undo()
        assert [text_of(said.content) for said in it.prompts] == ["first", "another second"]


def test_nothing_is_made_for_a_session_that_changes_nothing(tmp_path: Path) -> None:
    app = build_app(Options(cwd=tmp_path, model="offline/guide"), channel="cli", interactive=False)
    assert app.rewinds.prompts() == []
    assert not app.rewinds.store.folder.exists()
