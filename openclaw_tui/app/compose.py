"""The composition root: configuration and flags → stores, tools, engine, provider → an `AgentSession`.

The only module that sees every package. Nothing is started here: no network, no SDK, no terminal.
"""

import os
from dataclasses import dataclass, field
from pathlib import Path

from openclaw_tui.agent.acts import Acts
from openclaw_tui.agent.agent_files import agents_index
from openclaw_tui.agent.broadcast import Broadcast
from openclaw_tui.agent.builtin_compactor import BuiltInCompactor
from openclaw_tui.agent.cache_observer import CacheObserver
from openclaw_tui.agent.child_runs import Crowd
from openclaw_tui.agent.deps import AgentDeps
from openclaw_tui.agent.inbox import Inbox
from openclaw_tui.agent.open_pairs import OpenPairs
from openclaw_tui.agent.prompt_source import PromptSource
from openclaw_tui.agent.provider_pool import ProviderPool
from openclaw_tui.agent.request_builder import ModelSources, RequestBuilder
from openclaw_tui.agent.rewind_desk import RewindDesk
from openclaw_tui.agent.session import AgentSession, SessionParts
from openclaw_tui.agent.subagents import Subagents
from openclaw_tui.app.agents import routing_problems, with_agent
from openclaw_tui.app.crashes import Crash, take_crash
from openclaw_tui.app.engine import build_engine
from openclaw_tui.app.local_offer import LocalOffer
from openclaw_tui.app.masks import build_masks
from openclaw_tui.app.memory import build_desk, engine_facts
from openclaw_tui.app.models import ModelChoice, choose_model, fallback_models
from openclaw_tui.app.sandbox import build_sandbox
from openclaw_tui.app.session import metadata_saver, open_manager, open_preview, session_key_for
from openclaw_tui.app.session_record import SessionFacts
from openclaw_tui.app.settings import bootstrap_limits, limits_from, permission_settings, request_settings
from openclaw_tui.app.skills import SkillShelf, build_shelf
from openclaw_tui.app.subagents import Family, build_subagents
from openclaw_tui.app.tools import build_tools, checkpoints_of, outputs_folder, pre_images_of
from openclaw_tui.app.trust import left_out_line, look_at_folder, ritual_refused
from openclaw_tui.artifacts.recall import Recall
from openclaw_tui.config.load import Config, load_config
from openclaw_tui.config.paths import Paths, git_root, resolve_paths
from openclaw_tui.context.engine import SessionRef
from openclaw_tui.events import Notice, QueueChanged
from openclaw_tui.ledger.ledger import Ledger
from openclaw_tui.memory.notebook import MemoryDesk
from openclaw_tui.models import ModelInfo
from openclaw_tui.options import Options
from openclaw_tui.providers.base import Provider
from openclaw_tui.providers.credentials import ApiKey, Credentials, find_credentials
from openclaw_tui.providers.live_limits import live_limits
from openclaw_tui.providers.model_overrides import provider_record
from openclaw_tui.providers.registry import create_provider
from openclaw_tui.providers.retry import RetryPolicy
from openclaw_tui.safety.permissions import Permissions
from openclaw_tui.safety.sandbox import Sandbox
from openclaw_tui.safety.secrets import hold, masked_line
from openclaw_tui.safety.trust import FolderTrust
from openclaw_tui.session.manager import SessionManager
from openclaw_tui.tools.approval import ApprovalBroker
from openclaw_tui.tools.file_state import FileState
from openclaw_tui.tools.registry import Toolset
from openclaw_tui.tools.runner import ToolRunner
from openclaw_tui.tools.running_notes import Leftover, leftovers
from openclaw_tui.tools.session_status import SessionStatusTool
from openclaw_tui.tools.session_tools import SessionsSpawnTool
from openclaw_tui.tools.skill_scope import SkillScope
from openclaw_tui.tools.workspace import Workspace


