"""What `sessions.json` tells of the running session, gathered at the end of each turn.

Derived from the session, so it may be lost. Nothing here reads more of the file than came since the last time.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from openclaw_tui.agent.deps import AgentDeps
from openclaw_tui.constants import SESSION_TITLE_CHARS
from openclaw_tui.messages import NO_USAGE, AssistantMessage, Message, Usage, UserMessage, text_of
from openclaw_tui.prompt.stability import digest
from openclaw_tui.session.custom_types import MEMORY_FLUSH
from openclaw_tui.session.entries import CustomEntry, MessageEntry
from openclaw_tui.session.manager import SessionManager
from openclaw_tui.session.projection import Projection, milliseconds


class SessionFacts:
    """Fields of one record. `skills` names those in the listing; `fixed` are told once and for all."""

    def __init__(self, deps: AgentDeps, skills: Callable[[], Sequence[str]], **fixed: Any) -> None:
        self._deps = deps
        self._skills = skills
        self._fixed = fixed
        self._looked_at = 0
        self._title = ""
        self._flush: Mapping[str, Any] = {}

    def __call__(self) -> dict[str, Any]:
        deps = self._deps
        projection = deps.manager.project()
        self._look(deps.manager)
        used = _used(projection.messages)
        skills = list(self._skills())
        return {
            "session_started_at": milliseconds(deps.manager.header.timestamp),
            "display_name": deps.manager.name or self._title or None,
            "input_tokens": used.input,
            "output_tokens": used.output,
            "compaction_count": deps.manager.records.loaded.tree.kinds.count("compaction"),
            "context_tokens": deps.requests.context_size().tokens,
            "estimated_cost_usd": deps.spent_usd,
            "memory_flush_at": self._flush.get("at"),
            "memory_flush_compaction_count": self._flush.get("compactions"),
            "skills_snapshot": {"digest": digest("\n".join(skills))[:16], "skills": skills},
            **_last_call(projection, deps.requests.context_size().tokens),
            **self._fixed,
        }

    def _look(self, manager: SessionManager) -> None:
        """Learn the title and the last flush from entries that were not looked at yet."""
        kinds = manager.records.loaded.tree.kinds
        if len(kinds) < self._looked_at:  # the file was truncated
            self._looked_at = 0
        for at in range(self._looked_at, len(kinds)):
            if kinds[at] == "message" and not self._title:
                self._title = _prompt(manager.records.at(at))
            elif kinds[at] == "custom":
                entry = manager.records.at(at)
                if isinstance(entry, CustomEntry) and entry.custom_type == MEMORY_FLUSH:
                    self._flush = entry.data if isinstance(entry.data, Mapping) else {}
        self._looked_at = len(kinds)


def _prompt(entry: object) -> str:
    """The first prompt on one line, as a title."""
    message = entry.message if isinstance(entry, MessageEntry) else None
    if not isinstance(message, UserMessage) or message.origin != "user":
        return ""
    flat = " ".join(text_of(message.content)[: SESSION_TITLE_CHARS * 4].split())
    return flat if len(flat) <= SESSION_TITLE_CHARS else f"{flat[: SESSION_TITLE_CHARS - 1]}…"


def _used(messages: Sequence[Message]) -> Usage:
    """What the calls since the user's last message used together."""
    total = NO_USAGE
    for message in reversed(messages):
        if isinstance(message, AssistantMessage):
            total = total + message.usage
        elif isinstance(message, UserMessage) and message.origin == "user":
            break
    return total


def _last_call(projection: Projection, context_tokens: int) -> dict[str, Any]:
    """Prompt size of the last call, never a sum; after a compaction what is left."""
    last = next(
        (m for m in reversed(projection.messages[projection.fresh_from :]) if isinstance(m, AssistantMessage)), None
    )
    if last is not None and last.usage.prompt_tokens:
        usage = last.usage
        return {
            "total_tokens": usage.prompt_tokens,
            "total_tokens_fresh": True,
            "cache_read": usage.cache_read,
            "cache_write": usage.cache_write,
        }
    compacted = projection.compaction is not None
    tokens = context_tokens if compacted else None
    return {"total_tokens": tokens, "total_tokens_fresh": compacted, "cache_read": None, "cache_write": None}
