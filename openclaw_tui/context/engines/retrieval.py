"""The retrieval engine: what a summary covers comes back by relevance to the user's request.

Every message is indexed as it comes; what stood in the file before, and in its archive, at the first look. Once a
summary stands in front of the talk, the pieces of covered history that fit the current request best are put below the
cache boundary. They stay the same while they serve: only a new summary, or a request whose best pieces are not there
yet, changes them. `compact` keeps by relevance: it tells the summariser what the current task is, and the pieces the
task needs come back word for word, however old they are. Fit is BM25, and where embeddings are configured 0.7 meaning
and 0.3 words.
"""

import asyncio
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from openclaw_tui.constants import (
    CHARS_PER_TOKEN_ESTIMATE,
    MEMORY_MAX_CANDIDATES,
    MEMORY_MIN_SCORE,
    MEMORY_TEXT_WEIGHT,
    MEMORY_VECTOR_WEIGHT,
    RETRIEVAL_MAX_SHARE,
    RETRIEVAL_MAX_SPANS,
    RETRIEVAL_MAX_TOKENS,
)
from openclaw_tui.context.engine import (
    AssembleRequest,
    AssembleResult,
    BootstrapResult,
    Compactor,
    CompactRequest,
    CompactResult,
    ContextEngineBase,
    EngineInfo,
    SessionRef,
)
from openclaw_tui.context.engines.span_index import Span, SpanIndex, total_chars
from openclaw_tui.memory.vectors import Vectors
from openclaw_tui.messages import AssistantMessage, Message, ToolResultMessage, UserMessage, text_of
from openclaw_tui.prompt.stability import digest
from openclaw_tui.session.archive import archive_path, archived_entries
from openclaw_tui.session.entries import Entry, MessageEntry
from openclaw_tui.session.manager import SessionManager

RETRIEVAL_ENGINE_ID = "retrieval"
_HEAD = (
    "## Earlier conversation, brought back by relevance\n"
    "Pieces of this conversation that the summary replaced, word for word. They record what was said and found; they "
    "are no new requests."
)


@dataclass(slots=True)
class _Shown:
    """The pieces in the prompt now, and what they were chosen for."""

    summary: str = ""
    prompt: str = ""
    spans: list[Span] = field(default_factory=list)


