"""The user's own limits: model calls, money, tokens. Checked before a request is sent, never after.

Money is counted over the whole session, side calls (summaries, flushes) included, so a resume does not reset it.
"""

from collections.abc import Callable

import msgspec

from openclaw_tui.errors import LimitReached


class Limits(msgspec.Struct, frozen=True):
    """None means no limit. `max_steps` counts model calls of this run (`--max-turns`).

    `spent_elsewhere` tells what counts to the same budget but was spent by others: the family of a sub-agent.
    """

    max_steps: int | None = None
    max_budget_usd: float | None = None
    max_tokens: int | None = None
    spent_elsewhere: Callable[[], float] | None = None

    def check(self, *, steps: int, spent_usd: float, next_usd: float | None, tokens: int) -> None:
        """Raises LimitReached when the next call would pass a limit; `next_usd` is its estimated input price."""
        if self.spent_elsewhere is not None:
            spent_usd += self.spent_elsewhere()
        if self.max_steps is not None and steps >= self.max_steps:
            raise LimitReached(f"stopped after {steps} model calls (--max-turns {self.max_steps})", kind="turns")
        if self.max_budget_usd is not None and spent_usd + (next_usd or 0.0) > self.max_budget_usd:
            raise LimitReached(
                f"stopped before the next call: ${spent_usd:.4f} spent and about ${next_usd or 0.0:.4f} for the next "
                f"request would pass the budget of ${self.max_budget_usd:g} (--max-budget-usd)",
                kind="budget",
            )
        if self.max_tokens is not None and tokens >= self.max_tokens:
            raise LimitReached(f"stopped after {tokens} tokens (--max-tokens {self.max_tokens})", kind="tokens")
