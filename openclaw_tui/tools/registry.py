"""The tools of a session in their fixed order.

The order is part of the cached prefix, so it never depends on who registered what when: the names of interface.md
section 9 come first in that order, others follow sorted. A tool that a rule refuses as a whole is not shown at all.
"""

import difflib
from collections.abc import Callable, Iterable, Iterator

from openclaw_tui.messages import ToolDefinition
from openclaw_tui.prompt.stability import order_tools
from openclaw_tui.tools.base import Tool

_USUAL_NAMES = {
    "bash": "exec",
    "shell": "exec",
    "run": "exec",
    "execute": "exec",
    "cat": "read",
    "view": "read",
    "glob": "find",
    "search": "grep",
    "webfetch": "web_fetch",
    "applypatch": "apply_patch",
    "multiedit": "edit",
    "todowrite": "update_plan",
    "task": "sessions_spawn",
}
"""What other agents call the same tools; models trained on those use the names here."""


class Toolset:
    """`hides` tells of a name whether a rule refuses the whole tool (`Permissions.denies_whole`)."""

    def __init__(self, tools: Iterable[Tool], hides: Callable[[str], bool] = lambda name: False) -> None:
        by_name: dict[str, Tool] = {}
        for tool in tools:
            if not hides(tool.definition.name):
                by_name.setdefault(tool.definition.name, tool)
        ordered = order_tools(tool.definition for tool in by_name.values())
        self._tools = {definition.name: by_name[definition.name] for definition in ordered}

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    def __contains__(self, name: str) -> bool:
        return name in self._tools

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._tools)

    def definitions(self) -> tuple[ToolDefinition, ...]:
        """What the model sees, in the fixed order."""
        return tuple(tool.definition for tool in self)

    def find(self, name: str) -> Tool | None:
        """The tool a call means: its exact name, another spelling, or the usual name of another agent."""
        if name in self._tools:
            return self._tools[name]
        plain = name.strip().replace("-", "_").lower()
        usual = _USUAL_NAMES.get(plain.replace("_", ""), plain)
        return self._tools.get(plain) or self._tools.get(usual)

    def only(self, names: Iterable[str]) -> "Toolset":
        """A toolset of fewer tools, for a sub-agent."""
        wanted = set(names)
        return Toolset(tool for tool in self if tool.definition.name in wanted)

    def unknown(self, name: str) -> str:
        """One line for the model about a name that is no tool."""
        near = difflib.get_close_matches(name.lower(), self.names, n=2, cutoff=0.5)
        meant = f" Did you mean {' or '.join(near)}?" if near else ""
        return f"there is no tool {name[:60]!r}.{meant} Tools: {', '.join(self.names)}"
