"""One permission rule: `tool` or `tool(pattern)`, how it is read and what it matches.

Invariants: a line that is not understood is never read as a looser one; a rule to refuse or to ask also matches where a
command only might be the one it names.
"""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, Protocol, TypeAlias
from urllib.parse import urlsplit

import msgspec

from openclaw_tui.errors import ConfigError
from openclaw_tui.safety.shell_parts import Part, may_be_command_start

RuleKind: TypeAlias = Literal["deny", "ask", "allow"]
RuleForm: TypeAlias = Literal["whole", "prefix", "exact", "path", "domain"]
Likelihood: TypeAlias = Literal["no", "maybe", "yes"]
Reach: TypeAlias = Literal["", "network", "outside"]
"""What a command gets beyond the sandbox: nothing, the network, or no sandbox at all."""

READING_TOOLS = frozenset(("read", "ls", "find", "grep"))
WRITING_TOOLS = frozenset(("write", "edit", "apply_patch"))
_OUR_NAMES = {
    "Bash": "exec",
    "Read": "read",
    "Edit": "edit",
    "MultiEdit": "edit",
    "Write": "write",
    "WebFetch": "web_fetch",
    "Glob": "find",
    "Grep": "grep",
    "LS": "ls",
    "Task": "sessions_spawn",
    "TodoWrite": "update_plan",
}
_ALLOWS_REACH: Mapping[Reach, tuple[str, ...]] = {
    "": ("exec", "network", "unsandboxed"),
    "network": ("network", "unsandboxed"),
    "outside": ("unsandboxed",),
}
_SPEAKS_OF_REACH: Mapping[Reach, tuple[str, ...]] = {
    "": ("exec",),
    "network": ("exec", "network"),
    "outside": ("exec", "network", "unsandboxed"),
}
COMMAND_TOOLS = frozenset(("exec", "network", "unsandboxed"))
"""What rules about commands name: the command itself, and what it gets beyond the sandbox."""
_RULE = re.compile(r"^([A-Za-z_][\w.-]*)(?:\((.*)\))?$", re.DOTALL)


class Places(Protocol):
    """The folders the tools work in, as `tools.workspace.Workspace` has them."""

    @property
    def root(self) -> Path: ...

    @property
    def added(self) -> tuple[Path, ...]: ...

    def contains(self, path: Path) -> bool: ...

    def may_read(self, path: Path) -> bool: ...


class RuleLine(msgspec.Struct, frozen=True):
    """A rule as written, and where: `flag`, `user`, `environment`, `local`, `project`, `session`."""

    text: str
    place: str


class Rule(msgspec.Struct, frozen=True):
    """A rule that was understood. `trusted` rules may also cover destructive acts and those outside the workspace."""

    tool: str
    form: RuleForm
    pattern: str
    line: RuleLine

    @property
    def trusted(self) -> bool:
        return self.line.place in ("flag", "user", "environment")

    def __str__(self) -> str:
        return f"{self.line.text} ({self.line.place})"


def parse_rule(line: RuleLine) -> Rule:
    """The rule of one line. Raises ConfigError that names the line."""
    found = _RULE.match(line.text.strip())
    if found is None:
        raise ConfigError(f"permission rule {line.text!r} is not `tool` or `tool(pattern)`")
    tool = _OUR_NAMES.get(found[1], found[1])
    pattern = found[2]
    if pattern is None or (pattern.strip() == "*" and tool in COMMAND_TOOLS):
        return Rule(tool, "whole", "", line)
    pattern = pattern.strip()
    if not pattern:
        raise ConfigError(f"permission rule {line.text!r} has an empty pattern; write `{tool}` for the whole tool")
    if tool in COMMAND_TOOLS:
        return _exec_rule(tool, pattern, line)
    if tool == "web_fetch":
        return _domain_rule(pattern, line)
    if tool in READING_TOOLS or tool in WRITING_TOOLS:
        return Rule(tool, "path", pattern, line)
    raise ConfigError(f"permission rule {line.text!r}: {tool} takes no pattern; write `{tool}`")


def _exec_rule(tool: str, pattern: str, line: RuleLine) -> Rule:
    for ending in (":*", " *"):
        if pattern.endswith(ending):
            prefix = pattern.removesuffix(ending).strip()
            if prefix and "*" not in prefix:
                return Rule(tool, "prefix", prefix, line)
    if "*" in pattern:
        raise ConfigError(f"permission rule {line.text!r}: a command pattern may hold `*` only as `:*` at its end")
    return Rule(tool, "exact", pattern, line)


def _domain_rule(pattern: str, line: RuleLine) -> Rule:
    host = pattern.removeprefix("domain:").strip().lower().rstrip(".")
    if not pattern.startswith("domain:") or not re.fullmatch(r"(?:\*\.)?[\w.-]+|\[[0-9a-f:.]+\]", host):
        raise ConfigError(f"permission rule {line.text!r}: web_fetch takes `domain:host`")
    return Rule("web_fetch", "domain", host, line)


def tool_named_in(text: str) -> str | None:
    """The tool a line that was not understood seems to be about."""
    found = re.match(r"\s*([A-Za-z_][\w.-]*)", text)
    return _OUR_NAMES.get(found[1], found[1]) if found else None


