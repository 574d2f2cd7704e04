"""What is known of the turn in progress; the supervisor reads it when the turn is cut short."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from openclaw_tui.messages import AssistantMessage, ToolCallBlock, Usage
from openclaw_tui.providers.accumulator import Accumulator


@dataclass(slots=True)
class TurnState:
    """Counters of one turn. `answer` is the message being streamed, `open_calls` the calls without a stored result.

    `diagnostics` is what the provider said about its cache with the last answer.
    """

    steps: int = 0
    attempts: int = 0
    retries: int = 0
    usage: Usage = field(default_factory=Usage)
    cost_usd: float | None = 0.0
    answer: Accumulator | None = None
    answer_id: str = ""
    diagnostics: Mapping[str, Any] = field(default_factory=dict)
    open_calls: dict[str, ToolCallBlock] = field(default_factory=dict)
    compactions_in_a_row: int = 0
    thinking_dropped: bool = False
    quarantines: int = 0
    models_tried: list[str] = field(default_factory=list)
    last_answer: AssistantMessage | None = None
    started: float = field(default_factory=time.monotonic)

    def count(self, message: AssistantMessage) -> None:
        """Add the usage and price of a finished call; one unknown price makes the sum unknown."""
        self.usage = self.usage + message.usage
        if message.cost_usd is None or self.cost_usd is None:
            self.cost_usd = None
        else:
            self.cost_usd += message.cost_usd

    def accepted(self) -> None:
        """A provider accepted a call: earlier compactions and retries in a row no longer count."""
        self.compactions_in_a_row = 0
        self.retries = 0
