"""Step 3 of the pipeline: every message on its own made fit for one provider.

Pictures, ids, opaque parts, lone surrogates and empty blocks; nothing here moves or merges messages. Works as a left
fold, so a history that grew by one step costs one step.
"""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from openclaw_tui.messages import (
    AssistantMessage,
    ImageBlock,
    Message,
    TextBlock,
    ToolResultMessage,
    UserContent,
    UserMessage,
)
from openclaw_tui.models import ModelInfo
from openclaw_tui.report import StepReport
from openclaw_tui.transcript.assistant import clean_answer
from openclaw_tui.transcript.clean_text import clean_tool_name, scrub
from openclaw_tui.transcript.images import fit_image
from openclaw_tui.transcript.incremental import Fold, FoldCache
from openclaw_tui.transcript.policy import TranscriptPolicy, signatures_travel
from openclaw_tui.transcript.tool_ids import ToolIdMapper

EMPTY_USER_TEXT = "(empty message)"
EMPTY_RESULT_TEXT = "(no output)"
_MOVED_IMAGE_TEXT = "[image: see the next user message]"
_MOVED_IMAGES_TEXT = "[pictures from the tool results above]"


@dataclass(slots=True)
class _State:
    """`waiting`: ids of calls left out since nothing answers them; a result for one of them starts the fold anew.

    `moved_images` are pictures of the running batch of results, for providers that take them only from users.
    """

    mapper: ToolIdMapper
    many_images: bool = False
    images: int = 0
    waiting: set[str] = field(default_factory=set)
    moved_images: list[ImageBlock] = field(default_factory=list)


_folds: FoldCache[_State] = FoldCache()


def sanitize_session_history(
    messages: tuple[Message, ...],
    policy: TranscriptPolicy,
    model: ModelInfo,
    *,
    unbound: frozenset[str] = frozenset(),
) -> tuple[tuple[Message, ...], StepReport]:
    """Messages as `model` may see them, and what was changed.

    `unbound` names entries whose opaque reasoning must stay out since what stood before them was rewritten: the tail
    that an own compaction kept. Idempotent; the same tuple comes back where nothing changed.
    """
    key = (policy, model.ref, model.images, model.prefix_bound, unbound)
    fold = _resume(key, messages, policy)
    if fold is None:
        many = _count_images(messages) > policy.images.many
        fold = Fold(_State(ToolIdMapper(policy), many_images=many))
    cleaner = _Cleaner(fold, policy, model, unbound)
    start = len(fold.inputs)
    for position, message in enumerate(messages[start:], start):
        fold.inputs.append(message)
        cleaner.add(message, messages, position)
    _folds.keep(key, fold)
    return _with_pending_images(fold, messages), StepReport("sanitize", dict(fold.counts))


def _resume(key: object, messages: tuple[Message, ...], policy: TranscriptPolicy) -> Fold[_State] | None:
    fold = _folds.take(key, messages)
    if fold is None:
        return None
    new = messages[len(fold.inputs) :]
    late_answer = any(isinstance(item, ToolResultMessage) and item.tool_call_id in fold.state.waiting for item in new)
    many = fold.state.images + _count_images(new) > policy.images.many
    return None if late_answer or many != fold.state.many_images else fold


def _count_images(messages: Sequence[Message]) -> int:
    return sum(
        isinstance(block, ImageBlock)
        for message in messages
        if not isinstance(message, AssistantMessage)
        for block in message.content
    )


def _answered(ids: set[str], messages: tuple[Message, ...], start: int) -> set[str]:
    """Which of `ids` get a result from `start` on, before another answer uses the same id again."""
    still_open, answered = set(ids), set[str]()
    for message in messages[start:]:
        if isinstance(message, ToolResultMessage) and message.tool_call_id in still_open:
            answered.add(message.tool_call_id)
        elif isinstance(message, AssistantMessage):
            still_open -= {call.id for call in message.tool_calls}
        if still_open <= answered:
            break
    return answered


def _with_pending_images(fold: Fold[_State], messages: tuple[Message, ...]) -> tuple[Message, ...]:
    if not fold.state.moved_images:
        return fold.result(messages)
    return (*fold.outputs, _images_message(fold.state.moved_images))


def _images_message(images: list[ImageBlock]) -> UserMessage:
    return UserMessage(content=(TextBlock(_MOVED_IMAGES_TEXT), *images), origin="custom")


