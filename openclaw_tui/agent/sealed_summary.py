"""The provider's own form of a summary: where it is kept, and for whom it takes the readable one's place.

A compaction that the provider made stores its opaque block in a `custom` entry right before its own entry, whose
summary stays readable for everybody else. Requests to the model that made the block send the block.
"""

from collections.abc import Mapping
from dataclasses import replace

from openclaw_tui.messages import Message, UserMessage
from openclaw_tui.models import ModelInfo
from openclaw_tui.providers.catalog import without_snapshot
from openclaw_tui.session.custom_types import PROVIDER_COMPACTION
from openclaw_tui.session.entries import CompactionEntry, CustomEntry
from openclaw_tui.session.manager import SessionManager
from openclaw_tui.session.projection import Projection


class SealedSummary:
    """One per session and branch. The same message object comes back while the summary stands."""

    def __init__(self, manager: SessionManager) -> None:
        self._manager = manager
        self._refused: set[str] = set()
        self._made: UserMessage | None = None

    def read(self, data: Mapping[str, object]) -> None:
        """Take over what an entry of the branch says."""
        refused = data.get("refused")
        if isinstance(refused, str):
            self._refused.add(refused)

    def sent(self, projection: Projection, model: ModelInfo) -> tuple[Message, ...]:
        """The messages, the summary in front of them sealed where this model's provider made it."""
        block = self._block(projection.compaction, model)
        first = projection.messages[0] if projection.messages else None
        if block is None or not isinstance(first, UserMessage) or first.origin != "compaction_summary":
            return projection.messages
        if self._made is None or self._made.entry_id != first.entry_id or self._made.sealed != block:
            self._made = replace(first, sealed=block)
        return (self._made, *projection.messages[1:])

    def refuse(self) -> bool:
        """The provider does not take the block any more: from now on the readable summary is sent. False: none was."""
        compaction = self._manager.project().compaction
        if compaction is None or compaction.id in self._refused or not _is_sealed(compaction):
            return False
        self._refused.add(compaction.id)
        self._manager.append_custom(PROVIDER_COMPACTION, {"refused": compaction.id})
        return True

    def _block(self, compaction: CompactionEntry | None, model: ModelInfo) -> str | None:
        if compaction is None or compaction.id in self._refused or not _is_sealed(compaction):
            return None
        kept = self._manager.entry(compaction.parent_id) if compaction.parent_id else None
        if not isinstance(kept, CustomEntry) or kept.custom_type != PROVIDER_COMPACTION:
            return None
        data = kept.data if isinstance(kept.data, Mapping) else {}
        block, maker = data.get("block"), data.get("model")
        if not isinstance(block, str) or not isinstance(maker, str):
            return None
        return block if without_snapshot(maker) == without_snapshot(model.ref) else None


def _is_sealed(compaction: CompactionEntry) -> bool:
    return bool((compaction.details or {}).get("sealed"))
