"""Acts on one thing in the context, by hand: take a result out, put one back at the end, find its file.

What is taken out is not lost: the guard's own placeholder stands in its place and names the id `recall` knows. What is
put back comes as a message at the end, where it leaves the cached prefix as it is.
"""

import os
from pathlib import Path

import msgspec

from openclaw_tui.agent.deps import AgentDeps
from openclaw_tui.agent.price_sheet import PriceSheet, clear_sheet
from openclaw_tui.agent.result_ids import ResultIds
from openclaw_tui.agent.tail_results import sent_size
from openclaw_tui.artifacts.recall import Recall
from openclaw_tui.context.decisions import GuardDecision, apply_decision, decision_key
from openclaw_tui.errors import SessionError
from openclaw_tui.messages import AssistantMessage, Message, TextBlock, ToolCallBlock, ToolResultMessage, text_of
from openclaw_tui.session.custom_types import CLEARED_BY_HAND, RECALLED
from openclaw_tui.session.projection import Projection

_BUSY = "the agent is working; wait for the end of the turn, or stop it"


class _Found(msgspec.Struct, frozen=True):
    """A result of the talk: its place among the messages, what `recall` calls it."""

    at: int
    result: ToolResultMessage
    result_id: str

    @property
    def name(self) -> str:
        return f"{self.result_id} {self.result.tool_name}".strip()


class ItemDesk:
    """One per session. Names are ids of results (`t17`) or of their entries."""

    def __init__(self, deps: AgentDeps) -> None:
        self._deps = deps

    def clear_price(self, name: str) -> PriceSheet | None:
        """What clearing a result would cost. Raises SessionError where it cannot be cleared."""
        found = self._clearable(name)
        freed = self._freed(found)
        return clear_sheet(self._deps, found.at, self._messages, found.name, freed)

    def clear(self, name: str, *, is_busy: bool = False) -> str:
        """Send the placeholder from the next request on. Raises SessionError where there is nothing to clear."""
        if is_busy:
            raise SessionError(_BUSY)
        found = self._clearable(name)
        before = sent_size(found.result, self._deps.requests.memory.guard_decisions)
        self._deps.requests.memory.clear_by_hand({decision_key(found.result): self._decision(found)})
        if self._deps.requests.model.prefix_bound:
            self._deps.requests.drop_thinking()
        after = sent_size(found.result, self._deps.requests.memory.guard_decisions)
        self._deps.manager.sync()
        self._deps.acts.record(
            "guard",
            "cleared",
            f"{found.name}, by hand",
            tokens_before=before,
            tokens_after=after,
            way_back=f"/context recall {found.result_id}",
            result=found.result_id,
            tool=found.result.tool_name,
            kind="cleared",
        )
        return f"{found.name} cleared: ~{before - after:,} tokens fewer; /context recall {found.result_id} puts it back"

    def clear_later(self, name: str) -> str:
        """Clear a result with the next compaction, which writes the prefix anew anyway."""
        found = self._clearable(name)
        self._deps.manager.append_custom(CLEARED_BY_HAND, {"wanted": decision_key(found.result)})
        self._deps.requests.memory.wanted.add(decision_key(found.result))
        return f"{found.name} is cleared with the next compaction"

    def put_back(self, name: str, recall: Recall, *, lines: str | None = None, is_busy: bool = False) -> str:
        """Put a result, or some of its lines, at the end of the talk. Raises SessionError, ToolError."""
        if is_busy:
            raise SessionError(_BUSY)
        text = recall.show(name, lines=lines)
        return self.append(f"[put back by the user]\n{text}", f"{name} put back at the end", name)

    def append(self, text: str, done: str, name: str = "") -> str:
        """A message at the end of the talk that the model reads with the next request; it leaves the cache as it is."""
        before = self._deps.requests.estimated_size()
        self._deps.manager.append_custom_message(RECALLED, (TextBlock(text),), True, {"result": name} if name else None)
        self._deps.manager.sync()
        after = self._deps.requests.estimated_size()
        self._deps.acts.record(
            "guard", "recalled", done, tokens_before=before, tokens_after=after, result=name, kind="recalled"
        )
        return f"{done}: ~{after - before:,} tokens; the cached prefix stays"

    def file_of(self, name: str) -> Path | None:
        """The file that a result is about, by the path its call names; None where it names none that exists."""
        found = self._find(name)
        call = next((c for c in self._calls() if c.id == found.result.tool_call_id), None) if found else None
        path = call.arguments.get("path") if call is not None else None
        if not isinstance(path, str) or not path:
            return None
        whole = Path(os.path.realpath(self._deps.manager.cwd / os.path.expanduser(path)))
        return whole if os.path.isfile(whole) else None

    def text_of(self, name: str) -> str:
        """The whole text of a message or result as it is stored; empty where there is none."""
        message = next((m for m in self._messages if m.entry_id == name), None)
        found = self._find(name)
        chosen = found.result if found is not None else message
        if chosen is None:
            return ""
        said = text_of(chosen.content)
        calls = (
            [f"{c.name} {dict(c.arguments)}" for c in chosen.tool_calls] if isinstance(chosen, AssistantMessage) else []
        )
        return "\n".join([said, *calls]).strip()

    # ── inside ─────────────────────────────────────────────────────────────────────────────────────────────────
    @property
    def _projection(self) -> Projection:
        return self._deps.manager.project()

    @property
    def _messages(self) -> tuple[Message, ...]:
        return self._projection.messages

    def _find(self, name: str) -> _Found | None:
        messages = self._messages
        names = ResultIds.names(messages)
        for at, message in enumerate(messages):
            if isinstance(message, ToolResultMessage) and name in (message.entry_id, names.get(message.entry_id or "")):
                return _Found(at, message, names.get(message.entry_id or "", ""))
        return None

    def _clearable(self, name: str) -> _Found:
        found = self._find(name)
        if found is None:
            raise SessionError(f"{name!r} is no tool result in the context; /context items lists what is there")
        made = self._deps.requests.memory.guard_decisions.get(decision_key(found.result))
        if made is not None and made.kind in ("cleared", "dropped"):
            raise SessionError(f"{found.name} is cleared already; /context recall {found.result_id} puts it back")
        if self._freed(found) <= 0:
            raise SessionError(f"{found.name} is shorter than the line that would stand in its place")
        return found

    def _decision(self, found: _Found) -> GuardDecision:
        return GuardDecision("cleared", found.result_id, chars=len(text_of(found.result.content)))

    def _freed(self, found: _Found) -> int:
        before = sent_size(found.result, self._deps.requests.memory.guard_decisions)
        cleared = apply_decision(found.result, self._decision(found))
        return before - sent_size(cleared, {})

    def _calls(self) -> list[ToolCallBlock]:
        return [call for m in self._messages if isinstance(m, AssistantMessage) for call in m.tool_calls]


def clear_wanted(deps: AgentDeps) -> None:
    """What the user wants out with the next compaction, which is now: results that are still sent."""
    wanted = deps.requests.memory.wanted
    if not wanted:
        return
    messages = deps.manager.project().messages
    names = ResultIds.names(messages)
    results = [m for m in messages if isinstance(m, ToolResultMessage) and decision_key(m) in wanted]
    decisions = {
        decision_key(m): GuardDecision("cleared", names.get(m.entry_id or "", ""), chars=len(text_of(m.content)))
        for m in results
    }
    wanted.clear()
    if decisions:
        deps.requests.memory.clear_by_hand(decisions)
        names_text = ", ".join(made.result_id for made in decisions.values())
        deps.acts.record("guard", "cleared", f"{names_text}, by hand, with the compaction", kind="cleared")
