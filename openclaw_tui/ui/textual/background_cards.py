"""Commands that went on in the background, live on their cards: the newest output, and how they ended.

A timer runs only while such a command does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from textual.screen import Screen
from textual.timer import Timer

from openclaw_tui.constants import BACKGROUND_LOOK_SECONDS, TOOL_BODY_LINE_CHARS, TOOL_LIVE_TAIL_LINES
from openclaw_tui.errors import ToolError
from openclaw_tui.tools.terminal_text import clean_terminal_text
from openclaw_tui.ui.textual.widgets.transcript import Transcript

if TYPE_CHECKING:
    from openclaw_tui.tools.processes import ProcessRegistry, RunningProcess

_TAIL_CHARS = TOOL_LIVE_TAIL_LINES * TOOL_BODY_LINE_CHARS


@dataclass(slots=True)
class BackgroundCards:
    """`processes` are those of the conversation on the screen."""

    screen: Screen[None]
    transcript: Transcript
    processes: Callable[[], ProcessRegistry | None]
    _cards: dict[str, tuple[RunningProcess, int]] = field(default_factory=dict)
    _timer: Timer | None = None

    def follow(self, card: str, process_id: str) -> bool:
        """Keep a card up to date from now on; False when the process is none of this session's."""
        registry = self.processes()
        if registry is None:
            return False
        try:
            self._cards[card] = (registry.get(process_id), -1)
        except ToolError:
            return False
        if self._timer is None:
            self._timer = self.screen.set_interval(BACKGROUND_LOOK_SECONDS, self._look)
        return True

    def forget(self) -> None:
        self._cards.clear()
        self._rest()

    def _look(self) -> None:
        for card, (running, seen) in list(self._cards.items()):
            if running.ended.is_set():
                del self._cards[card]
                self._end(card, running)
            elif running.recent.size != seen:
                self._cards[card] = (running, running.recent.size)
                self.transcript.update_tool(card, output_tail=_tail(running))
        self._rest()

    def _rest(self) -> None:
        if not self._cards and self._timer is not None:
            self._timer.stop()
            self._timer = None

    def _end(self, card: str, running: RunningProcess) -> None:
        failed = running.timed_out or (running.return_code or 0) != 0
        self.transcript.finish_tool(
            card,
            "stopped" if running.stopped else "failed" if failed else "done",
            seconds=running.seconds(),
            size=running.recent.size,
            output=_tail(running, 4 * _TAIL_CHARS),
        )


def _tail(running: RunningProcess, room: int = _TAIL_CHARS) -> str:
    text, _missed = running.recent.since(max(0, running.recent.size - room))
    return clean_terminal_text(text)
