"""How the guide words what the tools returned. Facts only, each with where it was found."""

import re
from collections.abc import Mapping, Sequence

from openclaw_tui.providers.offline_guide.definitions import Hit, hits
from openclaw_tui.providers.offline_guide.project_facts import ProjectFacts

_NOTE = re.compile(r"^\[Showing lines \d+-\d+ of [^\]]*\]\n?", re.M)
_SUMMARY = re.compile(
    r"\b\d+ (?:passed|failed|errors?|failures|skipped|passing|failing|pending|tests?)\b"
    r"|^(?:ok|FAIL|PASS|FAILED|ERROR)\b|^test result:|^Tests?:|^OK\b|^# (?:pass|fail|tests)\b|no tests ran"
    r"|Ran \d+ tests?"
)
_ENDED = re.compile(r"(?:Command|Process) (?:exited with code (\d+)|ended by signal \w+|timed out)")


def definition_answer(symbol: str, ranked: Sequence[Hit], mentions: Sequence[Hit], problem: str) -> str:
    """`ranked` are places that define the name, best first; `mentions` stand in when there is none."""
    if ranked:
        best = ranked[0]
        lines = [f"`{symbol}` is defined in **{best.path}:{best.line}**:", "", f"    {best.text.strip()[:200]}"]
        if len(ranked) > 1:
            lines += ["", "Other places that look like definitions:"]
            lines += [f"- {hit.path}:{hit.line}  `{hit.text.strip()[:100]}`" for hit in ranked[1:9]]
            lines += [f"- … and {len(ranked) - 9} more"] if len(ranked) > 9 else []
        return "\n".join(lines)
    if mentions:
        listed = "\n".join(f"- {hit.path}:{hit.line}  `{hit.text.strip()[:100]}`" for hit in mentions[:10])
        return f"I found no definition of `{symbol}`, but it is mentioned here:\n{listed}"
    return problem or f"`{symbol}` does not occur in the files that are searched (files that git ignores are left out)."


def project_answer(facts: ProjectFacts, files: Mapping[str, str]) -> str:
    lines = [f"**{facts.name or 'This project'}**" + (f": {facts.description}" if facts.description else "")]
    if facts.intro and _letters(facts.intro) != _letters(facts.description):
        lines += ["", facts.intro]
    if facts.languages:
        lines += ["", f"Written in {', '.join(facts.languages)}."]
    if facts.test_commands:
        lines += ["", "How to run its tests:"]
        lines += [f"- `{test.command}` ({_source(test.source)})" for test in facts.test_commands[:4]]
        if facts.test_needs:
            lines.append(f"- what they need is installed with {facts.test_needs}")
        if "Python" in facts.languages and not facts.has_test_folder:
            lines.append("- but there is no folder of tests at the top of this copy")
    else:
        lines += ["", "I found no test command in its manifests, README or CONTRIBUTING."]
    if facts.folders:
        lines += ["", f"Folders at the top: {', '.join(facts.folders[:12])}"]
    read = ", ".join(files) or "only the folder listing"
    return "\n".join([*lines, "", f"Read for this: {read}."])


def test_answer(tried: Sequence[tuple[str, str]], needs: str) -> str:
    """`tried` are the commands with their whole output; all but the last could not start. `needs` is how to install."""
    command, output = tried[-1]
    if was_refused(output):
        return f"The tests would be run with `{command}`, but that was not allowed:\n\n{quoted(output)}"
    before = "".join(f"`{earlier}` could not start here ({_why(text)}). " for earlier, text in tried[:-1])
    if could_not_start(output):
        also = " either" if before else ""
        cure = f"\n\nWhat the tests need is installed with {needs}." if needs else ""
        return f"{before}`{command}` could not start here{also}:\n\n{quoted(first_lines(output, 12))}{cure}"
    lines = [line for line in output.splitlines() if line.strip() and not line.startswith("Process still running")]
    failures = [line for line in lines if re.match(r"(?:FAILED|ERROR|FAIL:|not ok|---\s+FAIL|✗|✕)", line.strip())][:10]
    summary = [line for line in lines if _SUMMARY.search(line.strip()) and line not in failures][-6:]
    shown = [*failures, *summary] or lines[-12:]
    return f"{before}`{command}` {_verdict(output)}:\n\n" + quoted("\n".join(shown))


