"""A sub-agent started by the real program in print mode, against a strict server."""

import asyncio
import json
from pathlib import Path

from openclaw_tui.session.listing import find_sessions
from tests.agent.test_agents import reporting
from tests.e2e.processes import run_program
from tests.strict_fake import StrictFake


async def test_print_mode_waits_for_the_report_and_answers_with_it(project: Path, tmp_path: Path) -> None:
    async with StrictFake(reporting) as fake:
        keys = {"ANTHROPIC_API_KEY": "test-key", "ANTHROPIC_BASE_URL": fake.url_anthropic}
        arguments = ("-m", "anthropic/claude-sonnet-5-5", "-p", "Which number?", "--output-format", "stream-json")
        run = await asyncio.to_thread(run_program, *arguments, cwd=project, env=keys)
    rows = [json.loads(line) for line in run.stdout.decode().splitlines()]
    assert run.returncode == 0, run.stderr
    last = rows[-1]
    assert (last["type"], last["subtype"], last["result"]) == ("result", "success", "It is forty-two.")
    assert last["num_turns"] == 3
    assert last["total_cost_usd"] > 0
    answers = [row["message"]["content"] for row in rows if row["type"] == "assistant"]
    said = [block["text"] for content in answers for block in content if block["type"] == "text"]
    assert said == ["I wait.", "It is forty-two."]
    child = [row for row in rows if row["type"] == "subagent"]
    spawned = next(b["id"] for content in answers for b in content if b["type"] == "tool_use")
    assert (child[0]["event"], child[-1]["event"], child[-1]["outcome"]) == ("started", "ended", "done")
    assert {row["parent_tool_use_id"] for row in child} == {spawned}
    assert child[-1]["usage"]["output_tokens"] > 0
    sessions = find_sessions(tmp_path / "state" / "agents" / "main" / "sessions")
    assert sorted(row.spawned_by is not None for row in sessions) == [False, True]
    listed = run_program("sessions", "list", "--json", cwd=project)
    assert len(json.loads(listed.stdout)) == 1
    everything = run_program("sessions", "list", "--all", "--json", cwd=project)
    assert len(json.loads(everything.stdout)) == 2
    own = next(row for row in sessions if row.spawned_by is None)
    assert run_program("sessions", "rm", own.id, "--yes", cwd=project).returncode == 0
    assert find_sessions(tmp_path / "state" / "agents" / "main" / "sessions") == []
