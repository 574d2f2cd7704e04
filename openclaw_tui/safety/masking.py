"""Secrets in what a model sees: each becomes a mark, `⟦secret:1⟧`, the same for the same value all through a session.

A mark holds no part of its secret, and no secret is stored: a private file beside the session keeps a salt and, for
each value, its salted hash and its number. To put a value back one needs the file it came from; there the value is
found again by its hash. A mark whose secret does not stand in that file is refused rather than guessed.
"""

import hashlib
import os
import re
import secrets
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import msgspec

from openclaw_tui.atomic_write import atomic_write_bytes, make_private_dir
from openclaw_tui.constants import SECRET_MIN_CHARS, SECRETS_REMEMBERED
from openclaw_tui.errors import ToolDenied
from openclaw_tui.safety.secret_shapes import find_secrets
from openclaw_tui.safety.secrets import tells_itself

MASKS_FILE = "secrets.json"
_MARK = re.compile(r"⟦secret:(\d+)⟧")
NOTE = (
    "[Secrets in this output are shown as ⟦secret:N⟧. Keep such marks as they are: written into the file they"
    " came from, the original is put back. They mean nothing to a command.]"
)


class _Stored(msgspec.Struct):
    salt: str
    numbers: dict[str, int]


class Masks:
    """The numbers of one session. Without a folder they are kept in memory. `own` gives exact values to hide."""

    def __init__(
        self,
        folder: Path | None,
        *,
        on: bool = True,
        own: Callable[[], Iterable[str]] = tuple,
        more: Sequence[re.Pattern[str]] = (),
    ) -> None:
        self.on = on
        self._file = folder / MASKS_FILE if folder is not None else None
        self._own = own
        self._more = more
        self._stored = _read(self._file)
        self._seen: dict[str, None] = {}

    def masked(self, text: str) -> tuple[str, int]:
        """The text with its secrets as marks, and how many of them were seen for the first time."""
        spans = self._spans(text) if self.on else []
        if not spans:
            return text, 0
        known = len(self._stored.numbers)
        parts: list[str] = []
        at = 0
        for start, end in spans:
            self._remember(text[start:end])
            parts += [text[at:start], f"⟦secret:{self._number(text[start:end])}⟧"]
            at = end
        new = len(self._stored.numbers) - known
        if new:
            self._keep()
        return "".join([*parts, text[at:]]), new

    def put_back(self, text: str, original: str, name: str) -> str:
        """The text with each mark as the secret it stands for in `original`. Raises ToolDenied for all others."""
        if not carries_mark(text):
            return text
        values = {self._find(original[start:end]): original[start:end] for start, end in self._spans(original)}

        def value_of(match: re.Match[str]) -> str:
            value = values.get(int(match[1]))
            if value is None:
                raise ToolDenied(
                    f"Not run: {match[0]} stands for a secret that is not in {name}; it can only be written back into"
                    " the file it came from. Leave it out, or ask the user to write it."
                )
            return value

        return _MARK.sub(value_of, text)

    def _spans(self, text: str) -> list[tuple[int, int]]:
        return find_secrets(text, own=[*self._own(), *self._seen], more=self._more)

    def _remember(self, value: str) -> None:
        """In memory only: shown without its name, or as a single line of a key, it is still the same secret."""
        lines = [value] if "\n" not in value else [line for line in value.split("\n") if "-----" not in line]
        self._seen.update(dict.fromkeys(line for line in lines if len(line) >= SECRET_MIN_CHARS))
        for old in list(self._seen)[: max(0, len(self._seen) - SECRETS_REMEMBERED)]:
            del self._seen[old]

    def _find(self, value: str) -> int | None:
        return self._stored.numbers.get(self._digest(value))

    def _number(self, value: str) -> int:
        digest = self._digest(value)
        return self._stored.numbers.setdefault(digest, len(self._stored.numbers) + 1)

    def _digest(self, value: str) -> str:
        key = bytes.fromhex(self._stored.salt)
        return hashlib.blake2b(value.encode("utf-8", "surrogatepass"), key=key, digest_size=16).hexdigest()

    def _keep(self) -> None:
        """On disk before the marks are. A full disk costs only that a restart numbers anew."""
        if self._file is None:
            return
        try:
            make_private_dir(self._file.parent)
            atomic_write_bytes(self._file, msgspec.json.encode(self._stored))
        except OSError:
            return


def carries_mark(text: str) -> bool:
    return "⟦secret:" in text and _MARK.search(text) is not None


def held_keys(names: Iterable[str]) -> list[str]:
    """The values of key variables that this program itself holds."""
    return [value for name in names if tells_itself(value := os.environ.get(name, "").strip())]


def _read(file: Path | None) -> _Stored:
    try:
        if file is not None:
            found = msgspec.json.decode(file.read_bytes(), type=_Stored)
            bytes.fromhex(found.salt)
            return found
    except (OSError, ValueError, msgspec.DecodeError):
        pass
    return _Stored(secrets.token_hex(16), {})
