"""`sessions scrub`: secrets out of what is stored already, wherever a session keeps texts.

The session file, its archive, the ledger, kept prompts and whole outputs get `⟦secret⟧` in their place; what files were
before a tool changed them is let go where it holds one, since a rewind would write the mask into the file. A held
session is refused. With `--all` also what belongs to no session: prompt history, drafts, logs, crash reports; with
`--file` files named by the user, such as older exports. Running it again finds nothing.
"""

import argparse
import contextlib
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from openclaw_tui.app.masks import hide_own
from openclaw_tui.artifacts.checkpoints import CHECKPOINT_FOLDER, CheckpointStore
from openclaw_tui.artifacts.store import STORE_FOLDER, ArtifactStore
from openclaw_tui.atomic_write import atomic_write_bytes
from openclaw_tui.config.load import load_config
from openclaw_tui.config.paths import Paths
from openclaw_tui.errors import EXIT_DONE, EXIT_FAILED, ConfigError, SessionError
from openclaw_tui.ledger.calls import CALLS_FILE
from openclaw_tui.ledger.ledger import LEDGER_FILE
from openclaw_tui.ledger.snapshots import PROMPTS_FILE
from openclaw_tui.safety.secrets import mask_secrets, masked_line, masked_value
from openclaw_tui.session.archive import archive_path
from openclaw_tui.session.listing import find_sessions, resolve_session, short_id
from openclaw_tui.session.manager import SessionManager
from openclaw_tui.subcommands.output import print_json


def scrub_sessions(given: argparse.Namespace, paths: Paths) -> int:
    """Exit 1 when one of them could not be scrubbed."""
    if not given.id and not given.all and not given.file:
        raise ConfigError("sessions scrub: name sessions, or --all, or files with --file")
    for problem in hide_own(load_config(paths, remember=False), paths, keyring=True):
        print(f"sessions scrub: {problem}", file=sys.stderr)
    files = [row.path for row in find_sessions(paths.sessions)] if given.all else []
    files += [resolve_session(paths.sessions, wanted) for wanted in given.id]
    rows = [_scrubbed(path, dry=given.dry_run) for path in dict.fromkeys(files)]
    rows += [_outside("elsewhere", _elsewhere(paths), dry=given.dry_run)] if given.all else []
    rows += [_outside(str(file), {"the file": [file]}, dry=given.dry_run) for file in given.file]
    if given.json:
        print_json(rows)
    else:
        for row in rows:
            print(f"{short_id(row['id'])}  {row.get('problem') or _words(row['found'], dry=given.dry_run)}")
        if given.all and not files:
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
                "the ledger": sum(_rows(folder / name, masked_line, dry=dry) for name in (LEDGER_FILE, CALLS_FILE)),
                "kept prompts": _rows(folder / PROMPTS_FILE, masked_line, dry=dry),
                "outputs": _outputs(folder / STORE_FOLDER, dry=dry),
                "pre-images": _pre_images(folder / CHECKPOINT_FOLDER, dry=dry),
            }
        except (OSError, SessionError) as error:
            return {"id": manager.session_id, "problem": f"not scrubbed to the end: {error}"}
        return {"id": manager.session_id, "found": found}


def _elsewhere(paths: Paths) -> dict[str, list[Path]]:
    """Files that belong to no session, by what they are."""
    return {
        "the list of sessions": [file for file in [paths.sessions / "sessions.json"] if file.is_file()],
        "prompt history": sorted(paths.history.glob("*.jsonl")),
        "drafts": sorted([*paths.history.glob("*.draft"), *paths.history.glob("*.stash")]),
        "logs": sorted(paths.log.parent.glob("*.log*")),
        "crash reports": sorted(file for file in paths.crashes.glob("*") if file.is_file()),
    }


def _outside(name: str, places: dict[str, list[Path]], *, dry: bool) -> dict[str, Any]:
    try:
        for file in places.get("the file", ()):
            file.stat()
        found = {kind: sum(_lines(file, dry=dry) for file in files) for kind, files in places.items()}
    except OSError as error:
        return {"id": name, "problem": f"not scrubbed to the end: {error}"}
    return {"id": name, "found": found}


def _lines(file: Path, *, dry: bool) -> int:
    """Rows of JSON keep their form; any other text is judged whole, since a key may stand over several lines."""
    if file.suffix == ".jsonl" or file.name.endswith(".stash") or ".log" in file.suffixes:
        return _rows(file, masked_line, dry=dry)
    data = file.read_bytes()
    if file.suffix == ".json":
        masked = masked_line(data)
    else:
        masked = mask_secrets(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
    if masked != data and not dry:
        atomic_write_bytes(file, masked)
    return int(masked != data)


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
