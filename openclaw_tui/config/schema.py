"""Every setting as one row: key, kind, default, range, and a sentence for the user.

Loading, `config show`, the settings screen and the documentation read this table, so a setting exists once. Keys are
spelled as the articles spell them; snake_case is accepted. Rows marked `user_only` are ignored in project files.
"""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import msgspec

from openclaw_tui import constants as c
from openclaw_tui.messages import THINKING_LEVELS

Kind: TypeAlias = Literal["str", "int", "float", "bool", "list", "table", "tables"]


class Setting(msgspec.Struct, frozen=True):
    """One key. `choices`, `minimum` and `maximum` bound its value; None as default means "not set"."""

    key: str
    kind: Kind
    default: Any
    doc: str
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    user_only: bool = False


_A = "agents.defaults."
_C = _A + "compaction."
_F = _C + "memoryFlush."
_P = _A + "contextPruning."
_M = _A + "memorySearch."
_S = _A + "subagents."

SETTINGS: tuple[Setting, ...] = (
    Setting(_A + "model", "str", None, "Model to use, as provider/model or provider/model:thinking."),
    Setting(_A + "fallbacks", "list", (), "Models to try in this order when the chosen one cannot be reached."),
    Setting(_A + "thinking", "str", None, "How hard the model thinks.", choices=THINKING_LEVELS),
    Setting(_A + "contextTokens", "int", None, "Context window to plan for, in tokens.", minimum=1000),
    Setting(_A + "minContextTokens", "int", c.MIN_CONTEXT_TOKENS, "Smallest window a turn starts with.", minimum=0),
    Setting(
        _A + "bootstrapMaxChars", "int", c.BOOTSTRAP_MAX_CHARS, "Characters one bootstrap file may bring in.", minimum=0
    ),
    Setting(
        _A + "bootstrapTotalMaxChars",
        "int",
        c.BOOTSTRAP_TOTAL_MAX_CHARS,
        "Characters of all bootstrap files.",
        minimum=0,
    ),
    Setting(_A + "historyLimit", "int", 0, "User turns of history to send; 0 sends all.", minimum=0),
    Setting(
        _A + "cacheRetention",
        "str",
        "short",
        "Prompt cache: short = 5 minutes, long = 1 hour, none = off.",
        choices=("none", "short", "long"),
    ),
    Setting(
        "cache.keepWarm",
        "float",
        0.0,
        "Seconds between pings that keep the prompt cache warm for up to an hour; below its lifetime; 0 is off.",
        minimum=0,
        user_only=True,
    ),
    Setting(
        _A + "maxOutputTokens", "int", None, "Most tokens of one answer; the model's own limit if not set.", minimum=1
    ),
    Setting(_C + "enabled", "bool", True, "Compact by itself when the window fills."),
    Setting(
        _C + "mode",
        "str",
        "safeguard",
        "Structured summary (safeguard) or the base form (default).",
        choices=("default", "safeguard"),
    ),
    Setting(
        _C + "method",
        "str",
        "own",
        "Our own staged summary, or the provider's compaction.",
        choices=("own", "provider"),
    ),
    Setting(_C + "model", "str", None, "Model that writes summaries; the session's own if not set."),
    Setting(_C + "reserveTokens", "int", c.RESERVE_TOKENS, "Room kept for the answer, in tokens.", minimum=0),
    Setting(
        _C + "reserveTokensFloor",
        "int",
        c.RESERVE_TOKENS,
        "Least room kept for the answer; 0 turns the floor off.",
        minimum=0,
    ),
    Setting(_C + "keepRecentTokens", "int", c.KEEP_RECENT_TOKENS, "Tail of the talk kept word for word.", minimum=0),
    Setting(
        _C + "maxHistoryShare", "float", 0.5, "Share of the window that old history may fill.", minimum=0.1, maximum=0.9
    ),
    Setting(_C + "recentTurnsPreserve", "int", 3, "Latest turns quoted in the summary.", minimum=0, maximum=12),
    Setting(
        _C + "identifierPolicy",
        "str",
        "strict",
        "How a summary treats ids, paths and hashes.",
        choices=("strict", "off", "custom"),
    ),
    Setting(_C + "identifierInstructions", "str", "", "The text for identifierPolicy = custom."),
    Setting(_C + "customInstructions", "str", "", "What summaries should look at in particular."),
    Setting(_C + "qualityGuard.enabled", "bool", True, "Check the summary for lost identifiers and ask once more."),
    Setting(
        _C + "qualityGuard.maxRetries",
        "int",
        1,
        "How often a failing summary is asked for again.",
        minimum=0,
        maximum=3,
    ),
    Setting(
        _C + "timeoutSeconds", "int", c.COMPACTION_TIMEOUT_SECONDS, "Longest time one compaction may take.", minimum=1
    ),
    Setting(
        _C + "truncateAfterCompaction", "bool", False, "Move summarised entries to the archive after each compaction."
    ),
    Setting(
        _C + "truncateAboveBytes",
        "int",
        c.TRUNCATE_ABOVE_BYTES,
        "File size above which that happens; 0 = never.",
        minimum=0,
    ),
    Setting(
        _C + "postCompactionSections",
        "list",
        ("Session Startup", "Red Lines"),
        "Sections of AGENTS.md put in force again after a compaction.",
    ),
    Setting(_C + "notifyUser", "bool", False, "Say in the chat when a compaction starts."),
    Setting(_F + "enabled", "bool", True, "Write durable notes to memory before a compaction."),
    Setting(
        _F + "softThresholdTokens",
        "int",
        c.MEMORY_FLUSH_SOFT_THRESHOLD_TOKENS,
        "How far before the compaction the flush runs.",
        minimum=0,
    ),
    Setting(
        _F + "forceFlushTranscriptBytes",
        "int",
        c.MEMORY_FLUSH_TRANSCRIPT_BYTES,
        "Transcript size that forces a flush; 0 = never.",
        minimum=0,
    ),
    Setting(_F + "prompt", "str", "", "Own text for the flush turn."),
    Setting(_F + "systemPrompt", "str", "", "Own system text for the flush turn."),
    Setting(
        _P + "mode", "str", "off", "Trim old tool results when the cache has expired.", choices=("off", "cache-ttl")
    ),
    Setting(_P + "ttl", "str", "5m", "Age of the cache after which pruning may run, such as 5m or 1h."),
    Setting(_P + "keepLastAssistants", "int", 3, "Latest assistant messages that are never pruned.", minimum=0),
    Setting(
        _P + "softTrimRatio", "float", 0.3, "Share of the window above which results are trimmed.", minimum=0, maximum=1
    ),
    Setting(
        _P + "hardClearRatio",
        "float",
        0.5,
        "Share of the window above which results are cleared.",
        minimum=0,
        maximum=1,
    ),
    Setting(_P + "minPrunableToolChars", "int", 50_000, "Least characters that make clearing worth it.", minimum=0),
    Setting(_P + "softTrim.maxChars", "int", 4_000, "Results longer than this are trimmed.", minimum=0),
    Setting(_P + "softTrim.headChars", "int", 1_500, "Characters kept from the start.", minimum=0),
    Setting(_P + "softTrim.tailChars", "int", 1_500, "Characters kept from the end.", minimum=0),
    Setting(_P + "hardClear.enabled", "bool", True, "Whether old results may be cleared."),
    Setting(_P + "hardClear.placeholder", "str", "[Old tool result content cleared]", "What stands in their place."),
    Setting(_P + "tools.allow", "list", (), "Tools whose results may be pruned; empty = all."),
    Setting(_P + "tools.deny", "list", (), "Tools whose results are never pruned."),
    Setting(_M + "enabled", "bool", True, "Offer memory_search and memory_get to the model."),
    Setting(_M + "maxResults", "int", c.MEMORY_MAX_RESULTS, "Hits of one search.", minimum=1),
    Setting(
        _M + "minScore",
        "float",
        c.MEMORY_MIN_SCORE,
        "Least score of a hit found by meaning alone.",
        minimum=0,
        maximum=1,
    ),
    Setting(
        _M + "provider",
        "str",
        "none",
        "Embeddings beside the words: none, folder, or a provider such as openai or ollama.",
        user_only=True,
    ),
    Setting(_M + "model", "str", None, "Embedding model of that provider.", user_only=True),
    Setting(
        _M + "remote.baseUrl", "str", None, "Address of /embeddings, such as http://127.0.0.1:8080/v1.", user_only=True
    ),
    Setting(_M + "local.modelPath", "str", None, "Folder with a Model2Vec model, for provider folder.", user_only=True),
    Setting(
        _M + "query.hybrid.vectorWeight",
        "float",
        c.MEMORY_VECTOR_WEIGHT,
        "Weight of meaning in a score.",
        minimum=0,
        maximum=1,
    ),
    Setting(
        _M + "query.hybrid.textWeight",
        "float",
        c.MEMORY_TEXT_WEIGHT,
        "Weight of words in a score.",
        minimum=0,
        maximum=1,
    ),
    Setting(_M + "chunking.tokens", "int", c.MEMORY_CHUNK_TOKENS, "Tokens of one indexed chunk.", minimum=32),
    Setting(_M + "chunking.overlap", "int", c.MEMORY_CHUNK_OVERLAP_TOKENS, "Tokens two chunks share.", minimum=0),
    Setting(_M + "extraPaths", "list", (), "Further Markdown files or folders to search.", user_only=True),
    Setting(_S + "maxSpawnDepth", "int", c.SUBAGENT_MAX_DEPTH, "How deep sub-agents may start others.", minimum=0),
    Setting(
        _S + "maxChildrenPerAgent", "int", c.SUBAGENT_MAX_CHILDREN, "Sub-agents one agent may have at once.", minimum=0
    ),
    Setting(_S + "maxConcurrent", "int", c.SUBAGENT_MAX_CONCURRENT, "Sub-agents that run at once in all.", minimum=1),
    Setting(_S + "runTimeoutSeconds", "float", 0.0, "Longest time a sub-agent may work; 0 = no limit.", minimum=0),
    Setting(_S + "model", "str", None, "Model of sub-agents; the caller's if not set."),
    Setting(_S + "thinking", "str", None, "How hard sub-agents think.", choices=THINKING_LEVELS),
    Setting("agents.list", "tables", (), "Agents with their own workspace, model and skills."),
    Setting("bindings", "tables", (), "Which agent a message goes to, by channel and peer."),
    Setting("channels", "table", {}, "Settings per channel, such as historyLimit."),
    Setting(
        "guard.order",
        "str",
        "newest-first",
        "Which tool results the guard shortens first.",
        choices=("newest-first", "newest-first-strict"),
    ),
    Setting("plugins.slots.contextEngine", "str", "legacy", "Context engine in use."),
    Setting("plugins.strict", "bool", False, "Stop instead of falling back when the engine fails."),
    Setting("models.providers", "table", {}, "Own servers and models.", user_only=True),
    Setting(
        "permissions.mode",
        "str",
        "default",
        "What runs without a question.",
        choices=("default", "acceptEdits", "plan", "bypassPermissions"),
    ),
    Setting("permissions.allow", "list", (), "Rules that run without a question, such as exec(git status:*)."),
    Setting("permissions.ask", "list", (), "Rules that always ask."),
    Setting("permissions.deny", "list", (), "Rules that never run."),
    Setting(
        "sandbox.mode",
        "str",
        "auto",
        "Sandbox of commands: auto = where bubblewrap works, off = none, required = no command runs without.",
        choices=("auto", "off", "required"),
        user_only=True,
    ),
    Setting("sandbox.writable", "list", (), "Further folders sandboxed commands may write.", user_only=True),
    Setting("sandbox.shown", "list", (), "Hidden places, such as ~/.npmrc, that they may read.", user_only=True),
    Setting("secrets.mask", "bool", True, "Show the model marks instead of secrets in tool results.", user_only=True),
    Setting(
        "secrets.patterns", "list", (), "Regular expressions of further secrets; a group is the secret.", user_only=True
    ),
    Setting("tools.exec.passEnv", "list", (), "Key variables that commands may see.", user_only=True),
    Setting("skills.extraDirs", "list", (), "Further folders with skills.", user_only=True),
    Setting("skills.disabled", "list", (), "Names of skills to leave out."),
    Setting("skills.watch", "bool", True, "Notice changed skills while running."),
    Setting("ui.theme", "str", "auto", "Theme of the full screen; auto follows the terminal."),
    Setting(
        "ui.keys", "table", {}, 'Own keys of the full screen: ACTION = "ctrl+x"; /keymap names them.', user_only=True
    ),
    Setting("ui.vim", "bool", False, "Vi keys in the prompt."),
    Setting(
        "ui.enterWhileWorking",
        "str",
        "steer",
        "What Enter does while the agent works.",
        choices=("steer", "follow-up", "interrupt"),
    ),
    Setting("ui.showThinking", "bool", False, "Unfold thinking by default."),
    Setting(
        "ui.notifications", "str", "unfocused", "When to ring the terminal.", choices=("off", "unfocused", "always")
    ),
    Setting("ui.screenReader", "bool", False, "Line mode without redrawing: no toolbar, no menus, no colours."),
    Setting("ui.firstFrame", "bool", True, "Paint the prompt before the full screen is loaded."),
)

BY_KEY: Mapping[str, Setting] = {setting.key: setting for setting in SETTINGS}


def fold_key(key: str) -> str:
    """The form in which spellings are compared: camelCase, snake_case and kebab-case of a key are the same."""
    return key.replace("_", "").replace("-", "").lower()


_FOLDED: Mapping[str, Setting] = {fold_key(setting.key): setting for setting in SETTINGS}


def find_setting(key: str) -> Setting | None:
    return _FOLDED.get(fold_key(key))