def names_whole_tool(rule: Rule, tool: str) -> bool:
    """True for a rule without a pattern; one for `exec` also covers `process`, which only follows it."""
    return rule.form == "whole" and (rule.tool == tool or (rule.tool == "exec" and tool == "process"))


def allows_reach(rule: Rule, reach: Reach) -> bool:
    """True where an allow rule about commands goes far enough: one for `network` also allows the command itself."""
    return rule.tool in _ALLOWS_REACH[reach]


def speaks_of_reach(rule: Rule, reach: Reach) -> bool:
    """True where a rule to refuse or ask is about this kind of call: one for `network` only about calls with it."""
    return rule.tool in _SPEAKS_OF_REACH[reach]


def matches_command(rule: Rule, part: Part) -> Likelihood:
    """How sure it is that a part of a command line is what an exec rule names."""
    wanted = rule.pattern.split()
    best: Likelihood = "no"
    for start in may_be_command_start(part):
        for words in _spellings(part, start):
            found = _compare(wanted, words, exact=rule.form == "exact")
            if found == "yes":
                return "yes"
            best = "maybe" if found == "maybe" else best
    return best


def allows_command(rule: Rule, part: Part) -> bool:
    """The strict reading for allow rules: every word known, the program the one in the system's folders or as named."""
    words: list[str | None] = [*_known_words(part, 0)]
    if part.own_path:
        words[0] = part.own_path
    return not part.unclear and _compare(rule.pattern.split(), words, exact=rule.form == "exact") == "yes"


def _known_words(part: Part, start: int) -> list[str | None]:
    literal = part.literal or (True,) * len(part.words)
    return [
        word if known and index not in part.patterns else None
        for index, (word, known) in enumerate(zip(part.words, literal, strict=True))
        if index >= start
    ]


def _spellings(part: Part, start: int) -> list[list[str | None]]:
    words = _known_words(part, start)
    if not part.program and part.unclear:
        words = [None]
    spellings = [words]
    if start == 0 and part.own_path:
        spellings.append([part.own_path, *words[1:]])
    elif start and words and words[0] is not None:
        spellings.append([*words[0].rpartition("/")[2].split(), *words[1:]])
    return spellings


def _compare(wanted: Sequence[str], words: Sequence[str | None], *, exact: bool) -> Likelihood:
    """Word by word; a word that is not known yet may be anything, also several words."""
    for index, name in enumerate(wanted):
        if index >= len(words):
            return "no"
        if words[index] is None:
            return "maybe"
        if words[index] != name:
            return "no"
    if exact and len(words) > len(wanted):
        return "maybe" if None in words[len(wanted) :] else "no"
    return "yes"


def matches_path(rule: Rule, tool: str, path: Path, places: Places) -> bool:
    """A path rule on one path. `read(…)` covers every reading tool, `edit(…)` and `write(…)` every writing one."""
    if rule.form != "path" or not _covers_tool(rule.tool, tool):
        return False
    regex = _glob_regex(rule.pattern)
    return any(regex.match(name) for name in _names_of(path, rule.pattern, places))


def _covers_tool(named: str, tool: str) -> bool:
    if named in WRITING_TOOLS:
        return tool in WRITING_TOOLS
    return named == tool or (named == "read" and tool in READING_TOOLS)


def _names_of(path: Path, pattern: str, places: Places) -> list[str]:
    if pattern.startswith(("/", "~")):
        return [str(path)]
    roots = [Path(root).resolve() for root in (places.root, *places.added)]
    return [str(path.relative_to(root)) for root in roots if path.is_relative_to(root)]


def _glob_regex(pattern: str) -> re.Pattern[str]:
    """`*` within a name, `**` across folders; a pattern also covers what lies below the folder it names."""
    text = re.sub(r"^/+(?=/)", "", pattern.removeprefix("./"))
    if text.startswith("~"):
        text = os.path.expanduser(text)
    pieces = re.split(r"(\*\*/|\*\*|\*|\?)", text.rstrip("/"))
    table = {"**/": r"(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    body = "".join(table.get(piece, re.escape(piece)) for piece in pieces)
    anywhere = "" if "/" in text.rstrip("/") else r"(?:.*/)?"
    return re.compile(f"^{anywhere}{body}(?:/.*)?$", re.IGNORECASE | re.DOTALL)


def host_of(url: str) -> str | None:
    """The host an address really leads to; None where readers of addresses could differ."""
    if re.search(r"[\\\s\x00-\x1f\x7f]", url):
        return None
    try:
        host = urlsplit(url).hostname
    except ValueError:
        return None
    return host.lower().rstrip(".") if host else None


def matches_host(rule: Rule, url: str, *, strict: bool) -> bool:
    """Strict (allow): that very host, or below it for `*.host`. Otherwise the host and everything below it."""
    host = host_of(url)
    if rule.form != "domain":
        return False
    if host is None:
        return not strict
    wanted = rule.pattern.removeprefix("*.")
    below = host.endswith(f".{wanted}")
    return (host == wanted or below) if not strict else (below if rule.pattern.startswith("*.") else host == wanted)
