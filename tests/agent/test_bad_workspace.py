"""Everything wrong in one workspace: each fault is told in one line, and the rest works."""

import os
from pathlib import Path

from openclaw_tui.messages import text_of
from openclaw_tui.providers.scripted import Answer, Step
from tests.agent.harness import agent
from tests.commands.test_skill_commands import typed
from tests.safety.trusting import put
from tests.skills.support import write_skill


def spoiled(project: Path) -> Path:
    skills = project / "skills"
    put(skills / "torn" / "SKILL.md", "---\nname: torn\ndescription: Never closed.\n")
    put(skills / "nameless" / "SKILL.md", "---\ndescription: Has no name.\n---\n")
    put(skills / "!!!" / "SKILL.md", "---\ndescription: Has none at all.\n---\n")
    write_skill(skills, "twin", "The near one.")
    write_skill(project / ".agents" / "skills", "twin", "The far one.")
    (skills / "away").symlink_to(write_skill(project.parent, "away").parent)
    put(project / "MEMORY.md", "- the build needs ninja\n" + "- filler of a long life\n" * 450_000)
    put(project / "memory" / "2026-11-30.md", "- the deploy key is rotated on Fridays\n")
    (project / "memory" / "2026-11-29.md").write_bytes(os.urandom(4096))
    (project / "memory" / "2026-11-28.md").symlink_to("/etc/hostname")
    put(project / "AGENTS.md", "Be brief. @../outside.md @docs/none.md\n")
    put(project.parent / "outside.md", "SECRET-OUTSIDE")
    return project


async def test_each_fault_costs_only_itself(tmp_path: Path) -> None:
    project = spoiled(tmp_path / "p")
    calls = [("memory_search", {"query": "deploy key Fridays"}), ("memory_get", {"path": "memory/2026-11-28.md"})]
    script: list[Answer] = [Step(calls=calls), "Found."]
    async with agent(project, script) as it:
        await it.turn("When is the key rotated?")
        stable = it.provider.requests[0].system_stable
        search, link = (text_of(result.content) for result in it.results)
        skills = (await typed(it, "/skills")).text
        notices = it.notices
    assert "rotated on Fridays" in search
    assert "2026-11-30.md" in search
    assert it.results[1].is_error
    assert Path("/etc/hostname").read_text(encoding="utf-8").strip() not in link
    assert "SECRET-OUTSIDE" not in stable
    assert "<name>nameless</name>" in stable
    assert "The near one." in stable
    assert "The far one." not in stable
    for fault in ("torn/SKILL.md:", "!!!/SKILL.md", "stands behind", "is a link that leads out of its place"):
        assert sum(fault in line for line in skills.splitlines()) == 1, fault
    for told in ("MEMORY.md: is larger than 2 MiB", "lies outside the workspace", "there is no such file"):
        assert sum(told in notice for notice in notices) == 1, told
