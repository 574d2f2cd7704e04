"""Which model, when nothing is said: interface.md section 8, in its order."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import msgspec
from msgspec.structs import replace

from openclaw_tui.app.agents import agent_record
from openclaw_tui.app.local_offer import LocalOffer, accepted_offer, declined, open_offer
from openclaw_tui.config.load import Config
from openclaw_tui.config.paths import Paths
from openclaw_tui.errors import ConfigError
from openclaw_tui.messages import THINKING_LEVELS, ThinkingLevel
from openclaw_tui.models import ModelInfo
from openclaw_tui.options import Options
from openclaw_tui.providers.catalog import default_model, find_model
from openclaw_tui.providers.credentials import has_key
from openclaw_tui.providers.local_servers import LocalServer, find_local_servers
from openclaw_tui.session.manager import SessionManager

OFFLINE_MODEL = "offline/guide"
KEY_ORDER = ("anthropic", "openai", "google")
HOW_TO_CONNECT = (
    "set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, store a key with /login, or choose with -m provider/model"
)


class ModelChoice(msgspec.Struct, frozen=True):
    """The model and why it was chosen. `offer` is a local server the user may be asked about."""

    model: ModelInfo
    thinking: ThinkingLevel
    reason: str
    offer: LocalOffer | None = None
    notices: tuple[str, ...] = ()


def choose_model(
    options: Options,
    config: Config,
    paths: Paths,
    manager: SessionManager,
    *,
    probe: bool = True,
    can_ask: bool = False,
) -> ModelChoice:
    """Flag, session, configuration, a key, a local server, the offline guide. Raises ConfigError for a bad name.

    `probe` False looks for no servers, so that nothing touches the network. With `can_ask` a local server the user said
    yes to is used, and one nobody was asked about is offered.
    """
    overrides = config.get("models.providers")
    reference, reason = _said(options, config, paths, manager)
    if reference is not None:
        return _chosen(find_model(reference, overrides), reference, config, reason)
    for provider in KEY_ORDER:
        if has_key(provider, state_dir=paths.state):
            model = default_model(provider, overrides)
            if model is not None:
                return _chosen(model, model.ref, config, f"there is a key for {provider}")
    servers = look_for_servers() if probe else []
    accepted = accepted_offer(paths, servers) if can_ask else None
    if accepted is not None:
        return _chosen(accepted.model, accepted.model.ref, config, f"you said yes to {accepted.server.kind}")
    silent = declined(paths) if can_ask else set()
    notices = [
        f"found {server.kind} on this machine; use it with -m {_first(server)}"
        for server in servers
        if _first(server) and server.kind not in silent
    ]
    choice = _chosen(find_model(OFFLINE_MODEL, overrides), OFFLINE_MODEL, config, "no key and no configured model")
    label = f"using {OFFLINE_MODEL}: offline guide, not an AI model. To connect one: {HOW_TO_CONNECT}"
    return replace(choice, offer=open_offer(paths, servers) if can_ask else None, notices=(*notices, label))


def fallback_models(config: Config) -> Sequence[ModelInfo]:
    """The user's chain of other models. Raises ConfigError for a name that is none."""
    overrides = config.get("models.providers")
    return [find_model(reference, overrides) for reference in config.get("agents.defaults.fallbacks")]


def look_for_servers() -> list[LocalServer]:
    """Model servers on this machine; GET only, 150 ms each. In a thread, so that a running loop does not matter."""
    with ThreadPoolExecutor(max_workers=1) as pool:
        return list(pool.submit(lambda: asyncio.run(find_local_servers())).result())


def _said(options: Options, config: Config, paths: Paths, manager: SessionManager) -> tuple[str | None, str]:
    if options.model:
        return options.model, "--model"
    used = manager.project().model
    if used is not None and all(used):
        return f"{used[0]}/{used[1]}", "the session's own"
    agent = agent_record(config, paths)
    if agent is not None and agent.model:
        return agent.model, f"the model of agent {agent.id}"
    configured = config.get("agents.defaults.model")
    return configured, f"configured ({config.place('agents.defaults.model')})"


def _chosen(model: ModelInfo, reference: str, config: Config, reason: str) -> ModelChoice:
    level = reference.rsplit(":", 1)[-1]
    configured = config.get("agents.defaults.thinking")
    thinking: ThinkingLevel = model.default_thinking
    if level in THINKING_LEVELS and ":" in reference:
        thinking = next(known for known in THINKING_LEVELS if known == level)
    elif configured:
        thinking = configured
    if not model.tools:
        raise ConfigError(f"{model.ref} cannot call tools; choose another with -m")
    notices = model.notes if model.window_source == "assumed" else ()
    return ModelChoice(model=model, thinking=thinking, reason=reason, notices=tuple(notices))


def _first(server: LocalServer) -> str:
    return f"{server.kind}/{server.models[0].id}" if server.models else ""
