"""Tool call ids in a request: legal for its provider, unique, the same in call and result, stable over turns.

Only the request is changed; the file keeps what each provider wrote. An id depends on nothing but the calls before it,
so a history that grows keeps every id it has sent, and the cached prefix with them.
"""

import hashlib
import re
from dataclasses import dataclass
from typing import Literal

from openclaw_tui.constants import TOOL_ID_DIGEST_CHARS
from openclaw_tui.messages import ToolCallBlock, ToolResultMessage
from openclaw_tui.transcript.policy import TranscriptPolicy
from openclaw_tui.transcript.synthetic import is_synthetic

_ILLEGAL = re.compile(r"[^A-Za-z0-9_-]+")
_ITEM_ID = re.compile(r"fc[A-Za-z0-9_-]{0,62}")


@dataclass(slots=True)
class _Occurrence:
    """One call: the id it got, and how it has been answered so far (0 not, 1 by an invented result, 2 really)."""

    emitted: str
    name: str
    turn: int
    answered: Literal[0, 1, 2] = 0


class ToolIdMapper:
    """Gives ids out in transcript order. Servers that count `call_0` from the start each turn are told apart."""

    def __init__(self, policy: TranscriptPolicy) -> None:
        self._policy = policy
        self._used: set[str] = set()
        self._calls: dict[str, list[_Occurrence]] = {}
        self._turn = 0

    def calls(self, calls: tuple[ToolCallBlock, ...], *, keep_item_ids: bool) -> tuple[str, ...]:
        """Ids for the calls of one answer. `keep_item_ids` is True where the reasoning they belong to goes along."""
        self._turn += 1
        return tuple(self._call(call, keep_item_ids and self._policy.paired_item_ids) for call in calls)

    def result(self, result: ToolResultMessage) -> str:
        """The id of the call this result answers; a cleaned id of its own where there is no such call yet."""
        known = self._calls.get(result.tool_call_id)
        if not known:
            return self._clean(result.tool_call_id.partition("|")[0])
        synthetic = is_synthetic(result)
        chosen = _answered_by(known, result.tool_name, synthetic=synthetic)
        chosen.answered = 2 if not synthetic else max(chosen.answered, 1)
        return chosen.emitted

    def _call(self, call: ToolCallBlock, keep_item_id: bool) -> str:
        head, _, item = call.id.partition("|")
        clean = self._clean(head)
        call_id = self._unique(clean, call.id)
        keeps_item = keep_item_id and call_id == clean and _ITEM_ID.fullmatch(item) is not None
        emitted = f"{call_id}|{item}" if keeps_item else call_id
        self._used.add(call_id)
        self._calls.setdefault(call.id, []).append(_Occurrence(emitted, call.name, self._turn))
        return emitted

    def _clean(self, raw: str) -> str:
        limit = self._policy.tool_id_max_chars
        if not self._policy.sanitize_tool_call_ids and raw:
            return raw
        if raw and len(raw) <= limit and not _ILLEGAL.search(raw):
            return raw
        return self._with_digest(_ILLEGAL.sub("_", raw).strip("_") or "call", raw)

    def _unique(self, candidate: str, raw: str) -> str:
        if candidate not in self._used:
            return candidate
        attempt = 2
        while (spare := self._with_digest(candidate, f"{raw}#{attempt}")) in self._used:
            attempt += 1
        return spare

    def _with_digest(self, base: str, seed: str) -> str:
        digest = hashlib.sha256(seed.encode("utf-8", "surrogatepass")).hexdigest()[:TOOL_ID_DIGEST_CHARS]
        return f"{base[: self._policy.tool_id_max_chars - TOOL_ID_DIGEST_CHARS - 1]}_{digest}"


def _answered_by(occurrences: list[_Occurrence], name: str, *, synthetic: bool) -> _Occurrence:
    """Which of several calls with one raw id a result answers: the first open one of the newest turn, best by name."""
    for state in (0,) if synthetic else (0, 1):
        still_open = [occurrence for occurrence in occurrences if occurrence.answered == state]
        if still_open:
            newest = [occurrence for occurrence in still_open if occurrence.turn == still_open[-1].turn]
            return next((occurrence for occurrence in newest if occurrence.name == name), newest[0])
    return occurrences[-1]
