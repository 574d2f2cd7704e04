"""Who may do what: the verdict on one act, from rules, mode and what the act touches.

The order is deny, ask, allow, mode. Deny holds in every mode; plan refuses every change whatever is allowed;
destructive acts and those outside the workspace are covered only by rules of the user's own, never by a project's. The
module decides and asks nobody: the question is `tools.approval`.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec
from msgspec.structs import replace

from openclaw_tui.constants import PERMISSION_RECENT_VERDICTS, PROBLEM_MAX_CHARS
from openclaw_tui.errors import ConfigError
from openclaw_tui.events import Risk
from openclaw_tui.safety.act_findings import Act, Findings, examine
from openclaw_tui.safety.act_words import keys_of, ordinary_reason, plan_reason, shown
from openclaw_tui.safety.command_paths import PartPaths
from openclaw_tui.safety.command_tables import dangers
from openclaw_tui.safety.permission_rules import (
    WRITING_TOOLS,
    Places,
    Rule,
    RuleKind,
    RuleLine,
    allows_command,
    allows_reach,
    matches_command,
    matches_host,
    matches_path,
    names_whole_tool,
    parse_rule,
    speaks_of_reach,
    tool_named_in,
)
from openclaw_tui.safety.prefix_rules import prefix_rule_for
from openclaw_tui.safety.shell_parts import Part
from openclaw_tui.safety.shell_wrappers import MAY_RUN_ANYTHING

PermissionMode: TypeAlias = Literal["default", "acceptEdits", "plan", "bypassPermissions"]
Remember: TypeAlias = Literal["once", "session", "prefix"]

__all__ = [
    "Act",
    "PermissionMode",
    "PermissionSettings",
    "Permissions",
    "PermissionsView",
    "Risk",
    "RuleLine",
    "Verdict",
]


class PermissionSettings(msgspec.Struct, frozen=True):
    """The mode and the rule lines of every place; within a kind all places add up."""

    mode: PermissionMode = "default"
    allow: tuple[RuleLine, ...] = ()
    ask: tuple[RuleLine, ...] = ()
    deny: tuple[RuleLine, ...] = ()


class Verdict(msgspec.Struct, frozen=True):
    """`reasons` are for the user and the model; `prefix_rule` is the rule "always for this prefix" would add.

    `part_words` say of each of the `parts` of a command line what lets it run, or why it asks.
    """

    decision: Literal["allow", "ask", "deny"]
    reasons: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    prefix_rule: str | None = None
    rule: str | None = None
    part_words: tuple[str, ...] = ()


class PermissionsView(msgspec.Struct, frozen=True):
    """What `/permissions` shows: rules as (kind, text, place), skipped lines, last verdicts as (decision, act, why)."""

    mode: PermissionMode
    rules: tuple[tuple[RuleKind, str, str], ...]
    problems: tuple[str, ...]
    recent: tuple[tuple[str, str, str], ...]


@dataclass(slots=True)
class Permissions:
    """The rules in force and what the user decided in this session."""

    settings: PermissionSettings
    places: Places
    mode: PermissionMode = field(init=False)
    problems: list[str] = field(init=False, default_factory=list)
    _rules: dict[RuleKind, list[Rule]] = field(init=False)
    _decided: set[tuple[str, ...]] = field(init=False, default_factory=set)
    _recent: deque[tuple[str, str, str]] = field(init=False)

    def __post_init__(self) -> None:
        self.mode = self.settings.mode
        self._recent = deque(maxlen=PERMISSION_RECENT_VERDICTS)
        self._rules = {"deny": [], "ask": [], "allow": []}
        lines: dict[RuleKind, tuple[RuleLine, ...]] = {
            "deny": self.settings.deny,
            "ask": self.settings.ask,
            "allow": self.settings.allow,
        }
        for kind, of_kind in lines.items():
            for line in of_kind:
                self._add(kind, line)

    def use(self, settings: PermissionSettings) -> None:
        """Other rules from now on; the mode and what the user decided in this session stay."""
        decided = [rule for rows in self._rules.values() for rule in rows if rule.line.place == "session"]
        mode, remembered = self.mode, self._decided
        self.settings, self.problems = settings, []
        self.__post_init__()
        self.mode, self._decided = mode, remembered
        self._rules["allow"] += decided

    def judge(self, act: Act) -> Verdict:
        """The verdict on an act. Has no effect but to be listed among the recent ones."""
        found = examine(act, self.places)
        verdict = self._verdict(act, found)
        if verdict.decision == "ask":
            verdict = replace(verdict, part_words=tuple(self._words_on(act, row) for row in found.rows))
        self._recent.append((verdict.decision, shown(act), verdict.rule or "; ".join(verdict.reasons)))
        return verdict

    def may_look(self, paths: Iterable[Path]) -> bool:
        """True where reading all these paths needs no question. Not listed among the recent verdicts."""
        acts = [Act("read", "read", (path,)) for path in paths]
        return all(self._verdict(act, examine(act, self.places)).decision == "allow" for act in acts)

    def answered(self, act: Act, decision: str) -> None:
        """Note the answer to the question about an act, for `describe`."""
        for index in range(len(self._recent) - 1, -1, -1):
            if self._recent[index][:2] == ("ask", shown(act)):
                self._recent[index] = (f"asked: {decision}", *self._recent[index][1:])
                return

    def remember(self, act: Act, verdict: Verdict, how: Remember) -> None:
        """Keep a yes of the user: for this very act, or as the rule that was offered. `once` keeps nothing."""
        if how == "prefix" and verdict.prefix_rule is not None:
            self._add("allow", RuleLine(verdict.prefix_rule, "session"))
        elif how in ("session", "prefix"):
            self._decided.update(keys_of(act))

    def denies_whole(self, tool: str) -> bool:
        """True when a deny rule without a pattern names the tool: then the model need not see it."""
        return any(rule.form == "whole" and rule.tool == tool for rule in self._rules["deny"])

    def describe(self) -> PermissionsView:
        rules = tuple((kind, rule.line.text, rule.line.place) for kind, rows in self._rules.items() for rule in rows)
        return PermissionsView(self.mode, rules, tuple(self.problems), tuple(self._recent))

    def _add(self, kind: RuleKind, line: RuleLine) -> None:
        """A line that is no rule is named and left out; one that was to refuse or ask then asks for its whole tool."""
        try:
            self._rules[kind].append(parse_rule(line))
        except ConfigError as problem:
            tool = tool_named_in(line.text)
            asks = kind != "allow" and tool is not None
            outcome = f"every call of {str(tool)[:40]} asks instead" if asks else "it is skipped"
            self.problems.append(f"{line.place}: {str(problem)[:PROBLEM_MAX_CHARS]}; {outcome}")
            if asks and tool is not None:
                self._rules["ask"].append(Rule(tool, "whole", "", line))

    def _verdict(self, act: Act, found: Findings) -> Verdict:
        parts = tuple(row.part.text for row in found.rows)
        if (rule := self._hit("deny", act, found)) is not None:
            return Verdict("deny", (f"the rule {rule} refuses it",), parts, rule=str(rule))
        if self.mode == "plan" and not found.only_looks:
            return Verdict("deny", (plan_reason(act, found),), parts)
        if all(key in self._decided for key in keys_of(act)):
            return Verdict("allow", ("the user allowed it for this session",), parts)
        if (rule := self._hit("ask", act, found)) is not None:
            return Verdict("ask", (f"the rule {rule} asks", *found.warnings), parts, rule=str(rule))
        if found.unparsed and self._has_command_rules():
            return Verdict("ask", (f"a rule might apply: {found.unparsed}",), parts)
        if (allowed := self._allowed_by_rule(act, found)) is not None:
            return Verdict("allow", (), parts, rule=allowed)
        if self._allowed_by_mode(act, found):
            return Verdict("allow", (f"mode {self.mode}",), parts)
        prefix = prefix_rule_for(act, found, [row.part for row in found.rows if not self._covers_row(act, row)])
        reasons = (*found.warnings, *_reach_reasons(act)) or (ordinary_reason(act),)
        return Verdict("ask", reasons, parts, prefix_rule=prefix)

    def _words_on(self, act: Act, row: PartPaths) -> str:
        """What lets one part of a command line run, or why it asks."""
        for rules, words in ((self._rules["deny"], "refused by"), (self._rules["ask"], "asks by")):
            if (rule := next((r for r in rules if self._hits_row(r, act, row)), None)) is not None:
                return f"{words} {rule}"
        allowing = next((rule for rule in self._rules["allow"] if self._rule_covers(rule, act, row)), None)
        if allowing is not None:
            return f"allowed by {allowing}"
        if row.part.dangerous_reasons:
            return f"asks: {'; '.join(row.part.dangerous_reasons)}"
        if self._is_outside(row):
            return "asks: outside the workspace"
        if row.part.unclear:
            return f"asks: {'; '.join(row.part.unclear)}"
        if row.part.writes and not self._covers_row(act, row):
            return f"asks: writes {', '.join(row.part.writes)}"
        return "only looks" if self._covers_row(act, row) else "asks: may change things"

    def _has_command_rules(self) -> bool:
        return any(rule.form in ("prefix", "exact") for rule in (*self._rules["deny"], *self._rules["ask"]))

    def _hit(self, kind: RuleKind, act: Act, found: Findings) -> Rule | None:
        """The first rule to refuse or ask that applies. What only may apply asks, also for a rule to refuse."""
        for rule in self._rules[kind]:
            if _names_whole(rule, act) or (act.url is not None and matches_host(rule, act.url, strict=False)):
                return rule
            if any(matches_path(rule, act.tool, path, self.places) for path in act.paths):
                return rule
            if any(self._hits_row(rule, act, row) for row in found.rows):
                return rule
        if kind == "ask":
            doubtful = (
                rule for rule in (*self._rules["deny"], *self._rules["ask"]) if speaks_of_reach(rule, act.reach)
            )
            return next((r for r in doubtful if _may_match(r, found)), None)
        return None

    def _hits_row(self, rule: Rule, act: Act, row: PartPaths) -> bool:
        if rule.form in ("prefix", "exact"):
            return speaks_of_reach(rule, act.reach) and matches_command(rule, row.part) == "yes"
        if rule.form != "path":
            return False
        changes = rule.tool in WRITING_TOOLS
        touched = (*row.written, *(() if changes and row.part.read_only else row.named))
        tool = rule.tool if changes else "read"
        return any(matches_path(rule, tool, path, self.places) for path in touched)

    def _allowed_by_rule(self, act: Act, found: Findings) -> str | None:
        whole = next((r for r in self._rules["allow"] if _allows_whole(r, act) and _reaches(r, found)), None)
        if whole is not None:
            return str(whole)
        if act.command is not None:
            return self._chain_allowed(act, found)
        for rule in self._rules["allow"]:
            if not _reaches(rule, found):
                continue
            if act.url is not None and matches_host(rule, act.url, strict=True):
                return str(rule)
            if act.paths and all(matches_path(rule, act.tool, path, self.places) for path in act.paths):
                return str(rule)
        return None

    def _chain_allowed(self, act: Act, found: Findings) -> str | None:
        """The rules that together cover every part of a command line that is not known to only look."""
        if (
            found.unparsed
            or found.cwd_outside
            or not found.rows
            or not all(self._covers_row(act, row) for row in found.rows)
        ):
            return None
        used = {str(r) for row in found.rows for r in self._rules["allow"] if self._rule_covers(r, act, row)}
        return ", ".join(sorted(used)) or (None if act.reach else "commands that only look")

    def _covers_row(self, act: Act, row: PartPaths) -> bool:
        part = row.part
        outside = self._is_outside(row)
        if (part.read_only or part.transparent) and not outside and not part.writes:
            return True
        if part.writes:
            return not part.unclear and all(self._may_write(path) for path in row.written)
        return any(self._rule_covers(rule, act, row) for rule in self._rules["allow"])

    def _rule_covers(self, rule: Rule, act: Act, row: PartPaths) -> bool:
        if rule.form not in ("prefix", "exact") or not allows_reach(rule, act.reach):
            return False
        if not allows_command(rule, row.part) or (act.reach == "outside" and not rule.trusted):
            return False
        known = all(row.part.literal) and not (row.part.program in MAY_RUN_ANYTHING and _holds_a_command(row.part))
        return rule.trusted or (known and not row.part.dangerous_reasons and not self._is_outside(row))

    def _may_write(self, path: Path) -> bool:
        """True when a redirection may write there: as the same write by a tool would run without a question."""
        inside = self.places.contains(path)
        if self.mode == "bypassPermissions" or (self.mode == "acceptEdits" and inside):
            return True
        return any(
            matches_path(rule, "write", path, self.places) and (rule.trusted or inside) for rule in self._rules["allow"]
        )

    def _is_outside(self, row: PartPaths) -> bool:
        reads = all(self.places.may_read(path) for path in row.named)
        return not (reads and all(self.places.contains(path) for path in row.written))

    def _allowed_by_mode(self, act: Act, found: Findings) -> bool:
        if self.mode == "bypassPermissions":
            return True
        if found.warnings:
            return False
        if act.risk == "read" or found.only_looks:
            return True
        return act.risk == "write" and self.mode == "acceptEdits"


def _names_whole(rule: Rule, act: Act) -> bool:
    """A rule to refuse or ask without a pattern; one about the network stands for every command that gets it."""
    return names_whole_tool(rule, act.tool) or (
        act.reach != "" and rule.form == "whole" and speaks_of_reach(rule, act.reach)
    )


def _allows_whole(rule: Rule, act: Act) -> bool:
    if act.command is None:
        return names_whole_tool(rule, act.tool)
    return rule.form == "whole" and allows_reach(rule, act.reach)


def _reach_reasons(act: Act) -> tuple[str, ...]:
    return ("it may use the network",) if act.reach == "network" else ()


def _reaches(rule: Rule, found: Findings) -> bool:
    return rule.trusted or not (found.warnings or found.vague)


def _may_match(rule: Rule, found: Findings) -> bool:
    return rule.form in ("prefix", "exact") and any(matches_command(rule, row.part) == "maybe" for row in found.rows)


def _holds_a_command(part: Part) -> bool:
    """True where a later word may be a whole command line, or begins one that cannot be taken back."""
    spans = (part.words[start:] for start in range(1, len(part.words)))
    return any(" " in span[0] or dangers(span, has_pattern=False, all_literal=True) for span in spans)


def skipped_lines(problems: Iterable[str]) -> str:
    """The problems of rule lines as text for a notice."""
    return "\n".join(problems)
