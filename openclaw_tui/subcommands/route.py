"""`config route`: which agent a message from a channel, account and peer would go to, and by which tier."""

import argparse
from typing import Any

from msgspec.structs import asdict

from openclaw_tui.app.agents import default_agent
from openclaw_tui.commands.registry import table_text
from openclaw_tui.config.load import Config
from openclaw_tui.config.paths import Paths
from openclaw_tui.errors import ConfigError
from openclaw_tui.routing.bindings import DEFAULT_ACCOUNT, Peer, read_agents, read_bindings
from openclaw_tui.routing.resolve import TIERS, Route, RouteQuery, resolve_agent_route
from openclaw_tui.routing.session_key import PeerKind
from openclaw_tui.subcommands.output import print_json

_KINDS: dict[str, PeerKind] = {"dm": "dm", "direct": "dm", "group": "group", "channel": "channel"}


def add_route_arguments(parser: argparse.ArgumentParser) -> None:
    """What a message's origin is told by."""
    parser.add_argument("--channel", default="tui", help="tui, cli, telegram, discord, slack …")
    parser.add_argument("--account", default=DEFAULT_ACCOUNT, help="account of the channel")
    parser.add_argument("--peer", metavar="KIND:ID", help="dm:42, group:7 or channel:general")
    parser.add_argument("--parent-peer", metavar="KIND:ID", help="the channel a thread belongs to")
    parser.add_argument("--guild", default="", help="Discord server")
    parser.add_argument("--role", action="append", default=[], help="role in the guild; may be repeated")
    parser.add_argument("--team", default="", help="Slack team")


def show_route(given: argparse.Namespace, config: Config, paths: Paths) -> None:
    """Print the route, the tiers with the one that decided, and what of the configuration was left out."""
    bindings, problems = read_bindings(config.get("bindings"))
    agents, agent_problems = read_agents(config.get("agents.list"))
    query = RouteQuery(
        channel=given.channel,
        account=given.account,
        peer=_peer(given.peer),
        parent_peer=_peer(given.parent_peer),
        guild=given.guild,
        roles=frozenset(given.role),
        team=given.team,
    )
    route = resolve_agent_route(
        query, bindings, agents=[agent.id for agent in agents], default_agent=default_agent(agents, paths.agent_id)
    )
    if given.json:
        print_json({**_data(route), "tiers": [tier.name for tier in TIERS], "problems": [*problems, *agent_problems]})
        return
    rows = [(name, str(value)) for name, value in _data(route).items() if value not in (None, "")]
    print(table_text(rows))
    print(table_text([("->" if tier.name == route.matched_by else "", tier.name) for tier in TIERS]))
    for problem in (*problems, *agent_problems):
        print(f"skipped  {problem}")


def _data(route: Route) -> dict[str, Any]:
    return asdict(route)


def _peer(text: str | None) -> Peer | None:
    if text is None:
        return None
    kind, colon, peer_id = text.partition(":")
    if not colon or kind.lower() not in _KINDS or not peer_id:
        raise ConfigError(f"config route: write a peer as dm:ID, group:ID or channel:ID, not {text!r}")
    return Peer(_KINDS[kind.lower()], peer_id)
