"""Whether a request is one that its provider takes: asked of every request before it is sent.

The steps before make transcripts legal; this says whether they did, also after an engine, a guard or a defect of ours
had its hands in it. An independent reading of the same rules: roles, pairs of calls and results, blocks, ids, pictures.
A left fold, so a history that grew by one step costs one step.
"""

from dataclasses import dataclass, field

import msgspec

from openclaw_tui.constants import IMAGES_LEFT_OUT_TOGETHER
from openclaw_tui.messages import AssistantMessage, ImageBlock, Message, ThinkingBlock, ToolResultMessage, UserMessage
from openclaw_tui.models import ModelInfo
from openclaw_tui.transcript.block_rules import faulty_blocks, id_fault
from openclaw_tui.transcript.incremental import Fold, FoldCache
from openclaw_tui.transcript.leaving_out import WHOLE
from openclaw_tui.transcript.policy import TranscriptPolicy


class Fault(msgspec.Struct, frozen=True):
    """`index` of the message, `block` within it (`WHOLE`: all of it; None: the order of messages is at fault)."""

    index: int
    block: int | None
    what: str


@dataclass(slots=True)
class _State:
    """`open_ids`: calls of the last answer without a result yet. `pictures`: where each one stands."""

    open_ids: list[str] = field(default_factory=list)
    seen_ids: set[str] = field(default_factory=set)
    pictures: list[tuple[int, int]] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)


_folds: FoldCache[_State] = FoldCache()


def find_faults(messages: tuple[Message, ...], policy: TranscriptPolicy, model: ModelInfo) -> tuple[Fault, ...]:
    """Everything the provider would refuse, in order; empty where the request may go out."""
    if not messages:
        return ()
    key = ("legality", policy, model.ref, model.images)
    fold = _folds.take(key, messages) or Fold(_State())
    for index in range(len(fold.inputs), len(messages)):
        message = messages[index]
        _look_at(index, message, fold, policy, model)
        fold.inputs.append(message)
    _folds.keep(key, fold)
    state = fold.state
    return (*state.faults, *_at_the_end(messages, state, policy), *_too_many_pictures(state, policy))


def _look_at(index: int, message: Message, fold: Fold[_State], policy: TranscriptPolicy, model: ModelInfo) -> None:
    state = fold.state
    if not message.content and not _is_sealed(message):
        state.faults.append(Fault(index, WHOLE, "empty message"))
    state.faults += (Fault(index, block, what) for block, what in faulty_blocks(message, policy, model))
    before = fold.inputs[-1] if fold.inputs else None
    if (what := _order_fault(before, message, policy)) is not None:
        state.faults.append(Fault(index, None, what))
    if policy.repair_tool_use_result_pairing and (what := _pair_fault(message, state)) is not None:
        state.faults.append(Fault(index, None, what))
    if isinstance(message, AssistantMessage):
        state.faults += (Fault(index, WHOLE, what) for what in _thinking_faults(message, policy))
        return
    if isinstance(message, ToolResultMessage) and (what := id_fault(message.tool_call_id, policy)) is not None:
        state.faults.append(Fault(index, None, what))
    places = ((index, at) for at, block in enumerate(message.content) if isinstance(block, ImageBlock))
    state.pictures += places


def _order_fault(before: Message | None, message: Message, policy: TranscriptPolicy) -> str | None:
    """Whose turn it is."""
    if not policy.alternates:
        return None
    match before, message:
        case None, AssistantMessage():
            return "the first message is not the user's"
        case UserMessage(sealed=None), UserMessage():
            return "two user messages in a row"
        case AssistantMessage(), AssistantMessage():
            return "two answers in a row"
        case ToolResultMessage(), UserMessage() if policy.validate_openai_turns:
            return "a user message right after a tool result"
        case _:
            return None


def _pair_fault(message: Message, state: _State) -> str | None:
    if isinstance(message, ToolResultMessage):
        if not state.open_ids:
            return "a tool result without its call"
        return None if state.open_ids.pop(0) == message.tool_call_id else "tool results not in the order of their calls"
    missing, state.open_ids = state.open_ids, []
    if isinstance(message, AssistantMessage):
        state.open_ids = [call.id for call in message.tool_calls]
        heads = [call_id.partition("|")[0] for call_id in state.open_ids]
        repeated = len(set(heads)) < len(heads) or not state.seen_ids.isdisjoint(heads)
        state.seen_ids.update(heads)
        if repeated:
            return "a call id that stands there twice"
    return "a call without a result" if missing else None


def _thinking_faults(message: AssistantMessage, policy: TranscriptPolicy) -> list[str]:
    kinds = [isinstance(block, ThinkingBlock) for block in message.content]
    if not any(kinds):
        return []
    ends = (policy.thinking_first or policy.atomic_reasoning) and kinds[-1]
    misplaced = policy.thinking_first and not kinds[0]
    return ["reasoning with nothing after it"] * ends + ["reasoning that does not stand first"] * misplaced


def _at_the_end(messages: tuple[Message, ...], state: _State, policy: TranscriptPolicy) -> list[Fault]:
    last = len(messages) - 1
    if policy.repair_tool_use_result_pairing and state.open_ids:
        return [Fault(last, None, "a call without a result")]
    if policy.alternates and isinstance(messages[-1], AssistantMessage):
        return [Fault(last, None, "the last message is the model's")]
    return []


def _too_many_pictures(state: _State, policy: TranscriptPolicy) -> list[Fault]:
    """The oldest ones beyond the limit, several at once, so that not every new picture rewrites the cached prefix."""
    most = policy.images.most
    if most is None or len(state.pictures) <= most:
        return []
    over = len(state.pictures) - most
    over = min(len(state.pictures), -(-over // IMAGES_LEFT_OUT_TOGETHER) * IMAGES_LEFT_OUT_TOGETHER)
    return [Fault(index, block, f"more than {most} pictures") for index, block in state.pictures[:over]]


def _is_sealed(message: Message) -> bool:
    return isinstance(message, UserMessage) and message.sealed is not None
