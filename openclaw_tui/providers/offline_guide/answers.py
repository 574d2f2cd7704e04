"""How the guide words what the tools returned. Facts only, each with where it was found."""

import re
from collections.abc import Mapping, Sequence
from typing import Protocol

from openclaw_tui.providers.offline_guide.project_facts import ProjectFacts

Hit = tuple[str, int, str]
_HIT = re.compile(r"^(?P<path>[^\s:][^:\n]*):(?P<line>\d+): ?(?P<text>.*)$", re.M)
_DEFINES = re.compile(
    r"^\s*(export\s+|pub\s+|async\s+|static\s+|public\s+|private\s+|abstract\s+|final\s+)*(def|class|function|fn|func|type|struct|enum|trait|interface|impl)\b"
)


class _Searched(Protocol):
    @property
    def text(self) -> str: ...

    @property
    def failed(self) -> bool: ...


def definition_pattern(symbol: str) -> str:
    """A regular expression for places that define a name in the common languages."""
    words = "def|class|function|fn|func|type|struct|enum|trait|interface|impl|const|let|var|val|module|record|macro"
    return (
        rf"(\b({words})\s+(\([^)]*\)\s*)?{symbol}\b)|(^\s*{symbol}\s*(:\s*\w[^=]*)?=[^=])|(#define\s+{symbol}\b)"
        rf"|(^\s*(export\s+)?(const|let|var)\s+{symbol}\b)"
    )


def hits(text: str) -> list[Hit]:
    """Matches in grep's output: path, line, text."""
    return [(m["path"], int(m["line"]), m["text"].strip()) for m in _HIT.finditer(text)]


def best_definition(found: Sequence[Hit]) -> Hit:
    """The likeliest definition: a line that defines, outside of tests, in the shortest path."""
    return min(found, key=lambda hit: (not _DEFINES.match(hit[2]), "test" in hit[0].lower(), len(hit[0]), hit[1]))


def definition_answer(symbol: str, found: Sequence[Hit], searches: Sequence[_Searched]) -> str:
    if found:
        best = best_definition(found)
        lines = [f"`{symbol}` is defined in **{best[0]}:{best[1]}**:", "", f"    {best[2]}"]
        others = [hit for hit in found if hit != best]
        if others:
            lines += ["", "Other places that look like definitions:"]
            lines += [f"- {path}:{line}  `{text[:100]}`" for path, line, text in others[:8]]
        return "\n".join(lines)
    mentions = hits(searches[-1].text) if len(searches) > 1 else []
    if mentions:
        listed = "\n".join(f"- {path}:{line}  `{text[:100]}`" for path, line, text in mentions[:10])
        return f"I found no definition of `{symbol}`, but it is mentioned here:\n{listed}"
    if searches and searches[0].failed:
        return failure("searching", searches[0].text)
    return f"`{symbol}` does not occur in the files that are searched (files that git ignores are left out)."


def project_answer(facts: ProjectFacts, files: Mapping[str, str]) -> str:
    lines = [f"**{facts.name or 'This project'}**" + (f": {facts.description}" if facts.description else "")]
    if facts.intro and facts.intro != facts.description:
        lines += ["", facts.intro]
    if facts.languages:
        lines += ["", f"Written in {', '.join(facts.languages)}."]
    if facts.test_commands:
        lines += ["", "How to run its tests:"]
        lines += [f"- `{command}` (from {source})" for command, source in facts.test_commands[:4]]
    else:
        lines += ["", "I found no test command in its manifests or README."]
    if facts.folders:
        lines += ["", f"Folders at the top: {', '.join(facts.folders[:12])}"]
    read = ", ".join(files) or "only the folder listing"
    return "\n".join([*lines, "", f"Read for this: {read}."])


def test_answer(command: str, output: str, failed: bool) -> str:
    if _refused(output):
        return f"The tests would be run with `{command}`, but that was not allowed:\n\n{_quoted(output)}"
    lines = [line for line in output.splitlines() if line.strip()]
    summary = [
        line
        for line in lines
        if re.search(r"\b\d+ (passed|failed|errors?|skipped|tests?)\b|^(ok|FAIL|PASS)\b|Command exited", line)
    ]
    shown = summary[-6:] or lines[-12:]
    verdict = "failed" if failed or re.search(r"\b[1-9]\d* failed\b|exited with code [1-9]", output) else "ran"
    return f"`{command}` {verdict}:\n\n" + _quoted("\n".join(shown))


def run_answer(command: str, output: str, failed: bool) -> str:
    if _refused(output):
        return f"`{command}` was not run:\n\n{_quoted(output)}"
    return f"`{command}` {'failed' if failed else 'ran'}:\n\n{_quoted(first_lines(output, 40))}"


def search_answer(subject: str, output: str, failed: bool) -> str:
    if failed:
        return failure("searching", output)
    found = hits(output)
    if not found:
        return f"Nothing found for `{subject}`.\n\n{first_lines(output, 4)}"
    files = len({path for path, _, _ in found})
    listed = "\n".join(f"- {path}:{line}  `{text[:120]}`" for path, line, text in found[:30])
    more = f"\n- … and {len(found) - 30} more" if len(found) > 30 else ""
    return f"`{subject}` stands in {files} file{'s' if files != 1 else ''} ({len(found)} lines):\n{listed}{more}"


def find_answer(pattern: str, output: str, failed: bool) -> str:
    if failed:
        return failure("finding", output)
    return f"Files for `{pattern}`:\n\n{_quoted(first_lines(output, 60))}"


def list_answer(path: str, output: str, failed: bool) -> str:
    return failure("listing", output) if failed else f"In `{path}`:\n\n{_quoted(first_lines(output, 80))}"


def code_block(path: str, text: str) -> str:
    ending = path.rsplit(".", 1)[-1] if "." in path else ""
    fence = "````" if "```" in text else "```"
    return f"`{path}`:\n\n{fence}{ending}\n{first_lines(text, 200)}\n{fence}"


def failure(doing: str, text: str) -> str:
    return f"{doing.capitalize()} did not work: {first_lines(text, 6)}"


def first_lines(text: str, count: int = 12) -> str:
    lines = text.rstrip().splitlines()
    return "\n".join(lines[:count]) + (f"\n… {len(lines) - count} more lines" if len(lines) > count else "")


def help_text(request: str) -> str:
    return (
        "I only follow plain requests. For example:\n"
        "- `what is this project and how do I run its tests?`\n"
        "- `find where NAME is defined and show it`, `search for TEXT`, `find files *.py`, `list src/`\n"
        "- `read README.md lines 1-40`, `run the tests`, `run git status`\n"
        '- `write notes.txt with "some text"`, `in app.py replace "old" with "new"`'
    )


def _refused(output: str) -> bool:
    return bool(re.search(r"nobody can be asked|was refused|not allowed|denied by|plan mode", output[:400], re.I))


def _quoted(text: str) -> str:
    fence = "````" if "```" in text else "```"
    return f"{fence}\n{text.rstrip()}\n{fence}"
