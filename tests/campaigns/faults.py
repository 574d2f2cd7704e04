"""Faults at random places of scripted sessions, over real sockets: `python -m tests.campaigns.faults --count 2000`.

Each trial is a session on one of the four APIs whose server misbehaves at random requests: refusals, overload, absurd
waits, dropped, stalled, cut, garbled and out-of-order streams, pages, redirects, other dialects. Checked: no turn lasts
beyond its limit, everything typed and everything shown as done is stored, no tool ran twice, pairs and file are valid,
the next turn without a fault is accepted, and the session opens again as it was.
"""

import argparse
import asyncio
import os
import random
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from openclaw_tui.events import MessageEnded, ToolStarted
from openclaw_tui.messages import AssistantMessage, Message, UserMessage, text_of
from openclaw_tui.models import ApiName
from openclaw_tui.session.archive import archive_path, archived_entries
from openclaw_tui.session.entries import MessageEntry
from tests.agent.checking import check_pairs
from tests.agent.harness import APIS, Agent, agent_on
from tests.campaigns.talk import check_every_api
from tests.strict_fake import Call, Fault, Reply, StrictFake
from tests.strict_fake.exchange import Record

_IDLE_SECONDS = 1.0
_LONGEST_TURN_SECONDS = 30
_TURNS = 3
_SHARE = 0.45
_PLACES = {
    "anthropic": "messages.{n}.content.0.text: not this one",
    "google": "* GenerateContentRequest.contents[{n}].parts[0].data: not this one",
    "openai-chat": "Invalid 'messages[{n}].content': not this one",
    "openai-responses": "Invalid 'input[{n}].content[0]': not this one",
}
_OTHER_DIALECTS = (
    'data: {"choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
    'event: message_start\ndata: {"type":"message_start","message":{"id":"msg_1","usage":{"input_tokens":1}}}\n\n',
    'data: {"candidates":[{"content":{"role":"model","parts":[{"text":"Hello"}]},"finishReason":"STOP"}]}\r\n\r\n',
    'event: response.completed\ndata: {"type":"response.completed","response":{"id":"r","output":[]}}\n\n',
)


def random_fault(chance: random.Random, api: ApiName) -> Fault:
    """One of every kind there is."""
    waits: Any = chance.choice((0, 0.01, 5, 86_400, 10**9, 10**18, -1, "soon", "Wed, 21 Oct 2099 07:28:00 GMT", None))
    place = _PLACES[api].format(n=chance.randint(0, 6))
    return chance.choice(
        (
            lambda: Fault.http(429, waits),
            lambda: Fault.http(chance.choice((500, 502, 503, 504, 529)), waits),
            lambda: Fault.http(chance.choice((400, 401, 402, 403, 404, 408, 409, 413, 418, 451))),
            lambda: Fault.http(400, message=place),
            lambda: Fault.http(400, message="Could not process image"),
            lambda: Fault.http(429, message="You exceeded your current quota", code="insufficient_quota"),
            lambda: Fault.mid_error(chance.choice(("overloaded", "server", "rate_limit", "overflow"))),
            lambda: Fault.mid_error("server", after=chance.randint(0, 4), failed=True),
            lambda: Fault.drop(chance.choice((0, 1, 40, 300, None))),
            lambda: Fault.stall(None, chance.randint(0, 4), chance.choice((None, "comment", "ping"))),
            lambda: Fault.cut(chance.choice((None, 0, 1, 2, 3))),
            Fault.malformed,
            Fault.out_of_order,
            Fault.empty,
            Fault.zero_deltas,
            Fault.bad_args,
            lambda: Fault.html(chance.choice((200, 403, 502))),
            lambda: Fault.redirect("http://127.0.0.1:9/elsewhere", chance.choice((301, 302, 307, 308))),
            lambda: Fault.error_200(stream=chance.random() < 0.5),
            lambda: Fault.truncate(10),
            lambda: Fault.slow(chance.uniform(0, 0.2)),
            lambda: Fault.raw(chance.choice(_OTHER_DIALECTS)),
            lambda: Fault.raw("\x00\xff garbage { data: ]]\n\n" * 3),
            lambda: Fault.raw('{"hello": "world"}', chance.choice(("application/json", "text/plain"))),
            lambda: Fault.raw("", chance.choice(("text/event-stream", "application/octet-stream"))),
        )
    )()


