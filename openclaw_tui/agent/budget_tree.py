"""The next request taken apart: category, then file, tool, skill or message, then the parts of a message.

Categories are the parts of `/context`; what stands below one is brought to its figure, so that no two totals disagree.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec.structs import replace

from openclaw_tui.agent.breakdown import Breakdown
from openclaw_tui.agent.request_builder import RequestBuilder
from openclaw_tui.agent.result_ids import ResultIds
from openclaw_tui.constants import TREE_NAME_CHARS
from openclaw_tui.ledger.snapshots import prompt_sections
from openclaw_tui.messages import (
    AssistantMessage,
    ImageBlock,
    Message,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResultMessage,
    UserMessage,
    text_of,
)
from openclaw_tui.tokens import estimate_text_tokens, estimate_tools_tokens

Sort: TypeAlias = Literal["tokens", "age", "calls"]
SORTS: tuple[Sort, ...] = ("tokens", "age", "calls")
_SKILL = re.compile(r"<name>([^<\n]+)</name>|^- \*{0,2}([\w-]+)\*{0,2}:", re.MULTILINE)


class Node(msgspec.Struct, frozen=True):
    """`key` names it (`t17`, an entry, `tool exec`); `age` in turns, None for what is in every request.

    `survives` says that the next compaction leaves it in place; `can_clear` that it is a result still sent whole.
    """

    key: str
    name: str
    tokens: int
    age: int | None = None
    survives: bool = True
    can_clear: bool = False
    children: tuple["Node", ...] = ()

    def weight(self, calls_left: int) -> int:
        """Tokens times the calls that will still carry it: until the next compaction, or the one after that."""
        return self.tokens * max(1, calls_left) * (2 if self.survives else 1)

    def as_data(self) -> dict[str, Any]:
        below = {"children": [child.as_data() for child in self.children]} if self.children else {}
        return {"key": self.key, "name": self.name, "tokens": self.tokens, "age_turns": self.age, **below}


def budget_tree(requests: RequestBuilder, breakdown: Breakdown) -> tuple[Node, ...]:
    """Every category of the request with what it is made of, in wire order."""
    prompt, tools = requests.preview_prompt()
    messages = requests.manager.project().messages
    below: dict[str, list[Node]] = {part.name: [] for part in breakdown.parts}
    below["tool schemas"] = [Node(f"tool {t.name}", t.name, estimate_tools_tokens([t])) for t in tools]
    below["stable system prompt"] = list(_sections(prompt.stable))
    below["dynamic system prompt"] = list(_sections(prompt.dynamic))
    for part, node in _message_nodes(messages, breakdown.message_tokens, requests.budget.keep_recent_tokens):
        below[part].append(node)
    return tuple(
        Node(part.name, part.name, part.tokens, children=_brought_to(below[part.name], part.tokens))
        for part in breakdown.parts
    )


def in_order(nodes: Sequence[Node], sort: Sort, calls_left: int) -> list[Node]:
    """Nodes of one level, what matters most first."""
    match sort:
        case "age":
            return sorted(nodes, key=lambda node: (node.age is not None, -(node.age or 0), -node.tokens))
        case "calls":
            return sorted(nodes, key=lambda node: -node.weight(calls_left))
        case _:
            return sorted(nodes, key=lambda node: -node.tokens)


def leaves(nodes: Sequence[Node]) -> list[Node]:
    """The single things below the categories."""
    return [child for node in nodes for child in node.children]


def tree_text(nodes: Sequence[Node]) -> str:
    """Two levels as indented lines, heaviest first."""
    lines: list[str] = []
    for node in nodes:
        lines.append(f"~{node.tokens:>9,}  {node.name}")
        lines += [f"~{child.tokens:>9,}    {child.name}" for child in in_order(node.children, "tokens", 1)]
    return "\n".join(lines)


def _sections(text: str) -> Iterator[Node]:
    for name, section in prompt_sections(text).items():
        skills = [found[0] or found[1] for found in _SKILL.findall(section)] if name.startswith("Skills") else []
        parts = _SKILL.split(section)[3::3] if skills else []
        below = tuple(
            Node(f"skill {skill}", skill, estimate_text_tokens(part))
            for skill, part in zip(skills, parts, strict=False)
        )
        yield Node(name, name, estimate_text_tokens(section), children=below)


def _message_nodes(messages: Sequence[Message], sizes: Sequence[int], keep_recent: int) -> Iterator[tuple[str, Node]]:
    names = ResultIds.names(messages)
    calls = {c.id: c for m in messages if isinstance(m, AssistantMessage) for c in m.tool_calls}
    turns = sum(_begins_turn(message) for message in messages)
    kept_from = _kept_from(sizes, keep_recent)
    begun = 0
    for at, (message, size) in enumerate(zip(messages, sizes, strict=True)):
        begun += _begins_turn(message)
        result_id = names.get(message.entry_id or "", "")
        node = Node(
            key=result_id or message.entry_id or "",
            name=_name(message, result_id, calls.get(getattr(message, "tool_call_id", ""))),
            tokens=size,
            age=turns - begun,
            survives=at >= kept_from,
            can_clear=isinstance(message, ToolResultMessage),
            children=_parts(message, size),
        )
        yield _category(message), node


def _kept_from(sizes: Sequence[int], keep_recent: int) -> int:
    """Index of the first message that a compaction now would leave word for word, about."""
    room = keep_recent
    for at in range(len(sizes) - 1, -1, -1):
        room -= sizes[at]
        if room < 0:
            return at + 1
    return 0


def _parts(message: Message, size: int) -> tuple[Node, ...]:
    if len(message.content) < 2:
        return ()
    found: list[Node] = []
    for number, block in enumerate(message.content):
        key = f"{message.entry_id}/{number}"
        match block:
            case TextBlock(text=text):
                found.append(Node(key, f"text: {_line(text)}", estimate_text_tokens(text)))
            case ThinkingBlock(thinking=thinking):
                found.append(Node(key, "thinking", estimate_text_tokens(thinking)))
            case ToolCallBlock(name=name):
                found.append(
                    Node(key, f"call {name} {_about(block)}".strip(), estimate_text_tokens(str(block.arguments)))
                )
            case ImageBlock():
                found.append(Node(key, "image", max(1, size - sum(node.tokens for node in found))))
    return _brought_to(found, size)


def _brought_to(nodes: Sequence[Node], total: int) -> tuple[Node, ...]:
    """The nodes in the same proportions with this sum, theirs below as well; rounding goes to the largest."""
    whole = sum(node.tokens for node in nodes)
    if whole <= 0 or not nodes:
        return tuple(nodes)
    sizes = [node.tokens * total // whole for node in nodes]
    sizes[max(range(len(sizes)), key=sizes.__getitem__)] += total - sum(sizes)
    return tuple(
        replace(node, tokens=size, children=_brought_to(node.children, size))
        for node, size in zip(nodes, sizes, strict=True)
    )


def _begins_turn(message: Message) -> bool:
    return isinstance(message, UserMessage) and message.origin == "user"


def _category(message: Message) -> str:
    match message:
        case UserMessage(origin="compaction_summary"):
            return "summary"
        case UserMessage():
            return "user messages"
        case AssistantMessage():
            return "answers"
        case ToolResultMessage():
            return "tool results"


def _name(message: Message, result_id: str, call: ToolCallBlock | None) -> str:
    match message:
        case ToolResultMessage(tool_name=tool):
            return _line(f"{result_id} {tool} {_about(call)}".strip())
        case UserMessage(origin="compaction_summary"):
            return "summary of earlier talk"
        case UserMessage(origin=origin, content=content):
            who = "you" if origin == "user" else origin.replace("_", " ")
            return _line(f"{who}: {text_of(content) or 'image'}")
        case AssistantMessage(content=content):
            called = ", ".join(block.name for block in message.tool_calls)
            return _line(text_of(content) or (f"calls {called}" if called else "thinking"))


def _about(call: ToolCallBlock | None) -> str:
    values = call.arguments.values() if call is not None else ()
    return next((_line(value) for value in values if isinstance(value, str) and value), "")


def _line(text: str) -> str:
    return " ".join(text[: 4 * TREE_NAME_CHARS].split())[:TREE_NAME_CHARS]
