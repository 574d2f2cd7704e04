"""Stream events → the assistant message they make up, readable at every moment.

The one place that joins chunks. A cut answer is worth as much as a whole one to the person who watched it, so
`partial()` may be called after any event. Invariant: blocks stand in the order of their index, and a finished block
replaces whatever its chunks said.
"""

from dataclasses import dataclass, field

from openclaw_tui.messages import (
    NO_USAGE,
    AssistantContent,
    AssistantMessage,
    StopReason,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    Usage,
)
from openclaw_tui.models import ModelInfo
from openclaw_tui.providers.base import (
    BlockDone,
    StreamEnded,
    StreamEvent,
    StreamStarted,
    TextChunk,
    ThinkingChunk,
    ToolCallChunk,
)


@dataclass(slots=True)
class _OpenBlock:
    """A block whose end has not come yet."""

    kind: type[TextBlock] | type[ThinkingBlock] | type[ToolCallBlock]
    pieces: list[str] = field(default_factory=list)
    call_id: str = ""
    name: str = ""

    def block(self) -> AssistantContent:
        text = "".join(self.pieces)
        if self.kind is ToolCallBlock:
            return ToolCallBlock(self.call_id, self.name, {}, invalid_arguments=text)
        return ThinkingBlock(text) if self.kind is ThinkingBlock else TextBlock(text)


class Accumulator:
    """Collects one answer. `timestamp` is in milliseconds, as in every message."""

    def __init__(self, model: ModelInfo, *, timestamp: int = 0) -> None:
        self._model = model
        self._timestamp = timestamp
        self._open: dict[int, _OpenBlock] = {}
        self._done: dict[int, AssistantContent] = {}
        self._usage: Usage = NO_USAGE
        self._response_id: str | None = None

    def add(self, event: StreamEvent) -> None:
        """Take in one event; the closing one is handed to `finish` as well."""
        match event:
            case StreamStarted(response_id=response_id, usage=usage):
                self._response_id = response_id
                self._usage = usage or self._usage
            case TextChunk(index=index, text=text):
                self._block(index, TextBlock).pieces.append(text)
            case ThinkingChunk(index=index, text=text):
                self._block(index, ThinkingBlock).pieces.append(text)
            case ToolCallChunk(index=index, call_id=call_id, name=name, json=text):
                block = self._block(index, ToolCallBlock)
                block.call_id, block.name = call_id or block.call_id, name or block.name
                block.pieces.append(text)
            case BlockDone(index=index, block=finished):
                self._open.pop(index, None)
                self._done[index] = finished
            case StreamEnded(usage=usage, response_id=response_id):
                self._usage = usage
                self._response_id = response_id or self._response_id

    @property
    def is_empty(self) -> bool:
        """True while nothing of the answer can be seen or run."""
        return not self._content()

    def partial(self, stop_reason: StopReason = "aborted", error_message: str | None = None) -> AssistantMessage:
        """What arrived so far. A call that was cut carries its raw text in `invalid_arguments` and was never run."""
        return self._message(stop_reason, error_message)

    def finish(self, event: StreamEnded) -> AssistantMessage:
        """The whole answer, as the provider closed it."""
        self.add(event)
        return self._message(event.stop_reason, event.detail or None if event.stop_reason == "refusal" else None)

    def _block(self, index: int, kind: type[TextBlock] | type[ThinkingBlock] | type[ToolCallBlock]) -> _OpenBlock:
        return self._open.setdefault(index, _OpenBlock(kind))

    def _content(self) -> tuple[AssistantContent, ...]:
        blocks = {index: block.block() for index, block in self._open.items()} | self._done
        return tuple(block for _, block in sorted(blocks.items()) if not _is_blank(block))

    def _message(self, stop_reason: StopReason, error_message: str | None) -> AssistantMessage:
        return AssistantMessage(
            content=self._content(),
            api=self._model.api,
            provider=self._model.provider,
            model=self._model.id,
            usage=self._usage,
            stop_reason=stop_reason,
            error_message=error_message,
            timestamp=self._timestamp,
            response_id=self._response_id,
        )


def _is_blank(block: AssistantContent) -> bool:
    """Blocks without text and without anything that must travel back."""
    match block:
        case TextBlock(text=text, signature=signature) | ThinkingBlock(thinking=text, signature=signature):
            return not text and not signature
        case _:
            return False
