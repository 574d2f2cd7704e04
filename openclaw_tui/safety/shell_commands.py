"""A command line, taken apart as a shell would: every command of it, however deep, each judged for itself.

Chains, pipes, subshells, substitutions, redirections, here-documents and wrappers all end as flat `Part`s. Invariant:
what the grammar does not know, or where a second look at the quoting disagrees with it, is not parseable, and what is
not parseable is asked about. tree-sitter is imported on first use.
"""

import functools
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from openclaw_tui.constants import SHELL_PARSE_MAX_CHARS, SHELL_PARSE_MAX_DEPTH
from openclaw_tui.safety import command_tables, shell_quotes
from openclaw_tui.safety.command_tables import names
from openclaw_tui.safety.shell_expansions import evaluates
from openclaw_tui.safety.shell_parts import Part, loop_part, simple_part
from openclaw_tui.safety.shell_redirects import REDIRECTS, heredoc_delimiter, stray_words
from openclaw_tui.safety.shell_words import Word, source, word_of
from openclaw_tui.safety.shell_wrappers import inner_command, is_transparent

if TYPE_CHECKING:
    from tree_sitter import Node, Parser


class ParsedCommand(msgspec.Struct, frozen=True):
    """`parseable` False: `parts` may miss something, and `problem` says what was not understood."""

    parts: tuple[Part, ...]
    parseable: bool
    problem: str = ""


class _NotUnderstood(Exception):
    """Left at the first node whose meaning is not certain."""


def parse_command(command: str) -> ParsedCommand:
    """Every part of a command line, in source order. Never raises for any text."""
    return _parse(command, 0)


@functools.lru_cache(maxsize=256)
def _parse(command: str, depth: int) -> ParsedCommand:
    collected: list[Part] = []
    try:
        _collect(command, depth, collected)
    except _NotUnderstood as problem:
        return ParsedCommand(tuple(collected), parseable=False, problem=str(problem))
    except RecursionError:
        return ParsedCommand(tuple(collected), parseable=False, problem="it is nested too deeply")
    return ParsedCommand(tuple(collected), parseable=True)


def _collect(command: str, depth: int, parts: list[Part]) -> None:
    if depth > SHELL_PARSE_MAX_DEPTH:
        raise _NotUnderstood("it is nested too deeply")
    if len(command) > SHELL_PARSE_MAX_CHARS:
        raise _NotUnderstood(f"it is longer than {SHELL_PARSE_MAX_CHARS:,} characters")
    if shell_quotes.has_strange_characters(command):
        raise _NotUnderstood("it holds control characters, or such as no script in use has")
    if _EVALUATED.search(command):
        raise _NotUnderstood("it evaluates the text of a variable")
    if _HIDDEN_SUBSTITUTION.search(command.translate(_QUOTES)):
        raise _NotUnderstood("it hides a substitution in an array index")
    root = _parser().parse(command.encode("utf-8")).root_node
    if root.has_error:
        raise _NotUnderstood("it is not a complete shell command")
    _Walk(parts, depth).statement(root)
    if not shell_quotes.agrees(command, root):
        raise _NotUnderstood("its quoting is unclear")


@functools.cache
def _parser() -> "Parser":
    import tree_sitter
    import tree_sitter_bash

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


_STRUCTURE = frozenset(
    names(
        "program list pipeline subshell compound_statement negated_command if_statement elif_clause"
        " else_clause do_group while_statement case_statement case_item"
        " c_style_for_statement command_substitution process_substitution test_command array"
        " variable_assignments string translated_string concatenation expansion arithmetic_expansion"
        " binary_expression unary_expression ternary_expression postfix_expression subscript"
        " parenthesized_expression brace_expression herestring_redirect heredoc_body"
    )
)
_LEAVES = frozenset(
    names(
        "word number raw_string ansi_c_string string_content variable_name special_variable_name"
        " simple_expansion regex test_operator extglob_pattern file_descriptor comment heredoc_start"
        " heredoc_end heredoc_content"
    )
)
_RESERVED = frozenset(
    names("{ } ( ) ! [[ ]] if then elif else fi for while until do done case esac in select function coproc")
)
_HIDDEN_SUBSTITUTION = re.compile(r"\w\[.*(?:\$\(|`)", re.DOTALL)
_EVALUATED = re.compile(r"\$\{!|\$\{[^}]*@[A-Za-z]\s*\}|\$\[")
_QUOTES = str.maketrans("", "", "\\'\"")


