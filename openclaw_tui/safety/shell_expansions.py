"""Where a shell takes the text of a variable for a program: arithmetic, indices, slices, assigned defaults.

`$((x))` evaluates what `x` holds, and an index in that text may be a substitution: a value from a file could run
something. Invariant: only such forms as hold nothing but numbers are let through.
"""

from typing import TYPE_CHECKING

from openclaw_tui.safety import command_tables
from openclaw_tui.safety.shell_quotes import descendants
from openclaw_tui.safety.shell_words import source

if TYPE_CHECKING:
    from tree_sitter import Node

_ARITHMETIC_TESTS = frozenset(("-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-v"))
_NAMES = frozenset(
    ("variable_name", "special_variable_name", "word", "command_substitution", "string", "raw_string", "concatenation")
)


def evaluates(node: "Node") -> str | None:
    """Why a node may run the text of a variable, or change what runs later; None where it does not."""
    match node.type:
        case "arithmetic_expansion" | "c_style_for_statement":
            return _unless_numbers(node)
        case "compound_statement" if source(node).startswith("(("):
            return _unless_numbers(node)
        case "subscript":
            return None if _is_plain_index(node) else "it has an index that is evaluated"
        case "expansion":
            return _expansion(node)
        case "test_command":
            tested = {source(one) for one in descendants(node) if one.type == "test_operator"}
            relevant = tested & _ARITHMETIC_TESTS if source(node).startswith("[[") else tested & {"-v"}
            return _unless_numbers(node) if relevant else None
        case _:
            return None


def _unless_numbers(node: "Node") -> str | None:
    kinds = {one.type for one in descendants(node)}
    return "it calculates with the text of variables" if kinds & _NAMES else None


def _is_plain_index(node: "Node") -> bool:
    inside = node.children[1:]
    return all(child.type in ("number", "[", "]") or source(child) in ("@", "*") for child in inside)


def _expansion(node: "Node") -> str | None:
    marks = [source(child) for child in node.children]
    if ":" in marks and any(child.is_named and child.type != "number" for child in node.children[marks.index(":") :]):
        return "it cuts a text at a place that is evaluated"
    if {"=", ":="} & set(marks):
        name = next((source(child) for child in node.children if child.type == "variable_name"), "")
        if command_tables.is_risky_variable(name):
            return f"it sets {name}, by which other programs are loaded or started"
    return None
