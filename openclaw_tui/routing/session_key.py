"""Session keys: the stable address of a conversation, `agent:<agentId>:<channel>:<kind>:<peer>`.

Always lower case. `direct` is read as `dm`, what OpenClaw writes. Sub-agents have `agent:<agentId>:subagent:<uuid>`,
nested ones one more `subagent:<uuid>` for each level; a thread ends in `:thread:<id>`. Pure text in, values out.
"""

import re
from typing import Literal, TypeAlias

import msgspec

from openclaw_tui.constants import AGENT_ID_MAX_CHARS

PeerKind: TypeAlias = Literal["dm", "group", "channel"]
KeyClass: TypeAlias = Literal["main", "dm", "group", "channel", "thread", "subagent", "cron", "other"]

DEFAULT_AGENT = "main"
MAIN_KEY = "main"
_KINDS: dict[str, PeerKind] = {"dm": "dm", "direct": "dm", "group": "group", "channel": "channel"}
_BAD_CHARS = re.compile(r"[^a-z0-9_-]+")
_SUBAGENT, _THREAD = "subagent", "thread"


class SessionKey(msgspec.Struct, frozen=True):
    """A key taken apart. `rest` is everything behind the agent, word for word; the other fields are what it tells.

    `depth` counts the sub-agents on the way here; 0 is a conversation of the user's own.
    """

    agent_id: str
    rest: str
    channel: str = ""
    account: str = ""
    kind: PeerKind | None = None
    peer: str = ""
    thread: str = ""
    depth: int = 0

    def __str__(self) -> str:
        return f"agent:{self.agent_id}:{self.rest}"


def normalize_agent_id(text: str) -> str:
    """The form agent ids have: lower case, `[a-z0-9][a-z0-9_-]*`, at most 64 characters; `main` for nothing."""
    cleaned = _BAD_CHARS.sub("-", text.strip().lower()).strip("-_")[:AGENT_ID_MAX_CHARS]
    return cleaned or DEFAULT_AGENT


def build_session_key(
    agent_id: str, channel: str, kind: PeerKind, peer: str, *, account: str = "", thread: str = ""
) -> str:
    """The key of a conversation with one peer. `account` stands in it only where it is told."""
    parts = ["agent", normalize_agent_id(agent_id), channel, *([account] if account else []), kind, peer]
    if thread:
        parts += [_THREAD, thread]
    return ":".join(part.strip() for part in parts).lower()


def main_session_key(agent_id: str) -> str:
    """The one conversation of an agent that direct messages of all channels may share."""
    return f"agent:{normalize_agent_id(agent_id)}:{MAIN_KEY}"


def subagent_key(parent: str, run_id: str) -> str:
    """The key of a sub-agent: under its agent, and under its parent where that is a sub-agent itself."""
    key = parse_session_key(parent)
    if key is None:
        return f"agent:{DEFAULT_AGENT}:{_SUBAGENT}:{run_id}".lower()
    above = f"{key.rest}:" if key.depth else ""
    return f"agent:{key.agent_id}:{above}{_SUBAGENT}:{run_id}".lower()


def parse_session_key(text: str) -> SessionKey | None:
    """A key taken apart, None when it is none."""
    parts = text.strip().lower().split(":")
    if len(parts) < 3 or parts[0] != "agent" or not all(parts[1:3]):
        return None
    agent_id, rest = parts[1], parts[2:]
    depth = rest.count(_SUBAGENT)
    whole = ":".join(rest)
    if depth:
        return SessionKey(agent_id, whole, channel=_SUBAGENT, depth=depth)
    told, thread = _without_thread(rest)
    at = next((n for n, word in enumerate(told[:3]) if word in _KINDS), None)
    if at is None or at + 1 >= len(told):
        return SessionKey(agent_id, whole, channel=rest[0] if len(rest) > 1 else "", thread=thread)
    return SessionKey(
        agent_id,
        whole,
        channel=told[0] if at > 0 else "",
        account=told[1] if at > 1 else "",
        kind=_KINDS[told[at]],
        peer=":".join(told[at + 1 :]),
        thread=thread,
    )


def classify_session_key(text: str) -> KeyClass:
    """What kind of conversation a key names."""
    key = parse_session_key(text)
    if key is None:
        return "other"
    if key.depth:
        return "subagent"
    if key.rest == MAIN_KEY:
        return "main"
    if key.rest.startswith("cron:"):
        return "cron"
    if key.thread:
        return "thread"
    return key.kind or "other"


def _without_thread(parts: list[str]) -> tuple[list[str], str]:
    if _THREAD in parts[1:-1]:
        at = len(parts) - 1 - parts[::-1].index(_THREAD)
        return parts[:at], ":".join(parts[at + 1 :])
    return parts, ""
