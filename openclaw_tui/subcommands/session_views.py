"""`sessions list|show|search`: looking at stored conversations. Nothing is opened for writing."""

import argparse
import contextlib
import json
import os
from collections.abc import Iterator
from typing import Any

from msgspec.structs import asdict

from openclaw_tui.config.paths import Paths
from openclaw_tui.errors import EXIT_DONE
from openclaw_tui.session.export import document_parts
from openclaw_tui.session.listing import SessionSummary, find_sessions, resolve_session, short_id
from openclaw_tui.session.manager import SessionManager
from openclaw_tui.session.search import search_sessions
from openclaw_tui.subcommands.output import print_json, print_table, shown_size, shown_time
from openclaw_tui.tools.terminal_text import clean_terminal_text


def list_sessions(given: argparse.Namespace, paths: Paths) -> int:
    rows = [row for row in find_sessions(paths.sessions) if given.all or not row.spawned_by]
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
        "spawned_by": row.spawned_by,
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


def find_words(given: argparse.Namespace, paths: Paths) -> int:
    query = " ".join(given.query)
    result = search_sessions([row.path for row in find_sessions(paths.sessions)], query)
    if given.json:
        hits = [asdict(hit) for hit in result.hits]
        print_json({"query": query, "hits": hits, "more": result.more, "unread": result.unread})
        return EXIT_DONE
    table = [("session", "entry", "who", "text")]
    table += [(short_id(hit.session_id), hit.entry_id, hit.role, hit.text) for hit in result.hits]
    print_table(table, empty=f"no session holds {query!r}")
    if result.more:
        print(f"there are more than {len(result.hits)} places; search for more words")
    if result.unread:
        print(f"{result.unread} sessions were not searched")
    return EXIT_DONE


def shown_pairs(counts: dict[str, int]) -> Iterator[str]:
    """Counts in words, those of nothing left out."""
    return (f"{number} {name}" for name, number in counts.items() if number)
