"""Says when the provider's prompt cache broke and which input changed.

A snapshot of digests is taken per model call and compared with the last one; after the answer the reported read is
compared with the last read. Both articles' thresholds: a break is a read under 95 % of the last one and at least 1,000
tokens less. Invariants: a first observation and a provider that reports nothing give no verdict; a cache that had
outlived its time is `expired`, whatever else changed.
"""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from operator import eq
from typing import Any, Literal, TypeAlias

import msgspec

from openclaw_tui.constants import MAX_CACHE_TRACKERS, MAX_STABLE_CACHE_READ_RATIO, MIN_CACHE_BREAK_TOKEN_DROP
from openclaw_tui.messages import Message, ToolDefinition, ToolResultMessage, Usage
from openclaw_tui.prompt.stability import digest, tool_names_digest, tool_schema_digest
from openclaw_tui.providers.base import ProviderRequest
from openclaw_tui.transcript.incremental import IdentityMemo

ChangeCode: TypeAlias = Literal["model", "cacheRetention", "settings", "systemPrompt", "tools", "history"]


class CacheSnapshot(msgspec.Struct, frozen=True):
    """What one request's cached prefix is made of. `messages` are digests in order, `schemas` one per tool, by name."""

    provider: str
    model: str
    api: str
    retention: str
    thinking: str
    stable: str
    dynamic: str
    tools: str
    schemas: Mapping[str, str]
    messages: Sequence[str]


class CacheChange(msgspec.Struct, frozen=True):
    """One input that differs from the last call. `at` is the first message that is not the same, for `history`."""

    code: ChangeCode
    detail: str
    at: int | None = None


class CacheVerdict(msgspec.Struct, frozen=True):
    """The cache was lost: `break`, or `expired` where it was older than it lives. Tokens read the last time and now."""

    kind: Literal["break", "expired"]
    previous_read: int
    read: int
    changes: tuple[CacheChange, ...] = ()

    @property
    def lost_tokens(self) -> int:
        return self.previous_read - self.read


def take_snapshot(request: ProviderRequest, digests: Sequence[str] | None = None) -> CacheSnapshot:
    """`digests` are those of the request's messages where the caller has them already."""
    return CacheSnapshot(
        provider=request.model.provider,
        model=request.model.id,
        api=request.model.api,
        retention=request.cache_retention,
        thinking=request.thinking,
        stable=_text_digest(request.system_stable),
        dynamic=_text_digest(request.system_dynamic),
        tools=tool_names_digest(request.tools),
        schemas={tool.name: _schema_digest(tool) for tool in request.tools},
        messages=[message_digest(message) for message in request.messages] if digests is None else digests,
    )


def changes_between(old: CacheSnapshot, new: CacheSnapshot) -> tuple[CacheChange, ...]:
    """What differs, in the order in which it stands in a request. A history that only grew is no change."""
    found = [_model_change(old, new), *_settings_changes(old, new), _tools_change(old, new), _prompt_change(old, new)]
    found.append(_history_change(old.messages, new.messages))
    return tuple(change for change in found if change is not None)


def is_break(previous_read: int, read: int) -> bool:
    """Both thresholds at once: 20,000 → 19,000 is none (exactly 95 %), 10,000 → 9,499 is none (less than 1,000)."""
    return read < previous_read * MAX_STABLE_CACHE_READ_RATIO and previous_read - read >= MIN_CACHE_BREAK_TOKEN_DROP


@dataclass(slots=True)
class _Tracker:
    snapshot: CacheSnapshot
    touched_at: float
    last_read: int | None = None
    changes: tuple[CacheChange, ...] = ()
    expired: bool = False


