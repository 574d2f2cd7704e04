"""Summaries without a model: what can be read off a labelled conversation.

The compaction hands over its material as labelled paragraphs (`[User]: …`, `[Assistant calls exec]: …`). Goal,
decisions, open work, files and identifiers are extracted line by line; several summaries are joined section by section.
"""

import json
import re

from openclaw_tui.messages import UserMessage, text_of
from openclaw_tui.providers.base import ProviderRequest

_MATERIAL = re.compile(r"<(conversation|part number=\d+|summary)>\n")
_PARAGRAPH = re.compile(r"^\[([^\]\n]+)\]: ?", re.M)
_DECISION = re.compile(
    r"\b(decided|decision|we will|let's|agreed|must|never|always|prefer)\b|决定|约定|必须|不要", re.I
)
_OPEN = re.compile(r"\b(todo|next|remaining|still|open|left to do|pending)\b|待办|下一步|未完成", re.I)
_IDENTIFIER = re.compile(
    r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}|https?://[^\s\"'<>)\]]+"
    r"|(?<![\w.@+/-])(?:[\w.@+-]+/)+[\w.@+-]+\.\w{1,8}|\b[0-9a-f]{10,40}\b|#\d{2,}|\b[A-Z][A-Z0-9]+-\d{2,}\b"
)


def is_summary_request(request: ProviderRequest) -> bool:
    """True for the calls of a compaction: no tools, and material in its marks."""
    if request.tools or not request.messages:
        return False
    last = request.messages[-1]
    return isinstance(last, UserMessage) and bool(_MATERIAL.search(text_of(last.content)))


def write_summary(request: ProviderRequest) -> str:
    material = text_of(request.messages[-1].content)
    if "<part number=" in material or material.startswith("<summary>"):
        return _joined(material)
    talk = _paragraphs(_inside(material, "conversation"))
    users = [text for who, text in talk if who == "User"]
    calls = [(who, text) for who, text in talk if who.startswith("Assistant calls ")]
    said = [text for who, text in talk if who == "Assistant"]
    sentences = [s.strip() for text in users + said for s in re.split(r"(?<=[.!?。！？])\s+|\n", text) if s.strip()]
    sections = (
        ("## Decisions", [s for s in sentences if _DECISION.search(s)]),
        ("## Open TODOs", [s for s in sentences if _OPEN.search(s)]),
        (
            "## Constraints/Rules",
            [s for s in sentences if re.search(r"\b(must|never|always|do not|don't)\b|必须|不要|禁止", s, re.I)],
        ),
        ("## Pending user asks", users[-2:]),
        ("## Exact identifiers", _identifiers(material)),
    )
    goal = f"Goal: {_short(users[0])}\nLatest request: {_short(users[-1])}" if users else "Goal: not stated"
    work = [f"- {who.removeprefix('Assistant calls ')}: {_call(text)}" for who, text in calls]
    body = [goal, "", "Work done:", *(work[-25:] or ["- none"])]
    for heading, lines in sections:
        body += ["", heading, *([f"- {_short(line)}" for line in dict.fromkeys(lines)][-15:] or ["None captured."])]
    return "\n".join(body)


def _joined(material: str) -> str:
    """Sections of several summaries under one heading each, repeated lines once."""
    sections: dict[str, list[str]] = {}
    heading = ""
    for line in material.splitlines():
        if line.startswith("<") or line in ("None captured.", "- none"):
            continue
        if line.startswith("## "):
            heading = line
        elif line.strip():
            kept = sections.setdefault(heading, [])
            if line not in kept:
                kept.append(line)
    parts = [("\n".join([name, *lines[-40:]]) if name else "\n".join(lines[-40:])) for name, lines in sections.items()]
    return "\n\n".join(parts)[:12_000] or "Nothing could be extracted."


def _inside(text: str, tag: str) -> str:
    _, _, rest = text.partition(f"<{tag}>\n")
    body, _, _ = rest.rpartition(f"\n</{tag}>")
    return body


def _paragraphs(text: str) -> list[tuple[str, str]]:
    marks = list(_PARAGRAPH.finditer(text))
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    return [(mark[1], text[mark.end() : end].strip()) for mark, end in zip(marks, ends, strict=True)]


def _call(text: str) -> str:
    try:
        data = json.loads(text)
    except json.JSONDecodeError:
        return _short(text)
    return (
        _short(", ".join(f"{key}={value}" for key, value in data.items())) if isinstance(data, dict) else _short(text)
    )


def _identifiers(text: str) -> list[str]:
    return list(dict.fromkeys(_IDENTIFIER.findall(text)))[-40:]


def _short(text: str, limit: int = 240) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"
