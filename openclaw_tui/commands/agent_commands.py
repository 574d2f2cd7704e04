"""Commands about agents: which one works, which sub-agents there are and how they stand."""

import dataclasses

from msgspec.structs import replace

from openclaw_tui.agent.child_report import run_log
from openclaw_tui.agent.subagents import running_lines
from openclaw_tui.app.agents import agent_record, listed_agents
from openclaw_tui.app.compose import App
from openclaw_tui.app.session import has_sessions
from openclaw_tui.commands.registry import Command, CommandOutput, table_text
from openclaw_tui.constants import SUBAGENT_STEER_MAX_CHARS
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
    options = dataclasses.replace(
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
    """The list, or something done with one sub-agent: its label, session or the beginning of either names it."""
    verb, _, rest = argument.strip().partition(" ")
    if verb in ("", "list"):
        return CommandOutput(_overview(app))
    if verb not in ("kill", "steer", "log", "show"):
        return CommandOutput(_AGENTS_USAGE, is_error=True)
    wanted, _, text = rest.strip().partition(" ")
    runs = app.subagents.runs
    if verb == "kill" and wanted == "all":
        count = len(runs.running)
        await runs.stop()
        return CommandOutput(f"{count} sub-agent{'' if count == 1 else 's'} stopped, with all they had started")
    found = runs.named(wanted) if wanted else []
    if len(found) != 1:
        why = f"{len(found)} sub-agents are called {wanted!r}" if found else f"there is no sub-agent {wanted!r}"
        return CommandOutput(f"{why}; /agents lists them\n{_AGENTS_USAGE}", is_error=True)
    run = found[0]
    if verb in ("log", "show"):
        return CommandOutput(run_log(run))
    if run.is_over:
        return CommandOutput(f"{run.label} is {run.status} already; /agents log {wanted} shows what it did")
    if verb == "kill":
        await runs.kill(run)
        return CommandOutput(f"{run.label} stopped, with all it had started")
    if not text.strip():
        return CommandOutput("say what it is to be told: /agents steer ID TEXT", is_error=True)
    if len(text) > SUBAGENT_STEER_MAX_CHARS:
        return CommandOutput(
            f"that is {len(text):,} characters; {SUBAGENT_STEER_MAX_CHARS:,} are the most", is_error=True
        )
    told = run.tell is not None and run.tell(text.strip())
    return CommandOutput(f"{run.label} is told at its next step" if told else f"{run.label} cannot be told any more")


def _overview(app: App) -> str:
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
    runs = app.subagents.runs.runs
    if runs:
        parts += [
            "",
            "sub-agents of this session",
            table_text([(f"#{run.number}", *line) for run, line in zip(runs, running_lines(runs), strict=True)]),
        ]
    if not app.config.project_trusted:
        parts.append("agent files of this folder are left out: it is not trusted")
    return "\n".join(parts)


_AGENTS_USAGE = "use /agents, /agents kill ID (or all), /agents steer ID TEXT, /agents log ID"
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
    Command(
        "agents",
        "sub-agents: list, kill, steer, log",
        _agents,
        hint="[kill|steer|log ID]",
        aliases=("subagents",),
    ),
)