class CacheWatch:
    """One tracker per session key, the oldest forgotten when there are too many. Times in seconds."""

    def __init__(self) -> None:
        self._trackers: OrderedDict[str, _Tracker] = OrderedDict()

    def __len__(self) -> int:
        return len(self._trackers)

    def restore(self, key: str, snapshot: CacheSnapshot, *, last_read: int | None, touched_at: float) -> None:
        """Go on from a call of an earlier process."""
        self._put(key, _Tracker(snapshot, touched_at, last_read))

    def touch(self, key: str, now: float) -> None:
        """The cache was read by a call that is none of the talk's."""
        if (tracker := self._trackers.get(key)) is not None:
            tracker.touched_at = now

    def begin(
        self, key: str, snapshot: CacheSnapshot, *, now: float, ttl_seconds: float | None
    ) -> tuple[CacheChange, ...]:
        """Before a call: what changed since the last one; empty at the first."""
        tracker = self._trackers.get(key.strip())
        if tracker is None:
            self._put(key, _Tracker(snapshot, now))
            return ()
        tracker.changes = changes_between(tracker.snapshot, snapshot)
        tracker.expired = ttl_seconds is not None and now - tracker.touched_at > ttl_seconds
        tracker.snapshot, tracker.touched_at = snapshot, now
        self._put(key, tracker)
        return tracker.changes

    def complete(self, key: str, usage: Usage) -> CacheVerdict | None:
        """After the call: the verdict, or None where the cache held or nobody can say."""
        tracker = self._trackers.get(key.strip())
        if tracker is None:
            return None
        changes, tracker.changes = tracker.changes, ()
        expired, tracker.expired = tracker.expired, False
        if not usage.cache_reported:
            return None
        previous, tracker.last_read = tracker.last_read, usage.cache_read
        if previous is None or previous <= 0 or not is_break(previous, usage.cache_read):
            return None
        return CacheVerdict("expired" if expired else "break", previous, usage.cache_read, changes)

    def _put(self, key: str, tracker: _Tracker) -> None:
        self._trackers[key.strip()] = tracker
        self._trackers.move_to_end(key.strip())
        while len(self._trackers) > MAX_CACHE_TRACKERS:
            self._trackers.popitem(last=False)


_text_digests: IdentityMemo[str] = IdentityMemo()
_schema_digests: IdentityMemo[str] = IdentityMemo()


def message_digest(message: Message) -> str:
    """A short digest of what a message puts on the wire: role, blocks, and whose result it is; no times, no prices."""
    return _short(_sent_part(message))


def _sent_part(message: Message) -> Any:
    head: tuple[Any, ...] = (type(message).__name__,)
    if isinstance(message, ToolResultMessage):
        head += (message.tool_call_id, message.tool_name, message.is_error)
    return head, [(type(block).__name__, block) for block in message.content]


def _short(value: Any) -> str:
    return digest(msgspec.json.encode(value).decode("utf-8"))[:16]


def _text_digest(text: str) -> str:
    return _text_digests.get(text) or _text_digests.put(text, digest(text))


def _schema_digest(tool: ToolDefinition) -> str:
    return _schema_digests.get(tool) or _schema_digests.put(tool, tool_schema_digest(tool)[:16])


def _model_change(old: CacheSnapshot, new: CacheSnapshot) -> CacheChange | None:
    if (old.provider, old.model) != (new.provider, new.model):
        return CacheChange("model", f"{old.provider}/{old.model} -> {new.provider}/{new.model}")
    if old.api != new.api:
        return CacheChange("model", f"{old.api or 'unknown'} -> {new.api or 'unknown'}")
    return None


def _settings_changes(old: CacheSnapshot, new: CacheSnapshot) -> list[CacheChange]:
    found = []
    if old.retention != new.retention:
        found.append(CacheChange("cacheRetention", f"{old.retention} -> {new.retention}"))
    if old.thinking != new.thinking:
        found.append(CacheChange("settings", f"thinking {old.thinking} -> {new.thinking}"))
    return found


def _tools_change(old: CacheSnapshot, new: CacheSnapshot) -> CacheChange | None:
    if old.tools != new.tools:
        counts = len(old.schemas), len(new.schemas)
        same = counts[0] == counts[1]
        return CacheChange("tools", "tool set changed with same count" if same else f"{counts[0]} -> {counts[1]} tools")
    changed = [name for name, schema in new.schemas.items() if old.schemas.get(name) != schema]
    if changed:
        return CacheChange("tools", f"schema of {', '.join(changed)} changed")
    return CacheChange("tools", "tools in another order") if list(old.schemas) != list(new.schemas) else None


def _prompt_change(old: CacheSnapshot, new: CacheSnapshot) -> CacheChange | None:
    if old.stable != new.stable:
        return CacheChange("systemPrompt", "system prompt digest changed")
    if old.dynamic != new.dynamic:
        return CacheChange("systemPrompt", "system prompt digest changed, below the boundary only")
    return None


def _history_change(old: Sequence[str], new: Sequence[str]) -> CacheChange | None:
    same = common_length(old, new)
    if same == len(old):
        return None
    return CacheChange("history", f"message {same + 1} of {len(old)} rewritten", at=same)


def common_length(old: Sequence[str], new: Sequence[str]) -> int:
    """How many digests at the front are the same."""
    if old == new[: len(old)]:
        return len(old)
    return sum(1 for _ in takewhile(bool, map(eq, old, new)))
