"""Composes sub-agents: a session of its own that shares with its parent what it must not have more of.

Shared: permissions, questions to the user, open connections, limits. Its own: session file, tools with their state,
engine, ledger, a shorter prompt.
"""

from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from openclaw_tui.agent.acts import Acts
from openclaw_tui.agent.agent_files import AgentSet, agent_folders, read_agent_files
from openclaw_tui.agent.broadcast import Broadcast
from openclaw_tui.agent.builtin_compactor import BuiltInCompactor
from openclaw_tui.agent.cache_observer import CacheObserver
from openclaw_tui.agent.child_plan import ChildPlan, SubagentSettings
from openclaw_tui.agent.child_report import CHILD_PROMPT
from openclaw_tui.agent.child_runs import Crowd
from openclaw_tui.agent.deps import AgentDeps
from openclaw_tui.agent.inbox import Inbox
from openclaw_tui.agent.limits import Limits
from openclaw_tui.agent.open_pairs import OpenPairs
from openclaw_tui.agent.prompt_source import PromptSource
from openclaw_tui.agent.provider_pool import SharedPool
from openclaw_tui.agent.request_builder import ModelSources, RequestBuilder
from openclaw_tui.agent.session import AgentSession, SessionParts
from openclaw_tui.agent.subagents import Subagents
from openclaw_tui.app.engine import build_engine
from openclaw_tui.app.memory import engine_facts
from openclaw_tui.app.session import metadata_saver
from openclaw_tui.app.session_record import SessionFacts
from openclaw_tui.app.settings import bootstrap_limits, request_settings
from openclaw_tui.app.skills import SkillShelf
from openclaw_tui.app.tools import build_tools, outputs_folder
from openclaw_tui.app.trust import NOT_AS_TRUSTED, is_trusted, lets_in
from openclaw_tui.artifacts.checkpoints import PreImages
from openclaw_tui.config.load import Config
from openclaw_tui.config.paths import Paths, git_root, project_bases
from openclaw_tui.context.engine import SessionRef
from openclaw_tui.ledger.ledger import Ledger
from openclaw_tui.options import Options
from openclaw_tui.providers.retry import RetryPolicy
from openclaw_tui.safety.permissions import Permissions
from openclaw_tui.safety.sandbox import Sandbox
from openclaw_tui.safety.secrets import masked_line
from openclaw_tui.session.custom_types import SUBAGENT
from openclaw_tui.session.manager import SessionManager
from openclaw_tui.tools.base import Tool
from openclaw_tui.tools.registry import Toolset
from openclaw_tui.tools.runner import ToolRunner
from openclaw_tui.tools.session_tools import SessionsSpawnTool
from openclaw_tui.tools.skill_scope import SkillScope
from openclaw_tui.tools.workspace import Workspace

_SETTINGS = "agents.defaults.subagents."


class Family(msgspec.Struct, frozen=True):
    """What all agents of one tree have in common."""

    options: Options
    config: Config
    paths: Paths
    permissions: Permissions
    workspace: Workspace
    skills: SkillShelf
    crowd: Crowd
    pre_images: PreImages
    sandbox: Sandbox


def build_subagents(family: Family, key: str) -> Subagents:
    """The starter of sub-agents for the session with this key; it must be bound to that session."""
    return Subagents(
        key,
        subagent_settings(family.config),
        compose=lambda plan: compose_child(family, plan),
        definitions=lambda: agent_definitions(family.paths),
        crowd=family.crowd,
    )


def subagent_settings(config: Config) -> SubagentSettings:
    def get(name: str) -> object:
        return config.get(_SETTINGS + name)

    return SubagentSettings(
        max_depth=config.get(_SETTINGS + "maxSpawnDepth"),
        max_children=config.get(_SETTINGS + "maxChildrenPerAgent"),
        max_concurrent=config.get(_SETTINGS + "maxConcurrent"),
        timeout_seconds=config.get(_SETTINGS + "runTimeoutSeconds"),
        model=str(get("model") or ""),
        thinking=config.get(_SETTINGS + "thinking"),
    )


def agent_definitions(paths: Paths) -> AgentSet:
    """Agent files of the project from its folder up to the git root, then the user's own.

    Of the project's only those the user has trusted as they are now.
    """
    theirs = agent_folders(project_bases(paths.project) if is_trusted(paths) else [])

    def refused(path: Path) -> str:
        is_theirs = path.parent in theirs
        return NOT_AS_TRUSTED if is_theirs and not lets_in(paths, "agent", path) else ""

    return read_agent_files([*theirs, *agent_folders([Path.home()])], refused)


