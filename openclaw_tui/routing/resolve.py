"""Which agent answers: eight tiers, tried in order; in each the first binding of the configuration that fits.

Pure. The tiers are one tuple, so that what decides can be read off and shown (`config route`).
"""

from collections.abc import Callable, Sequence

import msgspec

from openclaw_tui.routing.bindings import ANY, DEFAULT_ACCOUNT, Binding, Peer
from openclaw_tui.routing.session_key import build_session_key, main_session_key, normalize_agent_id


class RouteQuery(msgspec.Struct, frozen=True):
    """A message's origin. `parent_peer` is the channel a thread belongs to."""

    channel: str
    account: str = DEFAULT_ACCOUNT
    peer: Peer | None = None
    parent_peer: Peer | None = None
    guild: str = ""
    roles: frozenset[str] = frozenset()
    team: str = ""


class Route(msgspec.Struct, frozen=True):
    """Who answers and where it is kept. `matched_by` is the tier, `binding` the place of the binding that decided.

    `note` says where a binding named an agent that does not exist.
    """

    agent_id: str
    channel: str
    account: str
    session_key: str
    main_session_key: str
    matched_by: str
    binding: int | None = None
    note: str = ""


class Tier(msgspec.Struct, frozen=True):
    """`fits` looks only at what makes the tier; every other constraint of the binding must hold as well."""

    name: str
    fits: Callable[[Binding, RouteQuery], bool]


def _by_peer(binding: Binding, query: RouteQuery) -> bool:
    return binding.peer is not None and binding.peer.fits(query.peer)


def _by_parent(binding: Binding, query: RouteQuery) -> bool:
    return binding.peer is not None and binding.peer.id != ANY and binding.peer.fits(query.parent_peer)


def _by_guild_and_roles(binding: Binding, query: RouteQuery) -> bool:
    return binding.peer is None and bool(binding.guild) and bool(binding.roles)


def _by_guild(binding: Binding, query: RouteQuery) -> bool:
    return binding.peer is None and bool(binding.guild) and not binding.roles


def _by_team(binding: Binding, query: RouteQuery) -> bool:
    return binding.peer is None and not binding.guild and bool(binding.team)


def _by_account(binding: Binding, query: RouteQuery) -> bool:
    return _is_wide(binding) and not binding.any_account


def _by_channel(binding: Binding, query: RouteQuery) -> bool:
    return _is_wide(binding) and binding.any_account


def _never(binding: Binding, query: RouteQuery) -> bool:
    return False


TIERS: tuple[Tier, ...] = (
    Tier("binding.peer", _by_peer),
    Tier("binding.peer.parent", _by_parent),
    Tier("binding.guild+roles", _by_guild_and_roles),
    Tier("binding.guild", _by_guild),
    Tier("binding.team", _by_team),
    Tier("binding.account", _by_account),
    Tier("binding.channel", _by_channel),
    Tier("default", _never),
)
"""The order of decision. The last tier is the default agent, which needs no binding."""


def resolve_agent_route(
    query: RouteQuery, bindings: Sequence[Binding], *, agents: Sequence[str] = (), default_agent: str = "main"
) -> Route:
    """The route of a message. An agent that is not among `agents` is replaced by the default one, and said so."""
    known = {normalize_agent_id(agent) for agent in agents} | {default_agent}
    query = _folded(query)
    for tier in TIERS:
        fitting = [b for b in bindings if tier.fits(b, query) and _holds(b, query)]
        chosen = next((b for b in fitting if b.peer is None or b.peer.id != ANY), next(iter(fitting), None))
        if chosen is not None:
            missing = chosen.agent_id not in known
            note = f"there is no agent {chosen.agent_id}; {default_agent} answers" if missing else ""
            return _route(query, default_agent if missing else chosen.agent_id, tier.name, chosen.number, note)
    return _route(query, default_agent, TIERS[-1].name)


def _holds(binding: Binding, query: RouteQuery) -> bool:
    """Every constraint of a binding but its peer, which the tiers look at."""
    if binding.channel not in (ANY, query.channel):
        return False
    if not binding.any_account and (binding.account or DEFAULT_ACCOUNT) != query.account:
        return False
    if binding.guild and binding.guild != query.guild:
        return False
    if binding.roles and not binding.roles & query.roles:
        return False
    return not binding.team or binding.team == query.team


def _is_wide(binding: Binding) -> bool:
    return binding.peer is None and not (binding.guild or binding.roles or binding.team)


def _folded(query: RouteQuery) -> RouteQuery:
    return RouteQuery(
        channel=query.channel.lower(),
        account=query.account.lower() or DEFAULT_ACCOUNT,
        peer=_folded_peer(query.peer),
        parent_peer=_folded_peer(query.parent_peer),
        guild=query.guild.lower(),
        roles=frozenset(role.lower() for role in query.roles),
        team=query.team.lower(),
    )


def _folded_peer(peer: Peer | None) -> Peer | None:
    return None if peer is None else Peer(peer.kind, peer.id.lower())


def _route(query: RouteQuery, agent_id: str, tier: str, binding: int | None = None, note: str = "") -> Route:
    agent = normalize_agent_id(agent_id)
    main = main_session_key(agent)
    own = build_session_key(agent, query.channel, query.peer.kind, query.peer.id) if query.peer else main
    return Route(agent, query.channel, query.account, own, main, tier, binding, note)