@dataclass(slots=True)
class App:
    """A composed program. `notices` are lines the front end shows first: skipped settings, mended files, the model.

    `trust_shown` is what the user was last shown of the folder's own files: nothing else can be trusted.
    """

    options: Options
    config: Config
    paths: Paths
    session: AgentSession
    permissions: Permissions
    prompt_source: PromptSource
    model_choice: ModelChoice
    ledger: Ledger
    compactor: BuiltInCompactor
    recall: Recall
    skills: SkillShelf
    memory: MemoryDesk
    subagents: Subagents
    files: FileState
    rewinds: RewindDesk
    sandbox: Sandbox
    notices: list[str] = field(default_factory=list)
    trust_shown: FolderTrust | None = None
    offer: LocalOffer | None = None
    crash: Crash | None = None
    left_over: list[Leftover] = field(default_factory=list)


def load_settings(options: Options, *, remember: bool = True, channel: str = "tui") -> tuple[Paths, Config]:
    """Where things are and what is configured, for the agent that works; `remember` False writes nothing at all.

    What the project would set counts where the user trusted it as it is now. Raises ConfigError.
    """
    paths = resolve_paths(options.cwd, options.agent)
    config = load_trusted(paths, options, remember=remember)
    chosen = with_agent(paths, config, options, channel)
    if chosen.project != paths.project:
        config = load_trusted(chosen, options, remember=remember)
    return chosen, config


def load_trusted(paths: Paths, options: Options, *, remember: bool) -> Config:
    """The settings of a project by the user's answer about it. Raises ConfigError."""
    trust = look_at_folder(paths)
    config = load_config(paths, flags=options.config, project_trusted=trust.is_trusted, remember=remember)
    config.trust = trust
    return config


def build_app(options: Options, *, channel: str, interactive: bool) -> App:
    """Compose everything for one conversation. Raises ConfigError, SessionError, AuthenticationFailed."""
    paths, config = load_settings(options, channel=channel)
    manager, notices = open_manager(options, paths)
    choice = choose_model(options, config, paths, manager, can_ask=interactive)
    parts = _compose(options, config, paths, manager, choice, channel=channel, interactive=interactive)
    notices += [*map(str, config.problems), *parts.permissions.problems, *routing_problems(config), *_left_out(config)]
    parts.notices[:0] = [*notices, *choice.notices]
    parts.offer = choice.offer
    parts.crash = take_crash(paths) if interactive else None
    parts.left_over = leftovers(paths.running)
    return parts


def build_preview(options: Options) -> App:
    """Compose for looking only: the session is a view in memory, nothing is written and nothing is asked for."""
    paths, config = load_settings(options, remember=False)
    manager = open_preview(options, paths)
    choice = choose_model(options, config, paths, manager, probe=False)
    app = _compose(options, config, paths, manager, choice, channel="tui", interactive=False)
    app.notices[:0] = [*manager.notices, *(str(problem) for problem in config.problems), *_left_out(config)]
    return app