def compose_child(family: Family, plan: ChildPlan) -> AgentSession:
    """A session for one sub-agent, at rest. Raises SessionError, ConfigError."""
    parent, config, paths = plan.parent.deps, family.config, family.paths
    manager = _child_manager(paths, parent.manager, plan)
    broadcast = Broadcast()
    broadcast.listen(plan.see)
    emit = OpenPairs(broadcast)
    artifacts = manager.path.with_suffix(".artifacts") if manager.path else None
    acts = Acts(plan.key, Ledger.open(artifacts, masked=masked_line), emit)
    workspace = Workspace(
        root=family.workspace.root,
        added=family.workspace.added,
        readable=(*family.workspace.readable, outputs_folder(manager, paths)),
    )
    approvals = plan.parent.approvals.relayed(f"sub-agent {plan.label}", plan.call_prefix)
    below = build_subagents(family, plan.key)
    extra: Sequence[Tool] = (SessionsSpawnTool(below),)
    changes = replace(family.pre_images, by=plan.key)
    tools = build_tools(
        config,
        paths,
        manager,
        acts=acts,
        emit=emit,
        key=plan.key,
        pre_images=changes,
        sandbox=family.sandbox,
        extra=extra,
    )
    toolset = Toolset(tools.tools, hides=family.permissions.denies_whole).only(plan.tools)
    runner = ToolRunner(
        toolset,
        workspace,
        family.permissions,
        approvals,
        emit,
        plan.key,
        closers=tools.closers,
        masks=parent.runner.masks,
    )
    runner.scope = SkillScope(workspace, family.skills.limit_at, parent.runner.scope.limits)
    compactor = BuiltInCompactor()
    known = engine_facts(config, paths, lambda text: acts.notice_once("warning", text))
    engine = build_engine(family.options, config, compactor, acts, emit, plan.key, known)
    about = CHILD_PROMPT.format(depth=plan.depth, most=below.settings.max_depth, key=plan.key)
    source = PromptSource(
        cwd=paths.project,
        project_root=git_root(paths.project),
        personal=paths.personal_workspace,
        limits=bootstrap_limits(config),
        tools=toolset.definitions,
        agent_id=paths.agent_id,
        channel="subagent",
        engine=lambda: engine.in_use,
        skills_index=family.skills.index if "read" in toolset else lambda: "",
        extra_prompt="\n\n".join(text for text in (about, plan.instructions) if text),
        subagent=True,
        trusted=config.project_trusted,
    )
    requests = RequestBuilder(
        manager,
        session_ref=SessionRef(manager.session_id, plan.key, manager.path),
        model=plan.model,
        thinking=plan.thinking,
        engine=engine,
        settings=request_settings(family.options, config),
        gather_inputs=source,
        acts=acts,
        cache=CacheObserver(plan.key, artifacts, acts),
        models=ModelSources(parent.requests.models.fallbacks, parent.requests.models.overrides),
    )
    deps = AgentDeps(
        session_key=plan.key,
        manager=manager,
        emit=emit,
        inbox=Inbox(lambda box: None),
        providers=SharedPool(lambda: parent.providers),
        runner=runner,
        engine=engine,
        requests=requests,
        outputs=tools.outputs,
        acts=acts,
        limits=_limits(parent.limits, plan),
        retry=RetryPolicy(),
        children=below.runs,
        sleep=parent.sleep,
        clock=parent.clock,
    )
    whose = {"spawned_by": parent.session_key, "parent_session_key": parent.session_key, "spawn_depth": plan.depth}
    requests.save = metadata_saver(
        manager, paths, plan.key, SessionFacts(deps, family.skills.names, last_channel="subagent", **whose)
    )
    compactor.bind(deps)
    child = AgentSession(SessionParts(deps=deps, broadcast=broadcast, approvals=approvals))
    below.bind(child)
    return child


def _child_manager(paths: Paths, parent: SessionManager, plan: ChildPlan) -> SessionManager:
    """A file of its own that says whose it is; in memory where the parent is."""
    if parent.path is None:
        manager = SessionManager.in_memory(cwd=paths.project)
    else:
        manager = SessionManager.create(paths.sessions, cwd=paths.project, parent_session=str(parent.path))
    manager.append_custom(SUBAGENT, {"key": plan.key, "spawnedBy": plan.parent.session_key, "depth": plan.depth})
    manager.append_session_info(plan.label)
    manager.append_model_change(plan.model.provider, plan.model.id)
    return manager


def _limits(parent: Limits, plan: ChildPlan) -> Limits:
    """The parent's limits; money spent by the whole family counts."""
    return Limits(parent.max_steps, parent.max_budget_usd, parent.max_tokens, spent_elsewhere=plan.spent_elsewhere)
