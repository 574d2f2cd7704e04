"""What makes two prompts built from the same facts equal byte for byte.

Line ends and trailing blanks are normalised, lists are put in a fixed order, digests name what was sent. A prefix that
differs by one byte is a prefix that is paid for again.
"""

import hashlib
import re
from collections.abc import Iterable, Sequence

import msgspec

from openclaw_tui.messages import ToolDefinition

_TRAILING_BLANKS = re.compile(r"[ \t]+$", re.MULTILINE)

TOOL_ORDER: tuple[str, ...] = (
    "read",
    "write",
    "edit",
    "apply_patch",
    "ls",
    "find",
    "grep",
    "exec",
    "process",
    "recall",
    "update_plan",
    "memory_search",
    "memory_get",
    "web_fetch",
    "sessions_spawn",
    "session_status",
)
"""The order of interface.md section 9; tools that are not named here follow, sorted by name."""


def normalize_section(text: str) -> str:
    """LF line ends, no trailing blanks on a line, no blank lines around."""
    return _TRAILING_BLANKS.sub("", text.replace("\r\n", "\n").replace("\r", "\n")).strip()


def normalize_capabilities(names: Iterable[str]) -> list[str]:
    """Lower case, no blanks, no duplicates, sorted."""
    return sorted({name.strip().lower() for name in names if name.strip()})


def order_tools(tools: Iterable[ToolDefinition]) -> list[ToolDefinition]:
    """Tools in the fixed order, each name once (the first one wins); registration order does not matter."""
    by_name: dict[str, ToolDefinition] = {}
    for tool in tools:
        by_name.setdefault(tool.name, tool)
    rank = {name: index for index, name in enumerate(TOOL_ORDER)}
    return sorted(by_name.values(), key=lambda tool: (rank.get(tool.name, len(rank)), tool.name))


def digest(text: str) -> str:
    """SHA-256 of a text, in hex."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def tool_names_digest(tools: Sequence[ToolDefinition]) -> str:
    """Digest of the sorted tool names: equal for any order of registration."""
    return digest(msgspec.json.encode(sorted(tool.name for tool in tools)).decode("utf-8"))


def tool_schema_digest(tool: ToolDefinition) -> str:
    """Digest of all that is sent of one tool, with keys in their literal order: their bytes are what is cached."""
    body = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
    return digest(msgspec.json.encode(body).decode("utf-8"))