def _compose(
    options: Options,
    config: Config,
    paths: Paths,
    manager: SessionManager,
    choice: ModelChoice,
    *,
    channel: str,
    interactive: bool,
) -> App:
    session_key = session_key_for(paths.agent_id, channel, manager.session_id)
    broadcast = Broadcast()
    emit = OpenPairs(broadcast)
    artifacts = manager.path.with_suffix(".artifacts") if manager.path else None
    ledger = Ledger.open(artifacts, masked=masked_line)
    acts = Acts(session_key, ledger, emit)
    shelf = build_shelf(config, paths, remember=manager.path is not None and not manager.read_only)
    workspace = Workspace(
        root=paths.project,
        added=tuple(Path(extra).absolute() for extra in options.add_dirs),
        readable=(*shelf.readable(), outputs_folder(manager, paths)),
    )
    permissions = Permissions(permission_settings(options, config), workspace)
    approvals = ApprovalBroker(emit, session_key, interactive=interactive)
    sandbox = build_sandbox(config, paths, workspace)
    checkpoints = checkpoints_of(manager, paths)
    pre_images = pre_images_of(checkpoints, manager, acts)
    family = Family(options, config, paths, permissions, workspace, shelf, Crowd(), pre_images, sandbox)
    subagents = build_subagents(family, session_key)
    extra = (SessionsSpawnTool(subagents), SessionStatusTool(subagents.status_rows))
    tools = build_tools(
        config,
        paths,
        manager,
        acts=acts,
        emit=emit,
        key=session_key,
        pre_images=pre_images,
        sandbox=sandbox,
        extra=extra,
    )
    memory = build_desk(config, tools.memory)
    toolset = Toolset(tools.tools, hides=permissions.denies_whole)
    closers = (*tools.closers, sandbox.aclose)
    masks, mask_problems = build_masks(config, paths, manager)
    runner = ToolRunner(toolset, workspace, permissions, approvals, emit, session_key, closers=closers, masks=masks)
    runner.scope = SkillScope(workspace, shelf.limit_at)
    compactor = BuiltInCompactor()
    known = engine_facts(config, paths, lambda text: acts.notice_once("warning", text))
    engine = build_engine(options, config, compactor, acts, emit, session_key, known)
    source = PromptSource(
        cwd=paths.project,
        project_root=git_root(paths.project),
        personal=paths.personal_workspace,
        limits=bootstrap_limits(config),
        tools=toolset.definitions,
        agent_id=paths.agent_id,
        channel=channel,
        engine=lambda: engine.in_use,
        skills_index=shelf.index,
        trusted=config.project_trusted,
        tell=lambda text: acts.notice_once("info", text),
        refused=lambda path: ritual_refused(paths, config.trust, path),
        notes=None if memory.places.in_project else memory.places.root,
        agents_index=lambda: agents_index(subagents.definitions().agents),
        custom_prompt=options.system_prompt or "",
        appended_prompt=options.append_system_prompt or "",
    )
    requests = RequestBuilder(
        manager,
        session_ref=SessionRef(manager.session_id, session_key, manager.path),
        model=choice.model,
        thinking=choice.thinking,
        engine=engine,
        settings=request_settings(options, config),
        gather_inputs=source,
        acts=acts,
        cache=CacheObserver(session_key, artifacts, acts),
        models=ModelSources(
            fallbacks=fallback_models(config),
            overrides=config.get("models.providers"),
            live_limits=lambda model: live_limits(model, credentials_for(model, config, paths)),
        ),
    )
    deps = AgentDeps(
        session_key=session_key,
        manager=manager,
        emit=emit,
        inbox=Inbox(lambda box: emit(QueueChanged(session_key, box.texts("steering"), box.texts("follow_up")))),
        providers=ProviderPool(lambda model: make_provider(model, config, paths)),
        runner=runner,
        engine=engine,
        requests=requests,
        outputs=tools.outputs,
        acts=acts,
        limits=limits_from(options),
        retry=RetryPolicy(),
        memory=memory,
        children=subagents.runs,
    )
    facts = SessionFacts(deps, shelf.names, last_channel=channel)
    requests.save = metadata_saver(manager, paths, session_key, facts)
    compactor.bind(deps)
    session = AgentSession(SessionParts(deps=deps, broadcast=broadcast, approvals=approvals))
    subagents.bind(session)
    return App(
        options=options.settled(),
        config=config,
        paths=paths,
        session=session,
        permissions=permissions,
        prompt_source=source,
        model_choice=choice,
        ledger=ledger,
        compactor=compactor,
        recall=tools.recall,
        skills=shelf,
        memory=memory,
        subagents=subagents,
        files=tools.files,
        notices=mask_problems,
        rewinds=RewindDesk(deps, checkpoints, tools.files, workspace),
        sandbox=sandbox,
    )


def make_provider(model: ModelInfo, config: Config, paths: Paths) -> Provider:
    """The adapter for a model with its key. Raises AuthenticationFailed when there is none."""
    return create_provider(model, credentials_for(model, config, paths))


def credentials_for(model: ModelInfo, config: Config, paths: Paths) -> Credentials:
    """The key for a model's provider, from where the user keeps it. Raises AuthenticationFailed."""
    record = provider_record(model.provider, config.get("models.providers"))
    key = os.environ.get(record.api_key_env, "").strip() if record.api_key_env else ""
    found = Credentials(ApiKey(key), None, "environment") if key else None
    found = found or find_credentials(model.provider, state_dir=paths.state)
    if found.api_key is not None:
        hold([found.api_key.reveal()])  # one from the keyring is known from here on only
    return found


def say(app: App, level: str, text: str) -> None:
    """Show a line in whatever front end listens."""
    app.session.deps.emit(Notice(app.session.session_key, "warning" if level == "warning" else "info", text))


def _left_out(config: Config) -> list[str]:
    line = left_out_line(config.trust)
    return [line] if line else []
