"""A decision told on Monday is found after two compactions and a restart: real processes, two kinds of model."""

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.processes import run_program
from tests.strict_fake import Call, Record, Reply, StrictFake

DECISION = "We decided that the billing service listens on port 8471."
MODEL = "anthropic/claude-sonnet-5-5"
FILLER = "Here is more to read. " * 250
KEEP_LITTLE = ("--config", "agents.defaults.compaction.keepRecentTokens=1")


def lines(project: Path, *typed: str, model: str, env: dict[str, str] | None = None) -> str:
    """What the line mode prints for these lines: one process, ended by the end of its input."""
    text = "".join(f"{line}\n" for line in typed)
    run = run_program("--line", "-m", model, *KEEP_LITTLE, cwd=project, stdin=text.encode(), env=env)
    assert run.returncode == 0, run.stderr.decode()
    return run.stdout.decode()


def ask(project: Path, *arguments: str, model: str, env: dict[str, str] | None = None) -> list[dict[str, Any]]:
    run = run_program("-m", model, *arguments, "--output-format", "stream-json", cwd=project, env=env)
    assert run.returncode == 0, run.stderr.decode()
    return [json.loads(row) for row in run.stdout.decode().splitlines()]


def results_of(rows: list[dict[str, Any]]) -> str:
    return json.dumps([row["message"] for row in rows if row["type"] == "user"])


def forgetful(record: Record) -> Reply | str:
    """A model that notes decisions when asked for notes, and knows nothing but what it looks up."""
    newest = json.loads(record.raw)["messages"][-1]["content"]
    results = [block for block in newest if isinstance(block, dict) and block["type"] == "tool_result"]
    if results:
        found = re.search(r"listens on port (\d+)", json.dumps(results))
        return f"Port {found[1]}." if found else "NO_REPLY"
    said = record.last_user
    if "Memory flush" in said:
        path = re.search(r"memory/\d{4}-\d{2}-\d{2}\.md", said)
        note = {"path": path[0] if path else "", "content": f"- {DECISION}"}
        return Reply(calls=[Call("write", note)]) if DECISION in record.raw.decode() else "NO_REPLY"
    if "Which port" in said:
        return Reply(calls=[Call("memory_search", {"query": "billing service port"})])
    return "Noted."


@pytest.mark.parametrize("again", [("-c",), ()], ids=["the same session", "a new session"])
async def test_a_forgetful_model_finds_it_in_the_notes(project: Path, again: tuple[str, ...]) -> None:
    async with StrictFake(forgetful, summary="bland") as fake:
        env = {"ANTHROPIC_API_KEY": "test-key", "ANTHROPIC_BASE_URL": fake.url_anthropic}
        monday = await asyncio.to_thread(
            lines,
            project,
            DECISION,
            f"Thank you. {FILLER}",
            "/compact",
            f"Go on with the tests. {FILLER}",
            f"And with the docs. {FILLER}",
            "/compact",
            model=MODEL,
            env=env,
        )
        assert len(re.findall(r"^Compacted \(", monday, re.MULTILINE)) == 2, monday
        rows = await asyncio.to_thread(ask, project, *again, "-p", "Which port has billing?", model=MODEL, env=env)
        assert fake.refused == []
    assert "8471" in results_of(rows)
    assert rows[-1]["result"] == "Port 8471."


@pytest.mark.parametrize("again", [("-c",), ()], ids=["the same session", "a new session"])
def test_the_offline_guide_finds_it_too(project: Path, again: tuple[str, ...]) -> None:
    (project / "a.py").write_text("def hello():\n    return 1\n" * 400, encoding="utf-8")
    talk = ("read a.py", "find where hello is defined")
    monday = lines(project, DECISION, *talk, "/compact", "list the files", *talk, "/compact", model="offline/guide")
    assert len(re.findall(r"^Compacted \(", monday, re.MULTILINE)) == 2, monday
    rows = ask(project, *again, "-p", "Which port did we decide on for billing?", model="offline/guide")
    assert "memory_search" in json.dumps(rows)
    assert "port 8471" in rows[-1]["result"]
