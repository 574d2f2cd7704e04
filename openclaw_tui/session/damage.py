"""What was wrong with a session file, and how to save what is left in a broken line.

Nothing is dropped in silence: every line set aside is counted, the original stays beside the session under a name that
is no session's, and the user is told in one line.
"""

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from msgspec.structs import replace

from openclaw_tui.session.codec import Head, decode_record, head_of, is_header, is_whole_entry

_BOM = b"\xef\xbb\xbf"
_RECORD_START = re.compile(r'\{\s*"type"\s*:')


class DamageReport(msgspec.Struct, frozen=True):
    """Counts of what was found. `text` is one line for the user; `backup` is where the original is kept."""

    torn_tail: bool = False
    lines_set_aside: int = 0
    recovered: int = 0
    bytes_replaced: int = 0
    relinked: int = 0
    duplicates: int = 0
    surrogates: int = 0
    header_rebuilt: bool = False
    byte_order_mark: bool = False
    backup: Path | None = None
    left_as_it_is: bool = False

    @property
    def found(self) -> bool:
        return self != DamageReport()

    @property
    def needs_repair(self) -> bool:
        """True where the file itself should be mended; an odd character inside a readable line is left alone."""
        return replace(self, surrogates=0) != DamageReport()

    @property
    def text(self) -> str:
        said = [sentence for happened, sentence in self._sentences() if happened]
        kept = f"; the original is kept as {self.backup.name}" if self.backup else ""
        untouched = "; the file itself was left as it is" if self.left_as_it_is else ""
        return f"The session file was damaged: {', '.join(said)}{kept}{untouched}."

    def _sentences(self) -> list[tuple[object, str]]:
        return [
            (self.header_rebuilt, "its header was missing and was built anew"),
            (self.torn_tail, "its last line was cut off and is set aside"),
            (self.lines_set_aside, f"{_counted(self.lines_set_aside, 'broken line')} set aside"),
            (self.recovered, f"{_counted(self.recovered, 'entry', 'entries')} recovered from broken lines"),
            (self.bytes_replaced, f"{_counted(self.bytes_replaced, 'line')} with bytes that are no UTF-8"),
            (self.relinked, f"{_counted(self.relinked, 'entry', 'entries')} joined to the entry before"),
            (self.duplicates, f"{_counted(self.duplicates, 'repeated entry', 'repeated entries')} set aside"),
            (self.surrogates, f"{_counted(self.surrogates, 'line')} with half a character (replaced when read)"),
            (self.byte_order_mark, "a byte-order mark at its start"),
        ]


def _counted(number: int, one: str, many: str | None = None) -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


def backup_path(path: Path) -> Path:
    """A free name beside the file that does not end like a session's."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
    names = (f"{path.name}.damaged-{stamp}{suffix}" for suffix in ("", *(f"-{n}" for n in range(1, 1000))))
    return next(found for name in names if not (found := path.with_name(name)).exists())


class Salvage(msgspec.Struct, frozen=True):
    """What a broken line yielded: heads with their whole lines, and what has to be said about it."""

    parts: tuple[tuple[Head, bytes], ...] = ()
    clean: bool = False
    bytes_replaced: bool = False


def without_mark(line: bytes) -> bytes:
    return line.removeprefix(_BOM)


def salvage(line: bytes) -> Salvage:
    """The entries that can be read out of a line the fast reader refused.

    A line that is only odd inside comes back whole and as it was (`clean`). Records that a missing line end joined are
    taken apart, and what follows a record cut in its middle is found by its beginning.
    """
    body = line.strip(b"\x00 \t\r")
    text = body.decode("utf-8", "replace")
    replaced = text.encode() != body
    try:
        record = decode_record(text.encode())
    except (ValueError, RecursionError):
        return Salvage(tuple(_parts(text)), bytes_replaced=replaced)
    if not isinstance(record.get("type"), str):
        return Salvage()
    clean = not replaced and len(body) == len(line.strip(b" \t\r"))
    return Salvage(((head_of(record), text.encode()),), clean, replaced)


def _parts(text: str) -> list[tuple[Head, bytes]]:
    decoder, at = json.JSONDecoder(), 0
    found: list[tuple[Head, bytes]] = []
    while start := _RECORD_START.search(text, at):
        at = start.start() + 1
        try:
            record, end = decoder.raw_decode(text, start.start())
        except (ValueError, RecursionError):
            continue
        if is_header(record) or is_whole_entry(record):
            found.append((head_of(record), text[start.start() : end].encode()))
            at = end
    return found
