"""Where vi's motions lead in a text. Pure: a text, a place and a motion in, a place out; graphemes stay whole."""

import re

from openclaw_tui.ui.early_draft import graphemes

MOTIONS = ("h", "l", "j", "k", "w", "b", "e", "0", "^", "$", "gg", "G", " ")
_WORD = re.compile(r"\w+|[^\w\s]+")


def line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def line_end(text: str, at: int) -> int:
    """The place of the line feed, or of the end."""
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def next_stop(text: str, at: int) -> int:
    """Behind the grapheme at a place; a place inside a line only."""
    return min((stop for stop in _stops(text, at) if stop > at), default=at)


def moved(text: str, at: int, motion: str, count: int) -> int:
    """Where a motion leads; where there is none, the place it began at."""
    if motion[:1] in ("f", "t", "F", "T") and len(motion) == 2:
        return _found(text, at, motion[0], motion[1], count)
    match motion:
        case "0":
            return line_start(text, at)
        case "^":
            start = line_start(text, at)
            line = text[start : line_end(text, at)]
            return start + len(line) - len(line.lstrip())
        case "$":
            return line_end(text, at)
        case "gg":
            return 0
        case "G":
            return line_start(text, len(text))
    for _ in range(count):
        at = _step(text, at, motion)
    return at


def _step(text: str, at: int, motion: str) -> int:
    match motion:
        case "h":
            return max((stop for stop in _stops(text, at) if stop < at), default=at)
        case "l" | " ":
            return next_stop(text, at)
        case "j" | "k":
            return _other_line(text, at, 1 if motion == "j" else -1)
        case "w":
            return next((word.start() for word in _WORD.finditer(text) if word.start() > at), len(text))
        case "b":
            return max((word.start() for word in _WORD.finditer(text) if word.start() < at), default=0)
        case "e":
            return next((word.end() - 1 for word in _WORD.finditer(text) if word.end() - 1 > at), max(0, len(text) - 1))
    return at


def _stops(text: str, at: int) -> list[int]:
    """The places between the graphemes of a line."""
    place = line_start(text, at)
    stops = [place]
    for part in graphemes(text[place : line_end(text, at)]):
        place += len(part)
        stops.append(place)
    return stops


def _other_line(text: str, at: int, step: int) -> int:
    start = line_start(text, at)
    column = at - start
    if step < 0:
        if start == 0:
            return at
        above = line_start(text, start - 1)
        return min(above + column, start - 1)
    end = line_end(text, at)
    if end == len(text):
        return at
    return min(end + 1 + column, line_end(text, end + 1))


def _found(text: str, at: int, how: str, wanted: str, count: int) -> int:
    start, end, place = line_start(text, at), line_end(text, at), at
    for _ in range(count):
        place = text.find(wanted, place + 1, end) if how in "ft" else text.rfind(wanted, start, place)
        if place < 0:
            return at
    return place if how in "fF" else place - 1 if how == "t" else place + 1
