"""Bindings: which agent a message goes to, read from the tables of the configuration.

A binding is an agent and the constraints that must all hold: channel, account, peer, guild with roles, team. A table
that cannot be read is named and left out; the others count.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from openclaw_tui.routing.session_key import PeerKind, normalize_agent_id

DEFAULT_ACCOUNT = "default"
ANY = "*"
_KINDS: dict[str, PeerKind] = {"dm": "dm", "direct": "dm", "group": "group", "channel": "channel"}


class Peer(msgspec.Struct, frozen=True):
    """Who or what one talks to: a person (dm), a group, or a channel. An id of `*` in a binding means any."""

    kind: PeerKind
    id: str

    def fits(self, other: "Peer | None") -> bool:
        """Whether this peer of a binding names that of a message; group and channel are the same to a binding."""
        if other is None or (self.kind == "dm") != (other.kind == "dm"):
            return False
        return self.id in (ANY, other.id)


class Binding(msgspec.Struct, frozen=True):
    """`account` None means the default account only, `*` any account. `number` is the place in the configuration."""

    agent_id: str
    channel: str
    account: str | None = None
    peer: Peer | None = None
    guild: str = ""
    roles: frozenset[str] = frozenset()
    team: str = ""
    number: int = 0

    @property
    def any_account(self) -> bool:
        return self.account == ANY


class AgentRecord(msgspec.Struct, frozen=True):
    """One agent of `agents.list[]`. `skills` None means no filter, an empty tuple none at all."""

    id: str
    name: str = ""
    default: bool = False
    workspace: str = ""
    model: str = ""
    skills: tuple[str, ...] | None = None


def read_bindings(tables: Sequence[Mapping[str, Any]]) -> tuple[list[Binding], list[str]]:
    """The bindings in their order, and a line about each that is left out."""
    bindings: list[Binding] = []
    problems: list[str] = []
    for number, table in enumerate(tables):
        try:
            bindings.append(_binding(table, number))
        except (TypeError, ValueError) as error:
            problems.append(f"bindings[{number}]: {error}; it is left out")
    return bindings, problems


def read_agents(tables: Sequence[Mapping[str, Any]]) -> tuple[list[AgentRecord], list[str]]:
    """The agents in their order, and a line about each that is left out; the first of two with one id counts."""
    agents: list[AgentRecord] = []
    problems: list[str] = []
    for number, table in enumerate(tables):
        try:
            agent = _agent(table)
        except (TypeError, ValueError) as error:
            problems.append(f"agents.list[{number}]: {error}; it is left out")
            continue
        if any(known.id == agent.id for known in agents):
            problems.append(f"agents.list[{number}]: there is an agent {agent.id} already; it is left out")
        else:
            agents.append(agent)
    return agents, problems


def _binding(table: Mapping[str, Any], number: int) -> Binding:
    agent = _text(table, "agentId", "agent_id", "agent")
    match = table.get("match", table)
    if not agent:
        raise ValueError("it names no agentId")
    if not isinstance(match, Mapping):
        raise TypeError("match must be a table")
    channel = _text(match, "channel").lower()
    if not channel:
        raise ValueError("its match names no channel")
    account = _text(match, "accountId", "account_id", "account")
    if match.get("roles") and not _text(match, "guildId", "guild_id", "guild"):
        raise ValueError("roles need a guildId")
    return Binding(
        agent_id=normalize_agent_id(agent),
        channel=channel,
        account=account.lower() or None,
        peer=_peer(match.get("peer")),
        guild=_text(match, "guildId", "guild_id", "guild").lower(),
        roles=frozenset(role.lower() for role in _texts(match, "roles") or ()),
        team=_text(match, "teamId", "team_id", "team").lower(),
        number=number,
    )


def _agent(table: Mapping[str, Any]) -> AgentRecord:
    name = _text(table, "id")
    if not name:
        raise ValueError("it has no id")
    return AgentRecord(
        id=normalize_agent_id(name),
        name=_text(table, "name"),
        default=table.get("default") is True,
        workspace=_text(table, "workspace"),
        model=_text(table, "model"),
        skills=_texts(table, "skills"),
    )


def _peer(value: Any) -> Peer | None:
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise TypeError("peer must be a table with kind and id")
    kind, peer_id = _KINDS.get(_text(value, "kind").lower()), _text(value, "id").lower()
    if kind is None or not peer_id:
        raise ValueError("peer needs a kind (dm, group or channel) and an id")
    return Peer(kind, peer_id)


def _text(table: Mapping[str, Any], *names: str) -> str:
    value = next((table[name] for name in names if name in table), "")
    if not isinstance(value, str | int) or isinstance(value, bool):
        raise TypeError(f"{names[0]} must be text")
    return str(value).strip()


def _texts(table: Mapping[str, Any], name: str) -> tuple[str, ...] | None:
    value = table.get(name)
    if value is None:
        return None
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        raise TypeError(f"{name} must be a list of texts")
    return tuple(value)
