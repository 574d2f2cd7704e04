"""Kill a working agent at random instants: `python -m tests.campaigns.kill --count 1000`.

A child process works on a session and writes down each thing it showed as done, after it was shown. It is killed with
SIGKILL. Then the session is opened again: everything shown must be there, each API would take the history as repaired,
the next turn is accepted, the file is valid. A session goes on through several kills. Children come from a fork server,
so that a trial costs no start of the program.
"""

import argparse
import asyncio
import json
import multiprocessing
import os
import random
import tempfile
import time
from collections import Counter
from multiprocessing.context import ForkServerContext
from pathlib import Path

from openclaw_tui.messages import AssistantMessage, Message, ToolResultMessage
from openclaw_tui.session.entries import CompactionEntry, Entry, MessageEntry
from tests.agent.checking import check_file
from tests.agent.harness import agent
from tests.campaigns.kill_child import has_session, name_of, work
from tests.campaigns.talk import check_every_api

_KILLS_A_SESSION = 10
_LONGEST_SECONDS = 0.25


def run(folder: Path, *, count: int, seed: int) -> Counter[str]:
    """What was done and found."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.campaigns.kill_child"])
    seen: Counter[str] = Counter()
    for begun in range(0, count, _KILLS_A_SESSION):
        project = folder / f"project-{begun}"
        project.mkdir()
        (project / "notes.txt").write_text("alpha\n", encoding="utf-8")
        shown: list[str] = []
        for number in range(begun, min(count, begun + _KILLS_A_SESSION)):
            chance = random.Random(f"{seed}/{number}")
            shown += _killed(context, project, number, chance, folder / f"shown-{number}")
            seen += asyncio.run(_reopened(project, shown, number))
        seen["things shown as done"] += len(shown)
    return seen


def _killed(context: ForkServerContext, project: Path, number: int, chance: random.Random, said: Path) -> list[str]:
    """What a child had shown before it was killed."""
    wanted = ("HOME", "OPENCLAW_STATE_DIR", "XDG_CONFIG_HOME", "OPENCLAW_TUI_NO_LOCAL_PROBE")
    environment = {name: os.environ[name] for name in wanted if name in os.environ}
    child = context.Process(target=work, args=(project, number, chance.random(), said, environment))
    child.start()
    deadline = time.monotonic() + 60
    while not said.exists() or not said.stat().st_size:
        assert child.is_alive(), f"the child ended with {child.exitcode} before it worked"
        assert time.monotonic() < deadline, "the child does not begin"
        time.sleep(0.001)
    time.sleep(chance.uniform(0, _LONGEST_SECONDS))
    child.kill()
    child.join()
    assert child.exitcode == -9, f"the child ended by itself with {child.exitcode}"
    lines = said.read_bytes().split(b"\n")[:-1]
    return [line.decode() for line in lines if line != b"ready"]


def _stored(entry: Entry) -> str | None:
    match entry:
        case MessageEntry(message=message) if message is not None:
            return name_of(message)
        case CompactionEntry(summary=summary):
            return json.dumps(["compaction", summary])
        case _:
            return None


async def _reopened(project: Path, shown: list[str], number: int) -> Counter[str]:
    async with agent(project, ["Here."], continue_last=has_session(project)) as it:
        manager = it.session.deps.manager
        stored = {_stored(entry) for entry in manager.entries()}
        lost = [thing for thing in shown if thing not in stored]
        assert not lost, f"{len(lost)} things that were shown as done are gone, first {lost[0][:200]}"
        seen = Counter(kills=1, torn_lines=int(manager.damage is not None), entries=len(manager.entries()))
        seen["open calls"] += _open_calls(it.messages)
        ended = await it.turn(f"Still there, {number}?")
        assert ended.outcome == "done", it.notices
        check_every_api(it.messages)
    check_file(it.session.deps.manager.path)
    return seen


def _open_calls(messages: tuple[Message, ...]) -> int:
    answered = {message.tool_call_id for message in messages if isinstance(message, ToolResultMessage)}
    answers = [m for m in messages if isinstance(m, AssistantMessage) and not m.is_partial]
    return sum(call.id not in answered for answer in answers for call in answer.tool_calls)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"OPENCLAW_STATE_DIR": f"{folder}/state", "OPENCLAW_TUI_NO_LOCAL_PROBE": "1"}
        print(dict(run(Path(folder), count=given.count, seed=given.seed)))


if __name__ == "__main__":
    main()
