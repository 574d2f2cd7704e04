"""What was sent from a project, and what was being typed: two small files of the user's own per project.

Walking through the history never destroys a draft: each place walked through keeps the edits made there until something
is sent. Files are private (0600), written best effort: a full disk costs history, not the talk.
"""

import contextlib
import hashlib
import os
import re
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from openclaw_tui.atomic_write import PRIVATE_FILE_MODE, atomic_write_text, make_private_dir
from openclaw_tui.constants import PROMPT_HISTORY_MAX

_WITH_KEY = re.compile(r"(\s*/login[ :]\s*\S+)\s+\S", re.IGNORECASE)


def without_secret(text: str) -> str:
    """The text as it may be kept or shown: of a key typed behind `/login PROVIDER` nothing is left."""
    found = _WITH_KEY.match(text)
    return found[1] if found else text


def project_file(folder: Path, project: Path, suffix: str) -> Path:
    """The file of a project: named by a digest, since paths may be long and private."""
    digest = hashlib.sha256(os.path.realpath(project).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return folder / f"{digest}{suffix}"


@dataclass(slots=True)
class PromptHistory:
    """`path` None keeps everything in memory. The newest entry is last."""

    path: Path | None = None
    entries: list[str] = field(default_factory=list)
    _edits: dict[int, str] = field(default_factory=dict)
    _place: int | None = None

    @classmethod
    def of_project(cls, folder: Path, project: Path) -> "PromptHistory":
        history = cls(project_file(folder, project, ".jsonl"))
        history._load()
        return history

    def add(self, text: str) -> None:
        """Remember a sent text; a repeat of the last one is not stored twice."""
        text = _masked(without_secret(text))
        self._edits.clear()
        self._place = None
        if not text.strip() or (self.entries and self.entries[-1] == text):
            return
        self.entries.append(text)
        self._append(text)

    def older(self, current: str) -> str | None:
        """The text before; `current` is kept at its place. None at the oldest."""
        return self._move(current, -1)

    def newer(self, current: str) -> str | None:
        """The text after, down to the draft. None when there is none."""
        return self._move(current, +1)

    @property
    def is_walking(self) -> bool:
        return self._place is not None

    def _move(self, current: str, step: int) -> str | None:
        here = len(self.entries) if self._place is None else self._place
        there = here + step
        if not 0 <= there <= len(self.entries):
            return None
        self._edits[here] = current
        self._place = None if there == len(self.entries) else there
        return self._edits.get(there, self.entries[there] if there < len(self.entries) else "")

    def _load(self) -> None:
        if self.path is None:
            return
        with contextlib.suppress(OSError):
            lines = self.path.read_bytes().splitlines()
            self.entries = [text for line in lines[-PROMPT_HISTORY_MAX:] if (text := _text(line))]
            if len(lines) > 2 * PROMPT_HISTORY_MAX:
                kept = b"\n".join(lines[-PROMPT_HISTORY_MAX:]).decode("utf-8", "replace")
                atomic_write_text(self.path, kept + "\n")

    def _append(self, text: str) -> None:
        if self.path is None:
            return
        line = msgspec.json.encode({"text": _storable(text), "time": int(time.time())}) + b"\n"
        with contextlib.suppress(OSError):
            make_private_dir(self.path.parent)
            descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, PRIVATE_FILE_MODE)
            with os.fdopen(descriptor, "ab") as handle:
                handle.write(line)


@dataclass(slots=True)
class StoredDraft:
    """The text being typed, kept over a crash. An empty text removes the file."""

    path: Path | None = None
    _stored: str = ""

    @classmethod
    def of_project(cls, folder: Path, project: Path) -> "StoredDraft":
        return cls(project_file(folder, project, ".draft"))

    def load(self) -> str:
        if self.path is None:
            return ""
        with contextlib.suppress(OSError):
            self._stored = self.path.read_text(encoding="utf-8", errors="replace")
        return self._stored

    def save(self, text: str) -> None:
        text = without_secret(text)
        if self.path is None or text == self._stored:
            return
        with contextlib.suppress(OSError):
            if text:
                make_private_dir(self.path.parent)
                atomic_write_text(self.path, _storable(text), durable=False)
            else:
                self.path.unlink(missing_ok=True)
            self._stored = text


@dataclass(slots=True)
class Stash:
    """Drafts put aside, the newest on top; kept over a crash like the draft itself."""

    path: Path | None = None
    drafts: list[str] = field(default_factory=list)

    @classmethod
    def of_project(cls, folder: Path, project: Path) -> "Stash":
        stash = cls(project_file(folder, project, ".stash"))
        if stash.path is not None:
            with contextlib.suppress(OSError):
                stash.drafts = [text for line in stash.path.read_bytes().splitlines() if (text := _text(line))]
        return stash

    def put(self, text: str) -> None:
        self.drafts.append(text)
        self._save()

    def take(self) -> str | None:
        """The newest one, out of the stash; None when nothing was put aside."""
        if not self.drafts:
            return None
        text = self.drafts.pop()
        self._save()
        return text

    def _save(self) -> None:
        if self.path is None:
            return
        lines = b"".join(msgspec.json.encode({"text": _storable(text)}) + b"\n" for text in self.drafts)
        with contextlib.suppress(OSError):
            if lines:
                make_private_dir(self.path.parent)
                atomic_write_text(self.path, lines.decode("utf-8"), durable=False)
            else:
                self.path.unlink(missing_ok=True)


def _text(line: bytes) -> str:
    """The prompt of one line; damaged lines have none."""
    try:
        data: Any = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return ""
    text = data.get("text") if isinstance(data, dict) else None
    return text if isinstance(text, str) else ""


def _storable(text: str) -> str:
    """As it may lie on disk: valid, and without secrets."""
    return _masked(text.encode("utf-8", "replace").decode("utf-8"))


def _masked(text: str) -> str:
    from openclaw_tui.safety.secrets import mask_secrets

    return mask_secrets(text)
