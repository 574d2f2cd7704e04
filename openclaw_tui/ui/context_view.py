"""What the next request will hold, as plain data for every front end: the numbers behind the budget panel.

Made of the one breakdown that `/context` prints, so the totals cannot disagree: the parts add up to its total. Each
number says where it comes from: measured by the provider, or estimated (`~`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec

from openclaw_tui.constants import (
    CONTEXT_INPUT_HEADROOM_RATIO,
    GROWTH_TURNS,
    PREEMPTIVE_OVERFLOW_RATIO,
)
from openclaw_tui.messages import AssistantMessage, Message, UserMessage
from openclaw_tui.ui.figures import percent, plural, tokens_short

if TYPE_CHECKING:
    from openclaw_tui.agent.breakdown import Part
    from openclaw_tui.agent.request_builder import RequestBuilder
    from openclaw_tui.app.compose import App
    from openclaw_tui.prompt.bootstrap_files import BootstrapFile
    from openclaw_tui.ui.heavy_items import HeavyItem

PartKind: TypeAlias = Literal["tools", "system", "dynamic", "summary", "talk", "results", "draft", "reserve", "free"]

KIND_OF_PART: Mapping[str, PartKind] = {
    "tool schemas": "tools",
    "stable system prompt": "system",
    "dynamic system prompt": "dynamic",
    "summary": "summary",
    "user messages": "talk",
    "answers": "talk",
    "tool results": "results",
}


class BarPart(msgspec.Struct, frozen=True):
    """One part of the window in wire order. Tokens."""

    kind: PartKind
    tokens: int


class Draft(msgspec.Struct, frozen=True):
    """What is being typed: tokens, and what it brings along in words (`2 files, 1 image`)."""

    tokens: int = 0
    words: str = ""


class BudgetView(msgspec.Struct, frozen=True):
    """The next request against its window. Tokens; `measured` + `estimated` is the total that `/context` shows.

    `last_call` is the whole prompt of the call before, None when there was none. `estimate_error` is the running error
    of the estimator (0.03 = 3 %), `estimate_calls` how many calls it was learnt from. `growth` is the median of the
    last turns, None without one.
    """

    parts: tuple[BarPart, ...]
    measured: int
    estimated: int
    draft: int
    window: int
    usable: int
    reserve: int
    trigger: int
    compaction_on: bool = True
    last_call: int | None = None
    estimate_error: float = 0.0
    estimate_calls: int = 0
    growth: int | None = None
    items: tuple[HeavyItem, ...] = ()
    files: tuple[BootstrapFile, ...] = ()
    model: str = ""
    engine: str = ""
    draft_words: str = ""

    @property
    def total(self) -> int:
        """The total of `/context`: without the draft."""
        return self.measured + self.estimated

    @property
    def next_tokens(self) -> int:
        return self.total + self.draft

    @property
    def is_estimate(self) -> bool:
        return self.estimated + self.draft > 0

    @property
    def percent(self) -> int:
        """Of the usable window, as every meter says it."""
        return percent(self.next_tokens, self.usable)

    @property
    def bar(self) -> tuple[BarPart, ...]:
        """The whole window in wire order: what is sent, the draft, the room for the answer, what is free."""
        reserve = min(self.reserve, max(0, self.window - self.next_tokens))
        free = max(0, self.window - self.next_tokens - reserve)
        tail = (BarPart("draft", self.draft), BarPart("reserve", reserve), BarPart("free", free))
        return (*self.parts, *tail)

    @property
    def marks(self) -> tuple[tuple[str, int], ...]:
        """The lines that matter, by what stands on the scale, in tokens."""
        return (
            ("75", int(self.window * CONTEXT_INPUT_HEADROOM_RATIO)),
            ("90", int(self.window * PREEMPTIVE_OVERFLOW_RATIO)),
            ("C", self.trigger),
        )

    @property
    def turns_left(self) -> int | None:
        """Whole turns until compaction; 0 = with the next one; None while no turn was seen."""
        left = self.trigger - self.next_tokens
        if left < 0:
            return 0
        return None if not self.growth else left // self.growth

    @property
    def total_text(self) -> str:
        return f"{'~' if self.is_estimate else ''}{tokens_short(self.next_tokens)}"

    @property
    def turns_text(self) -> str:
        """About when the next compaction comes, in words."""
        what = "compaction" if self.compaction_on else "the window is full"
        if self.next_tokens > self.trigger:
            return f"{what} before the next call" if self.compaction_on else "the window is full now"
        turns = self.turns_left
        if turns is None:
            return f"? turns to {what}" if self.compaction_on else "compaction is off"
        if turns == 0:
            return f"{what} with the next turn"
        return f"about {plural(turns, 'turn')} to compaction" if self.compaction_on else f"full in {turns} turns"

    def as_data(self) -> dict[str, Any]:
        return {
            "total_tokens": self.total,
            "measured_tokens": self.measured,
            "estimated_tokens": self.estimated,
            "draft_tokens": self.draft,
            "draft_brings": self.draft_words,
            "window_tokens": self.window,
            "usable_tokens": self.usable,
            "reserve_tokens": self.reserve,
            "marks": dict(self.marks),
            "parts": [{"kind": part.kind, "tokens": part.tokens} for part in self.bar],
            "last_call_tokens": self.last_call,
            "estimate_error": self.estimate_error,
            "estimate_calls": self.estimate_calls,
            "growth_per_turn": self.growth,
            "turns_left": self.turns_left,
            "heaviest": [
                {"name": i.name, "tokens": i.tokens, "age_turns": i.age, "usd_per_call": i.usd_per_call}
                for i in self.items
            ],
        }


def budget_view(app: App, draft: str = "") -> BudgetView:
    """Measure the next request as it stands now, with what is being typed; sends and stores nothing."""
    from openclaw_tui.agent.breakdown import context_breakdown
    from openclaw_tui.ui.heavy_items import fixed_items, heaviest, message_items

    requests = app.session.deps.requests
    breakdown = context_breakdown(requests, app.prompt_source.files)
    messages, sizes = requests.manager.project().messages, breakdown.message_tokens
    typed = weigh_draft(app, draft)
    learnt, last = requests.memory.calibration(requests.model), requests.cache.calls.last
    fixed = fixed_items(requests.preview_prompt()[1], breakdown.files)
    growth = turn_growth(messages, sizes) or turn_growth(*_before_compaction(requests))
    return BudgetView(
        parts=_bar_parts(breakdown.parts),
        measured=breakdown.measured_tokens,
        estimated=breakdown.total_tokens - breakdown.measured_tokens,
        draft=typed.tokens,
        draft_words=typed.words,
        window=breakdown.window_tokens,
        usable=breakdown.usable_tokens,
        reserve=breakdown.reserve_tokens,
        trigger=breakdown.trigger_tokens,
        compaction_on=requests.compaction_enabled,
        last_call=last.prompt_tokens if last is not None else None,
        estimate_error=learnt.error,
        estimate_calls=learnt.samples,
        growth=max(1, round(growth * learnt.factor)) if growth else None,
        items=heaviest([*fixed, *message_items(messages, sizes)], requests.model, learnt.factor),
        files=breakdown.files,
        model=breakdown.model,
        engine=breakdown.engine,
    )


def draft_tokens(app: App, draft: str) -> int:
    """What the text in the prompt adds to the next request, estimated."""
    return weigh_draft(app, draft).tokens


def weigh_draft(app: App, draft: str) -> Draft:
    """The same with the lines and pictures that its mentions bring along, and words for them."""
    from openclaw_tui.tokens import estimate_text_tokens
    from openclaw_tui.ui.draft_weight import NOTHING_NAMED, named_in

    requests = app.session.deps.requests
    if not draft.strip():
        return Draft()
    named = named_in(draft, app.paths.project) if "@" in draft else NOTHING_NAMED
    size = estimate_text_tokens(draft) + named.tokens
    return Draft(requests.memory.calibration(requests.model).corrected(size), named.words)


def _bar_parts(parts: Iterable[Part]) -> tuple[BarPart, ...]:
    tokens: dict[PartKind, int] = {}
    for part in parts:
        kind = KIND_OF_PART[part.name]
        tokens[kind] = tokens.get(kind, 0) + part.tokens
    return tuple(BarPart(kind, size) for kind, size in tokens.items())


def turn_growth(messages: Sequence[Message], sizes: Sequence[int]) -> float | None:
    """Median growth of the last turns that have an answer; None without one."""
    from statistics import median

    turns: list[int] = []
    answered: list[bool] = []
    for message, size in zip(messages, sizes, strict=True):
        if isinstance(message, UserMessage) and message.origin == "user":
            turns.append(0)
            answered.append(False)
        if turns:
            turns[-1] += size
            answered[-1] = answered[-1] or isinstance(message, AssistantMessage)
    done = [size for size, has_answer in zip(turns, answered, strict=True) if has_answer][-GROWTH_TURNS:]
    return median(done) if done else None


def _before_compaction(requests: RequestBuilder) -> tuple[list[Message], list[int]]:
    """The last turns that a summary covers, for a talk that has no whole turn since. Covered results count whole."""
    from openclaw_tui.session.entries import MessageEntry
    from openclaw_tui.tokens import estimate_message_tokens

    if requests.manager.project().compaction is None:
        return [], []
    messages: list[Message] = []
    turns = 0
    for entry in reversed(requests.manager.branch()):
        if isinstance(entry, MessageEntry) and entry.message is not None:
            messages.append(entry.message)
            turns += isinstance(entry.message, UserMessage) and entry.message.origin == "user"
        if turns == GROWTH_TURNS:
            break
    messages.reverse()
    return messages, [estimate_message_tokens(message) for message in messages]
