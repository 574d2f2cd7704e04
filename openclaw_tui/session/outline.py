"""The session tree as rows to choose from: prompts, answers and summaries, with the branches told apart by indentation.

Pure. Entries that carry state only, and the steps between a prompt and its final answer, have no row of their own; what
hangs on them hangs on the nearest row above. A straight talk is one column; only where it parts do rows move in.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

import msgspec
from msgspec.structs import replace

from openclaw_tui.messages import AssistantMessage, UserMessage, text_of
from openclaw_tui.session.dag import NO_PARENT
from openclaw_tui.session.entries import CompactionEntry, Entry, MessageEntry
from openclaw_tui.session.manager import SessionManager

RowKind: TypeAlias = Literal["prompt", "answer", "summary"]
Filter: TypeAlias = Literal["all", "prompts", "labelled"]
FILTERS: tuple[Filter, ...] = ("all", "prompts", "labelled")


class OutlineRow(msgspec.Struct, frozen=True):
    """`stem` is drawn before the text. `on_path`: part of the current branch; `is_end`: a branch ends below it."""

    entry_id: str
    kind: RowKind
    text: str
    stem: str = ""
    label: str = ""
    on_path: bool = False
    is_here: bool = False
    is_end: bool = False

    @property
    def line(self) -> str:
        """The row as plain text."""
        sign = {"prompt": ">", "answer": "·", "summary": "≡"}[self.kind]
        label = f"  [{self.label}]" if self.label else ""
        here = "  ← here" if self.is_here else ""
        return f"{'*' if self.on_path else ' '} {self.stem}{sign} {self.text}{label}{here}"


@dataclass(slots=True)
class _Node:
    ordinal: int
    row: OutlineRow
    children: list["_Node"]


def outline(session: SessionManager, show: Filter = "all") -> list[OutlineRow]:
    """The rows of the whole tree, root first, each branch in the order it was begun."""
    labels = session.labels()
    tree = session.records.loaded.tree
    here = tree.position(session.leaf_id)
    path = set(tree.path(here)) if here is not None else set()
    keeps = _keeper(show, labels)
    top = _Node(NO_PARENT, OutlineRow("", "summary", ""), [])
    nodes: dict[int, _Node] = {NO_PARENT: top}
    last_on_path: _Node | None = None
    for ordinal in range(len(tree)):
        above = nodes[tree.parent(ordinal)]
        row = _row(session.records.at(ordinal)) if tree.kinds[ordinal] in ("message", "compaction") else None
        if row is None or not keeps(row):
            nodes[ordinal] = above
            continue
        row = replace(row, label=labels.get(row.entry_id, ""), on_path=ordinal in path)
        node = nodes[ordinal] = _Node(ordinal, row, [])
        above.children.append(node)
        last_on_path = node if row.on_path else last_on_path
    if last_on_path is not None:
        last_on_path.row = replace(last_on_path.row, is_here=True)
    return list(_walk(top))


def _keeper(show: Filter, labels: dict[str, str]) -> Callable[[OutlineRow], bool]:
    match show:
        case "prompts":
            return lambda row: row.kind == "prompt"
        case "labelled":
            return lambda row: row.entry_id in labels
        case _:
            return lambda row: True


def _row(entry: Entry) -> OutlineRow | None:
    match entry:
        case MessageEntry(id=id, message=UserMessage(origin="user") as message):
            return OutlineRow(id, "prompt", _one_line(text_of(message.content)) or "[picture]")
        case MessageEntry(id=id, message=AssistantMessage() as message) if not message.tool_calls:
            return OutlineRow(id, "answer", _one_line(text_of(message.content)) or "(no text)")
        case CompactionEntry(id=id, tokens_before=before):
            return OutlineRow(id, "summary", f"summary of {before:,} tokens")
        case _:
            return None


def _walk(top: _Node) -> Iterator[OutlineRow]:
    """Depth first without recursion: a talk of thousands of prompts is one long branch."""
    waiting = [(child, "", len(top.children) > 1, at + 1 == len(top.children)) for at, child in enumerate(top.children)]
    waiting.reverse()
    while waiting:
        node, indent, parts, is_last = waiting.pop()
        stem = f"{indent}{'└─' if is_last else '├─'}" if parts else indent
        yield replace(node.row, stem=stem, is_end=not node.children)
        below = f"{indent}{'  ' if is_last else '│ '}" if parts else indent
        count = len(node.children)
        for at in range(count - 1, -1, -1):
            waiting.append((node.children[at], below, count > 1, at + 1 == count))


def _one_line(text: str) -> str:
    return " ".join(text[:400].split())