class _Server:
    """The script of one trial: what is said, and where it goes wrong until `calm`."""

    def __init__(self, chance: random.Random, api: ApiName, number: int) -> None:
        self._chance, self._api, self._number = chance, api, number
        self.seen: Counter[str] = Counter()
        self.calm = False
        self._said = 0

    def fault(self, record: Record) -> Fault | None:
        if self.calm or record.kind != "main" or self._chance.random() > _SHARE:
            return None
        fault = random_fault(self._chance, self._api)
        self.seen["faults"] += 1
        self.seen[f"fault {fault.kind}"] += 1
        return fault

    def reply(self, _: Record) -> Reply:
        self._said += 1
        if self._chance.random() < 0.45:
            return Reply(f"Answer {self._said}.", thinking="Concluding.")
        calls = [self._call(at) for at in range(self._chance.choice((1, 1, 2)))]
        return Reply(f"Step {self._said}.", thinking="Considering.", calls=calls)

    def _call(self, at: int) -> Call:
        name = f"{self._number}-{self._said}-{at}"
        return self._chance.choice(
            (
                Call("ls", {}),
                Call("read", {"path": "notes.txt"}),
                Call("exec", {"command": f"echo {name} >> ran.txt"}),
                Call("exec", {"command": f"echo {name} >> ran.txt"}),
            )
        )


async def run(folder: Path, *, count: int, seed: int) -> Counter[str]:
    """Trials until so many faults were injected: what was injected, and how the turns ended."""
    seen: Counter[str] = Counter()
    number = 0
    while seen["faults"] < count:
        project = folder / f"project-{number}"
        project.mkdir(parents=True)
        (project / "notes.txt").write_text("alpha\n", encoding="utf-8")
        api = list(APIS)[number % len(APIS)]
        try:
            seen += await _trial(project, api, random.Random(f"{seed}/{number}"), number)
        except (AssertionError, TimeoutError) as error:
            raise AssertionError(f"trial {number} of seed {seed} on {api}: {str(error) or 'a turn hangs'}") from error
        number += 1
    return seen


async def _trial(project: Path, api: ApiName, chance: random.Random, number: int) -> Counter[str]:
    server = _Server(chance, api, number)
    async with StrictFake(server.reply, faults=server.fault, repeat_identical=False) as fake:
        async with agent_on(fake, APIS[api], project, idle_seconds=_IDLE_SECONDS) as it:
            typed = [f"Work on it, {number}-{turn}." for turn in range(_TURNS)]
            for text in typed:
                server.seen[await _turn(it, text)] += 1
                _check(it, project)
            server.calm = True
            assert await _turn(it, "And now?") == "done", it.notices[-3:]
            _check(it, project)
            said = Counter(text_of(m.content) for m in _stored(it) if isinstance(m, UserMessage))
            assert [said[text] for text in (*typed, "And now?")] == [1] * (_TURNS + 1), said
            at_exit = it.messages
        async with agent_on(fake, APIS[api], project, idle_seconds=_IDLE_SECONDS, continue_last=True) as again:
            assert again.session.deps.manager.damage is None
            assert again.messages == at_exit
            assert await _turn(again, "Still there?") == "done", again.notices[-3:]
    server.seen["trials"] += 1
    return server.seen


async def _turn(it: Agent, text: str) -> str:
    async with asyncio.timeout(_LONGEST_TURN_SECONDS):
        return (await it.turn(text)).outcome


def _check(it: Agent, project: Path) -> None:
    assert not it.session.is_busy
    it.check()
    check_pairs(it.messages)
    check_every_api(it.messages)
    assert not [text for text in it.notices if "internal error" in text or "\n" in text], it.notices
    shown = [event.message for event in it.seen(MessageEnded) if not event.discarded]
    stored = [message for message in _stored(it) if isinstance(message, AssistantMessage)]
    assert len(stored) >= len(shown), f"{len(shown)} answers were shown, {len(stored)} are stored"
    started = Counter(event.call.id for event in it.seen(ToolStarted))
    assert max(started.values(), default=1) == 1, "a call was started twice"
    ran = project / "ran.txt"
    lines = Counter(ran.read_text(encoding="utf-8").split()) if ran.exists() else Counter[str]()
    assert max(lines.values(), default=1) == 1, f"a command ran twice: {lines.most_common(1)}"


def _stored(it: Agent) -> list[Message]:
    """Every message of the session, also those that a compaction moved to the archive."""
    entries = [*archived_entries(archive_path(it.path)), *it.session.deps.manager.entries()]
    return [entry.message for entry in entries if isinstance(entry, MessageEntry) and entry.message is not None]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"OPENCLAW_STATE_DIR": f"{folder}/state", "OPENCLAW_TUI_NO_LOCAL_PROBE": "1"}
        seen = asyncio.run(run(Path(folder), count=given.count, seed=given.seed))
    print(dict(sorted(seen.items())), f"{time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    main()
