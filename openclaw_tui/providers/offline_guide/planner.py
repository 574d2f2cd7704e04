"""The next step of the guide: from the request and the results so far to tool calls or an answer.

Stateless: everything is read off the conversation, so a resumed or retried turn goes on the same way. Each intent is a
function from what has come back to the next calls, or to the answer when enough has come back.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from openclaw_tui.messages import (
    AssistantContent,
    AssistantMessage,
    Message,
    TextBlock,
    ToolCallBlock,
    ToolResultMessage,
    UserMessage,
    text_of,
)
from openclaw_tui.providers.base import ProviderRequest
from openclaw_tui.providers.offline_guide import answers
from openclaw_tui.providers.offline_guide.intents import Intent, understand
from openclaw_tui.providers.offline_guide.project_facts import MANIFESTS, gather_facts

LABEL = "*Offline guide, not an AI model.*"
HOW_TO_CONNECT = (
    "To work with a real model: set `ANTHROPIC_API_KEY`, `OPENAI_API_KEY` or `GEMINI_API_KEY`, or `/login`, or start a "
    "local server (Ollama, llama.cpp, LM Studio, vLLM), then choose with `/model`."
)


@dataclass(frozen=True, slots=True)
class Done:
    """A call of this turn with its result."""

    name: str
    arguments: Mapping[str, Any]
    text: str
    failed: bool


Step = list[tuple[str, dict[str, Any]]] | str
"""Calls to make, or the text of the answer."""


def next_step(request: ProviderRequest) -> list[AssistantContent]:
    """Blocks of the guide's next message."""
    turn = _current_turn(request.messages)
    text = text_of(turn[0].content) if turn else ""
    done = _done(turn)
    step = _plan(understand(text), text, done)
    if isinstance(step, str):
        first = not any(isinstance(message, AssistantMessage) for message in request.messages[: -len(turn)])
        return [TextBlock(f"{LABEL} {HOW_TO_CONNECT}\n\n{step}" if first else step)]
    offered = {tool.name for tool in request.tools}
    calls = [(name, arguments) for name, arguments in step if name in offered]
    if not calls:
        return [TextBlock(f"I would need the tool `{step[0][0]}` for that, and it is not offered here.")]
    number = sum(isinstance(m, ToolResultMessage) for m in request.messages)
    return [
        ToolCallBlock(id=f"guide_{number + at + 1}", name=name, arguments=arguments)
        for at, (name, arguments) in enumerate(calls)
    ]


def _plan(intents: Sequence[Intent], text: str, done: list[Done]) -> Step:
    """Walk the intents; the first that is not finished says what comes next."""
    said: list[str] = []
    for intent in intents:
        step = _PLANS[intent.kind](intent, done)
        if not isinstance(step, str):
            return step
        said.append(step)
    return "\n\n".join(part for part in said if part) or answers.help_text(text)


def _explain(intent: Intent, done: list[Done]) -> Step:
    listing = _result(done, "ls")
    if listing is None:
        return [("ls", {"path": "."})]
    wanted = _project_files(listing.text)
    read = [d for d in done if d.name == "read"]
    if wanted and not read:
        return [("read", {"path": name}) for name in wanted]
    files = {str(d.arguments.get("path")): d.text for d in read if not d.failed}
    return answers.project_answer(gather_facts(listing.text, files), files)


def _run_tests(intent: Intent, done: list[Done]) -> Step:
    ran = _result(done, "exec")
    if ran is not None:
        return answers.test_answer(str(ran.arguments.get("command")), ran.text, ran.failed)
    listing = _result(done, "ls")
    if listing is None:
        return [("ls", {"path": "."})]
    wanted = _project_files(listing.text)
    read = [d for d in done if d.name == "read"]
    if wanted and not read:
        return [("read", {"path": name}) for name in wanted]
    facts = gather_facts(listing.text, {str(d.arguments.get("path")): d.text for d in read if not d.failed})
    if not facts.test_command:
        return "I found no test command: no manifest, Makefile or README here names one. Tell me the command to run."
    return [("exec", {"command": facts.test_command})]


def _definition(intent: Intent, done: list[Done]) -> Step:
    symbol = intent.target.rsplit(".", 1)[-1]
    searches = [d for d in done if d.name == "grep"]
    if not searches:
        return [("grep", {"pattern": answers.definition_pattern(symbol), "limit": 40})]
    found = answers.hits(searches[0].text)
    if not found and len(searches) == 1:
        return [("grep", {"pattern": rf"\b{symbol}\b", "limit": 20})]
    return answers.definition_answer(intent.target, found, searches)


