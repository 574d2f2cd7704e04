"""What the skills at work leave of the tools: `allowed-tools` narrows a turn, and never grants anything.

A skill is at work from the moment it is called for (`/skill:name`) or its SKILL.md is read, until the turn ends; in its
sub-agents it stays at work. Several at once leave what each of them allows. The permissions are asked all the same.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from openclaw_tui.errors import ConfigError
from openclaw_tui.safety.act_findings import Act, Findings, examine
from openclaw_tui.safety.command_paths import PartPaths
from openclaw_tui.safety.permission_rules import (
    Places,
    Rule,
    RuleLine,
    allows_command,
    matches_host,
    matches_path,
    names_whole_tool,
    parse_rule,
)

_ALWAYS = frozenset({"recall", "update_plan"})
"""Tools that touch nothing but the agent's own notes of this talk."""


class SkillLimit(msgspec.Struct, frozen=True):
    """A skill that names the tools it works with. `folder` holds its files, which it may always read."""

    name: str
    allowed: tuple[str, ...]
    folder: Path

    def covers(self, act: Act, places: Places) -> bool:
        """Whether the list names this call; a line of it that is not understood names nothing."""
        if act.tool in _ALWAYS or (act.tool == "read" and all(_inside(path, self.folder) for path in act.paths)):
            return True
        rules = [rule for line in self.allowed if (rule := _rule(line)) is not None]
        if any(names_whole_tool(rule, act.tool) for rule in rules):
            return True
        if act.command is not None:
            return _covers_command(rules, examine(act, places), places)
        if act.url is not None:
            return any(matches_host(rule, act.url, strict=True) for rule in rules)
        if act.tool == "process":
            return any(rule.tool == "exec" for rule in rules)
        return bool(act.paths) and all(
            any(matches_path(rule, act.tool, path, places) for rule in rules) for path in act.paths
        )


@dataclass(slots=True)
class SkillScope:
    """The limits of one session's turn. `limit_at` knows the skill whose SKILL.md a path is, where it has a list."""

    places: Places
    limit_at: Callable[[Path], SkillLimit | None] = lambda path: None
    inherited: tuple[SkillLimit, ...] = ()
    _expected: SkillLimit | None = None
    _at_work: list[SkillLimit] = field(default_factory=list)

    @property
    def limits(self) -> tuple[SkillLimit, ...]:
        """All that hold now; what a sub-agent begun now inherits."""
        return (*self.inherited, *self._at_work)

    def expect(self, path: Path) -> None:
        """The next turn is begun for the skill with this SKILL.md."""
        self._expected = self.limit_at(path)

    def start_turn(self) -> None:
        self._at_work = [self._expected] if self._expected is not None else []
        self._expected = None

    def note_read(self, path: Path) -> None:
        """A file was read: when it is a skill, it is at work from now on."""
        found = self.limit_at(path)
        if found is not None and found not in self._at_work:
            self._at_work.append(found)

    def refusal(self, act: Act) -> str:
        """Why a call does not fit the skills at work, as a line for the model; empty when it does."""
        skill = next((limit for limit in self.limits if not limit.covers(act, self.places)), None)
        if skill is None:
            return ""
        named = ", ".join(skill.allowed)
        return (
            f"Not run: the skill {skill.name} works with {named} only (its allowed-tools), and this call is not among "
            "them. Go on within that, or say what else the user would have to ask for in a message of its own."
        )


def _rule(line: str) -> Rule | None:
    try:
        return parse_rule(RuleLine(line, "skill"))
    except ConfigError:
        return None


def _covers_command(rules: Sequence[Rule], found: Findings, places: Places) -> bool:
    return bool(found.rows) and not found.unparsed and all(_covers_row(rules, row, places) for row in found.rows)


def _covers_row(rules: Sequence[Rule], row: PartPaths, places: Places) -> bool:
    if row.part.writes and (row.part.unclear or not all(_may_write(rules, path, places) for path in row.written)):
        return False
    named = (rule for rule in rules if rule.form in ("prefix", "exact"))
    return row.part.transparent or any(allows_command(rule, row.part) for rule in named)


def _may_write(rules: Sequence[Rule], path: Path, places: Places) -> bool:
    return any(names_whole_tool(rule, "write") or matches_path(rule, "write", path, places) for rule in rules)


def _inside(path: Path, folder: Path) -> bool:
    return path.is_relative_to(os.path.realpath(folder))
