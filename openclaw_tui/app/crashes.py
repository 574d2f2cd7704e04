"""What is kept of a crash: a masked report, and a note by which the next start offers to go on with the session.

A report holds versions, the kinds of the last events and where the program stood; no values of variables, no prompt,
no answer. Its text goes through the same mask as the log. The newest `CRASH_REPORTS_KEPT` are kept, each 0600.
"""

import json
import os
import platform
import traceback
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import msgspec

import openclaw_tui
from openclaw_tui.atomic_write import atomic_write_text, make_private_dir
from openclaw_tui.config.paths import Paths
from openclaw_tui.constants import CRASH_MESSAGE_CHARS, CRASH_REPORTS_KEPT
from openclaw_tui.log import recent_kinds
from openclaw_tui.safety.secrets import mask_secrets

_NOTE = "last.json"
_LIBRARIES = ("textual", "prompt-toolkit", "anthropic", "openai", "google-genai", "msgspec")


class Crash(msgspec.Struct, frozen=True):
    """The end of an earlier run of a project: its report, and the session it was in."""

    report: str
    project: str
    session_id: str = ""


def write_report(paths: Paths, error: BaseException, session_id: str = "") -> Path | None:
    """Write what is known of a crash. None where nothing can be written: a report must not hide the crash itself."""
    now = datetime.now(UTC)
    path = paths.crashes / f"crash-{now:%Y%m%dT%H%M%S}-{os.getpid()}.txt"
    note = Crash(str(path), str(paths.project), session_id)
    try:
        make_private_dir(paths.crashes)
        atomic_write_text(path, mask_secrets(_text(error, now, session_id)))
        atomic_write_text(paths.crashes / _NOTE, json.dumps(msgspec.to_builtins(note)))
        for old in sorted(paths.crashes.glob("crash-*.txt"))[:-CRASH_REPORTS_KEPT]:
            old.unlink(missing_ok=True)
    except OSError:
        return None
    return path


def take_crash(paths: Paths) -> Crash | None:
    """The crash of this project that nobody was told of yet; asking counts as telling."""
    note = paths.crashes / _NOTE
    try:
        crash = msgspec.json.decode(note.read_bytes(), type=Crash)
        if crash.project != str(paths.project):
            return None
        note.unlink()
    except (OSError, msgspec.DecodeError):
        return None
    return crash


def crash_line(error: BaseException, report: Path | None) -> str:
    """The one line a user is told."""
    said = mask_secrets(" ".join(f"{type(error).__name__}: {error}".split()))[:CRASH_MESSAGE_CHARS]
    return f"({said}); " + (f"the report is {report}" if report is not None else "no report could be written")


def _text(error: BaseException, now: datetime, session_id: str) -> str:
    frames = [
        f"  {_shown(frame.filename)}:{frame.lineno} in {frame.name}"
        for frame in traceback.extract_tb(error.__traceback__, limit=-60)
    ]
    message = mask_secrets(" ".join(str(error).split()))[
        :CRASH_MESSAGE_CHARS
    ]  # before the cut: half a key has no shape
    return "\n".join(
        [
            f"openclaw-tui {openclaw_tui.__version__} · {now.isoformat(timespec='seconds')}",
            f"Python {platform.python_version()} · {platform.platform()} · TERM {os.environ.get('TERM', '')}",
            " · ".join(f"{name} {_version(name)}" for name in _LIBRARIES),
            f"session {session_id or 'none'}",
            f"last events: {' '.join(recent_kinds()) or 'none'}",
            "",
            f"{type(error).__name__}: {message}",
            *(frames or ["  (no stack)"]),
            "",
        ]
    )


def _shown(file: str) -> str:
    """A file by its place in the program or a library: the machine's own folders tell nothing."""
    parts = Path(file).parts
    for root in ("openclaw_tui", "site-packages"):
        if root in parts:
            return "/".join(parts[parts.index(root) + (root == "site-packages") :])
    return Path(file).name


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"
