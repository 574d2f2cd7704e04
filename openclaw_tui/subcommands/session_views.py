"""`sessions list|show|search`: looking at stored conversations. Nothing is opened for writing."""

import argparse
import contextlib
import json
import os
from collections.abc import Iterator
from typing import Any

from openclaw_tui.config.paths import Paths
from openclaw_tui.constants import SESSION_SEARCH_MAX_HITS, SESSION_SEARCH_SNIPPET_CHARS
from openclaw_tui.errors import EXIT_DONE, SessionError
from openclaw_tui.messages import AssistantMessage, ToolResultMessage, text_of
from openclaw_tui.session.entries import CompactionEntry, Entry, MessageEntry
from openclaw_tui.session.export import document_parts
from openclaw_tui.session.listing import SessionSummary, find_sessions, resolve_session, short_id
from openclaw_tui.session.manager import SessionManager
from openclaw_tui.subcommands.output import print_json, print_table, shown_size, shown_time
from openclaw_tui.tools.terminal_text import clean_terminal_text


def list_sessions(given: argparse.Namespace, paths: Paths) -> int:
    rows = find_sessions(paths.sessions)
    if given.here:
        here = os.path.realpath(paths.project)
        rows = [row for row in rows if row.cwd and os.path.realpath(row.cwd) == here]
    if given.json:
        print_json([_summary_data(row) for row in rows])
        return EXIT_DONE
    table = [("id", "last used", "size", "title", "folder")]
    table += [(short_id(row.id), shown_time(row.modified), shown_size(row.size), row.title, row.cwd) for row in rows]
    print_table(table, empty="there are no sessions yet")
    return EXIT_DONE


def _summary_data(row: SessionSummary) -> dict[str, Any]:
    return {
        "id": row.id,
        "title": row.title,
        "name": row.name,
        "cwd": row.cwd,
        "modified": row.modified,
        "size": row.size,
        "messages": row.messages,
        "parent_session": row.parent_session,
        "foreign": row.foreign,
        "path": str(row.path),
    }


def show_session(given: argparse.Namespace, paths: Paths) -> int:
    manager = SessionManager.open(resolve_session(paths.sessions, given.id), read_only=True)
    with contextlib.closing(manager):
        if given.json:
            records = manager.records
            lines = (
                [json.loads(records.line(at)) for at in records.loaded.tree.path(len(records) - 1)] if records else []
            )
            print_json({"id": manager.session_id, "cwd": str(manager.cwd), "name": manager.name, "entries": lines})
            return EXIT_DONE
        print(f"session {manager.session_id} · {clean_terminal_text(str(manager.cwd))}")
        for notice in manager.notices:
            print(notice)
        for part in document_parts(manager.branch()):
            print(f"\n── {clean_terminal_text(part.heading)}")
            if part.text.strip():
                print(clean_terminal_text(part.text.rstrip()))
    return EXIT_DONE


def search_sessions(given: argparse.Namespace, paths: Paths) -> int:
    query = " ".join(given.query)
    hits, more = _hits(paths, query)
    if given.json:
        print_json({"query": query, "hits": hits, "more": more})
        return EXIT_DONE
    table = [("session", "entry", "who", "text")]
    table += [(short_id(hit["session_id"]), hit["entry_id"], hit["role"], hit["text"]) for hit in hits]
    print_table(table, empty=f"no session holds {query!r}")
    if more:
        print(f"there are more than {len(hits)} places; search for more words")
    return EXIT_DONE


def _hits(paths: Paths, query: str) -> tuple[list[dict[str, str]], bool]:
    hits: list[dict[str, str]] = []
    for row in find_sessions(paths.sessions):
        try:
            manager = SessionManager.open(row.path, read_only=True)
        except SessionError:
            continue
        with contextlib.closing(manager):
            for entry in manager.entries():
                snippet = _snippet(_text_of(entry), query)
                if snippet is None:
                    continue
                if len(hits) == SESSION_SEARCH_MAX_HITS:
                    return hits, True
                role = _role(entry)
                hits.append({"session_id": row.id, "entry_id": entry.id, "role": role, "text": snippet})
    return hits, False


def _text_of(entry: Entry) -> str:
    if isinstance(entry, CompactionEntry):
        return entry.summary
    return text_of(entry.message.content) if isinstance(entry, MessageEntry) and entry.message else ""


def _role(entry: Entry) -> str:
    if isinstance(entry, CompactionEntry):
        return "summary"
    message = entry.message if isinstance(entry, MessageEntry) else None
    if isinstance(message, ToolResultMessage):
        return message.tool_name
    return "assistant" if isinstance(message, AssistantMessage) else "user"


def _snippet(text: str, query: str) -> str | None:
    """The text around the first place that holds the query, letter case aside."""
    at = text.casefold().find(query.casefold())
    if at < 0:
        return None
    start = max(0, at - SESSION_SEARCH_SNIPPET_CHARS // 3)
    piece = " ".join(text[start : start + SESSION_SEARCH_SNIPPET_CHARS].split())
    return ("…" if start else "") + piece


def shown_pairs(counts: dict[str, int]) -> Iterator[str]:
    """Counts in words, those of nothing left out."""
    return (f"{number} {name}" for name, number in counts.items() if number)
