"""The finished summary: the model's words, and beside them what must not depend on a model.

Kept word for word: the user's first and latest requests, standing rules, and whatever of the other requests fits.
Listed: files, failed calls, active skills, critical rules of AGENTS.md, identifiers that the check found missing. The
whole stays within its limit; the body is cut first, and the lists never take so much that no body is left.
"""

import re
from collections.abc import Callable, Sequence

import msgspec
from msgspec.structs import replace

from openclaw_tui.compaction.extract import files_touched, tool_failures
from openclaw_tui.compaction.user_words import USER_HEADING, kept_user_texts, standing_rules
from openclaw_tui.constants import (
    APPENDIX_MAX_SHARE,
    CRITICAL_RULES_CHARS,
    FILE_LIST_CHARS,
    FILES_REMEMBERED,
    MAX_SUMMARY_CHARS,
    RETENTION_MAX_LISTED,
    TOOL_FAILURES_LISTED,
)
from openclaw_tui.messages import AssistantMessage, Message

TRUNCATED_MARKER = "[Compaction summary truncated to fit budget]"
RULES_HEADING = "## Standing rules of the user, word for word"
FAILURES_HEADING = "## Tool Failures"
RECENT_HEADING = "## Recent turns preserved verbatim"
UNASKED_HEADING = "## Named in the asks above, but in no message of the user"
MISSING_HEADING = "## Identifiers not in the summary above"
FILES_HEADING = "## Files touched"
SKILLS_HEADING = "## Skills in use (read their SKILL.md again before going on)"
CRITICAL_OPEN = "<workspace-critical-rules>"
RECALL_LINE = (
    "Covered messages and whole tool outputs are not lost: recall(pattern) searches them, recall(id) reads one."
)
_HEADINGS = (
    UNASKED_HEADING,
    USER_HEADING,
    RULES_HEADING,
    RECENT_HEADING,
    FILES_HEADING,
    SKILLS_HEADING,
    MISSING_HEADING,
)
_LIST_START = re.compile(
    "^(?:" + "|".join(re.escape(mark) for mark in (*_HEADINGS, CRITICAL_OPEN, RECALL_LINE)) + ")", re.MULTILINE
)
_FENCE = re.compile(r"\A\s*<(summary|state_snapshot)>\s*(.*?)\s*(?:</\1>\s*)?\Z", re.DOTALL)
_SKILL_PATH = re.compile(r"(?:^|/)SKILL\.md$")
_HEADING_LINE = re.compile(r"^(#{2,3})\s+(.*?)\s*$")
_LEGACY_SECTIONS = {"session startup": "every session", "red lines": "safety"}


class Appendix(msgspec.Struct, frozen=True):
    """What stands under the model's words, ready to be joined."""

    unasked: tuple[str, ...] = ()
    user_texts: tuple[str, ...] = ()
    recent: tuple[str, ...] = ()
    standing: tuple[str, ...] = ()
    read_files: tuple[str, ...] = ()
    changed_files: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    rules: str = ""
    missing: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return "\n\n".join(section for section in self._sections() if section)

    def _sections(self) -> list[str]:
        in_force = f"{CRITICAL_OPEN}\nIn force, from AGENTS.md:\n{self.rules}\n</workspace-critical-rules>"
        return [
            _bulleted(UNASKED_HEADING, self.unasked),
            _bulleted(USER_HEADING, self.user_texts),
            _bulleted(RULES_HEADING, self.standing),
            _bulleted(RECENT_HEADING, self.recent),
            _failures(self.failures),
            _files(self.read_files, self.changed_files),
            _bulleted(SKILLS_HEADING, self.skills),
            in_force if self.rules else "",
            _bulleted(MISSING_HEADING, self.missing[:RETENTION_MAX_LISTED]),
            RECALL_LINE,
        ]

    def within(self, room: int) -> "Appendix":
        """The same, shortened step by step until its text fits; requests and rules of the user go last."""
        fitted = self
        for shorten in _SHORTER:
            if len(fitted.text) <= room:
                break
            fitted = shorten(fitted)
        return fitted


