"""Tool calls put together from Chat Completions fragments, whatever the server makes of the format.

Servers leave out the id or the index, number parallel calls all 0, send a call whole in one chunk, or arguments as an
object. A fragment belongs to the call with its index, unless it brings a new id or a name after finished arguments:
then a new call has begun. Calls written into the text are text and are never run.
"""

import json
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from openclaw_tui.messages import ToolCallBlock
from openclaw_tui.providers.openai_items import compact, keep_arguments
from openclaw_tui.providers.wire_cache import parse_arguments


@dataclass(slots=True)
class PartialCall:
    """One call while it arrives. `index` is our block index."""

    index: int
    id: str
    name: str = ""
    pieces: list[str] = field(default_factory=list)
    named_by_server: bool = True

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    def block(self) -> ToolCallBlock:
        arguments, invalid = parse_arguments(self.text)
        kept = None if invalid or not self.text.strip() else keep_arguments(self.text, arguments)
        return ToolCallBlock(self.id, self.name, arguments, kept, invalid)


def invented_id() -> str:
    """An id for a call that came without one; unique over the whole session, not only in this answer."""
    return f"call_{uuid.uuid4().hex[:24]}"


class CallCollector:
    """The calls of one answer, in the order they began."""

    def __init__(self, new_id: Callable[[], str] = invented_id) -> None:
        self._new_id = new_id
        self._calls: list[PartialCall] = []
        self._by_place: dict[int, PartialCall] = {}

    @property
    def calls(self) -> tuple[PartialCall, ...]:
        return tuple(self._calls)

    def add(self, fragment: Mapping[str, Any], next_index: Callable[[], int]) -> tuple[PartialCall, str]:
        """The call a fragment belongs to, and the piece of argument text it brought."""
        function = fragment.get("function")
        function = function if isinstance(function, Mapping) else {}
        given_id, name = str(fragment.get("id") or ""), str(function.get("name") or "")
        call = self._owner(fragment.get("index"), given_id, name)
        if call is None:
            call = PartialCall(next_index(), given_id or self._new_id(), named_by_server=bool(given_id))
            self._calls.append(call)
        elif given_id and not call.named_by_server:
            call.id, call.named_by_server = given_id, True
        self._by_place[self._place(fragment.get("index"))] = call
        call.name = call.name or name
        return call, self._take(call, function.get("arguments"))

    def _owner(self, index: Any, given_id: str, name: str) -> PartialCall | None:
        """None when the fragment begins a call."""
        if given_id:
            same = next((call for call in self._calls if call.named_by_server and call.id == given_id), None)
            if same is not None:
                return same
        if isinstance(index, int):
            call = self._by_place.get(index)
        else:
            call = self._calls[-1] if self._calls else None
        if call is None or (given_id and call.named_by_server):
            return None
        return None if name and call.name and _is_whole(call.text) else call

    def _place(self, index: Any) -> int:
        return index if isinstance(index, int) else -1 - len(self._calls)

    @staticmethod
    def _take(call: PartialCall, arguments: Any) -> str:
        if arguments is None:
            return ""
        if isinstance(arguments, str):
            call.pieces.append(arguments)
            return arguments
        text = compact(arguments)
        call.pieces[:] = [text]
        return text


def _is_whole(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False
