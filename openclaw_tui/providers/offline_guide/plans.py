"""One plan for each kind of intent: from what its calls brought so far to its next calls, or to its answer.

A plan is a pure function. It is asked again with more results until it answers; every list of calls it returns is
matched by as many results.
"""

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import msgspec

from openclaw_tui.providers.offline_guide import answers
from openclaw_tui.providers.offline_guide.definitions import (
    definition_pattern,
    hits,
    last_name,
    owner_name,
    ranked,
)
from openclaw_tui.providers.offline_guide.intents import Intent
from openclaw_tui.providers.offline_guide.project_facts import files_to_read, gather_facts, top_entries
from openclaw_tui.providers.offline_guide.test_commands import runnable

_RUNNING = re.compile(r"still running after \d+ s \(sessionId ([^,)]+)")
_WAIT_MILLISECONDS = {"exec": {"yieldMs": 120_000}, "process": {"timeout": 120_000}}


class Done(msgspec.Struct, frozen=True):
    """A call of this turn with its result."""

    name: str
    arguments: Mapping[str, Any]
    text: str
    failed: bool


Step: TypeAlias = list[tuple[str, dict[str, Any]]] | str
"""Calls to make, or the text of the answer."""


def _explain(intent: Intent, done: Sequence[Done]) -> Step:
    step = _papers(done)
    if step is not None:
        return step
    files = _read_files(done)
    return answers.project_answer(gather_facts(done[0].text, files), files)


def _run_tests(intent: Intent, done: Sequence[Done]) -> Step:
    step = _papers(done)
    if step is not None:
        return step
    facts = gather_facts(done[0].text, _read_files(done))
    commands = runnable(facts.test_commands, top_entries(done[0].text))
    if intent.target:
        commands = [f"{c} {shlex.quote(intent.target)}" for c in commands if re.search(r"\b(pytest|unittest)$", c)]
    if not commands:
        return (
            "I found no test command: no manifest, README or CONTRIBUTING here names one. Tell me the command to run."
        )
    ran = [d for d in done if d.name in ("exec", "process")]
    tried: list[tuple[str, str]] = []
    for command in commands[:4]:
        output, ran, step = _ran(command, ran)
        if step is not None:
            return step
        tried.append((command, output))
        if not answers.could_not_start(output):
            break
    return answers.test_answer(tried, facts.test_needs)


def _run(intent: Intent, done: Sequence[Done]) -> Step:
    output, _, step = _ran(intent.target, list(done))
    return step if step is not None else answers.run_answer(intent.target, output)


def _ran(command: str, done: Sequence[Done]) -> tuple[str, list[Done], Step | None]:
    """A command's whole output with what is left of the results, or the call that is still needed."""
    if not done:
        return "", [], [("exec", {"command": command} | _WAIT_MILLISECONDS["exec"])]
    first, rest = done[0], list(done[1:])
    running = _RUNNING.search(first.text)
    if running is None:
        return first.text, rest, None
    output = first.text.split("its end:\n", 1)[1] if "its end:\n" in first.text else ""
    while rest:
        poll = rest.pop(0)
        output += f"\n{poll.text}"
        if poll.failed or not re.search(r"^Process still running", poll.text, re.M):
            return output, rest, None
    wait = {"action": "poll", "sessionId": running[1]} | _WAIT_MILLISECONDS["process"]
    return output, [], [("process", wait)]


def _definition(intent: Intent, done: Sequence[Done]) -> Step:
    name, owner = last_name(intent.target), owner_name(intent.target)
    if not done:
        return [("grep", {"pattern": definition_pattern(name), "limit": 60})]
    found = hits(done[0].text)
    searches = [d for d in done if d.name == "grep"]
    if not found and len(searches) == 1:
        return [("grep", {"pattern": name, "literal": True, "limit": 20})]
    if found and owner and len(searches) == 1:
        return [("grep", {"pattern": definition_pattern(owner), "limit": 60})]
    likely = ranked(intent.target, found, hits(searches[1].text) if found and owner else [])
    mentions = [] if found else hits(searches[-1].text)
    problem = answers.failure("searching", done[0].text) if done[0].failed else ""
    said = answers.definition_answer(intent.target, likely, mentions, problem)
    if not likely or not intent.show:
        return said
    best = likely[0]
    if done[-1].name != "read":
        return [("read", {"path": best.path, "offset": max(1, best.line - 1), "limit": 40})]
    return f"{said}\n\n{_shown(best.path, done[-1])}"


