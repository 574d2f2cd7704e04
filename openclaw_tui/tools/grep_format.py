"""Found lines as text for a model: `path:12: text`, context lines with dashes.

A minified bundle is one line of a megabyte, so a long line is shown as pieces around its first matches, with the
number of all of them.
"""

import base64
import json
from collections.abc import Mapping
from typing import Any

import msgspec

from openclaw_tui.constants import GREP_LINE_WINDOWS, GREP_MAX_LINE_CHARS
from openclaw_tui.tools.file_text import detect_format
from openclaw_tui.tools.terminal_text import show_controls, show_hidden


class FoundLine(msgspec.Struct, frozen=True):
    """One record of a search. `spans` are byte ranges in `raw`; empty for a line of context."""

    path: str
    number: int
    raw: bytes
    spans: tuple[tuple[int, int], ...]


def parse_record(record: bytes) -> FoundLine | None:
    """A match or context line; None for ripgrep's other records."""
    message = json.loads(record)
    if message["type"] not in ("match", "context"):
        return None
    data = message["data"]
    spans = tuple((span["start"], span["end"]) for span in data["submatches"])
    path = _bytes(data["path"]).decode("utf-8", "surrogateescape")
    return FoundLine(path, int(data["line_number"]), _bytes(data["lines"]), spans)


def format_line(found: FoundLine, shown_path: str) -> list[str]:
    """The lines of the answer for one record; a match over several lines gives several."""
    mark = ":" if found.spans else "-"
    body = found.raw.removesuffix(b"\n")
    if found.spans and len(body) > GREP_MAX_LINE_CHARS and b"\n" not in body:
        return [f"{shown_path}:{found.number}: {_windows(body, found.spans)}"]
    return [
        f"{shown_path}{mark}{found.number + offset}{mark} {_clipped(line)}"
        for offset, line in enumerate(body.split(b"\n"))
    ]


def _windows(line: bytes, spans: tuple[tuple[int, int], ...]) -> str:
    """Pieces of the line around its first matches; together at most as long as a short line."""
    around = GREP_MAX_LINE_CHARS // GREP_LINE_WINDOWS // 2
    pieces: list[list[int]] = []
    shown = 0
    for start, end in spans:
        begin, stop = max(0, start - around), min(len(line), min(end, start + around) + around)
        if pieces and begin <= pieces[-1][1]:
            if stop - pieces[-1][0] > GREP_MAX_LINE_CHARS // GREP_LINE_WINDOWS + around:
                break
            pieces[-1][1] = stop
        elif len(pieces) == GREP_LINE_WINDOWS:
            break
        else:
            pieces.append([begin, stop])
        shown += 1
    text = " … ".join(_text(line[begin:stop]) for begin, stop in pieces)
    lead, trail = "… " if pieces[0][0] else "", " …" if pieces[-1][1] < len(line) else ""
    matches = f"{len(spans):,} matches" if len(spans) > 1 else "1 match"
    rest = f", {shown} shown" if shown < len(spans) else ""
    return f"{lead}{text}{trail} [{matches} in this line of {len(line):,} bytes{rest}]"


def _clipped(line: bytes) -> str:
    text = _text(line[: 4 * GREP_MAX_LINE_CHARS])
    if len(text) <= GREP_MAX_LINE_CHARS and len(line) <= 4 * GREP_MAX_LINE_CHARS:
        return text
    return f"{text[:GREP_MAX_LINE_CHARS]} [... cut, this line has {len(line):,} bytes]"


def _text(piece: bytes) -> str:
    try:
        text = piece.decode("utf-8")
    except UnicodeDecodeError:
        text = piece.decode(detect_format(piece).encoding, "replace").strip("\ufffd")
    return show_hidden(show_controls(text.removesuffix("\r"))).text


def _bytes(value: Mapping[str, Any]) -> bytes:
    if "text" in value:
        return str(value["text"]).encode("utf-8", "surrogateescape")
    return base64.b64decode(value["bytes"])
