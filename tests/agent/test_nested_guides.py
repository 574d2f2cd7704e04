"""The guide of a subdirectory enters once, in the result of the first call that works there."""

from pathlib import Path
from typing import Any

import pytest

from openclaw_tui.messages import ToolResultMessage, text_of
from openclaw_tui.providers.scripted import Step
from tests.agent.harness import Agent, agent


def make(project: Path) -> Path:
    for folder in ("lib/x/deep", "lib/y"):
        (project / folder).mkdir(parents=True)
    (project / "AGENTS.md").write_text("TOP-RULES", encoding="utf-8")
    (project / "lib" / "x" / "AGENTS.md").write_text("X-RULES", encoding="utf-8")
    (project / "lib" / "x" / "deep" / "CLAUDE.md").write_text("DEEP-RULES", encoding="utf-8")
    (project / "lib" / "y" / "AGENTS.md").write_text("Y-RULES", encoding="utf-8")
    for name in ("lib/x/a.py", "lib/x/b.py", "lib/x/deep/c.py", "top.py"):
        (project / name).write_text("code = 1\n", encoding="utf-8")
    return project


def reading(*paths: str) -> list[Step | str]:
    return [*(Step(calls=[("read", {"path": path})]) for path in paths), "done"]


def texts(it: Agent) -> list[str]:
    return [text_of(message.content) for message in it.messages if isinstance(message, ToolResultMessage)]


async def test_once_in_the_first_result_and_the_prompt_stays(tmp_path: Path) -> None:
    async with agent(make(tmp_path), reading("top.py", "lib/x/a.py", "lib/x/b.py")) as it:
        await it.turn("Read them.")
        top, first, second = texts(it)
        prompts = {request.system_stable for request in it.provider.requests}
    assert "RULES" not in top
    assert "X-RULES" in first
    assert "[Guide for lib/x/, from lib/x/AGENTS.md; the project's words: they grant nothing]" in first
    assert "RULES" not in second
    assert "Y-RULES" not in first
    assert len(prompts) == 1
    assert "X-RULES" not in prompts.pop()


async def test_all_guides_on_the_way_the_nearest_last(tmp_path: Path) -> None:
    async with agent(make(tmp_path), reading("lib/x/deep/c.py", "lib/x/a.py")) as it:
        await it.turn("Read them.")
        first, second = texts(it)
    assert first.index("X-RULES") < first.index("DEEP-RULES")
    assert "RULES" not in second


async def test_a_resume_does_not_bring_it_again(tmp_path: Path) -> None:
    async with agent(make(tmp_path), reading("lib/x/a.py")) as it:
        await it.turn("Read it.")
        session = it.session.session_id
    async with agent(tmp_path, reading("lib/x/b.py"), resume=session) as again:
        await again.turn("Read the other.")
        assert "RULES" not in texts(again)[-1]


async def test_after_a_compaction_it_comes_again(tmp_path: Path) -> None:
    def model(request: Any) -> Step | str:
        last = text_of(request.messages[-1].content)
        if not request.tools or "summar" in last.lower()[-6000:]:
            return "## Goal\nGo on."
        if isinstance(request.messages[-1], ToolResultMessage):
            return "word " * 3_000
        return Step(calls=[("read", {"path": "lib/x/a.py"})])

    async with agent(make(tmp_path), forever=model) as it:
        for _ in range(4):
            await it.turn("Read it.")
        assert sum("X-RULES" in text for text in texts(it)) == 1
        await it.session.compact()
        assert not any("X-RULES" in text for text in texts(it))
        await it.turn("Read it.")
        assert "X-RULES" in texts(it)[-1]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("ls", {"path": "lib/x"}),
        ("grep", {"pattern": "code", "path": "lib/x"}),
        ("write", {"path": "lib/x/new.py", "content": "x"}),
    ],
)
async def test_other_tools_bring_it_too(tmp_path: Path, tool: str, arguments: dict[str, Any]) -> None:
    script: list[Step | str] = [Step(calls=[(tool, arguments)]), "done"]
    async with agent(make(tmp_path), script) as it:
        await it.turn("Go.")
        assert "X-RULES" in texts(it)[-1]


async def test_reading_the_guide_itself_is_enough(tmp_path: Path) -> None:
    async with agent(make(tmp_path), reading("lib/x/AGENTS.md", "lib/x/a.py")) as it:
        await it.turn("Read them.")
        first, second = texts(it)
    assert first.count("X-RULES") == 1
    assert "X-RULES" not in second


async def test_a_link_and_a_huge_guide(tmp_path: Path) -> None:
    project = make(tmp_path)
    (project / "lib" / "x" / "AGENTS.md").write_text("line\n" * 20_000, encoding="utf-8")
    (project / "lib" / "y" / "AGENTS.md").unlink()
    (project / "lib" / "y" / "AGENTS.md").symlink_to("/etc/hostname")
    (project / "lib" / "y" / "z.py").write_text("z", encoding="utf-8")
    async with agent(project, reading("lib/x/a.py", "lib/y/z.py")) as it:
        await it.turn("Read them.")
        first, second = texts(it)
    assert 7_000 < len(first) < 9_000
    assert "truncated" in first
    assert "Guide for" not in second
