"""Follows the prompt cache of one session: a row per call, a named cause per break, a word before a cold send.

The watch (layer 1) says that a read fell and which digests differ; here the causes get names a person can act on: the
section and line, the message and the layer that rewrote it, or the time that passed. Rows survive restarts, so the
first call after a resume is compared as well.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from openclaw_tui.agent.acts import Acts
from openclaw_tui.agent.cache_prices import dollars, reread_usd, saved_usd
from openclaw_tui.constants import CACHE_SPOT_CHARS, CACHE_VERSION_CHARS, MIN_CACHE_BREAK_TOKEN_DROP
from openclaw_tui.context.cache_watch import (
    CacheChange,
    CacheSnapshot,
    CacheVerdict,
    CacheWatch,
    common_length,
    message_digest,
    take_snapshot,
)
from openclaw_tui.context.decisions import GuardDecision, decision_key
from openclaw_tui.context.pipeline import PreparedRequest
from openclaw_tui.ledger.calls import CallLog, CallRow
from openclaw_tui.ledger.snapshots import PromptSnapshots, PromptTexts, Spot, first_difference
from openclaw_tui.messages import AssistantMessage, CacheRetention, Message, ToolResultMessage, text_of
from openclaw_tui.models import ModelInfo
from openclaw_tui.providers.base import ProviderRequest
from openclaw_tui.providers.cache_ttl import cache_ttl_seconds
from openclaw_tui.safety.secrets import mask_secrets
from openclaw_tui.tokens import compact_json
from openclaw_tui.transcript.incremental import Growing


class SentCall(msgspec.Struct, frozen=True):
    """A request as it left: when (seconds since the epoch), below which compaction, with which decisions new in it."""

    prepared: PreparedRequest
    at: float
    compaction: str = ""
    decided: Mapping[str, GuardDecision] = msgspec.field(default_factory=dict)


class CacheObserver:
    """`calls` and `prompts` are what `/cache` reads."""

    def __init__(self, session_key: str, folder: Path | None, acts: Acts) -> None:
        self._key = session_key
        self._acts = acts
        self.calls = CallLog(folder)
        self.prompts = PromptSnapshots(folder)
        self._watch = CacheWatch()
        self._digests = Growing(message_digest)
        self._counts: dict[str, int] = {}
        self._cold_told = 0.0
        self._warmed_at = 0.0
        self._sent_before: Sequence[Message] = ()
        if self.calls.last is not None:
            last = self.calls.last
            read = last.cache_read if last.reported else None
            self._watch.restore(session_key, _snapshot_of(self.calls, last), last_read=read, touched_at=last.time)

    def age_seconds(self, now: float) -> float | None:
        """Time since the cache was last touched by this session; None before the first call."""
        last = self.calls.last
        return None if last is None else max(0.0, now - max(last.time, self._warmed_at))

    def idle_seconds(self, now: float) -> float | None:
        """Time since the last call of the talk itself; pings that kept the cache warm do not count."""
        last = self.calls.last
        return None if last is None else max(0.0, now - last.time)

    def kept_warm(self, now: float) -> None:
        """The cache was read again outside of the talk."""
        self._warmed_at = now
        self._watch.touch(self._key, now)

    def is_cold(self, model: ModelInfo, retention: CacheRetention, now: float) -> bool:
        """True when nothing of the session can be in a cache any more: an earlier call is older than caches live."""
        age, ttl = self.age_seconds(now), cache_ttl_seconds(model, retention)
        return age is not None and ttl is not None and age > ttl

    def cached_tokens(self) -> int:
        """What the last call left in the cache, as far as the provider told."""
        last = self.calls.last
        return 0 if last is None or not last.reported else last.cache_read + last.cache_write

    def before_send(self, request: ProviderRequest, now: float) -> None:
        """Say once, before it is paid for, that the cache has run out."""
        last = self.calls.last
        tokens = self.cached_tokens()
        if last is None or tokens < MIN_CACHE_BREAK_TOKEN_DROP or last.time == self._cold_told:
            return
        if not self.is_cold(request.model, request.cache_retention, now):
            return
        self._cold_told = last.time
        price = reread_usd(request.model, tokens, request.cache_retention)
        text = f"cache expired {_span(now - last.time)} after its last use: this call writes {tokens:,} tokens again"
        more = f", {dollars(price)} more" if price is not None else ""
        self._acts.record("cache", "cold", text + more, tokens_before=tokens, tokens_after=0, cost_usd=price)

    def observe(self, call: SentCall, answer: AssistantMessage, diagnostics: Mapping[str, Any]) -> None:
        """After the answer: keep the row, and say it when the cache was lost."""
        request = call.prepared.request
        previous = list(self.calls.digests)
        snapshot = take_snapshot(request, self._digests.of(request.messages))
        ttl = cache_ttl_seconds(request.model, request.cache_retention)
        age = self.age_seconds(call.at)
        self._watch.begin(self._key, snapshot, now=call.at, ttl_seconds=ttl)
        verdict = self._watch.complete(self._key, answer.usage)
        if self.prompts.last is None or not _same_prompt(self.calls, snapshot):
            self.prompts.keep(_texts_of(request))
        cause, price = "", None
        if verdict is not None:
            cause = self._cause(verdict, call, age, diagnostics)
            price = reread_usd(request.model, verdict.lost_tokens, request.cache_retention)
        self._remember_counts(call)
        kept = common_length(previous, snapshot.messages)
        self.calls.append(_row(call, answer, snapshot, self.calls.schemas, kept, verdict, cause, price))
        if verdict is not None:
            self._tell(verdict, cause, price, diagnostics, request.messages)
        self._sent_before = request.messages

    def _cause(self, verdict: CacheVerdict, call: SentCall, age: float | None, diagnostics: Mapping[str, Any]) -> str:
        if verdict.kind == "expired":
            return f"expired: {_span(age or 0.0)} since the last call"
        named = [self._named(change, call) for change in verdict.changes]
        said = provider_reason(diagnostics)
        if said:
            named.append(f"the provider says: {said}")
        return "; ".join(named) or "nothing that is sent changed: the provider let it go or another server answered"

    def _named(self, change: CacheChange, call: SentCall) -> str:
        match change.code:
            case "systemPrompt" | "tools":
                spot = self.spot()
                where = f" ({spot})" if spot is not None else ""
                return f"{'system prompt changed' if change.code == 'systemPrompt' else change.detail}{where}"
            case "history":
                return f"history: {change.detail} by {self._rewritten_by(change.at or 0, call)}"
            case "settings" | "cacheRetention":
                return f"settings: {change.detail}"
            case _:
                return f"{change.code} {change.detail}"

    def spot(self) -> Spot | None:
        """Where the last two different prompts part."""
        old, new = self.prompts.previous, self.prompts.last
        return None if old is None or new is None else first_difference(old, new)

    def _rewritten_by(self, at: int, call: SentCall) -> str:
        """The layer that made the message at `at` another one than in the last call."""
        last, messages = self.calls.last, call.prepared.request.messages
        if last is not None and call.compaction != last.compaction:
            undone = not call.compaction or any(row.compaction == call.compaction for row in self.calls.rows)
            return "the undoing of a compaction" if undone else "compaction"
        message = messages[at] if at < len(messages) else None
        if isinstance(message, ToolResultMessage) and (made := call.decided.get(decision_key(message))) is not None:
            layer = "context pruning" if made.kind in ("pruned", "dropped") else "the guard"
            return f"{layer} ({made.result_id or message.tool_name} {made.kind})"
        if call.prepared.report.count("engine", "changed") or self._counts.get("engine"):
            return f"the engine ({call.prepared.engine})"
        for layer, name in _LAYERS.items():
            if _count(call, layer) != self._counts.get(layer, 0):
                return name
        return "another branch or an edit of the history"

    def _remember_counts(self, call: SentCall) -> None:
        self._counts = {layer: _count(call, layer) for layer in _LAYERS}
        self._counts["engine"] = call.prepared.report.count("engine", "changed")

    def _rewritten(self, changes: Sequence[CacheChange], sent: Sequence[Message]) -> Spot | None:
        """The message that is another one than in the call before, in both forms; the old one only in this process."""
        at = next((change.at for change in changes if change.code == "history"), None)
        if at is None:
            return None
        before, after = (_message_text(messages, at) for messages in (self._sent_before, sent))
        return Spot(f"message {at + 1}", 0, before, after)

    def _tell(
        self,
        verdict: CacheVerdict,
        cause: str,
        price: float | None,
        diagnostics: Mapping[str, Any],
        sent: Sequence[Message],
    ) -> None:
        data: dict[str, Any] = {"changes": [change.code for change in verdict.changes]}
        spot = self.spot() if {"systemPrompt", "tools"} & set(data["changes"]) else None
        room = CACHE_SPOT_CHARS if spot is not None else CACHE_VERSION_CHARS
        spot = spot or self._rewritten(verdict.changes, sent)
        if spot is not None:
            data["spot"] = {
                "where": spot.where,
                "line": spot.line,
                "before": spot.before[:room],
                "after": spot.after[:room],
            }
        if provider_reason(diagnostics):
            data["provider"] = provider_reason(diagnostics)
        self._acts.record(
            "cache",
            verdict.kind,
            cause,
            tokens_before=verdict.previous_read,
            tokens_after=verdict.read,
            cost_usd=price,
            lost_tokens=verdict.lost_tokens,
            **data,
        )


def _message_text(messages: Sequence[Message], at: int) -> str:
    """A message as a person reads it; empty where there is none at this place."""
    if at >= len(messages):
        return ""
    message = messages[at]
    calls = message.tool_calls if isinstance(message, AssistantMessage) else ()
    return "\n".join(
        [text_of(message.content), *(f"{call.name}({compact_json(dict(call.arguments))})" for call in calls)]
    )


_LAYERS = {"repair": "repair", "limit": "the history limit", "sanitize": "sanitizing", "validate": "the turn rules"}


def _count(call: SentCall, layer: str) -> int:
    return sum(sum(step.counts.values()) for step in call.prepared.report.steps if step.layer == layer)


def provider_reason(diagnostics: Mapping[str, Any]) -> str:
    """The provider's own word for a miss: Anthropic's `cache_miss_reason`, OpenAI's `cache_miss`; empty where none."""
    reason = diagnostics.get("cache_miss_reason")
    if isinstance(reason, Mapping):
        return str(reason.get("type") or "")
    if diagnostics.get("type") == "cache_miss":
        return str(diagnostics.get("reason") or "cache_miss")
    return ""