def _search(intent: Intent, done: Sequence[Done]) -> Step:
    if not done:
        arguments: dict[str, Any] = {"pattern": intent.target, "literal": True}
        return [("grep", arguments | ({"path": intent.extra} if intent.extra else {}))]
    found = hits(done[0].text)
    said = answers.search_answer(intent.target, done[0].text, done[0].failed)
    if not intent.show or not found or done[0].failed:
        return said
    if len(done) == 1:
        return [("read", {"path": found[0].path, "offset": max(1, found[0].line - 5), "limit": 30})]
    return f"{said}\n\n{_shown(found[0].path, done[1])}"


def _find(intent: Intent, done: Sequence[Done]) -> Step:
    if not done:
        return [("find", {"pattern": intent.target})]
    said = answers.find_answer(intent.target, done[0].text, done[0].failed)
    first = done[0].text.split("\n", 1)[0].strip()
    if not intent.show or done[0].failed or not first or first.startswith(("[", "(", "No ")) or first.endswith("/"):
        return said
    if len(done) == 1:
        return [("read", {"path": first})]
    return f"{said}\n\n{_shown(first, done[1])}"


def _list(intent: Intent, done: Sequence[Done]) -> Step:
    if not done:
        return [("ls", {"path": intent.target})]
    return answers.list_answer(intent.target, done[0].text, done[0].failed)


def _read(intent: Intent, done: Sequence[Done]) -> Step:
    if not done:
        arguments: dict[str, Any] = {"path": intent.target}
        if intent.first:
            arguments |= {"offset": intent.first, "limit": intent.last - intent.first + 1}
        return [("read", arguments)]
    return _shown(intent.target, done[0])


def _write(intent: Intent, done: Sequence[Done]) -> Step:
    """An existing file is read first, as the tool demands."""
    call = ("write", {"path": intent.target, "content": intent.extra})
    if not done:
        return [call]
    wrote = [d for d in done if d.name == "write"]
    if wrote[-1].failed and len(wrote) == 1 and not answers.was_refused(wrote[-1].text):
        return [("read", {"path": intent.target})] if done[-1].name == "write" else [call]
    if wrote[-1].failed:
        return answers.failure("writing", wrote[-1].text)
    return answers.first_lines(wrote[-1].text)


def _edit(intent: Intent, done: Sequence[Done]) -> Step:
    if not done:
        return [("read", {"path": intent.target})]
    if done[0].failed:
        return answers.failure("reading", done[0].text)
    if len(done) == 1:
        return [("edit", {"path": intent.target, "edits": [{"oldText": intent.extra, "newText": intent.other}]})]
    return answers.failure("editing", done[1].text) if done[1].failed else answers.first_lines(done[1].text, 20)


def _notes(intent: Intent, done: Sequence[Done]) -> Step:
    if not done:
        return [("memory_search", {"query": intent.target})]
    return answers.notes_answer(intent.target, done[0].text, done[0].failed)


def _help(intent: Intent, done: Sequence[Done]) -> Step:
    return answers.help_text()


PLANS: Mapping[str, Callable[[Intent, Sequence[Done]], Step]] = {
    "explain": _explain,
    "definition": _definition,
    "search": _search,
    "find": _find,
    "list": _list,
    "read": _read,
    "run_tests": _run_tests,
    "run": _run,
    "write": _write,
    "edit": _edit,
    "notes": _notes,
    "help": _help,
}


def _papers(done: Sequence[Done]) -> Step | None:
    """The calls that list the project and read its README and manifests; None once all have come back."""
    if not done:
        return [("ls", {"path": "."})]
    wanted = files_to_read(done[0].text)
    if wanted and not any(d.name == "read" for d in done):
        return [("read", {"path": name}) for name in wanted]
    return None


def _read_files(done: Sequence[Done]) -> dict[str, str]:
    return {str(d.arguments.get("path")): d.text for d in done if d.name == "read" and not d.failed}


def _shown(path: str, read: Done) -> str:
    return answers.failure("reading", read.text) if read.failed else answers.code_block(path, read.text)
