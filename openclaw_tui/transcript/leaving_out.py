"""A part of a message that a provider will not take, replaced in the request by a line that says so.

Shared by what the local check finds (`mending.py`) and by what a provider refused (the session's quarantine). The
session file keeps the original. A call that goes takes its result along: repair drops results without a call. Reasoning
never survives a change of its own answer, since it is signed as it stood there.
"""

import dataclasses
from collections.abc import Collection

from msgspec.structs import replace

from openclaw_tui.messages import (
    AssistantContent,
    AssistantMessage,
    ImageBlock,
    Message,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    UserContent,
)

WHOLE = -1
"""Stands for all blocks of a message."""


def without_blocks(message: Message, blocks: Collection[int]) -> Message:
    """The message with a note in the place of each block named by its index; `WHOLE` names them all."""
    gone = range(len(message.content)) if WHOLE in blocks else blocks
    if isinstance(message, AssistantMessage):
        return dataclasses.replace(message, content=_answer(message.content, gone))
    content = tuple(_note(block) if index in gone else block for index, block in enumerate(message.content))
    return dataclasses.replace(message, content=content or (TextBlock("[this message held nothing]"),))


def _note(block: UserContent) -> TextBlock:
    what = "a picture" if isinstance(block, ImageBlock) else "a text"
    return TextBlock(f"[{what} was left out here: the model's provider does not take it]")


def _answer(content: tuple[AssistantContent, ...], gone: Collection[int]) -> tuple[AssistantContent, ...]:
    kept: list[AssistantContent] = []
    for index, block in enumerate(content):
        match block:
            case ThinkingBlock():
                continue
            case TextBlock(text=text):
                kept.append(TextBlock("[a text was left out here]" if index in gone else text))
            case ToolCallBlock() if index in gone:
                kept.append(TextBlock(f"[a call of {_name(block)} was left out here]"))
            case ToolCallBlock():
                kept.append(replace(block, thought_signature=None))
    return tuple(kept) or (TextBlock("[an answer was left out here]"),)


def _name(call: ToolCallBlock) -> str:
    return call.name if call.name.isascii() and call.name.isidentifier() else "a tool"