class _Cleaner:
    """The step function of the fold."""

    def __init__(self, fold: Fold[_State], policy: TranscriptPolicy, model: ModelInfo, unbound: frozenset[str]) -> None:
        self._fold, self._policy, self._model, self._unbound = fold, policy, model, unbound

    def add(self, message: Message, messages: tuple[Message, ...], position: int) -> None:
        cleaned: Message | None
        match message:
            case AssistantMessage():
                cleaned = self._answer(message, messages, position)
            case ToolResultMessage():
                cleaned = self._result(message)
            case UserMessage():
                cleaned = self._user(message)
        if self._fold.state.moved_images and not isinstance(message, ToolResultMessage):
            self._fold.outputs.append(_images_message(self._fold.state.moved_images))
            self._fold.state.moved_images = []
        if cleaned is not None:
            self._fold.outputs.append(cleaned)

    def _answer(
        self, message: AssistantMessage, messages: tuple[Message, ...], position: int
    ) -> AssistantMessage | None:
        left_out = self._unanswered(message, messages, position)
        self._fold.state.waiting |= left_out
        answer = clean_answer(
            message,
            self._policy,
            may_keep_opaque=signatures_travel(message, self._model) and message.entry_id not in self._unbound,
            keep_order=self._model.prefix_bound and not message.is_partial,
            left_out=left_out,
        )
        for name, amount in answer.counts.items():
            self._fold.count(name, amount)
        if answer.message is None:
            return None
        return self._with_legal_ids(answer.message, keep_item_ids=answer.keeps_item_ids)

    def _unanswered(self, message: AssistantMessage, messages: tuple[Message, ...], position: int) -> frozenset[str]:
        """Calls that stay out unless somebody answered them: those of a cut-off answer, and those that are no JSON."""
        doubtful = {call.id for call in message.tool_calls if message.is_partial or call.invalid_arguments is not None}
        return frozenset(doubtful - _answered(doubtful, messages, position + 1)) if doubtful else frozenset()

    def _with_legal_ids(self, message: AssistantMessage, *, keep_item_ids: bool) -> AssistantMessage:
        calls = message.tool_calls
        if not calls:
            return message
        ids = self._fold.state.mapper.calls(calls, keep_item_ids=keep_item_ids)
        if all(call.id == new for call, new in zip(calls, ids, strict=True)):
            return message
        self._fold.count("ids_changed", sum(call.id != new for call, new in zip(calls, ids, strict=True)))
        renamed = iter(replace(call, id=new) for call, new in zip(calls, ids, strict=True))
        pending = {id(call) for call in calls}
        return dataclasses.replace(
            message, content=tuple(next(renamed) if id(block) in pending else block for block in message.content)
        )

    def _result(self, message: ToolResultMessage) -> ToolResultMessage:
        new_id = self._fold.state.mapper.result(message)
        name = clean_tool_name(message.tool_name, self._policy.tool_name_max_chars) or "unknown"
        content = self._content(message.content, EMPTY_RESULT_TEXT)
        if not self._policy.images.in_tool_results:
            content = self._move_images(content)
        if new_id == message.tool_call_id and name == message.tool_name and content is message.content:
            return message
        self._fold.count("results_changed")
        return dataclasses.replace(message, tool_call_id=new_id, tool_name=name, content=content)

    def _user(self, message: UserMessage) -> UserMessage:
        content = self._content(message.content, EMPTY_USER_TEXT)
        return message if content is message.content else dataclasses.replace(message, content=content)

    def _content(self, content: tuple[UserContent, ...], when_empty: str) -> tuple[UserContent, ...]:
        fitted = [self._block(block) for block in content]
        kept = [block for block in fitted if not (isinstance(block, TextBlock) and not block.text.strip())]
        if not kept:
            self._fold.count("empty_filled")
            return (TextBlock(when_empty),)
        self._fold.count("blank_texts_dropped", len(fitted) - len(kept))
        unchanged = len(kept) == len(content) and all(new is old for new, old in zip(kept, content, strict=True))
        return content if unchanged else tuple(kept)

    def _block(self, block: UserContent) -> UserContent:
        if isinstance(block, ImageBlock):
            self._fold.state.images += 1
            fitted = fit_image(
                block, self._policy.images, takes_images=self._model.images, many=self._fold.state.many_images
            )
            self._fold.count("images_changed", int(fitted is not block))
            return fitted
        clean = scrub(block.text)
        self._fold.count("surrogates_replaced", int(clean != block.text))
        return block if clean == block.text else TextBlock(clean, block.signature)

    def _move_images(self, content: tuple[UserContent, ...]) -> tuple[UserContent, ...]:
        images = [block for block in content if isinstance(block, ImageBlock)]
        if not images:
            return content
        self._fold.count("images_moved", len(images))
        self._fold.state.moved_images.extend(images)
        return tuple(TextBlock(_MOVED_IMAGE_TEXT) if isinstance(block, ImageBlock) else block for block in content)
