"""From the report of a request to rows of the ledger: each change of a layer is told once, when it is new.

The pipeline runs before every step and reports what it did to the whole history each time; a person wants to hear of a
made result or a shortened one when it happens, not with every call after it.
"""

from collections.abc import Mapping, Sequence

from openclaw_tui.agent.acts import Acts
from openclaw_tui.context.decisions import GuardDecision, apply_decision, decision_key
from openclaw_tui.context.pipeline import PreparedRequest
from openclaw_tui.messages import Message, ToolResultMessage
from openclaw_tui.report import PipelineReport
from openclaw_tui.tokens import estimate_message_tokens
from openclaw_tui.transcript.legality import Fault

_REPAIRS: Mapping[str, tuple[str, tuple[tuple[str, str], ...]]] = {
    "moved": ("{n} tool result(s) moved behind their call", (("repair", "moved"),)),
    "made": ("{n} missing tool result(s) made", (("repair", "synthesised"),)),
    "deduped": ("{n} further result(s) of the same call left out", (("repair", "duplicates_dropped"),)),
    "dropped": (
        "{n} part(s) without a partner left out",
        (("repair", "orphans_dropped"), ("repair", "partial_calls_dropped"), ("sanitize", "calls_dropped")),
    ),
}
"""Verb → sentence, and the counts of the report that add up to it."""

_GUARD_VERBS = {
    "capped": "capped",
    "trimmed": "trimmed",
    "cleared": "cleared",
    "pruned": "trimmed",
    "dropped": "cleared",
}


class ReportActs:
    """Remembers what was told, from the ledger on, so that a resume does not tell it again."""

    def __init__(self, acts: Acts) -> None:
        self._acts = acts
        self._told = {verb: self._told_before(verb) for verb in _REPAIRS}
        self._faults: set[str] = set()
        self._engine = ""

    def tell(self, prepared: PreparedRequest, originals: Sequence[Message]) -> None:
        """Rows for what is new in this request; `originals` are the messages as they are stored."""
        self._tell_repairs(prepared.report)
        self._tell_faults(prepared.faults)
        if prepared.new_decisions:
            self._tell_decisions(prepared.new_decisions, originals)

    def tell_engine(self, engine: str, before: str, *, after_fault: bool) -> None:
        """A row when another engine does the work than in the call before; a fault has its own row already."""
        last, self._engine = self._engine or before, engine
        if last and last != engine and not after_fault:
            self._acts.record("engine", "switched", f"{last} -> {engine}", engine=engine, before=last)

    def _tell_repairs(self, report: PipelineReport) -> None:
        for verb, (sentence, names) in _REPAIRS.items():
            total = sum(_most(report, layer, name) for layer, name in names)
            new = total - self._told[verb]
            self._told[verb] = total
            if new > 0:
                self._acts.record("repair", verb, sentence.format(n=new), count=new, total=total)

    def _tell_faults(self, faults: Sequence[Fault]) -> None:
        """What the check before the send found: one line to the user for each kind, however often it is met."""
        new = sorted({fault.what for fault in faults} - self._faults)
        if new:
            self._faults.update(new)
            reason = f"the provider would refuse {', '.join(new)}; left out of the request, kept in the session"
            self._acts.record("repair", "quarantined", reason, count=len(faults))
            self._acts.notice("warning", f"Before the send: {reason}.")

    def _tell_decisions(self, decisions: Mapping[str, GuardDecision], originals: Sequence[Message]) -> None:
        for message in originals:
            made = decisions.get(decision_key(message)) if isinstance(message, ToolResultMessage) else None
            if made is None or not isinstance(message, ToolResultMessage):
                continue
            shaped = apply_decision(message, made)
            name = f"{made.result_id} {message.tool_name}".strip()
            why = "context pruning: the cache had expired" if made.kind in ("pruned", "dropped") else "over the line"
            self._acts.record(
                "guard",
                _GUARD_VERBS[made.kind],
                f"{name}, {why}" if made.kind != "capped" else f"{name}, more than one result may take",
                tokens_before=estimate_message_tokens(message),
                tokens_after=estimate_message_tokens(shaped),
                way_back=f'recall("{made.result_id}")' if made.result_id else "",
                result=made.result_id,
                tool=message.tool_name,
                kind=made.kind,
            )

    def _told_before(self, verb: str) -> int:
        row = self._acts.ledger.last("repair", verb)
        total = row.data.get("total") if row is not None else None
        return total if isinstance(total, int) else 0


def _most(report: PipelineReport, layer: str, name: str) -> int:
    """The largest count of one step: a step that runs again after an engine must not count twice."""
    return max((step.counts.get(name, 0) for step in report.steps if step.layer == layer), default=0)
