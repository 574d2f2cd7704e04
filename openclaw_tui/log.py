"""The log file: JSON lines in the state directory, secrets masked, rotated, private. Never the terminal.

Every front end calls `set_up_logging` once. Without a place to write (a read-only or full disk) nothing is logged:
a log must not stop the work. Prompts and answers are not logged; `--debug` adds the stream of events by name and size.
"""

import json
import logging
import os
from collections import deque
from datetime import UTC, datetime
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from openclaw_tui.atomic_write import PRIVATE_FILE_MODE, make_private_dir
from openclaw_tui.constants import CRASH_EVENTS_KEPT, LOG_BACKUPS, LOG_MAX_BYTES
from openclaw_tui.events import (
    AgentEvent,
    CompactionEnded,
    ContextAct,
    Notice,
    RetryScheduled,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolEnded,
    ToolProgress,
    TurnEnded,
)
from openclaw_tui.safety.secrets import mask_secrets

_LOUD_LIBRARIES = ("anthropic", "openai", "google_genai", "httpx2", "httpcore2", "markdown_it", "asyncio")
"""Some of them log whole prompts or response headers when asked for everything."""

_log = logging.getLogger("openclaw_tui")
_events = logging.getLogger("openclaw_tui.events")


class JsonLines(logging.Formatter):
    """One JSON object a record; what looks like a secret is masked at the moment of writing."""

    def format(self, record: logging.LogRecord) -> str:
        row = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "pid": record.process,
            "message": record.getMessage(),
        }
        if record.exc_info:
            row["exception"] = self.formatException(record.exc_info)
        return mask_secrets(json.dumps(row, ensure_ascii=False, default=str))


class _PrivateFile(RotatingFileHandler):
    """Its file is 0600 from the first byte; a write that fails is dropped in silence instead of told on the screen."""

    def _open(self) -> TextIOWrapper:
        descriptor = os.open(self.baseFilename, os.O_WRONLY | os.O_APPEND | os.O_CREAT, PRIVATE_FILE_MODE)
        return os.fdopen(descriptor, "a", encoding="utf-8", errors="backslashreplace")

    def handleError(self, record: logging.LogRecord) -> None:
        return


def set_up_logging(path: Path | None, *, debug: bool = False) -> None:
    """Log to `path` from now on; None logs nowhere. Calling it again changes the place."""
    root = logging.getLogger()
    for handler in [h for h in root.handlers if isinstance(h, _PrivateFile | logging.NullHandler)]:
        root.removeHandler(handler)
        handler.close()
    root.addHandler(_handler(path))
    root.setLevel(logging.WARNING)
    logging.captureWarnings(True)
    _log.setLevel(logging.DEBUG if debug else logging.INFO)
    for name in _LOUD_LIBRARIES:
        logging.getLogger(name).setLevel(logging.WARNING)


_recent: deque[str] = deque(maxlen=CRASH_EVENTS_KEPT)


def recent_kinds() -> list[str]:
    """The kinds of the last events, oldest first, for a crash report."""
    return list(_recent)


def log_event(event: AgentEvent) -> None:
    """What is worth a line: ends, waits, acts of the layers, warnings; the rest by name when debugging."""
    _recent.append(type(event).__name__)
    match event:
        case TurnEnded():
            reason = f": {event.error}" if event.error else ""
            _events.info(
                "turn %s after %d steps, %d in, %d out%s",
                event.outcome,
                event.steps,
                event.usage.prompt_tokens,
                event.usage.output,
                reason,
            )
        case RetryScheduled():
            _events.info("retry %d of %d in %.1f s: %s", event.attempt, event.max_attempts, event.seconds, event.reason)
        case ContextAct():
            _events.info("%s %s: %s", event.layer, event.verb, event.reason)
        case CompactionEnded():
            _events.info("compaction ok=%s %d -> %d", event.ok, event.tokens_before, event.tokens_after)
        case Notice(level=level, text=text) if level != "info":
            _events.warning("%s", text)
        case ToolEnded():
            _events.info("tool %s %.1f s error=%s", event.result.tool_name, event.seconds, event.result.is_error)
        case TextDelta() | ThinkingDelta() | ToolCallDelta() | ToolProgress():
            return
        case _:
            _events.debug("%s", type(event).__name__)


def _handler(path: Path | None) -> logging.Handler:
    if path is None:
        return logging.NullHandler()
    try:
        make_private_dir(path.parent)
        handler = _PrivateFile(path, maxBytes=LOG_MAX_BYTES, backupCount=LOG_BACKUPS, encoding="utf-8")
    except OSError:
        return logging.NullHandler()
    handler.setFormatter(JsonLines())
    return handler
