"""The finished summary: the model's words, and beside them what must not depend on a model.

Kept word for word: the user's first and latest requests and whatever of the others fits. Listed: files, failed calls,
active skills, critical rules of AGENTS.md, identifiers that the check found missing. The whole stays within its limit;
the body is cut first, never the appendix.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from openclaw_tui.compaction.extract import files_touched, tool_failures
from openclaw_tui.constants import (
    CRITICAL_RULES_CHARS,
    FILE_LIST_CHARS,
    KEPT_USER_TEXT_CHARS,
    KEPT_USER_TOTAL_CHARS,
    MAX_SUMMARY_CHARS,
    RETENTION_MAX_LISTED,
    TOOL_FAILURES_LISTED,
)
from openclaw_tui.messages import AssistantMessage, Message, UserMessage, text_of

TRUNCATED_MARKER = "[Compaction summary truncated to fit budget]"
USER_HEADING = "## Messages of the user, word for word"
FAILURES_HEADING = "## Tool Failures"
MISSING_HEADING = "## Identifiers not in the summary above"
FILES_HEADING = "## Files"
SKILLS_HEADING = "## Skills in use (read their SKILL.md again before going on)"
_SKILL_PATH = re.compile(r"(?:^|/)SKILL\.md$")
_HEADING_LINE = re.compile(r"^(#{2,3})\s+(.*?)\s*$")


@dataclass(frozen=True, slots=True)
class Appendix:
    """What stands under the model's words, ready to be joined."""

    user_texts: tuple[str, ...] = ()
    read_files: tuple[str, ...] = ()
    changed_files: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    rules: str = ""
    missing: tuple[str, ...] = ()

    def sections(self) -> list[str]:
        return [section for section in self._all() if section]

    def _all(self) -> list[str]:
        return [
            _bulleted(USER_HEADING, self.user_texts),
            _failures(self.failures),
            _files(self.read_files, self.changed_files),
            _bulleted(SKILLS_HEADING, self.skills),
            f"<workspace-critical-rules>\n{self.rules}\n</workspace-critical-rules>" if self.rules else "",
            _bulleted(MISSING_HEADING, self.missing[:RETENTION_MAX_LISTED]),
        ]


def finish_summary(body: str, appendix: Appendix) -> str:
    """Body and appendix within `MAX_SUMMARY_CHARS`; a body that is too long is cut with a marker."""
    tail = "\n\n".join(appendix.sections())
    room = MAX_SUMMARY_CHARS - len(tail) - 2 if tail else MAX_SUMMARY_CHARS
    text = body.strip()
    if len(text) > room:
        text = f"{text[: max(0, room - len(TRUNCATED_MARKER) - 1)].rstrip()}\n{TRUNCATED_MARKER}"
    return f"{text}\n\n{tail}" if tail else text


def kept_user_texts(covered: Sequence[Message], earlier: Sequence[str] = ()) -> tuple[str, ...]:
    """The user's own words in the covered part: the first and the latest for certain, of the others the newest.

    `earlier` are those an older compaction kept already; they come first.
    """
    texts = [*earlier, *(_user_text(m) for m in covered if isinstance(m, UserMessage) and m.origin == "user")]
    texts = [text for text in dict.fromkeys(texts) if text]
    if not texts:
        return ()
    chosen = {0, len(texts) - 1}
    used = sum(len(texts[at]) for at in chosen)
    for at in range(len(texts) - 2, 0, -1):
        if used + len(texts[at]) <= KEPT_USER_TOTAL_CHARS:
            chosen.add(at)
            used += len(texts[at])
    return tuple(texts[at] for at in sorted(chosen))


def texts_kept_before(summary: str) -> tuple[str, ...]:
    """The user's words that stand in an older summary's appendix."""
    _, found, rest = summary.partition(USER_HEADING + "\n")
    if not found:
        return ()
    lines: list[str] = []
    for line in rest.splitlines():
        if line.startswith(("## ", "<workspace-critical-rules>")):
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
    text = "\n".join(picked).strip()
    return text if len(text) <= CRITICAL_RULES_CHARS else f"{text[:CRITICAL_RULES_CHARS]}\n...[truncated]..."


def build_appendix(
    covered: Sequence[Message], previous_summary: str, *, rules: str = "", missing: Sequence[str] = ()
) -> Appendix:
    read, changed = files_touched(covered)
    return Appendix(
        user_texts=kept_user_texts(covered, texts_kept_before(previous_summary)),
        read_files=tuple(read),
        changed_files=tuple(changed),
        failures=tuple(tool_failures(covered)),
        skills=active_skills(covered),
        rules=rules,
        missing=tuple(missing),
    )


def _user_text(message: UserMessage) -> str:
    text = text_of(message.content).strip()
    if len(text) <= KEPT_USER_TEXT_CHARS:
        return text
    half = KEPT_USER_TEXT_CHARS // 2
    return f"{text[:half]}\n[... {len(text) - 2 * half} characters left out ...]\n{text[-half:]}"


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
