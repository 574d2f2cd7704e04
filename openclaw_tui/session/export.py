"""A session as a document: Markdown, or one HTML page that needs nothing else. Compactions are marked where they stand.

Everything in the file of the current branch is written, what a summary covers included. Opaque reasoning tokens and
pictures are named by their size.
"""

import html
import json
import re
from collections.abc import Iterator, Sequence

import msgspec

from openclaw_tui.messages import (
    AssistantContent,
    AssistantMessage,
    ImageBlock,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResultMessage,
    UserContent,
    UserMessage,
)
from openclaw_tui.session.codec import encode_header
from openclaw_tui.session.entries import (
    BranchSummaryEntry,
    CompactionEntry,
    CustomMessageEntry,
    Entry,
    LabelEntry,
    MessageEntry,
    ModelChangeEntry,
    ThinkingLevelChangeEntry,
)
from openclaw_tui.session.manager import SessionManager

FORMATS = {".md": "Markdown", ".html": "HTML", ".jsonl": "JSON lines"}
"""Endings of exported files, and what each stands for."""

_PAGE_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "section{border-left:4px solid #bbb;padding:.1rem 1rem;margin:1rem 0}section.user{border-color:#2a6fdb}"
    "section.compaction{border-color:#b8860b;background:#b8860b18}section.tool{border-color:#7a7a7a}"
    "pre{white-space:pre-wrap;overflow-wrap:anywhere}h2{font-size:1rem;margin:.4rem 0}"
    "@media(prefers-color-scheme:dark){body{background:#161616;color:#e4e4e4}}"
)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


class Part(msgspec.Struct, frozen=True):
    """One piece of the document: what kind it is, its heading, and its text; `verbatim` text is no prose."""

    kind: str
    heading: str
    text: str
    verbatim: bool = False


def exported(manager: SessionManager, suffix: str) -> bytes:
    """The document for a suffix of FORMATS; .jsonl holds the entries' own lines, all branches of them."""
    if suffix == ".jsonl":
        lines = [encode_header(manager.header), *(manager.records.line(at) for at in range(len(manager.records)))]
        return b"\n".join(lines) + b"\n"
    text = session_html(manager) if suffix == ".html" else session_markdown(manager)
    return text.encode("utf-8", "replace")


def session_markdown(session: SessionManager) -> str:
    """The current branch as Markdown."""
    lines = [f"# {_title(session)}", "", f"Session {session.session_id} · {session.cwd}", ""]
    for part in document_parts(session.branch()):
        lines += [f"## {part.heading}", "", _fenced(part.text) if part.verbatim else part.text.strip(), ""]
    return "\n".join(lines)


def session_html(session: SessionManager) -> str:
    """The current branch as one page; no text of it is taken for markup."""
    title = html.escape(_title(session))
    body = "\n".join(
        f'<section class="{part.kind}"><h2>{html.escape(part.heading)}</h2>'
        f"<pre>{html.escape(_without_controls(part.text))}</pre></section>"
        for part in document_parts(session.branch())
    )
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{_PAGE_STYLE}</style></head>\n<body><h1>{title}</h1>"
        f"<p>Session {html.escape(session.session_id)} · {html.escape(str(session.cwd))}</p>\n{body}\n</body></html>\n"
    )


def document_parts(branch: Sequence[Entry]) -> Iterator[Part]:
    """The parts of a branch in order; state that nobody reads (custom entries, names) is left out."""
    for entry in branch:
        match entry:
            case MessageEntry(message=UserMessage(content=content)):
                yield Part("user", "User", _plain(content))
            case MessageEntry(message=AssistantMessage() as message):
                yield from _answer(message)
            case MessageEntry(message=ToolResultMessage() as message):
                heading = f"Result of {message.tool_name}" + (" (failed)" if message.is_error else "")
                yield Part("tool", heading, _plain(message.content), verbatim=True)
            case CompactionEntry(summary=summary, tokens_before=before):
                yield Part("compaction", f"Compaction: {before:,} tokens before, summarised here", summary)
            case BranchSummaryEntry(summary=summary):
                yield Part("compaction", "Summary of a branch that was left", summary)
            case CustomMessageEntry(content=content, display=True):
                yield Part("user", "Note of the program", _plain(content))
            case ModelChangeEntry(provider=provider, model_id=model_id):
                yield Part("state", f"Model: {provider}/{model_id}", "")
            case ThinkingLevelChangeEntry(level=level):
                yield Part("state", f"Thinking: {level}", "")
            case LabelEntry(label=label) if label:
                yield Part("state", f"Label: {label}", "")


def _answer(message: AssistantMessage) -> Iterator[Part]:
    name = f"Assistant ({message.provider}/{message.model})" if message.model else "Assistant"
    cut = " · cut off" if message.is_partial else ""
    for block in message.content:
        match block:
            case TextBlock(text=text) if text.strip():
                yield Part("assistant", name + cut, text)
            case ThinkingBlock(thinking=thinking) if thinking.strip():
                yield Part("thinking", "Thinking", thinking)
            case ToolCallBlock(name=tool, arguments=arguments):
                shown = json.dumps(dict(arguments), ensure_ascii=False, indent=2)
                yield Part("tool", f"Call of {tool}", shown, verbatim=True)


def _plain(content: Sequence[UserContent | AssistantContent]) -> str:
    texts = (
        f"[picture, {block.mime_type}, {len(block.data)} characters of base64]"
        if isinstance(block, ImageBlock)
        else getattr(block, "text", "")
        for block in content
    )
    return "\n".join(texts)


def _title(session: SessionManager) -> str:
    if session.name:
        return session.name
    for entry in session.entries():
        if isinstance(entry, MessageEntry) and isinstance(entry.message, UserMessage):
            return " ".join(_plain(entry.message.content).split())[:80] or "Session"
    return "Session"


def _fenced(text: str) -> str:
    """A fence longer than any in the text, so that nothing in it can end the block."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text.rstrip()}\n{fence}"


def _without_controls(text: str) -> str:
    return _CONTROL.sub("\ufffd", text)