def _row(
    call: SentCall,
    answer: AssistantMessage,
    snapshot: CacheSnapshot,
    known_schemas: Mapping[str, str],
    kept: int,
    verdict: CacheVerdict | None,
    cause: str,
    price: float | None,
) -> CallRow:
    usage, model = answer.usage, call.prepared.request.model
    return CallRow(
        time=call.at,
        provider=snapshot.provider,
        model=snapshot.model,
        api=snapshot.api,
        retention=snapshot.retention,
        thinking=snapshot.thinking,
        engine=call.prepared.engine,
        input=usage.input,
        cache_read=usage.cache_read,
        cache_write=usage.cache_write,
        output=usage.output,
        reported=usage.cache_reported,
        cost_usd=answer.cost_usd,
        saved_usd=saved_usd(model, usage, answer.cost_usd) if usage.cache_reported else None,
        stable=snapshot.stable,
        dynamic=snapshot.dynamic,
        tools=snapshot.tools,
        schemas={} if snapshot.schemas == known_schemas else dict(snapshot.schemas),
        compaction=call.compaction,
        kept=kept,
        new=list(snapshot.messages[kept:]),
        verdict=verdict.kind if verdict else "",
        cause=cause,
        lost_tokens=verdict.lost_tokens if verdict else 0,
        lost_usd=price,
    )


def _same_prompt(calls: CallLog, now: CacheSnapshot) -> bool:
    row = calls.last
    if row is None or calls.schemas != now.schemas:
        return False
    return (row.stable, row.dynamic, row.tools) == (now.stable, now.dynamic, now.tools)


def _snapshot_of(calls: CallLog, row: CallRow) -> CacheSnapshot:
    return CacheSnapshot(
        provider=row.provider,
        model=row.model,
        api=row.api,
        retention=row.retention,
        thinking=row.thinking,
        stable=row.stable,
        dynamic=row.dynamic,
        tools=row.tools,
        schemas=dict(calls.schemas),
        messages=list(calls.digests),
    )


def _texts_of(request: ProviderRequest) -> PromptTexts:
    tools = {
        tool.name: compact_json({"description": tool.description, "parameters": dict(tool.parameters)})
        for tool in request.tools
    }
    return PromptTexts(mask_secrets(request.system_stable), mask_secrets(request.system_dynamic), tools)


def _span(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
