"""What was decided about one tool result, and what the result looks like under it.

A decision is taken once and remembered by the caller, so that a result is sent in the same form ever after: also in the
next process, also when there would be room again. Without that every change of mind would cost the cached prefix.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal, TypeAlias, cast

import msgspec

from openclaw_tui.constants import COMPACTED_PLACEHOLDER
from openclaw_tui.context.trimming import trim_text
from openclaw_tui.messages import ImageBlock, TextBlock, ToolResultMessage, UserContent, text_of
from openclaw_tui.transcript.incremental import IdentityMemo

DecisionKind: TypeAlias = Literal["capped", "trimmed", "cleared", "pruned", "dropped"]
_KINDS: tuple[DecisionKind, ...] = ("capped", "trimmed", "cleared", "pruned", "dropped")


class GuardDecision(msgspec.Struct, frozen=True):
    """`capped` before the first send, `trimmed` and `cleared` by the guard later, `pruned` and `dropped` by age.

    `max_chars` is the budget of the text (the head when pruned), `tail_chars` the tail kept when pruned, `note` what
    stands in place of a dropped one, `result_id` the id for `recall`, `chars` how long the text was.
    """

    kind: DecisionKind
    result_id: str = ""
    max_chars: int = 0
    tail_chars: int = 0
    note: str = ""
    chars: int = 0


def decision_key(result: ToolResultMessage) -> str:
    """What a decision is remembered by: the session entry, or the call for results that have none."""
    return result.entry_id if result.entry_id is not None else f"call:{result.tool_call_id}"


_applied: IdentityMemo[tuple[GuardDecision, ToolResultMessage | None]] = IdentityMemo()
"""The decision and the copy it makes; None where it changes nothing, so that no result keeps itself alive."""


def apply_decision(result: ToolResultMessage, decision: GuardDecision) -> ToolResultMessage:
    """A copy of the result as it is sent under the decision; the result itself where that changes nothing."""
    known = _applied.get(result)
    if known is not None and known[0] == decision:
        return known[1] or result
    content = _content_under(result, decision)
    made = None if content == result.content else replace(result, content=content)
    _applied.put(result, (decision, made))
    return made or result


def _content_under(result: ToolResultMessage, decision: GuardDecision) -> tuple[UserContent, ...]:
    text = text_of(result.content)
    match decision.kind:
        case "capped" | "trimmed":
            return _with_text(result, trim_text(text, decision.max_chars, hint=_hint(decision.result_id)))
        case "cleared":
            return (TextBlock(placeholder(result, decision.result_id)),)
        case "pruned":
            return _pruned(result, text, decision)
        case "dropped":
            return (TextBlock(decision.note),)


def _with_text(result: ToolResultMessage, text: str) -> tuple[UserContent, ...]:
    """One text block where there were several, and the pictures after it."""
    if text == text_of(result.content):
        return result.content
    return (TextBlock(text), *(block for block in result.content if isinstance(block, ImageBlock)))


def _pruned(result: ToolResultMessage, text: str, decision: GuardDecision) -> tuple[UserContent, ...]:
    notes = tuple(
        TextBlock("[image removed during context pruning]") for block in result.content if isinstance(block, ImageBlock)
    )
    head, tail = decision.max_chars, decision.tail_chars
    if head + tail >= len(text):
        return (TextBlock(text), *notes)
    kept_tail = text[len(text) - tail :]
    said = f"[Tool result trimmed: kept first {head} chars and last {tail} chars of {len(text)} chars.]"
    return (TextBlock(f"{text[:head]}\n...\n{kept_tail}\n\n{said}"), *notes)


def placeholder(result: ToolResultMessage, result_id: str) -> str:
    """The article's words, then what stood here and how to get it back."""
    chars = len(text_of(result.content))
    images = sum(isinstance(block, ImageBlock) for block in result.content)
    size = f"{chars} chars" + (f" and {images} image{'s' if images > 1 else ''}" if images else "")
    if not result_id:
        return f"{COMPACTED_PLACEHOLDER} {result.tool_name}, {size}"
    return f'{COMPACTED_PLACEHOLDER} {result_id} {result.tool_name}, {size}, recall("{result_id}")'


def _hint(result_id: str) -> str:
    return f'recall("{result_id}") gives the rest' if result_id else ""


def decisions_to_data(decisions: Mapping[str, GuardDecision]) -> dict[str, Any]:
    """Decisions as plain data for a custom entry, by entry id."""
    return {
        key: {"kind": made.kind, "id": made.result_id, "max": made.max_chars, "tail": made.tail_chars}
        | {"note": made.note, "chars": made.chars}
        for key, made in decisions.items()
    }


def decisions_from_data(data: Mapping[str, Any]) -> dict[str, GuardDecision]:
    """The inverse. Rows that make no sense are left out: the guard then decides anew."""
    return {key: made for key, row in data.items() if (made := _from_row(row)) is not None}


def _from_row(row: Any) -> GuardDecision | None:
    if not isinstance(row, Mapping) or row.get("kind") not in _KINDS:
        return None
    numbers = [row.get(name, 0) for name in ("max", "tail", "chars")]
    if not all(isinstance(number, int) and number >= 0 for number in numbers):
        return None
    texts = [row.get(name, "") for name in ("id", "note")]
    if not all(isinstance(text, str) for text in texts):
        return None
    return GuardDecision(
        kind=cast(DecisionKind, row["kind"]),
        result_id=texts[0],
        max_chars=numbers[0],
        tail_chars=numbers[1],
        note=texts[1],
        chars=numbers[2],
    )
