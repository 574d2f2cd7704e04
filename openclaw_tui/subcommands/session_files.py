"""`sessions export|import|check|truncate|rm`: what changes files, each act with a lease where a session is written."""

import argparse
import contextlib
import os
from pathlib import Path
from typing import Any

from openclaw_tui.app.masks import masked_export
from openclaw_tui.app.session import session_key_for
from openclaw_tui.app.session_removal import remove_session, with_sub_agents
from openclaw_tui.atomic_write import atomic_write_bytes
from openclaw_tui.config.paths import Paths
from openclaw_tui.errors import EXIT_DONE, EXIT_FAILED, ConfigError, SessionError, SessionNotFound
from openclaw_tui.messages import AssistantMessage
from openclaw_tui.models import ModelInfo
from openclaw_tui.session.export import FORMATS
from openclaw_tui.session.listing import find_sessions, resolve_session, short_id, summarize
from openclaw_tui.session.manager import SessionManager
from openclaw_tui.session.store import SessionStore
from openclaw_tui.session.truncation import truncate_session_after_compaction
from openclaw_tui.subcommands.asking import can_ask, says_yes
from openclaw_tui.subcommands.output import print_json, shown_size
from openclaw_tui.subcommands.session_views import shown_pairs
from openclaw_tui.tools.terminal_text import one_line
from openclaw_tui.transcript.policy import transcript_policy
from openclaw_tui.transcript.repair import repair_tool_use_result_pairing


def export_session(given: argparse.Namespace, paths: Paths) -> int:
    manager = SessionManager.open(resolve_session(paths.sessions, given.id), read_only=True)
    with contextlib.closing(manager):
        target = _target(given.path or f"{manager.session_id}.md", paths)
        if target.exists() and not given.force:
            raise ConfigError(f"{target} exists; choose another name, or --force to overwrite it")
        data = masked_export(manager, target.suffix.lower())
        try:
            atomic_write_bytes(target, data)
        except OSError as error:
            raise ConfigError(f"{target} cannot be written: {os.strerror(error.errno or 0)}") from error
        _say(given, f"written {target} ({shown_size(len(data))})", {"path": str(target), "bytes": len(data)})
    return EXIT_DONE


def _target(name: str, paths: Paths) -> Path:
    target = paths.project / Path(os.path.expanduser(name))
    if target.suffix.lower() not in FORMATS:
        raise ConfigError(f"{name}: choose one of the endings {', '.join(FORMATS)}")
    return target


def import_session(given: argparse.Namespace, paths: Paths) -> int:
    source = paths.project / Path(os.path.expanduser(given.path))
    if not source.is_file():
        raise SessionNotFound(f"sessions import {source}: there is no such file")
    manager = SessionManager.adopt(source, paths.sessions)
    with contextlib.closing(manager):
        text = f"imported as {manager.session_id}; go on with: openclaw-tui -r {short_id(manager.session_id)}"
        _say(given, text, {"id": manager.session_id, "path": str(manager.path), "from": str(source)})
    return EXIT_DONE


def check_sessions(given: argparse.Namespace, paths: Paths) -> int:
    """Exit 1 when there is something to mend, so that scripts can tell."""
    if given.id:
        files = [resolve_session(paths.sessions, wanted) for wanted in given.id]
    else:
        files = [row.path for row in find_sessions(paths.sessions)]
    reports = [check_file(path) for path in files]
    if given.json:
        print_json(reports)
    else:
        for report in reports:
            print(f"{short_id(report['id'])}  {'; '.join(report['problems']) or 'sound'}")
        if not reports:
            print("there are no sessions yet")
    return EXIT_FAILED if any(report["problems"] for report in reports) else EXIT_DONE


def check_file(path: Path) -> dict[str, Any]:
    """What opening would mend in the file, and what each request would mend in the talk."""
    try:
        manager = SessionManager.open(path, read_only=True)
    except SessionError as error:
        return {"id": path.stem, "path": str(path), "entries": 0, "problems": [str(error)]}
    with contextlib.closing(manager):
        problems = [manager.damage.text] if manager.damage else []
        messages = manager.project().messages
        last = next((m for m in reversed(messages) if isinstance(m, AssistantMessage)), None)
        policy = transcript_policy(_any_model(last))
        _, report = repair_tool_use_result_pairing(messages, policy)
        if mended := ", ".join(shown_pairs(dict(report.counts))):
            problems.append(f"pairs of calls and results: {mended}")
        return {"id": manager.session_id, "path": str(path), "entries": len(manager.entries()), "problems": problems}


def _any_model(last: AssistantMessage | None) -> ModelInfo:
    """Pairing is the same for every provider; the strictest rules are used where the session names none."""
    from openclaw_tui.providers.catalog import default_model

    provider = last.provider if last is not None else "anthropic"
    found = default_model(provider) or default_model("anthropic")
    if found is None:
        raise ConfigError("the catalogue of models is empty; install the program again")
    return found


def truncate_session(given: argparse.Namespace, paths: Paths) -> int:
    manager = SessionManager.open(resolve_session(paths.sessions, given.id))
    with contextlib.closing(manager):
        result = truncate_session_after_compaction(manager)
        data = {
            "id": manager.session_id,
            "truncated": result.truncated,
            "reason": result.reason,
            "entries_removed": result.entries_removed,
            "bytes_before": result.bytes_before,
            "bytes_after": result.bytes_after,
            "archive": str(result.archive) if result.archive else None,
        }
        _say(given, result.text, data)
    return EXIT_DONE


def rebuild_index(given: argparse.Namespace, paths: Paths) -> int:
    """Entries for session files that `sessions.json` does not speak of; what stands there stays as it is."""
    store = SessionStore(paths.sessions)
    added = store.rebuild(lambda row: row.key or session_key_for(paths.agent_id, "tui", row.id))
    for notice in store.notices:
        print(notice)
    _say(given, f"{added} sessions added to {store.path}", {"added": added, "path": str(store.path)})
    return EXIT_DONE


def remove_sessions(given: argparse.Namespace, paths: Paths) -> int:
    files = with_sub_agents([resolve_session(paths.sessions, wanted) for wanted in given.id], paths)
    for path in files:
        if path.parent.resolve() != paths.sessions.resolve():
            raise ConfigError(f"sessions rm {path}: only sessions in {paths.sessions} are removed")
    if not given.yes and not _is_agreed(files):
        print("nothing was removed")
        return EXIT_DONE
    for path in files:
        remove_session(path, paths)
    _say(given, "\n".join(f"removed {path.stem}" for path in files), {"removed": [path.stem for path in files]})
    return EXIT_DONE


def _is_agreed(files: list[Path]) -> bool:
    """Asks where somebody is there to answer; a script that says `rm` means it."""
    if not can_ask():
        return True
    for path in files:
        row = summarize(path)
        print(f"{path.stem}  {one_line(row.title) if row else ''}")
    return says_yes("remove for good, with artifacts and archives?")


def _say(given: argparse.Namespace, text: str, data: dict[str, Any]) -> None:
    if given.json:
        print_json(data)
    else:
        print(text)
