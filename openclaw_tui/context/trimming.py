"""Shortening one text so that what matters stays: the head, and the tail where the tail says how it ended.

Pure and deterministic. The result never exceeds its budget, marker included; a text that fits comes back as it is, so a
second run changes nothing. Lengths count Unicode code points; no cut falls inside a visible character.
"""

import re
import unicodedata

from openclaw_tui.constants import (
    HEAD_SHARE,
    IMPORTANT_TAIL_CHARS,
    LINE_SNAP_SHARE,
    MIDDLE_OMITTED_MARKER,
    TRUNCATED_NOTICE,
)

_TROUBLE = re.compile(r"\b(?:error|exception|failed|failures?|fatal|traceback|panic|errno|exit code|stack trace)\b")
_TOTALS = re.compile(r"\b(?:total|summary|result|complete|finished|done|passed)\b")
_JSON_END = re.compile(r"[}\]]\s*$")
_CONTINUATION = re.compile(r"offset\s*[=:]?\s*\d+", re.IGNORECASE)
_ELLIPSIS = "…"
_ZERO_WIDTH_JOINER = "\u200d"


def has_important_tail(text: str) -> bool:
    """True when the end tells how it went: errors, totals, the end of a JSON value, or where to read on."""
    tail = text[-IMPORTANT_TAIL_CHARS:].lower()
    return bool(
        _TROUBLE.search(tail)
        or _JSON_END.search(tail)
        or _TOTALS.search(tail)
        or _CONTINUATION.search(_last_line(tail))
    )


def trim_text(text: str, max_chars: int, *, hint: str = "") -> str:
    """The text within `max_chars`: head 70 % and tail 30 % when the tail matters, else the head.

    Between or behind stands a marker with what was left out of how much, and `hint` says how to get at it. A budget too
    small for the marker gets a shorter one, down to a single ellipsis; a budget of 0 gives the empty text.
    """
    if len(text) <= max_chars:
        return text
    if max_chars <= 0:
        return ""
    keeps_tail = has_important_tail(text)
    literal = MIDDLE_OMITTED_MARKER if keeps_tail else TRUNCATED_NOTICE
    for explained in (True, False):
        room = max_chars - len(_marker(literal, len(text), len(text), hint, explained=explained)) - 2
        if room >= len(literal):
            return _with_marker(text, room, literal, hint, keeps_tail=keeps_tail, explained=explained)
    head = text[: _cut_before(text, max_chars - 1)]
    return head + _ELLIPSIS


def _with_marker(text: str, room: int, literal: str, hint: str, *, keeps_tail: bool, explained: bool) -> str:
    if not keeps_tail:
        head = text[: _snap_back(text, room)]
        marker = _marker(literal, len(text) - len(head), len(text), hint, explained=explained)
        return f"{head.rstrip(chr(10))}\n{marker}" if head.endswith("\n") else f"{head}\n{marker}"
    tail_room = min(max(room - int(room * HEAD_SHARE), _continuation_length(text)), room // 2)
    end = _snap_back(text, room - tail_room)
    start = _snap_forward(text, len(text) - tail_room, len(text) - tail_room // 5 * 4)
    marker = _marker(literal, start - end, len(text), hint, explained=explained)
    return f"{text[:end]}\n{marker}\n{text[start:]}"


def _marker(literal: str, left_out: int, total: int, hint: str, *, explained: bool) -> str:
    """The article's words first; what follows says how much is missing and how to narrow or recall it."""
    if not explained:
        return literal
    how = f"; {hint}" if hint else ""
    return f"{literal} {left_out} of {total} characters left out; the same call gives the same cut{how}"


def _last_line(text: str) -> str:
    return text.rstrip().rpartition("\n")[2]


def _continuation_length(text: str) -> int:
    """Length of the line that says where to read on, with the line end before it; 0 where there is none."""
    last = _last_line(text[-IMPORTANT_TAIL_CHARS:])
    if not _CONTINUATION.search(last):
        return 0
    return len(text) - text.rindex(last) + 1


def _snap_back(text: str, at: int) -> int:
    """The last line end within the last fifth before `at`, else the last safe place."""
    line_end = text.rfind("\n", int(at * (1 - LINE_SNAP_SHARE)), at)
    return line_end if line_end > 0 else _cut_before(text, at)


def _snap_forward(text: str, at: int, latest: int) -> int:
    """The start of the first line that begins between `at` and `latest`, else the next safe place."""
    line_end = text.find("\n", at - 1, latest)
    return line_end + 1 if line_end >= 0 else _cut_after(text, at)


def _cut_before(text: str, at: int) -> int:
    """`at`, or the nearest place before it that splits no visible character."""
    while 0 < at < len(text) and _joins(text, at):
        at -= 1
    return max(at, 0)


def _cut_after(text: str, at: int) -> int:
    while 0 < at < len(text) and _joins(text, at):
        at += 1
    return at


def _joins(text: str, at: int) -> bool:
    """True when the characters on both sides of `at` are shown as one: marks, joined emoji, flags, line ends."""
    before, after = text[at - 1], text[at]
    if after.isascii() and before.isascii():
        return before == "\r" and after == "\n"
    if _ZERO_WIDTH_JOINER in (before, after) or _is_extender(after):
        return True
    if _is_flag_half(before) and _is_flag_half(after):
        run = at
        while run > 0 and _is_flag_half(text[run - 1]):
            run -= 1
        return (at - run) % 2 == 1
    return False


def _is_extender(char: str) -> bool:
    """Combining marks, variation selectors, skin tones, tags and the low half of a broken pair."""
    code = ord(char)
    return unicodedata.category(char) in ("Mn", "Me", "Mc") or 0x1F3FB <= code <= 0x1F3FF or 0xDC00 <= code <= 0xDFFF


def _is_flag_half(char: str) -> bool:
    return 0x1F1E6 <= ord(char) <= 0x1F1FF
