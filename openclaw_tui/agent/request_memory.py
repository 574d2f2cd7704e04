"""What a session remembers about the wire form of its messages, kept as `custom` entries of its branch.

Guard decisions (a result once sent short is sent short again), reasoning that is left out, and the learnt correction of
the token estimate. Read once when the session is opened; written when it changes.
"""

from collections.abc import Mapping
from typing import Any

from openclaw_tui.agent.bound_prefix import BoundPrefix
from openclaw_tui.agent.quarantine import Quarantine
from openclaw_tui.agent.sealed_summary import SealedSummary
from openclaw_tui.constants import CALIBRATION_SAVE_EVERY
from openclaw_tui.context.decisions import GuardDecision, decisions_from_data, decisions_to_data
from openclaw_tui.context.pipeline import PreparedRequest
from openclaw_tui.messages import Message, Usage
from openclaw_tui.models import ModelInfo
from openclaw_tui.session.custom_types import (
    BOUND_PREFIX,
    CALIBRATION,
    CLEARED_BY_HAND,
    COMPACTION_UNDO,
    GUARD_DECISIONS,
    PROVIDER_COMPACTION,
    QUARANTINE,
    THINKING_LEFT_OUT,
)
from openclaw_tui.session.entries import CompactionEntry, CustomEntry, MessageEntry
from openclaw_tui.session.manager import SessionManager
from openclaw_tui.session.projection import Projection
from openclaw_tui.tokens import Calibration, estimate_message_tokens
from openclaw_tui.transcript.incremental import Growing


