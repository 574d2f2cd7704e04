"""What a provider refused by name is left out of its requests from then on; the session file keeps it.

One poisoned picture or block would otherwise be refused with every request for ever. What was refused is a `custom`
entry of the branch, so the cure holds after a restart; other providers still get the part, they may take it. The same
message object comes back while nothing changes, so that nothing cached is lost.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from openclaw_tui.agent.stored_places import StoredPlace, pictures_of, pictures_since_last_answer, stored_places
from openclaw_tui.errors import InvalidRequest
from openclaw_tui.messages import ImageBlock, Message, ToolResultMessage, UserMessage
from openclaw_tui.models import ModelInfo
from openclaw_tui.providers.base import ProviderRequest
from openclaw_tui.providers.failures import blames_a_field, transcript_fault
from openclaw_tui.providers.wire_places import place_of
from openclaw_tui.session.custom_types import QUARANTINE
from openclaw_tui.session.manager import SessionManager
from openclaw_tui.transcript.leaving_out import WHOLE, without_blocks
from openclaw_tui.transcript.policy import transcript_policy


class Quarantine:
    """One per session and branch."""

    def __init__(self, manager: SessionManager) -> None:
        self._manager = manager
        self._left_out: dict[str, dict[str, frozenset[int]]] = {}
        self._made: dict[tuple[str, str], tuple[Message, frozenset[int], Message]] = {}

    def read(self, data: Mapping[str, Any]) -> None:
        """Take over what an entry of the branch says."""
        provider, entry, block = data.get("provider"), data.get("entry"), data.get("block")
        if isinstance(provider, str) and isinstance(entry, str) and isinstance(block, int):
            self._add(provider, entry, block)

    def sent(self, messages: tuple[Message, ...], model: ModelInfo) -> tuple[Message, ...]:
        """The messages without what this model's provider refused; the same tuple where it refused nothing."""
        gone = self._left_out.get(model.provider)
        if not gone:
            return messages
        return tuple(self._without(message, model.provider, gone.get(message.entry_id or "")) for message in messages)

    def take(self, error: InvalidRequest, request: ProviderRequest) -> str:
        """Leave out what the refusal names, and say what it was; empty where it names nothing that is still sent."""
        stored = self._manager.project().messages
        places = [place for place in _named(error, request, stored) if self._is_new(request.model.provider, place)]
        for entry, block in places:
            self._add(request.model.provider, entry, block)
            data = {"provider": request.model.provider, "entry": entry, "block": block, "reason": str(error)}
            self._manager.append_custom(QUARANTINE, data)
        return _described(places, stored) if places else ""

    def _add(self, provider: str, entry: str, block: int) -> None:
        known = self._left_out.setdefault(provider, {})
        known[entry] = known.get(entry, frozenset()) | {block}

    def _is_new(self, provider: str, place: StoredPlace) -> bool:
        known = self._left_out.get(provider, {}).get(place[0], frozenset())
        return not known if place[1] == WHOLE else place[1] not in known and WHOLE not in known

    def _without(self, message: Message, provider: str, blocks: frozenset[int] | None) -> Message:
        if blocks is None or message.entry_id is None:
            return message
        key = (provider, message.entry_id)
        made = self._made.get(key)
        if made is None or made[0] is not message or made[1] != blocks:
            made = self._made[key] = (message, blocks, without_blocks(message, blocks))
        return made[2]


def _named(error: InvalidRequest, request: ProviderRequest, stored: Sequence[Message]) -> list[StoredPlace]:
    if blames_a_field(error):
        return []
    about_pictures = transcript_fault(error) == "image"
    place = place_of(request, error.position) if error.position else None
    if place is None:
        return pictures_since_last_answer(stored) if about_pictures else []
    rules = transcript_policy(request.model).images
    places = stored_places(place, request.messages, stored, rules)
    return pictures_of(places, stored) if about_pictures and any(at == WHOLE for _, at in places) else places


def _described(places: Sequence[StoredPlace], stored: Sequence[Message]) -> str:
    """For the user: "a picture in your message", "the read result"."""
    by_id = {message.entry_id: message for message in stored}
    message = by_id.get(places[0][0])
    if message is None:
        return "a part of the history"
    where = _where(message)
    at = places[0][1]
    if at == WHOLE or at >= len(message.content):
        what = where
    else:
        what = f"{'a picture' if isinstance(message.content[at], ImageBlock) else 'a part'} of {where}"
    return what if len(places) == 1 else f"{what} and {len(places) - 1} more"


def _where(message: Message) -> str:
    if isinstance(message, ToolResultMessage):
        return f"a result of {message.tool_name}"
    return "a message of yours" if isinstance(message, UserMessage) else "an answer"
