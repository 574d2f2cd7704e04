"""Which of the user's agents works: the one named, else the one the bindings give for the channel, else the default.

An agent of `agents.list` may have a folder it works in, a model and a list of skills; its sessions are its own anyway.
"""

import os
from pathlib import Path

from msgspec.structs import replace

from openclaw_tui.config.load import Config
from openclaw_tui.config.paths import Paths
from openclaw_tui.errors import ConfigError
from openclaw_tui.options import Options
from openclaw_tui.routing.bindings import AgentRecord, read_agents, read_bindings
from openclaw_tui.routing.resolve import RouteQuery, resolve_agent_route
from openclaw_tui.routing.session_key import normalize_agent_id


def listed_agents(config: Config) -> list[AgentRecord]:
    return read_agents(config.get("agents.list"))[0]


def agent_record(config: Config, paths: Paths) -> AgentRecord | None:
    """What the configuration says of the agent that works; None where it does not name it."""
    return next((agent for agent in listed_agents(config) if agent.id == paths.agent_id), None)


def routing_problems(config: Config) -> list[str]:
    """Lines about agents and bindings that were left out."""
    return [*read_agents(config.get("agents.list"))[1], *read_bindings(config.get("bindings"))[1]]


def default_agent(agents: list[AgentRecord], otherwise: str) -> str:
    """The agent marked as default, else the one of the place."""
    return next((agent.id for agent in agents if agent.default), otherwise)


def with_agent(paths: Paths, config: Config, options: Options, channel: str) -> Paths:
    """The places of the agent that works: its sessions, and its own folder unless another one was asked for.

    Raises ConfigError where that folder does not exist.
    """
    agents = listed_agents(config)
    if options.agent is None and (agents or config.get("bindings")):
        bindings, _ = read_bindings(config.get("bindings"))
        route = resolve_agent_route(
            RouteQuery(channel),
            bindings,
            agents=[agent.id for agent in agents],
            default_agent=default_agent(agents, paths.agent_id),
        )
        paths = replace(paths, agent_id=route.agent_id)
    elif any(agent.id == normalize_agent_id(paths.agent_id) for agent in agents):
        paths = replace(paths, agent_id=normalize_agent_id(paths.agent_id))
    agent = agent_record(config, paths)
    if agent is None or not agent.workspace or options.cwd_given:
        return paths
    workspace = Path(os.path.expanduser(agent.workspace)).absolute()
    if not workspace.is_dir():
        raise ConfigError(f"agents.list: the workspace of {agent.id} is no directory ({workspace})")
    return replace(paths, project=workspace)
