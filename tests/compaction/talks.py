"""Talks and summarisers for the compaction tests."""

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from hypothesis import strategies as st

from openclaw_tui.compaction.draft import CompactionInput
from openclaw_tui.compaction.settings import CompactionSettings
from openclaw_tui.compaction.summarizer import SummarizerLimits, SummaryAnswer, SummaryRequest
from openclaw_tui.messages import (
    AssistantMessage,
    Message,
    TextBlock,
    ToolCallBlock,
    ToolResultMessage,
    UserMessage,
)

Script: TypeAlias = str | SummaryAnswer | BaseException | Callable[[SummaryRequest], str | SummaryAnswer]


@dataclass
class FakeSummarizer:
    """Gives the answers in order, the last one for ever; an exception is raised. Remembers what it was asked."""

    answers: Sequence[Script] = ("the summary",)
    requests: list[SummaryRequest] = field(default_factory=list)

    async def __call__(self, request: SummaryRequest) -> SummaryAnswer:
        self.requests.append(request)
        answer = self.answers[min(len(self.requests), len(self.answers)) - 1]
        answer = answer(request) if callable(answer) else answer
        if isinstance(answer, BaseException):
            raise answer
        return SummaryAnswer(answer) if isinstance(answer, str) else answer


def words(tokens: int) -> str:
    """Plain words of about so many tokens by the estimator."""
    return ("word " * (tokens * 8 // 7 + 1)).strip() if tokens else ""


def user(text: str, name: str | None = None) -> UserMessage:
    return UserMessage((TextBlock(text),), entry_id=name)


def says(text: str, *calls: str, name: str | None = None, tool: str = "exec", path: str = "a.py") -> AssistantMessage:
    blocks = tuple(ToolCallBlock(call, tool, {"path": path, "command": "ls"}) for call in calls)
    text_blocks = (TextBlock(text),) if text else ()
    return AssistantMessage(
        (*text_blocks, *blocks), api="anthropic", stop_reason="tool_use" if calls else "stop", entry_id=name
    )


def gives(
    call: str, text: str, *, name: str | None = None, tool: str = "exec", failed: bool = False
) -> ToolResultMessage:
    return ToolResultMessage(call, tool, (TextBlock(text),), is_error=failed, entry_id=name)


def summary_in_front(text: str) -> UserMessage:
    return UserMessage((TextBlock(text),), origin="compaction_summary", entry_id="s0")


def named(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The same with entry ids m0, m1 …"""
    return tuple(dataclasses.replace(message, entry_id=f"m{at}") for at, message in enumerate(messages))


def turns(count: int, tokens: int = 200) -> tuple[Message, ...]:
    """`count` turns of a request, a call, its result and an answer, each of about `tokens` in all."""
    talk: list[Message] = []
    for number in range(count):
        talk += [
            user(f"request {number}"),
            says("", f"c{number}", path=f"src/file{number}.py", tool="read"),
            gives(f"c{number}", words(tokens), tool="read"),
            says(f"answer {number}"),
        ]
    return named(talk)


def given(messages: Sequence[Message], window: int = 100_000, **more: Any) -> CompactionInput:
    """Input with settings that ask once and a summariser of this window, unless said otherwise."""
    defaults: dict[str, Any] = {
        "settings": CompactionSettings(quality_guard=False),
        "limits": SummarizerLimits(window, 8_000),
    }
    return CompactionInput(messages=tuple(messages), **(defaults | more))


_sizes = st.integers(0, 900)


@st.composite
def any_talk(draw: st.DrawFn) -> tuple[Message, ...]:
    """Any legal talk: requests, answers, answers with one to three calls and all their results, partial answers."""
    talk: list[Message] = []
    number = 0
    if draw(st.booleans()):
        talk.append(summary_in_front("earlier " * 20))
    for kind in draw(st.lists(st.sampled_from(["user", "says", "calls", "partial"]), min_size=0, max_size=25)):
        if kind == "user":
            talk.append(user("u " + words(draw(_sizes))))
        elif kind == "says":
            talk.append(says("a " + words(draw(_sizes))))
        elif kind == "partial":
            talk.append(AssistantMessage((TextBlock("cut off"),), api="anthropic", stop_reason="aborted"))
        else:
            calls = [f"c{number + at}" for at in range(draw(st.integers(1, 3)))]
            number += len(calls)
            talk.append(says("calling", *calls))
            talk += [gives(call, "r " + words(draw(_sizes))) for call in calls]
    return named(talk)