def run_answer(command: str, output: str) -> str:
    if was_refused(output):
        return f"`{command}` was not run:\n\n{quoted(output)}"
    return f"`{command}` {_verdict(output)}:\n\n{quoted(first_lines(output, 60))}"


def search_answer(subject: str, output: str, failed: bool) -> str:
    if failed:
        return failure("searching", output)
    found = hits(output)
    if not found:
        return f"Nothing found for `{subject}`.\n\n{first_lines(output, 4)}"
    files = len({hit.path for hit in found})
    listed = "\n".join(f"- {hit.path}:{hit.line}  `{hit.text.strip()[:120]}`" for hit in found[:30])
    more = f"\n- … and {len(found) - 30} more" if len(found) > 30 else ""
    return (
        f"`{subject}` stands in {files} file{'s' if files != 1 else ''}"
        f" ({len(found)} line{'s' if len(found) != 1 else ''}):\n{listed}{more}"
    )


def find_answer(pattern: str, output: str, failed: bool) -> str:
    if failed:
        return failure("finding", output)
    return f"Files for `{pattern}`:\n\n{quoted(first_lines(output, 60))}"


def list_answer(path: str, output: str, failed: bool) -> str:
    return failure("listing", output) if failed else f"In `{path}`:\n\n{quoted(first_lines(output, 80))}"


def notes_answer(subject: str, output: str, failed: bool) -> str:
    """The search's own words: places with lines, or that nothing is there."""
    if failed:
        return failure("searching the notes", output)
    if output.startswith(("nothing found", "there are no notes")):
        return f"About `{subject}`: {first_lines(output, 4)}."
    return f"The notes of earlier sessions say about `{subject}`:\n\n{quoted(first_lines(output, 40))}"


def code_block(path: str, text: str) -> str:
    """A file's text in a fence, with the tool's note about what is not shown below it."""
    note = _NOTE.search(text)
    body = first_lines(_NOTE.sub("", text), 200)
    ending = path.rsplit(".", 1)[-1] if "." in path.rsplit("/", 1)[-1] else ""
    fence = "````" if "```" in body else "```"
    tail = f"\n\n{note[0].strip().strip('[]')}" if note else ""
    return f"`{path}`:\n\n{fence}{ending}\n{body.strip(chr(10))}\n{fence}{tail}"


def failure(doing: str, text: str) -> str:
    return f"{doing.capitalize()} did not work: {first_lines(text, 6)}"


def first_lines(text: str, count: int = 12) -> str:
    lines = text.rstrip().splitlines()
    return "\n".join(lines[:count]) + (f"\n… {len(lines) - count} more lines" if len(lines) > count else "")


def help_text() -> str:
    return (
        "I only follow plain requests. For example:\n"
        "- `what is this project and how do I run its tests?`\n"
        "- `find where NAME is defined and show it`, `search for TEXT`, `find files *.py`, `list src/`\n"
        "- `read README.md lines 1-40`, `run the tests`, `run git status`\n"
        "- `what did we decide about SUBJECT?`\n"
        '- `write notes.txt with "some text"`, `in app.py replace "old" with "new"`'
    )


def was_refused(output: str) -> bool:
    """The permission system's answer, as the tool runner words it."""
    return output.startswith("Not run: ")


def could_not_start(output: str) -> bool:
    """The command's program is not there, so another way may work."""
    return bool(
        re.search(
            r"exited with code 127|No module named ['\"]?(?:pytest|tox|nox|unittest)\b|No rule to make target"
            r"|pyenv: \S+: command not found|code 126",
            output,
        )
    )


def quoted(text: str) -> str:
    fence = "````" if "```" in text else "```"
    return f"{fence}\n{text.strip(chr(10)).rstrip()}\n{fence}"


def _why(output: str) -> str:
    found = re.search(
        r"No module named \S+|\S+: (?:command )?not found|No rule to make target [^.\n]*|No such file[^\n]*", output
    )
    return found[0] if found else "it was not found"


def _verdict(output: str) -> str:
    ended = _ENDED.findall(output)
    if "timed out after" in output or re.search(r"ended by signal", output):
        return "was ended"
    return "failed" if any(code not in ("", "0") for code in ended) else "ran"


def _source(source: str) -> str:
    return source if source.startswith("a guess") else f"from {source}"


def _letters(text: str) -> str:
    return re.sub(r"\W+", "", text).lower()
