"""How a compaction request is answered: faithfully, blandly, or in one of the ways in which summarisers fail.

A faithful summary has every heading that the request asks for and lists every planted value that the request
contains (and
the newest identifiers), so a planted value that is missing from it never reached the summariser.
"""

import random
import re
from collections.abc import Sequence

from tests.strict_fake.exchange import Record, Wish
from tests.strict_fake.faults import Fault
from tests.strict_fake.scenario_repo import WORDS
from tests.strict_fake.scenarios import Needle
from tests.strict_fake.script import Call, Reply

MODES = ("faithful", "bland", "fail", "hang", "empty", "toolcall")
_HEADING = re.compile(r"(?:^[\s>*-]*|[`\"])(##+ [A-Z][A-Za-z/ &-]{2,40}?)\s*(?=[`\"]|$)", re.MULTILINE)
_IDENTIFIER = re.compile(
    rb"https?://[^\s\"'\\]{4,80}|\b[0-9a-f][0-9a-f-]{7,40}\b|(?<![\w.])/?(?:[\w.-]+/)+[\w.-]+|\b\d{6,}\b"
)
_OWN_HEADINGS = ("## Goal", "## Progress", "## Identifiers", "## Notes")
_MOST_VALUES = 150


def summary_reply(mode: str, record: Record, wish: Wish, needles: Sequence[Needle], number: int) -> Reply:
    """`mode`: one of `MODES` (`fail:529` names the status); any other text is the summary itself."""
    name, _, argument = mode.partition(":")
    if name == "fail" and (not argument or argument.isdigit()):
        return Reply(fault=Fault.http(int(argument or 500)))
    if mode == "hang":
        return Reply("never said", fault=Fault.stall(None))
    if mode == "empty":
        return Reply(fault=Fault.empty())
    if mode == "toolcall":
        tool = wish.tools[0]["name"] if wish.tools else "read"
        return Reply(calls=[Call(str(tool), {"path": "README.md"})])
    if mode not in ("faithful", "bland"):
        return Reply(mode)
    values = _values(record.raw, needles) if mode == "faithful" else []
    return Reply(_wrap(_text(values, _headings(wish), number), record.raw))


def _values(raw: bytes, needles: Sequence[Needle]) -> list[str]:
    seen = [needle for needle in needles if needle.value.encode("utf-8", "surrogatepass") in raw]
    seen.sort(key=lambda needle: (not needle.kind.startswith("user"), -needle.turn))
    newest = dict.fromkeys(found.decode() for found in reversed(_IDENTIFIER.findall(raw[-60_000:])))
    lines = [f"- {needle.kind}: {needle.value}" for needle in seen[:_MOST_VALUES]]
    return lines + [f"- {identifier}" for identifier in list(newest)[:40]]


def _headings(wish: Wish) -> list[str]:
    """The headings that the instructions name, which stand at the end of the newest text or in the system prompt."""
    asked = _HEADING.findall(wish.last_user[-6000:])
    asked = asked if len(set(asked)) > 1 else _HEADING.findall(wish.system)
    unique = list(dict.fromkeys(asked))[:12]
    return unique if len(unique) > 1 else list(_OWN_HEADINGS)


def _text(values: list[str], headings: list[str], number: int) -> str:
    rng = random.Random(number)
    home = next((heading for heading in headings if "identifier" in heading.lower()), headings[-1])
    lines = ["BENCH-SUMMARY", "Work through the tickets, run the checks, update stale limits."]
    for heading in headings:
        lines.append(heading)
        lines += (
            (values or ["- (none noted)"]) if heading == home else ["- Several modules were read; the work goes on."]
        )
    lines += ["", " ".join(rng.choice(WORDS) for _ in range(100))]
    return "\n".join(lines)


def _wrap(text: str, raw: bytes) -> str:
    for tag in ("state_snapshot", "summary"):
        if (tag if tag == "state_snapshot" else f"<{tag}>").encode() in raw:
            return f"<{tag}>\n{text}\n</{tag}>"
    return text
