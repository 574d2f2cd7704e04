"""The single things that fill the request most: which they are, how old, what each costs with every call."""

from __future__ import annotations

import heapq
from bisect import bisect_right
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from openclaw_tui.agent.result_ids import ResultIds
from openclaw_tui.constants import HEAVY_ITEMS_KEPT, HEAVY_NAME_CHARS
from openclaw_tui.messages import (
    AssistantMessage,
    Message,
    ToolCallBlock,
    ToolDefinition,
    ToolResultMessage,
    UserMessage,
    text_of,
)
from openclaw_tui.models import ModelInfo
from openclaw_tui.tokens import estimate_text_tokens, estimate_tools_tokens
from openclaw_tui.tools.terminal_text import one_line
from openclaw_tui.ui.figures import plural

if TYPE_CHECKING:
    from openclaw_tui.prompt.bootstrap_files import BootstrapFile

_ORIGINS = {"compaction_summary": "summary", "branch_summary": "summary of a branch", "bash": "! command"}


class HeavyItem(msgspec.Struct, frozen=True):
    """One thing in the request. `age` counts turns since it came (None = in every request from the start).

    `usd_per_call` is what it costs with each call while it is read from the cache; None where no price is known.
    """

    name: str
    tokens: int
    age: int | None = None
    usd_per_call: float | None = None
    entry_id: str | None = None

    @property
    def key(self) -> str:
        """What the commands about single things call it."""
        return self.entry_id or self.name

    @property
    def age_text(self) -> str:
        if self.age is None:
            return "always"
        return "this turn" if self.age == 0 else plural(self.age, "turn")


def fixed_items(tools: Iterable[ToolDefinition], files: Iterable[BootstrapFile]) -> Iterator[HeavyItem]:
    """What stands in every request: each tool and each file of the workspace. Uncorrected estimates."""
    for tool in tools:
        yield HeavyItem(f"tool {tool.name}", estimate_tools_tokens([tool]))
    for file in files:
        if file.content:
            yield HeavyItem(one_line(file.shown_path), estimate_text_tokens(file.content))


def message_items(messages: Sequence[Message], sizes: Sequence[int]) -> Iterator[HeavyItem]:
    """The heaviest messages of the talk with their sizes as they are sent. Uncorrected estimates.

    Only those that will be shown are named: a name takes longer to make than a size to compare.
    """
    chosen = heapq.nlargest(HEAVY_ITEMS_KEPT, range(len(messages)), key=sizes.__getitem__)
    wanted = {m.tool_call_id for at in chosen if isinstance(m := messages[at], ToolResultMessage)}
    names = ResultIds.names(messages) if wanted else {}
    calls = _calls(messages, wanted)
    begins = [at for at, message in enumerate(messages) if _begins_turn(message)]
    for at in chosen:
        age = len(begins) - bisect_right(begins, at)
        yield HeavyItem(_name(messages[at], names, calls), sizes[at], age, entry_id=messages[at].entry_id)


def heaviest(items: Iterable[HeavyItem], model: ModelInfo, factor: float) -> tuple[HeavyItem, ...]:
    """The largest ones, largest first, corrected by what the model's server counts, with their price."""
    read_usd = model.price.cache_read / 1_000_000 if model.price is not None else None
    chosen = heapq.nlargest(HEAVY_ITEMS_KEPT, items, key=lambda item: item.tokens)
    return tuple(
        replace(item, tokens=(tokens := round(item.tokens * factor)), usd_per_call=_price(tokens, read_usd))
        for item in chosen
    )


def _price(tokens: int, usd: float | None) -> float | None:
    return None if usd is None else tokens * usd


def _begins_turn(message: Message) -> bool:
    return isinstance(message, UserMessage) and message.origin == "user"


def _calls(messages: Iterable[Message], wanted: Container[str]) -> Mapping[str, ToolCallBlock]:
    answers = (message for message in messages if isinstance(message, AssistantMessage))
    return {call.id: call for answer in answers for call in answer.tool_calls if call.id in wanted}


def _name(message: Message, names: Mapping[str, str], calls: Mapping[str, ToolCallBlock]) -> str:
    match message:
        case ToolResultMessage(tool_name=tool, tool_call_id=call_id, entry_id=entry_id):
            number = names.get(entry_id or "", "")
            return _short(f"{number} {tool} {_about(calls.get(call_id))}".strip())
        case UserMessage(origin=origin, content=content):
            return _short(_ORIGINS.get(origin, "") or f"you: {text_of(content) or 'image'}")
        case AssistantMessage(content=content):
            said = text_of(content)
            called = ", ".join(call.name for call in message.tool_calls)
            return _short(f"answer: {said}" if said else f"calls {called}" if called else "thinking")


def _about(call: ToolCallBlock | None) -> str:
    """The first words among a call's arguments: a path, a command, a pattern."""
    values = call.arguments.values() if call is not None else ()
    return next((value for value in values if isinstance(value, str) and value), "")


def _short(text: str) -> str:
    return one_line(text[: 4 * HEAVY_NAME_CHARS])[:HEAVY_NAME_CHARS]
