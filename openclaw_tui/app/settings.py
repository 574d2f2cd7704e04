"""From the table of settings to the small records the packages own."""

import re
from typing import Any, cast

from openclaw_tui.agent.limits import Limits
from openclaw_tui.agent.request_builder import RequestSettings
from openclaw_tui.compaction.settings import CompactionSettings
from openclaw_tui.config.load import Config
from openclaw_tui.context.pruning import PruningSettings
from openclaw_tui.errors import ConfigError
from openclaw_tui.options import Options
from openclaw_tui.prompt.bootstrap_files import BootstrapLimits
from openclaw_tui.safety.permission_rules import RuleLine, parse_rule
from openclaw_tui.safety.permissions import PermissionMode, PermissionSettings

_COMPACTION = "agents.defaults.compaction."
_PRUNING = "agents.defaults.contextPruning."
_SPAN = re.compile(r"(\d+(?:\.\d+)?)\s*([smh]?)")


def request_settings(options: Options, config: Config) -> RequestSettings:
    get = config.get
    floor = get(_COMPACTION + "reserveTokensFloor")
    return RequestSettings(
        compaction=compaction_settings(config),
        context_tokens=options.context_tokens or get("agents.defaults.contextTokens"),
        min_context_tokens=get("agents.defaults.minContextTokens"),
        reserve_tokens=max(get(_COMPACTION + "reserveTokens"), floor),
        flush_soft_tokens=get(_COMPACTION + "memoryFlush.softThresholdTokens"),
        max_output=get("agents.defaults.maxOutputTokens"),
        cache_retention=get("agents.defaults.cacheRetention"),
        history_limit=get("agents.defaults.historyLimit") or None,
        guard_order=get("guard.order"),
        pruning=pruning_settings(config),
        keep_warm_seconds=get("cache.keepWarm"),
    )


def pruning_settings(config: Config) -> PruningSettings:
    """`agents.defaults.contextPruning`. Raises ConfigError for a time that is none."""

    def get(name: str) -> Any:
        return config.get(_PRUNING + name)

    return PruningSettings(
        mode=get("mode"),
        ttl_seconds=_seconds(_PRUNING + "ttl", get("ttl")),
        keep_last_assistants=get("keepLastAssistants"),
        soft_trim_ratio=get("softTrimRatio"),
        hard_clear_ratio=get("hardClearRatio"),
        min_prunable_tool_chars=get("minPrunableToolChars"),
        soft_max_chars=get("softTrim.maxChars"),
        soft_head_chars=get("softTrim.headChars"),
        soft_tail_chars=get("softTrim.tailChars"),
        hard_clear=get("hardClear.enabled"),
        placeholder=get("hardClear.placeholder"),
        allow=tuple(get("tools.allow")),
        deny=tuple(get("tools.deny")),
    )


def _seconds(key: str, text: str) -> float:
    """`300s`, `5m`, `1h`; a bare number means minutes, as in the article."""
    found = _SPAN.fullmatch(text.strip().lower())
    if found is None:
        raise ConfigError(f"{key} must be a time such as 300s, 5m or 1h, not {text!r}")
    return float(found[1]) * {"s": 1, "m": 60, "h": 3600}[found[2] or "m"]


def compaction_settings(config: Config) -> CompactionSettings:
    def get(name: str) -> object:
        return config.get(_COMPACTION + name)

    return CompactionSettings(
        enabled=bool(get("enabled")),
        mode=config.get(_COMPACTION + "mode"),
        method=config.get(_COMPACTION + "method"),
        model=config.get(_COMPACTION + "model"),
        keep_recent_tokens=config.get(_COMPACTION + "keepRecentTokens"),
        max_history_share=config.get(_COMPACTION + "maxHistoryShare"),
        recent_turns_preserve=config.get(_COMPACTION + "recentTurnsPreserve"),
        identifier_policy=config.get(_COMPACTION + "identifierPolicy"),
        identifier_instructions=config.get(_COMPACTION + "identifierInstructions"),
        custom_instructions=config.get(_COMPACTION + "customInstructions"),
        quality_guard=bool(get("qualityGuard.enabled")),
        quality_retries=config.get(_COMPACTION + "qualityGuard.maxRetries"),
        timeout_seconds=config.get(_COMPACTION + "timeoutSeconds"),
        truncate_after=bool(get("truncateAfterCompaction")),
        truncate_above_bytes=config.get(_COMPACTION + "truncateAboveBytes"),
        post_compaction_sections=tuple(config.get(_COMPACTION + "postCompactionSections")),
        notify_user=bool(get("notifyUser")),
    )


def bootstrap_limits(config: Config) -> BootstrapLimits:
    return BootstrapLimits(
        per_file=config.get("agents.defaults.bootstrapMaxChars"),
        total=config.get("agents.defaults.bootstrapTotalMaxChars"),
    )


def limits_from(options: Options) -> Limits:
    return Limits(max_steps=options.max_turns, max_budget_usd=options.max_budget_usd, max_tokens=options.max_tokens)


def permission_settings(options: Options, config: Config) -> PermissionSettings:
    """Rules of all places, each with the place it came from; flags come first. Raises ConfigError for a bad flag."""

    def rules(kind: str, flags: tuple[str, ...]) -> tuple[RuleLine, ...]:
        for text in flags:
            parse_rule(RuleLine(text, "flag"))
        configured = config.rules.get(f"permissions.{kind}", [])
        return (*(RuleLine(text, "flag") for text in flags), *(RuleLine(r.text, r.place) for r in configured))

    return PermissionSettings(
        mode=cast(PermissionMode, options.permission_mode or config.get("permissions.mode")),
        allow=rules("allow", options.allowed_tools),
        ask=rules("ask", ()),
        deny=rules("deny", options.disallowed_tools),
    )