class RequestMemory:
    def __init__(self, manager: SessionManager) -> None:
        self._manager = manager
        self.guard_decisions: dict[str, GuardDecision] = {}
        self.last_result = 0
        self.bound_prefix = BoundPrefix(manager)
        self.sealed_summary = SealedSummary(manager)
        self.quarantine = Quarantine(manager)
        self._left_out: dict[str, str | None] = {}
        self._unbound: dict[str, tuple[Message | None, frozenset[str]]] = {}
        self._estimates = Growing(estimate_message_tokens)
        self._calibrations: dict[str, Calibration] = {}
        self.by_hand: dict[str, GuardDecision] = {}
        self.wanted: set[str] = set()
        self._reports_end: str | None = None
        last: str | None = None
        for entry in manager.branch():
            if isinstance(entry, MessageEntry):
                last = entry.id
            if isinstance(entry, CustomEntry) and isinstance(entry.data, Mapping) and _moves_sizes(entry):
                self._reports_end = last
            if isinstance(entry, CustomEntry) and isinstance(entry.data, Mapping):
                self._read(entry.custom_type, entry.data)
            elif isinstance(entry, CompactionEntry) and isinstance(entry.details, Mapping):
                self.last_result = _whole(entry.details.get("lastResult"), self.last_result)

    def sent(self, projection: Projection, model: ModelInfo) -> tuple[Message, ...]:
        """The branch's messages in the form this model's provider gets: its own summary, without what it refused."""
        return self.quarantine.sent(self.sealed_summary.sent(projection, model), model)

    def remember(self, decisions: Mapping[str, GuardDecision]) -> None:
        """Store new guard decisions."""
        if decisions:
            self.guard_decisions.update(decisions)
            self._manager.append_custom(GUARD_DECISIONS, decisions_to_data(decisions))

    def reread(self) -> "RequestMemory":
        """What the branch says now that its leaf was moved; what was learnt about the estimate stays learnt."""
        fresh = RequestMemory(self._manager)
        fresh._calibrations.update(self._calibrations)
        return fresh

    def clear_by_hand(self, decisions: Mapping[str, GuardDecision]) -> None:
        """Store decisions of the user. What was reported before is no measure of the request any more."""
        self.remember(decisions)
        self.by_hand.update(decisions)
        self.wanted.difference_update(decisions)
        self._manager.append_custom(CLEARED_BY_HAND, {"cleared": sorted(decisions)})
        messages = self._manager.project().messages
        self._reports_end = messages[-1].entry_id if messages else None

    def take_by_hand(self) -> Mapping[str, GuardDecision]:
        """What the user decided since the last request."""
        taken, self.by_hand = self.by_hand, {}
        return taken

    def reports_from(self, projection: Projection) -> int:
        """Index of the first message whose report of a size still counts.

        Reports from before a compaction, an undo that repeated talk behind another history, or a result cleared by hand
        are of another request.
        """
        if self._reports_end is not None:
            messages = projection.messages
            for at in range(len(messages) - 1, projection.fresh_from - 1, -1):
                if messages[at].entry_id == self._reports_end:
                    return at + 1
        return projection.fresh_from

    def leave_thinking_out(self, model: ModelInfo) -> None:
        """Reasoning stored before now is not sent to this provider any more."""
        messages = self._manager.project().messages
        last = messages[-1].entry_id if messages else None
        self._left_out[model.provider] = last
        self._manager.append_custom(THINKING_LEFT_OUT, {"provider": model.provider, "upTo": last})

    def thinking_left_out(self, model: ModelInfo) -> bool:
        return model.provider in self._left_out

    def unbound(self, messages: tuple[Message, ...], model: ModelInfo) -> frozenset[str]:
        """Entries whose reasoning is not sent: the answers that stood in the session when it was left out.

        Where the last such message is covered by a summary, nothing of its time is sent any more.
        """
        last = self._left_out.get(model.provider)
        if last is None or not messages:
            return frozenset()
        known, found = self._unbound.get(model.provider, (None, frozenset()))
        if known is not messages[0] or last not in found:
            found = _answers_until(last, messages)
            self._unbound[model.provider] = (messages[0], found)
        return found

    def calibration(self, model: ModelInfo) -> Calibration:
        return self._calibrations.get(model.ref, Calibration())

    def calibrate(self, model: ModelInfo, prepared: PreparedRequest, usage: Usage) -> None:
        """Learn from one call: the whole request's estimate against what the server counted."""
        estimate = prepared.fixed_tokens + sum(self._estimates.of(prepared.request.messages))
        learnt = self.calibration(model).observe(estimate, usage.prompt_tokens)
        self._calibrations[model.ref] = learnt
        if learnt.samples % CALIBRATION_SAVE_EVERY == 1:
            data = {"model": model.ref, "factor": learnt.factor, "samples": learnt.samples, "error": learnt.error}
            self._manager.append_custom(CALIBRATION, data)

    def _read(self, custom_type: str, data: Mapping[str, Any]) -> None:
        if custom_type == GUARD_DECISIONS:
            self.guard_decisions.update(decisions_from_data(data))
        elif custom_type == THINKING_LEFT_OUT and isinstance(data.get("provider"), str):
            self._left_out[data["provider"]] = data.get("upTo")
        elif custom_type == BOUND_PREFIX:
            self.bound_prefix.read(data)
        elif custom_type == PROVIDER_COMPACTION:
            self.sealed_summary.read(data)
        elif custom_type == CLEARED_BY_HAND and isinstance(data.get("wanted"), str):
            self.wanted.add(data["wanted"])
        elif custom_type == QUARANTINE:
            self.quarantine.read(data)
        elif custom_type == CALIBRATION and isinstance(data.get("model"), str):
            factor, error = data.get("factor"), data.get("error")
            if isinstance(factor, int | float) and isinstance(error, int | float):
                samples = _whole(data.get("samples"), 1)
                self._calibrations[data["model"]] = Calibration(float(factor), samples, float(error))


def _moves_sizes(entry: CustomEntry) -> bool:
    """Whether the sizes that were reported before this entry are of another request than what is sent from here on."""
    data = entry.data if isinstance(entry.data, Mapping) else {}
    if entry.custom_type == COMPACTION_UNDO:
        return _whole(data.get("repeated"), 0) > 0
    return entry.custom_type == CLEARED_BY_HAND and "cleared" in data


def _answers_until(last: str, messages: tuple[Message, ...]) -> frozenset[str]:
    """Entry ids up to and with `last`; empty where it is not among the messages."""
    ids = [message.entry_id for message in messages]
    until = ids.index(last) + 1 if last in ids else 0
    return frozenset(entry_id for entry_id in ids[:until] if entry_id is not None)


def _whole(value: object, default: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else default