class _Walk:
    """Visits every node once and adds a part for each command, redirection and dangerous assignment."""

    def __init__(self, parts: list[Part], depth: int) -> None:
        self._parts = parts
        self._depth = depth
        self._functions: set[str] = set()

    def statement(self, node: "Node") -> None:
        if (problem := evaluates(node)) is not None:
            raise _NotUnderstood(problem)
        match node.type:
            case "command":
                self._command(node)
            case "function_definition":
                self._function(node)
            case "for_statement":
                self._parts.append(loop_part(node))
                self._inside(node)
            case "declaration_command" | "unset_command" | "variable_assignment":
                self._assignment(node)
            case "file_redirect":
                self._redirect(node)
            case "heredoc_redirect":
                self._heredoc(node)
            case "redirected_statement":
                self._redirected(node)
            case kind if kind in _STRUCTURE:
                if kind == "command_substitution" and source(node).startswith("`") and "\\" in source(node):
                    raise _NotUnderstood("it has backslashes inside backquotes")
                self._inside(node)
            case kind if kind in _LEAVES or not node.is_named:
                pass
            case kind:
                raise _NotUnderstood(f"it uses shell syntax that is not judged here ({kind.replace('_', ' ')})")

    def _inside(self, node: "Node") -> None:
        for child in node.children:
            self.statement(child)

    def _function(self, node: "Node") -> None:
        name = node.child_by_field_name("name")
        self._functions.add(source(name) if name else "")
        for child in node.children:
            if child != name:
                self.statement(child)

    def _redirected(self, node: "Node") -> None:
        """Words after the target of a redirection belong to the command before it: `xargs <f rm` runs rm."""
        strays = [stray for child in node.children for stray in stray_words(child)]
        for child in node.children:
            if not strays or child.type in REDIRECTS:
                self.statement(child)
            elif child.type == "command":
                self._command(child, strays)
            else:
                raise _NotUnderstood("it has words after a redirection of several commands")
        if strays and node.children[0].type != "command":
            raise _NotUnderstood("it has words after a redirection without a command")

    def _command(self, node: "Node", strays: Sequence["Node"] = ()) -> None:
        words: list[Word] = []
        assignments: list[str] = []
        if any(stray_words(child) for child in node.children):
            raise _NotUnderstood("it has words after a redirection before the command")
        if any(child.type == "$" for child in node.children):
            raise _NotUnderstood("it has a dollar sign before a quoted text")
        for child in (*node.children, *strays):
            if child.type == "variable_assignment":
                assignments.append(source(child))
                self._inside(child)
            elif child.type in REDIRECTS:
                self.statement(child)
            else:
                words.append(word_of(child) if child.is_named else Word(source(child)))
                self._inside(child) if child.type == "command_name" else self.statement(child)
        if words:
            self._judge(words, assignments)

    def _judge(self, words: Sequence[Word], assignments: Sequence[str]) -> None:
        """Add the part of one simple command, then those of what it runs."""
        if words[0].text in _RESERVED:
            raise _NotUnderstood(f"it has the word {words[0].text} where a command stands")
        part = simple_part(words, assignments)
        if part.program in self._functions:
            part = replace(part, read_only=False, unclear=(*part.unclear, f"{part.program} is redefined here"))
        inner = inner_command(part.program, words)
        reasons = tuple(one.unclear for one in inner if one.unclear)
        carries = bool(inner) and not reasons and is_transparent(part.program) and not part.unclear
        self._parts.append(replace(part, unclear=(*part.unclear, *reasons), transparent=carries))
        for one in inner:
            if one.words:
                self._judge(one.words, (*assignments, *one.assignments))
            elif one.script is not None:
                _collect(one.script, self._depth + 1, self._parts)

    def _assignment(self, node: "Node") -> None:
        self._inside(node)
        text = source(node)
        names = [source(child) for child in shell_quotes.descendants(node) if child.type == "variable_name"]
        risky = [name for name in names if command_tables.is_risky_variable(name)]
        dynamic = node.type != "variable_assignment" and any(
            child.is_named and child.type not in ("variable_assignment", "variable_name", "word")
            for child in node.children
        )
        reasons = [f"sets {name}, by which other programs are loaded or started" for name in risky]
        reasons += ["sets variables that are not known before it runs"] if dynamic else []
        flags = [source(child) for child in node.children if child.type == "word" and source(child)[:1] in "-+"]
        reasons += ["gives variables a meaning of their own"] if any(set("in") & set(flag) for flag in flags) else []
        first = node.children[0]
        program = source(first) if node.type != "variable_assignment" else ""
        self._parts.append(
            Part((text,), program, text, (not dynamic,), unclear=tuple(reasons), transparent=not reasons)
        )

    def _redirect(self, node: "Node") -> None:
        at = next(index for index, child in enumerate(node.children) if not child.is_named)
        operator = source(node.children[at])
        target = node.children[min(at + 1, len(node.children) - 1)]
        self.statement(target)
        if operator in (">&-", "<&-") or (operator.endswith("&") and source(target).rstrip("-").isdigit()):
            return
        word = word_of(target)
        known = word.literal and not word.pattern
        connects = word.text.startswith(("/dev/tcp/", "/dev/udp/"))
        why = "a redirection whose target is not known before it runs" if not known else "it opens a network connection"
        place = (word.text,)
        writes = ">" in operator
        self._parts.append(
            Part(
                (operator, word.text),
                "",
                f"{operator} {source(target)}",
                (True, word.literal),
                writes=place if writes else (),
                reads=() if writes else place,
                unclear=() if known and not connects else (why,),
                transparent=known and not writes and not connects,
            )
        )

    def _heredoc(self, node: "Node") -> None:
        """The body may run substitutions; where the grammar could have missed one the line is not understood."""
        start = next(source(child) for child in node.children if child.type == "heredoc_start")
        quoted = any(mark in start for mark in "'\"\\")
        body = "".join(source(child) for child in node.children if child.type == "heredoc_body")
        end = "".join(source(child) for child in node.children if child.type == "heredoc_end")
        delimiter = heredoc_delimiter(start)
        lines = [line.strip("\t") if source(node).startswith("<<-") else line for line in body.split("\n")]
        if delimiter is None or end.strip() != delimiter or delimiter in lines:
            raise _NotUnderstood("its here-document has an unclear end")
        if not quoted and ("`" in body or "\\\n" in body or body.count("$(") != _substitutions(node)):
            raise _NotUnderstood("its here-document runs substitutions")
        strays = stray_words(node)
        for child in node.children:
            if child not in strays and (child.type != "heredoc_body" or not quoted):
                self.statement(child)


def _substitutions(node: "Node") -> int:
    kinds = ("command_substitution", "arithmetic_expansion")
    return sum(found.type in kinds for found in shell_quotes.descendants(node) if source(found).startswith("$("))
