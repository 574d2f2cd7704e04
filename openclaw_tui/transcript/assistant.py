"""One answer of a model on its way back to a model: what of it may travel, in which order.

Opaque parts (thinking signatures, encrypted reasoning, thought signatures) go only to the provider and model family
that made them, and only whole: reasoning cut off before its signature arrived is never replayed.
"""

import dataclasses
from collections.abc import Collection
from dataclasses import dataclass
from operator import is_

from msgspec.structs import replace

from openclaw_tui.messages import AssistantContent, AssistantMessage, TextBlock, ThinkingBlock, ToolCallBlock
from openclaw_tui.transcript.clean_text import clean_tool_name, scrub, scrub_json
from openclaw_tui.transcript.policy import TranscriptPolicy


@dataclass(slots=True)
class CleanedAnswer:
    """`message` is None where nothing of the answer is left. `keeps_item_ids`: its reasoning goes along."""

    message: AssistantMessage | None
    keeps_item_ids: bool
    counts: dict[str, int]


def clean_answer(
    message: AssistantMessage,
    policy: TranscriptPolicy,
    *,
    may_keep_opaque: bool,
    keep_order: bool = False,
    left_out: Collection[str] = (),
) -> CleanedAnswer:
    """Clean one assistant message.

    `may_keep_opaque`: the message comes from the target's own family. `keep_order`: the provider binds thinking to its
    place, so blocks are not moved. `left_out`: ids of calls that stay out of the request.
    """
    counts: dict[str, int] = {}
    usable = [block for block in message.content if _is_usable_call(block, left_out)]
    _count(counts, "calls_dropped", len(message.content) - len(usable))
    keeps = may_keep_opaque and not policy.drop_thinking_blocks and not _breaks_group(message, usable, policy)
    texts = [block for block in usable if not _is_blank(block, keeps_signed=keeps and policy.sanitize_mode == "google")]
    _count(counts, "blank_texts_dropped", len(usable) - len(texts))
    thought = [block for block in texts if not isinstance(block, ThinkingBlock) or (keeps and block.signature)]
    if policy.thinking_first and not keep_order:
        thought = _thinking_first(thought)
    while thought and isinstance(thought[-1], ThinkingBlock):
        thought.pop()
    _count(counts, "thinking_dropped", _thinking(texts) - _thinking(thought))
    content = tuple(_clean_block(block, policy, keeps=keeps) for block in thought)
    reasons = keeps and _thinking(thought) > 0
    if not content:
        _count(counts, "empty_answers_dropped", 1)
        return CleanedAnswer(None, reasons, counts)
    if len(content) == len(message.content) and all(map(is_, content, message.content)):
        return CleanedAnswer(message, reasons, counts)
    _count(counts, "answers_changed", 1)
    return CleanedAnswer(dataclasses.replace(message, content=content), reasons, counts)


def _count(counts: dict[str, int], name: str, amount: int) -> None:
    if amount:
        counts[name] = amount


def _thinking(blocks: list[AssistantContent]) -> int:
    return sum(isinstance(block, ThinkingBlock) for block in blocks)


def _is_usable_call(block: AssistantContent, left_out: Collection[str]) -> bool:
    """False for calls without a name, which nobody can answer, and for those that are to stay out."""
    return not isinstance(block, ToolCallBlock) or (bool(block.name.strip()) and block.id not in left_out)


def _is_blank(block: AssistantContent, *, keeps_signed: bool) -> bool:
    return isinstance(block, TextBlock) and not block.text.strip() and not (keeps_signed and block.signature)


def _breaks_group(message: AssistantMessage, usable: list[AssistantContent], policy: TranscriptPolicy) -> bool:
    """True where reasoning would lose its partner or be incomplete, on a provider that takes both or neither."""
    if not policy.atomic_reasoning or not _thinking(list(message.content)):
        return False
    unsigned = any(isinstance(block, ThinkingBlock) and not block.signature for block in usable)
    blank = any(_is_blank(block, keeps_signed=False) for block in usable)
    trailing = not usable or isinstance(usable[-1], ThinkingBlock)
    return unsigned or blank or trailing or len(usable) < len(message.content)


def _thinking_first(blocks: list[AssistantContent]) -> list[AssistantContent]:
    if not blocks or isinstance(blocks[0], ThinkingBlock):
        return blocks
    thinking = [block for block in blocks if isinstance(block, ThinkingBlock)]
    return thinking + [block for block in blocks if not isinstance(block, ThinkingBlock)]


def _clean_block(block: AssistantContent, policy: TranscriptPolicy, *, keeps: bool) -> AssistantContent:
    match block:
        case TextBlock(text=text, signature=signature):
            clean, kept = scrub(text), signature if keeps else None
            return block if clean == text and kept == signature else TextBlock(clean, kept)
        case ThinkingBlock(thinking=thinking):
            clean = scrub(thinking)
            return block if clean == thinking else replace(block, thinking=clean)
        case ToolCallBlock():
            name = clean_tool_name(block.name, policy.tool_name_max_chars)
            arguments = scrub_json(block.arguments)
            kept = block.thought_signature if keeps else None
            if name == block.name and arguments is block.arguments and kept == block.thought_signature:
                return block
            return replace(block, name=name, arguments=arguments, thought_signature=kept)
