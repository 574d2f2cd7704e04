"""Looking up what has left the context: stored outputs by id, lines or text, and talk covered by a summary.

Search is by plain text, upper and lower case alike, `|` between alternatives; no regular expressions, so no pattern
can run for ever. Every answer is bounded and tells where it stands in the whole, so that the next question can be
exact.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import msgspec

from openclaw_tui.artifacts.store import Artifact, ArtifactStore
from openclaw_tui.constants import (
    RECALL_LINE_CHARS,
    RECALL_LIST_ROWS,
    RECALL_MAX_CHARS,
    RECALL_MAX_HITS,
    RECALL_SCAN_MAX_BYTES,
)
from openclaw_tui.errors import ToolError

_LINES = re.compile(r"\s*(\d+)\s*(?:[-:,]\s*(\d+)?)?\s*")


class RecallText(msgspec.Struct, frozen=True):
    """One message of the session: `label` says whose it is, `result_id` is set for tool results (`t17`)."""

    entry_id: str
    label: str
    text: str
    result_id: str = ""


class _Item(msgspec.Struct, frozen=True):
    """Something that can be looked up: its name for the answer and its lines."""

    name: str
    size: int
    lines: Callable[[], Iterator[tuple[int, str]]]


class Recall:
    """`texts` gives every message of the session, oldest first, those taken out of the file included."""

    def __init__(self, store: ArtifactStore, texts: Callable[[], Iterable[RecallText]]) -> None:
        self._store = store
        self._texts = texts

    def show(self, wanted_id: str, *, lines: str | None = None, pattern: str | None = None) -> str:
        """A stored output or a message by id: some of its lines, or those that hold `pattern`.

        Raises ToolError when there is no such id, or the output is no longer kept.
        """
        item = self._item(wanted_id.strip())
        if pattern:
            hits, total = _hits(item, _alternatives(pattern))
            if not total:
                return f"{item.name}: no line holds {pattern!r}."
            return "\n".join([f"{item.name}: {_count(total, 'line')} with {pattern!r}{_shown(hits, total)}", *hits])
        return _page(item, *_range(lines))

    def knows(self, wanted_id: str) -> bool:
        """Whether this is the id of a stored output or of a message."""
        if self._store.find(wanted_id) is not None:
            return True
        return any(wanted_id in (text.result_id, text.entry_id) for text in self._texts())

    def search(self, pattern: str) -> str:
        """Every place that holds `pattern`, the newest outputs and messages first."""
        alternatives = _alternatives(pattern)
        blocks: list[str] = []
        total = shown = scanned = 0
        complete = True
        for item in self._items_newest_first():
            if scanned > RECALL_SCAN_MAX_BYTES:
                complete = False
                break
            scanned += item.size
            hits, count = _hits(item, alternatives, room=RECALL_MAX_HITS - shown)
            total += count
            if hits:
                shown += len(hits)
                blocks += [f"{item.name}:", *hits]
        if not total:
            return f"Nothing in stored outputs or earlier messages holds {pattern!r}.{'' if complete else _UNSEARCHED}"
        head = f"{_count(total, 'line')} with {pattern!r}" + (f", {shown} shown" if shown < total else "")
        return _bounded(
            [f"{head}; recall(id, lines) shows more around one.", *blocks, *([] if complete else [_UNSEARCHED])]
        )

    def _item(self, wanted_id: str) -> _Item:
        artifact = self._store.find(wanted_id)
        if artifact is not None and self._store.is_kept(artifact):
            return self._artifact_item(artifact)
        for text in self._texts():
            if wanted_id in (text.result_id, text.entry_id):
                return _text_item(
                    text, note=" (shortened; the whole is no longer kept)" if artifact is not None else ""
                )
        if artifact is not None:
            raise ToolError(f"{wanted_id} ({artifact.tool}, {artifact.size:,} bytes) is no longer kept: quota reached")
        known = [artifact.id for artifact in self._store.artifacts()][-5:]
        hint = f"; the newest are {', '.join(known)}" if known else ""
        raise ToolError(f"there is no stored output or message {wanted_id!r}{hint}; search by pattern instead")

    def _items_newest_first(self) -> Iterator[_Item]:
        texts = list(self._texts())
        stored = {artifact.id for artifact in self._store.artifacts() if self._store.is_kept(artifact)}
        named = {text.result_id for text in texts if text.result_id}
        for artifact in reversed(self._store.artifacts()):
            if artifact.id in stored and artifact.id not in named:
                yield self._artifact_item(artifact)
        for text in reversed(texts):
            artifact_of = self._store.find(text.result_id) if text.result_id in stored else None
            yield self._artifact_item(artifact_of) if artifact_of is not None else _text_item(text)

    def _artifact_item(self, artifact: Artifact) -> _Item:
        title = f" {artifact.title}" if artifact.title else ""
        return _Item(f"{artifact.id} {artifact.tool}{title}", artifact.size, lambda: self._store.lines(artifact))


def stored_list(store: ArtifactStore) -> str:
    """The outputs that were stored last, newest first, for people."""
    artifacts = store.artifacts()[::-1]
    if not artifacts:
        return "No tool output was long enough to be stored whole. A text after /recall searches everything earlier."
    lines = [
        f"{found.id:>5}  {found.size:>12,} bytes  {found.lines:>9,} lines  {found.tool} {found.title[:60]}"
        + ("" if store.is_kept(found) else "  (no longer kept)")
        for found in artifacts[:RECALL_LIST_ROWS]
    ]
    more = len(artifacts) - len(lines)
    return "\n".join([*lines, *([f"and {more:,} older ones"] if more else [])])


_UNSEARCHED = " Older outputs were not searched; name an id."


def _text_item(text: RecallText, note: str = "") -> _Item:
    name = f"{text.result_id or text.entry_id} {text.label}{note}"
    return _Item(name, len(text.text), lambda: enumerate(text.text.split("\n"), start=1))


def _alternatives(pattern: str) -> tuple[str, ...]:
    parts = tuple(part.strip().casefold() for part in pattern.split("|") if part.strip())
    if not parts:
        raise ToolError("the pattern is empty; give the text to look for")
    return parts


def _hits(item: _Item, alternatives: tuple[str, ...], room: int = RECALL_MAX_HITS) -> tuple[list[str], int]:
    """The first lines that hold one of the texts, with their numbers, and how many there are."""
    shown: list[str] = []
    total = last = 0
    for number, line in item.lines():
        folded = line.casefold()
        at = next((at for text in alternatives if (at := folded.find(text)) >= 0), -1)
        if at < 0 or number == last:
            continue
        total, last = total + 1, number
        if len(shown) < room:
            shown.append(f"  {number}: {_around(line, at)}")
    return shown, total


def _around(line: str, at: int) -> str:
    if len(line) <= RECALL_LINE_CHARS:
        return line
    start = max(0, min(at - RECALL_LINE_CHARS // 2, len(line) - RECALL_LINE_CHARS))
    piece = line[start : start + RECALL_LINE_CHARS]
    return f"{'… ' if start else ''}{piece} … [from a line of {len(line):,} characters]"


def _range(lines: str | None) -> tuple[int, int | None]:
    """`120-180`, `120-` or `120`: first and last line; one number is the beginning of a page."""
    if not lines:
        return 1, None
    found = _LINES.fullmatch(str(lines))
    if found is None or int(found[1]) < 1 or (found[2] is not None and int(found[2]) < int(found[1])):
        raise ToolError(f"lines must look like 120-180, not {lines!r}")
    return int(found[1]), int(found[2]) if found[2] is not None else None


@dataclass(slots=True)
class _Pager:
    """Takes lines until the room is used up, then only counts."""

    room: int
    lines: list[str] = field(default_factory=list)

    def add(self, line: str) -> bool:
        if len(line) > self.room:
            if self.lines:
                return False
            line = f"{line[: self.room]} … [line of {len(line):,} characters]"
        self.room -= len(line) + 1
        self.lines.append(line)
        return self.room > 0


def _page(item: _Item, first: int, last: int | None) -> str:
    pager = _Pager(RECALL_MAX_CHARS)
    total = end = 0
    full = False
    for number, line in item.lines():
        again, total = number == total, number
        if full or again or number < first or (last is not None and number > last):
            continue
        count = len(pager.lines)
        full = not pager.add(line)
        end = number if len(pager.lines) > count else end
    if not end:
        raise ToolError(f"{item.name} has {total:,} lines; line {first:,} is past the end")
    more = f' recall(lines="{end + 1}-") goes on.' if end < total else ""
    return "\n".join([item.name, *pager.lines, f"[Lines {first}-{end} of {total}.{more}]"])


def _bounded(lines: list[str]) -> str:
    pager = _Pager(RECALL_MAX_CHARS)
    for line in lines:
        if not pager.add(line):
            return "\n".join([*pager.lines, "[More was found than fits; use a narrower pattern.]"])
    return "\n".join(pager.lines)


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' if number != 1 else ''}"


def _shown(hits: list[str], total: int) -> str:
    return f", first {len(hits)}" if len(hits) < total else ""