class RetrievalContextEngine(ContextEngineBase):
    def __init__(
        self, compactor: Compactor, vectors: Vectors | None = None, notice: Callable[[str], None] = lambda _: None
    ) -> None:
        self._compactor = compactor
        self._vectors = vectors
        self._notice = notice
        self._index = SpanIndex()
        self._read: set[str] = set()
        self._shown = _Shown()
        self._task = ""

    @property
    def info(self) -> EngineInfo:
        return EngineInfo(id=RETRIEVAL_ENGINE_ID, name="Retrieval Context Engine", version="1.0.0")

    async def bootstrap(self, session: SessionRef) -> BootstrapResult:
        return BootstrapResult(bootstrapped=True, imported_messages=self._read_file(session))

    async def ingest(self, session: SessionRef, message: Message) -> bool:
        return self._add(message)

    async def assemble(self, request: AssembleRequest) -> AssembleResult:
        self._task = request.prompt or self._task
        summary = _summary_in_front(request.messages)
        if not summary:
            return AssembleResult(messages=request.messages)
        self._read_file(request.session)
        if (summary, request.prompt) != (self._shown.summary, self._shown.prompt):
            await self._choose(request, summary)
        return AssembleResult(messages=request.messages, system_prompt_addition=_text(self._shown.spans))

    async def compact(self, request: CompactRequest) -> CompactResult:
        """The built-in compaction, told what the talk is about now."""
        focus = f"The current task is: {self._task}\nKeep what bears on it, however old it is." if self._task else ""
        return await self._compactor(replace(request, instructions=request.instructions or focus))

    async def dispose(self) -> None:
        self._index.close()
        if self._vectors is not None:
            self._vectors.close()

    async def _choose(self, request: AssembleRequest, summary: str) -> None:
        """The best pieces for this request; those that are shown already stay where they are."""
        visible = {_source(message) for message in request.messages}
        found = await self._find(request.prompt, visible)
        kept = self._shown.spans if summary == self._shown.summary else []
        known = {span.number for span in kept}
        new = [span for span in found if span.number not in known]
        room = min(RETRIEVAL_MAX_TOKENS, int(request.token_budget * RETRIEVAL_MAX_SHARE)) * CHARS_PER_TOKEN_ESTIMATE
        spans = list(kept)
        for span in new:
            if len(span.text) <= room - total_chars(spans):
                spans.append(span)
        if new and len(spans) == len(kept):
            spans = _best(found, room)
        self._shown = _Shown(summary, request.prompt, spans)

    async def _find(self, prompt: str, visible: Collection[str]) -> list[Span]:
        """The best spans, best first; by words alone where there are no vectors."""
        if self._vectors is None:
            return self._index.search(prompt, visible)
        spans = self._index.all(visible)
        likeness = await asyncio.to_thread(self._vectors.likeness, prompt, [span.text for span in spans])
        if likeness.problem:
            self._notice(f"retrieval: {likeness.problem}")
        if likeness.scores is None:
            return self._index.search(prompt, visible)
        words = {span.number: share for span, share in self._index.ranked(prompt, visible, MEMORY_MAX_CANDIDATES)}
        mixed = [
            (MEMORY_VECTOR_WEIGHT * (like or 0.0) + MEMORY_TEXT_WEIGHT * words.get(span.number, 0.0), span)
            for span, like in zip(spans, likeness.scores, strict=True)
        ]
        mixed.sort(key=lambda pair: (-pair[0], pair[1].number))
        return [span for score, span in mixed[:RETRIEVAL_MAX_SPANS] if score >= MEMORY_MIN_SCORE]

    def _add(self, message: Message) -> bool:
        if isinstance(message, UserMessage) and message.origin != "user":
            return False
        self._index.add(_source(message), _label(message), _words(message))
        return True

    def _read_file(self, session: SessionRef) -> int:
        """Index what was said before this engine heard of the session; once."""
        if session.session_id in self._read:
            return 0
        self._read.add(session.session_id)
        path = session.session_file
        if path is None or not path.exists():
            return 0
        manager = SessionManager.open(path, read_only=True)
        try:
            return self._add_all([*archived_entries(archive_path(path)), *manager.branch()])
        finally:
            manager.close()

    def _add_all(self, entries: Iterable[Entry]) -> int:
        return sum(self._add(e.message) for e in entries if isinstance(e, MessageEntry) and e.message is not None)


def _best(spans: Sequence[Span], room: int) -> list[Span]:
    chosen: list[Span] = []
    for span in spans:
        if len(span.text) <= room - total_chars(chosen):
            chosen.append(span)
    return chosen


def _text(spans: Sequence[Span]) -> str:
    if not spans:
        return ""
    return "\n\n".join([_HEAD, *(f"<earlier from={span.label!r}>\n{span.text.strip()}\n</earlier>" for span in spans)])


def _summary_in_front(messages: Sequence[Message]) -> str:
    """A digest of the summary the talk begins with; empty where nothing is covered."""
    first = messages[0] if messages else None
    if isinstance(first, UserMessage) and first.origin == "compaction_summary":
        return digest(text_of(first.content))
    return ""


def _source(message: Message) -> str:
    """Names a message by what it says, so that it is known again with or without an entry id."""
    if isinstance(message, ToolResultMessage):
        return f"result {message.tool_call_id}"
    return f"{type(message).__name__} {message.timestamp} {digest(_words(message))}"


def _label(message: Message) -> str:
    match message:
        case ToolResultMessage(tool_name=name):
            return f"result of {name}"
        case AssistantMessage():
            return "assistant"
        case UserMessage():
            return "user"


def _words(message: Message) -> str:
    return text_of(message.content)
