"""Makes an act of a layer visible: one ledger row and one event, always together."""

import time
from collections.abc import Callable
from typing import Any

from openclaw_tui.events import ContextAct, ContextLayer, Notice, NoticeLevel, Sink
from openclaw_tui.ledger.ledger import Ledger, LedgerRow


class Acts:
    """`record` is the only way a layer's act is announced, so the panels, the stream and the ledger cannot disagree."""

    def __init__(self, session_key: str, ledger: Ledger, emit: Sink, clock: Callable[[], float] = time.time) -> None:
        self._key = session_key
        self.ledger = ledger
        self._emit = emit
        self._clock = clock
        self._noticed: set[str] = set()

    def record(
        self,
        layer: ContextLayer,
        verb: str,
        reason: str = "",
        *,
        tokens_before: int | None = None,
        tokens_after: int | None = None,
        cost_usd: float | None = None,
        seconds: float | None = None,
        way_back: str = "",
        **data: Any,
    ) -> None:
        self.ledger.record(
            LedgerRow(
                time=self._clock(),
                layer=layer,
                verb=verb,
                reason=reason,
                tokens_before=tokens_before,
                tokens_after=tokens_after,
                cost_usd=cost_usd,
                seconds=seconds,
                way_back=way_back,
                data=data,
            )
        )
        self._emit(
            ContextAct(
                self._key,
                layer,
                verb,
                reason,
                tokens_before=tokens_before,
                tokens_after=tokens_after,
                cost_usd=cost_usd,
                seconds=seconds,
                data={**data, "way_back": way_back} if way_back else data,
            )
        )

    def notice(self, level: NoticeLevel, text: str) -> None:
        """A line for the user that is no act: nothing was changed by it."""
        self._emit(Notice(self._key, level, text))

    def notice_once(self, level: NoticeLevel, text: str) -> None:
        if text not in self._noticed:
            self._noticed.add(text)
            self.notice(level, text)
