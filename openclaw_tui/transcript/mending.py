"""The last net before a send: a request that its provider would refuse is mended, never sent.

First what is wrong by itself is left out and the turn and pair rules are applied anew; where that is not enough, the
whole history becomes plain text, which every provider takes. Pure and deterministic; the file is never touched.
"""

import json
from collections import defaultdict
from dataclasses import replace

from openclaw_tui.messages import (
    AssistantMessage,
    ImageBlock,
    Message,
    TextBlock,
    ToolResultMessage,
    UserMessage,
    text_of,
)
from openclaw_tui.models import ModelInfo
from openclaw_tui.transcript.clean_text import scrub
from openclaw_tui.transcript.leaving_out import without_blocks
from openclaw_tui.transcript.legality import Fault, find_faults
from openclaw_tui.transcript.policy import TranscriptPolicy
from openclaw_tui.transcript.repair import repair_tool_use_result_pairing
from openclaw_tui.transcript.sanitize import sanitize_session_history
from openclaw_tui.transcript.validate import validate_replay_turns


def legal_request(
    messages: tuple[Message, ...], policy: TranscriptPolicy, model: ModelInfo
) -> tuple[tuple[Message, ...], tuple[Fault, ...]]:
    """The messages as they may be sent, and what was wrong; the same tuple where nothing was."""
    faults = find_faults(messages, policy, model)
    if not faults:
        return messages, ()
    mended = _in_order(_left_out(messages, faults), policy, model)
    if find_faults(mended, policy, model):
        mended = _in_order(tuple(_plain(message) for message in messages), policy, model)
    return mended, faults


def _left_out(messages: tuple[Message, ...], faults: tuple[Fault, ...]) -> tuple[Message, ...]:
    blocks: dict[int, set[int]] = defaultdict(set)
    for fault in faults:
        if fault.block is not None:
            blocks[fault.index].add(fault.block)
    return tuple(
        without_blocks(message, blocks[index]) if index in blocks else message for index, message in enumerate(messages)
    )


def _in_order(messages: tuple[Message, ...], policy: TranscriptPolicy, model: ModelInfo) -> tuple[Message, ...]:
    clean, _ = sanitize_session_history(messages, policy, model)
    turned, _ = validate_replay_turns(clean, policy)
    return repair_tool_use_result_pairing(turned, policy)[0]


def _plain(message: Message) -> Message:
    """The message as text that is in nobody's way; calls and results are told instead of made."""
    match message:
        case UserMessage():
            return replace(message, content=_texts(text_of(message.content), message), sealed=None)
        case ToolResultMessage():
            said = f"[result of {message.tool_name or 'a tool'}]\n{text_of(message.content)}"
            return UserMessage(_texts(said, message), message.timestamp, "custom", message.entry_id)
        case AssistantMessage():
            calls = [f"[called {call.name} with {_shown(call.arguments)}]" for call in message.tool_calls]
            return replace(message, content=_texts("\n".join([text_of(message.content), *calls]), message))


def _texts(text: str, message: Message) -> tuple[TextBlock, ...]:
    pictures = sum(isinstance(block, ImageBlock) for block in message.content)
    note = f"\n[{pictures} picture(s) left out]" if pictures else ""
    whole = scrub(text + note)
    return (TextBlock(whole if whole.strip() else "[nothing]"),)


def _shown(arguments: object) -> str:
    return json.dumps(arguments, default=repr, ensure_ascii=True)