def _show_found(intent: Intent, done: list[Done]) -> Step:
    searches = [d for d in done if d.name == "grep"]
    found = answers.hits(searches[0].text) if searches else []
    if not found:
        return ""
    read = _result(done, "read")
    if read is None:
        path, line, _ = answers.best_definition(found)
        return [("read", {"path": path, "offset": max(1, line - 2), "limit": 40})]
    return answers.code_block(str(read.arguments.get("path")), read.text)


def _search(intent: Intent, done: list[Done]) -> Step:
    found = _result(done, "grep")
    if found is None:
        arguments: dict[str, Any] = {"pattern": intent.target, "literal": True}
        return [("grep", arguments | ({"path": intent.extra} if intent.extra else {}))]
    return answers.search_answer(intent.target, found.text, found.failed)


def _find(intent: Intent, done: list[Done]) -> Step:
    found = _result(done, "find")
    if found is None:
        return [("find", {"pattern": intent.target})]
    return answers.find_answer(intent.target, found.text, found.failed)


def _list(intent: Intent, done: list[Done]) -> Step:
    found = _result(done, "ls")
    if found is None:
        return [("ls", {"path": intent.target})]
    return answers.list_answer(intent.target, found.text, found.failed)


def _read(intent: Intent, done: list[Done]) -> Step:
    found = _result(done, "read")
    if found is None:
        arguments: dict[str, Any] = {"path": intent.target}
        if intent.first:
            arguments |= {"offset": intent.first, "limit": intent.last - intent.first + 1}
        return [("read", arguments)]
    return answers.failure("reading", found.text) if found.failed else answers.code_block(intent.target, found.text)


def _run(intent: Intent, done: list[Done]) -> Step:
    ran = _result(done, "exec")
    if ran is None:
        return [("exec", {"command": intent.target})]
    return answers.run_answer(intent.target, ran.text, ran.failed)


def _write(intent: Intent, done: list[Done]) -> Step:
    """An existing file is read first, as the tool demands."""
    wrote = [d for d in done if d.name == "write"]
    if not wrote:
        return [("write", {"path": intent.target, "content": intent.extra})]
    if wrote[-1].failed and len(wrote) == 1 and "read" in wrote[-1].text.lower() and _result(done, "read") is None:
        return [("read", {"path": intent.target})]
    if wrote[-1].failed and len(wrote) == 1 and _result(done, "read") is not None:
        return [("write", {"path": intent.target, "content": intent.extra})]
    return answers.failure("writing", wrote[-1].text) if wrote[-1].failed else answers.first_lines(wrote[-1].text)


def _edit(intent: Intent, done: list[Done]) -> Step:
    edited = _result(done, "edit")
    if edited is not None:
        return answers.failure("editing", edited.text) if edited.failed else answers.first_lines(edited.text)
    read = _result(done, "read")
    if read is None:
        return [("read", {"path": intent.target})]
    if read.failed:
        return answers.failure("reading", read.text)
    return [("edit", {"path": intent.target, "edits": [{"oldText": intent.extra, "newText": intent.other}]})]


def _help(intent: Intent, done: list[Done]) -> Step:
    return answers.help_text(intent.target)


_PLANS: Mapping[str, Callable[[Intent, list[Done]], Step]] = {
    "explain": _explain,
    "definition": _definition,
    "show_found": _show_found,
    "search": _search,
    "find": _find,
    "list": _list,
    "read": _read,
    "run_tests": _run_tests,
    "run": _run,
    "write": _write,
    "edit": _edit,
    "help": _help,
}


def _project_files(listing: str) -> list[str]:
    """README and manifests that stand in the listing, README first."""
    names = [line.strip().split("  ")[0] for line in listing.splitlines()]
    readme = [name for name in names if name.lower().startswith("readme") and not name.endswith("/")][:1]
    return readme + [name for name in MANIFESTS if name in names][:4]


def _current_turn(messages: Sequence[Message]) -> list[Message]:
    """From the user's latest words to the end."""
    for at in range(len(messages) - 1, -1, -1):
        message = messages[at]
        if isinstance(message, UserMessage) and message.origin == "user":
            return list(messages[at:])
    return list(messages[-1:])


def _done(turn: Sequence[Message]) -> list[Done]:
    calls = {c.id: c for m in turn if isinstance(m, AssistantMessage) for c in m.tool_calls}
    return [
        Done(
            m.tool_name,
            calls[m.tool_call_id].arguments if m.tool_call_id in calls else {},
            text_of(m.content),
            m.is_error,
        )
        for m in turn
        if isinstance(m, ToolResultMessage)
    ]


def _result(done: Sequence[Done], name: str) -> Done | None:
    return next((d for d in done if d.name == name), None)
