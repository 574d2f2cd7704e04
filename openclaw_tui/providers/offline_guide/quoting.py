"""Quotes, fences, paths and clauses of a request: what a person sets off from the rest of the sentence."""

import re

_FENCE = re.compile(r"```[\w+-]*\n(.*?)\n?```", re.DOTALL)
_QUOTED = re.compile(
    r"`([^`\n]+)`|\"([^\"\n]+)\"|“([^”\n]+)”|「([^」\n]+)」|‘([^’\n]+)’|(?<![\w'])'([^'\n]+)'(?![\w'])",
)
PATH = re.compile(
    r"(?<![\w./-])((?:~|\.{1,2})?/?(?:[\w.@+-]+/)*[\w.@+-]*\.[A-Za-z][A-Za-z0-9]{0,7}"
    r"|(?:\.{1,2}/|~?/)?(?:[\w.@+-]+/)+[\w.@+-]*|(?:Makefile|Dockerfile|LICENSE|NOTICE|README|CHANGELOG))(?![\w/-])",
    re.ASCII,
)
_NAMED_FILE = re.compile(r"[^\s`\"]+\.\w{1,8}|[^\s`\"]+/[^\s`\"]*")
_VERBS = (
    r"(?:show|read|run|list|find|search|grep|explain|describe|write|create|open|print|display|execute|replace|edit|change"
    r"|view|tell|how|what|where|give)"
)
_JOINTS = re.compile(
    rf"[,;]?\s+and\s+then\s+(?={_VERBS}\b)|[,;]?\s+then\s+(?={_VERBS}\b)|,?\s+and\s+(?=(?:also\s+|please\s+)?{_VERBS}\b)"
    r"|[，,；;。]?\s*(?:然后|接着|并且|再|并)\s*(?=显示|展示|打开|读|运行|执行|列出|搜索|查找|写|把|将|查看)",
    re.I,
)


def fenced_text(text: str) -> str | None:
    """What stands in the first fence, None when there is none."""
    found = _FENCE.search(text)
    return found[1] if found else None


def without_fences(text: str) -> str:
    return _FENCE.sub(" ", text)


def quoted_texts(text: str) -> list[str]:
    """Everything in quotes, in order."""
    return [next(group for group in groups if group) for groups in _QUOTED.findall(text)]


def without_quotes(text: str) -> str:
    return _QUOTED.sub(" ", without_fences(text))


def first_path(text: str) -> str:
    """The path a sentence names, a quoted one before a bare one; empty when there is none."""
    for quoted in quoted_texts(text):
        if PATH.fullmatch(quoted) or _NAMED_FILE.fullmatch(quoted):
            return quoted
    found = PATH.search(text)
    return found[1] if found else ""


def is_quoted_at(text: str, place: int) -> bool:
    """True when the place lies within quotes or a fence, not at their edge."""
    return any(m.start() < place < m.end() for pattern in (_FENCE, _QUOTED) for m in pattern.finditer(text))


def split_clauses(text: str) -> list[str]:
    """The clauses of a request. Joints inside quotes and fences join nothing."""
    shielded = [match.span() for pattern in (_FENCE, _QUOTED) for match in pattern.finditer(text)]
    clauses: list[str] = []
    start = 0
    for joint in _JOINTS.finditer(text):
        if any(begin < joint.end() and joint.start() < end for begin, end in shielded):
            continue
        clauses.append(text[start : joint.start()])
        start = joint.end()
    return [clause for clause in [*clauses, text[start:]] if clause.strip()]
