"""`sessions scrub`: secrets out of what is stored already, wherever a session keeps texts.

The session file, its archive, the ledger and whole outputs get `⟦secret⟧` in their place; what files were before a tool
changed them is let go where it holds one, since a rewind would write the mask into the file. A held session is refused.
Running it again finds nothing.
"""

import argparse
import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from openclaw_tui.app.masks import masked_line, masked_value
from openclaw_tui.artifacts.checkpoints import CHECKPOINT_FOLDER, CheckpointStore
from openclaw_tui.artifacts.store import STORE_FOLDER, ArtifactStore
from openclaw_tui.atomic_write import atomic_write_bytes
from openclaw_tui.config.paths import Paths
from openclaw_tui.errors import EXIT_DONE, EXIT_FAILED, ConfigError, SessionError
from openclaw_tui.ledger.ledger import LEDGER_FILE
from openclaw_tui.safety.secrets import mask_secrets
from openclaw_tui.session.archive import archive_path
from openclaw_tui.session.listing import find_sessions, resolve_session, short_id
from openclaw_tui.session.manager import SessionManager
from openclaw_tui.subcommands.output import print_json


def scrub_sessions(given: argparse.Namespace, paths: Paths) -> int:
    """Exit 1 when one of them could not be scrubbed."""
    if not given.id and not given.all:
        raise ConfigError("sessions scrub: name sessions, or --all")
    files = [row.path for row in find_sessions(paths.sessions)] if given.all else []
    files += [resolve_session(paths.sessions, wanted) for wanted in given.id]
    rows = [_scrubbed(path, dry=given.dry_run) for path in dict.fromkeys(files)]
    if given.json:
        print_json(rows)
    else:
        for row in rows:
            print(f"{short_id(row['id'])}  {row.get('problem') or _words(row['found'], dry=given.dry_run)}")
        if not rows:
            print("there are no sessions yet")
    return EXIT_FAILED if any("problem" in row for row in rows) else EXIT_DONE


def _words(found: dict[str, int], *, dry: bool) -> str:
    named = ", ".join(f"{count} in {place}" for place, count in found.items() if count)
    return f"{'would scrub' if dry else 'scrubbed'}: {named}" if named else "nothing to scrub"


def _scrubbed(path: Path, *, dry: bool) -> dict[str, Any]:
    """What was found in each place: lines, outputs, pre-images."""
    try:
        manager = SessionManager.open(path, read_only=dry)
    except SessionError as error:
        return {"id": path.stem, "problem": str(error)}
    folder = path.with_suffix(".artifacts")
    with contextlib.closing(manager):
        try:
            found = {
                "the session": _session(manager, path, dry=dry),
                "the archive": _rows(archive_path(path), _archive_line, dry=dry),
                "the ledger": _rows(folder / LEDGER_FILE, masked_line, dry=dry),
                "outputs": _outputs(folder / STORE_FOLDER, dry=dry),
                "pre-images": _pre_images(folder / CHECKPOINT_FOLDER, dry=dry),
            }
        except (OSError, SessionError) as error:
            return {"id": manager.session_id, "problem": f"not scrubbed to the end: {error}"}
        return {"id": manager.session_id, "found": found}


def _session(manager: SessionManager, path: Path, *, dry: bool) -> int:
    _header, *lines = path.read_bytes().splitlines(keepends=True)
    masked = [masked_line(line) for line in lines]
    count = sum(new != old for new, old in zip(masked, lines, strict=True))
    if count and not dry:
        manager.rewrite(line.rstrip(b"\n") for line in masked)
    return count


def _rows(file: Path, masked: Callable[[bytes], bytes], *, dry: bool) -> int:
    if not file.is_file():
        return 0
    lines = file.read_bytes().splitlines(keepends=True)
    new = [masked(line) for line in lines]
    count = sum(after != before for after, before in zip(new, lines, strict=True))
    if count and not dry:
        atomic_write_bytes(file, b"".join(new))
    return count


def _archive_line(line: bytes) -> bytes:
    """A row of the archive holds a line of the session as text."""
    try:
        row = json.loads(line)
        inner = json.loads(row["line"])
    except (ValueError, KeyError, TypeError):
        return line
    masked = masked_value(inner)
    if masked == inner:
        return line
    row["line"] = json.dumps(masked, ensure_ascii=False, separators=(",", ":"))
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _outputs(folder: Path, *, dry: bool) -> int:
    store = ArtifactStore(folder)
    count = 0
    for artifact in store.artifacts():
        if not store.is_kept(artifact):
            continue
        text = b"".join(store.chunks(artifact)).decode("utf-8", "surrogateescape")
        masked = mask_secrets(text)
        if masked == text:
            continue
        count += 1
        if not dry:
            data = masked.encode("utf-8", "surrogateescape")
            store.replace(artifact, data, title=mask_secrets(artifact.title))
    return count


def _pre_images(folder: Path, *, dry: bool) -> int:
    store = CheckpointStore(folder)
    held = [digest for digest in _kept(store) if _has_secret(store.content(digest))]
    if not dry:
        for digest in held:
            store.forget(digest)
    return len(held)


def _kept(store: CheckpointStore) -> Iterator[str]:
    yield from dict.fromkeys(change.before for change in store.changes if change.before)


def _has_secret(data: bytes | None) -> bool:
    text = (data or b"").decode("utf-8", "replace")
    return mask_secrets(text) != text
