"""Notes without a model: the user's own sentences that decide, prefer or leave something to do.

Only what the user said is looked at, never tool output or a web page: a text that was read cannot write itself into
the notes. Deterministic.
"""

import re
from collections.abc import Iterable, Sequence

from openclaw_tui.constants import FLUSH_EXTRACT_LINE_CHARS, FLUSH_EXTRACT_LINES
from openclaw_tui.messages import Message, UserMessage, text_of

_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "Decisions",
        re.compile(
            r"\b(decided|decision|we(?:'ll| will) use|let'?s use|agreed|settled)\b|决定|约定|採用|采用|決め", re.I
        ),
    ),
    (
        "Preferences and rules",
        re.compile(
            r"\b(always|never|prefer|must|do not|don'?t|from now on|please use)\b|偏好|必须|不要|禁止|必ず", re.I
        ),
    ),
    (
        "To do",
        re.compile(
            r"\b(todo|to-do|remember to|later we|next time|still open|follow[- ]up)\b|待办|稍后|下次|後で", re.I
        ),
    ),
    ("To remember", re.compile(r"\b(remember|note that|keep in mind|codename)\b|记住|记得|覚えて", re.I)),
)
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+|\n+|(?<=[。！？])")
_QUESTION = re.compile(r"[?？]\s*$")


def extract_notes(messages: Sequence[Message]) -> dict[str, list[str]]:
    """Sentences by kind, each once, the latest where there are too many."""
    found: dict[str, list[str]] = {}
    seen: set[str] = set()
    for sentence in _sentences(messages):
        kind = next((name for name, pattern in _KINDS if pattern.search(sentence)), None)
        if kind is not None and sentence.casefold() not in seen:
            seen.add(sentence.casefold())
            found.setdefault(kind, []).append(sentence)
    return {kind: found[kind][-FLUSH_EXTRACT_LINES:] for kind, _ in _KINDS if kind in found}


def as_bullets(notes: dict[str, list[str]]) -> str:
    return "\n".join(f"## {kind}\n" + "\n".join(f"- {line}" for line in lines) for kind, lines in notes.items())


def _sentences(messages: Sequence[Message]) -> Iterable[str]:
    for message in messages:
        if not isinstance(message, UserMessage) or message.origin != "user":
            continue
        for part in _SENTENCE.split(text_of(message.content)):
            sentence = " ".join(part.split()).strip("-*• ")
            if 8 <= len(sentence) <= FLUSH_EXTRACT_LINE_CHARS and not _QUESTION.search(sentence):
                yield sentence
