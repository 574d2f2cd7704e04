"""Commands about agents: which one works, which sub-agents there are and how they stand."""

from dataclasses import replace

from openclaw_tui.agent.subagents import running_lines
from openclaw_tui.app.agents import agent_record, listed_agents
from openclaw_tui.app.compose import App
from openclaw_tui.app.session import has_sessions
from openclaw_tui.commands.registry import Command, CommandOutput, table_text
from openclaw_tui.routing.session_key import normalize_agent_id
from openclaw_tui.tools.terminal_text import one_line


async def _agent(app: App, argument: str) -> CommandOutput:
    if not argument:
        return CommandOutput(_listed(app))
    wanted = normalize_agent_id(argument)
    if wanted == app.paths.agent_id:
        return CommandOutput(f"{wanted} works already")
    if wanted not in _known(app):
        return CommandOutput(f"there is no agent {wanted!r}\n{_listed(app)}", is_error=True)
    options = replace(
        app.options,
        agent=wanted,
        prompt=None,
        resume=None,
        continue_last=False,
        fork=False,
        session_id=None,
        model=None,
    )
    return CommandOutput(f"a new session with {wanted}; the old one stays", action="switch", options=options)


async def _agents(app: App, argument: str) -> CommandOutput:
    known = app.subagents.definitions()
    rows = [
        (
            agent.name,
            one_line(agent.description)[:70],
            ", ".join(agent.tools) if agent.tools is not None else "all tools",
            agent.model,
        )
        for agent in known.agents
    ]
    parts = [table_text(rows) if rows else _HOW_TO_DEFINE]
    parts += [f"left out: {problem}" for problem in known.problems]
    if app.subagents.runs.runs:
        parts += ["", "sub-agents of this session", table_text(running_lines(app.subagents.runs.runs))]
    if not app.config.project_trusted:
        parts.append("agent files of this folder are left out: it is not trusted")
    return CommandOutput("\n".join(parts))


_HOW_TO_DEFINE = "no agent definitions; put NAME.md with name and description into .agents/agents or .claude/agents"


def _known(app: App) -> list[str]:
    """Agents of the configuration, then others that have sessions already, then the one that works."""
    listed = [agent.id for agent in listed_agents(app.config)]
    used = sorted(has_sessions(app.paths))
    return list(dict.fromkeys([*listed, *used, app.paths.agent_id]))


def _listed(app: App) -> str:
    rows = []
    for name in _known(app):
        record = agent_record(app.config, replace(app.paths, agent_id=name))
        mark = "*" if name == app.paths.agent_id else ""
        told = (record.name, record.model, record.workspace) if record else ("", "", "")
        rows.append((mark, name, *map(one_line, told)))
    return table_text(rows)


AGENT_COMMANDS = (
    Command("agent", "which agent works; go on with another", _agent, hint="[id]", while_busy="wait"),
    Command("agents", "sub-agents: what is defined, what runs", _agents, aliases=("subagents",)),
)