_SHORTER: tuple[Callable[[Appendix], Appendix], ...] = (
    lambda a: replace(a, recent=a.recent[-4:]),
    lambda a: replace(a, missing=a.missing[: RETENTION_MAX_LISTED // 4], recent=()),
    lambda a: replace(a, read_files=()),
    lambda a: replace(a, failures=a.failures[-2:]),
    lambda a: replace(a, user_texts=(*a.user_texts[:1], *a.user_texts[1:][-1:])),
    lambda a: replace(a, missing=(), changed_files=a.changed_files[-10:]),
    lambda a: replace(a, rules=a.rules[: CRITICAL_RULES_CHARS // 4], standing=a.standing[-3:]),
    lambda a: replace(a, user_texts=tuple(text[:600] for text in a.user_texts), failures=()),
)


def finish_summary(body: str, appendix: Appendix, limit: int = MAX_SUMMARY_CHARS) -> str:
    """Body and appendix within `limit` characters; a body that is too long is cut with a marker."""
    tail = appendix.within(int(limit * APPENDIX_MAX_SHARE)).text
    room = limit - len(tail) - 2
    text = summary_body(body)
    if len(text) > room:
        text = f"{text[: max(0, room - len(TRUNCATED_MARKER) - 1)].rstrip()}\n{TRUNCATED_MARKER}"
    return f"{text}\n\n{tail}"


def summary_body(summary: str) -> str:
    """The model's words alone: without a fence around them and without the lists that the program adds."""
    fenced = _FENCE.match(summary)
    text = fenced[2] if fenced else summary.strip()
    lists = _LIST_START.search(text)
    return text[: lists.start()].rstrip() if lists and lists.start() else text


def texts_under(summary: str, heading: str) -> tuple[str, ...]:
    """The entries of one list of an older summary."""
    _, found, rest = summary.partition(heading + "\n")
    if not found:
        return ()
    lines: list[str] = []
    for line in rest.splitlines():
        if line.startswith(("## ", CRITICAL_OPEN, RECALL_LINE)):
            break
        lines.append(line)
    entries = re.split(r"^- ", "\n".join(lines).strip(), flags=re.MULTILINE)
    return tuple(entry.replace("\n  ", "\n").strip() for entry in entries if entry.strip())


def active_skills(messages: Sequence[Message]) -> tuple[str, ...]:
    """Paths of SKILL.md files that were read, each once, in order."""
    paths = [
        str(call.arguments.get("path"))
        for message in messages
        if isinstance(message, AssistantMessage)
        for call in message.tool_calls
        if call.name == "read" and _SKILL_PATH.search(str(call.arguments.get("path", "")))
    ]
    return tuple(dict.fromkeys(paths))


def critical_rules(agents_md: str, titles: Sequence[str]) -> str:
    """Sections of AGENTS.md by title, bounded; code fences are no headings, an empty list of titles turns it off."""
    wanted = {title.strip().lower() for title in titles}
    picked = _sections_named(agents_md, wanted)
    if wanted and not picked:
        picked = _sections_named(agents_md, {_LEGACY_SECTIONS[title] for title in wanted & _LEGACY_SECTIONS.keys()})
    text = "\n".join(picked).strip()
    return text if len(text) <= CRITICAL_RULES_CHARS else f"{text[:CRITICAL_RULES_CHARS]}\n...[truncated]..."


def _sections_named(agents_md: str, wanted: set[str]) -> list[str]:
    picked: list[str] = []
    level, fenced = 0, False
    for line in agents_md.splitlines():
        if line.lstrip().startswith("```"):
            fenced = not fenced
        heading = None if fenced else _HEADING_LINE.match(line)
        if heading:
            depth = len(heading[1])
            if level and depth <= level:
                level = 0
            if not level and heading[2].lower() in wanted:
                level = depth
        if level:
            picked.append(line)
    return picked


def build_appendix(
    covered: Sequence[Message],
    previous_summary: str = "",
    *,
    rules: str = "",
    read_before: Sequence[str] = (),
    changed_before: Sequence[str] = (),
    recent: Sequence[str] = (),
) -> Appendix:
    """The lists for the covered part; those of the previous summary and its files are carried on."""
    read, changed = files_touched(covered)
    all_changed = dict.fromkeys([*changed_before, *changed])
    all_read = [path for path in dict.fromkeys([*read_before, *read]) if path not in all_changed]
    user_texts = kept_user_texts(covered, texts_under(previous_summary, USER_HEADING))
    return Appendix(
        user_texts=user_texts,
        recent=tuple(recent),
        standing=standing_rules(covered, texts_under(previous_summary, RULES_HEADING), user_texts),
        read_files=tuple(all_read[-FILES_REMEMBERED:]),
        changed_files=tuple(list(all_changed)[-FILES_REMEMBERED:]),
        failures=tuple(tool_failures(covered)),
        skills=tuple(dict.fromkeys([*texts_under(previous_summary, SKILLS_HEADING), *active_skills(covered)])),
        rules=rules,
    )


def _bulleted(heading: str, lines: Sequence[str]) -> str:
    if not lines:
        return ""
    return "\n".join([heading, *("- " + line.replace("\n", "\n  ") for line in lines)])


def _failures(lines: Sequence[str]) -> str:
    shown = list(lines[-TOOL_FAILURES_LISTED:])
    more = [f"...and {len(lines) - len(shown)} more"] if len(lines) > len(shown) else []
    return _bulleted(FAILURES_HEADING, [*shown, *more])


def _files(read: Sequence[str], changed: Sequence[str]) -> str:
    lines = [f"{name}: {_bounded_list(paths)}" for name, paths in (("changed", changed), ("read", read)) if paths]
    return _bulleted(FILES_HEADING, lines)


def _bounded_list(paths: Sequence[str]) -> str:
    text = ""
    for at, path in enumerate(paths):
        if len(text) + len(path) > FILE_LIST_CHARS:
            return f"{text}, ...and {len(paths) - at} more"
        text += f", {path}" if text else path
    return text
