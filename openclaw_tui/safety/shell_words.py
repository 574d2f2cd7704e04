"""From a node of the shell grammar to the word a program would get.

A word is literal when its text is known before the shell runs it. Everything a shell would expand (variables,
substitutions, braces) makes it not literal; then `text` holds the source and nothing may be concluded from it.
"""

import os
import re
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from tree_sitter import Node

_BRACE = re.compile(r"\{[^{}]*(?:,|\.\.)[^{}]*\}")
_GLOB = re.compile(r"(?<!\\)[*?\[]|(?<!\\)[@!+]\(")
_DOUBLE_QUOTED_ESCAPE = re.compile(r"\\([\"\\$`]|\n)")
_ESCAPE = re.compile(r"\\(.|\n)", re.DOTALL)


class Word(msgspec.Struct, frozen=True):
    """`pattern` marks an unquoted glob: the shell may put any number of names in its place."""

    text: str
    literal: bool = True
    pattern: bool = False


def source(node: "Node") -> str:
    return (node.text or b"").decode("utf-8", "replace")


def word_of(node: "Node") -> Word:
    """The word a node stands for. Unknown kinds are not literal."""
    whole = source(node)
    pieces = _pieces(node)
    if pieces is None or _BRACE.search(whole if node.type in ("word", "concatenation", "command_name") else ""):
        return Word(whole, literal=False)
    text = "".join(piece.text for piece in pieces)
    if whole.startswith("~"):
        if not (whole == "~" or whole.startswith("~/")):
            return Word(whole, literal=False)
        text = os.path.expanduser(text)
    return Word(text, pattern=any(piece.pattern for piece in pieces))


def _pieces(node: "Node") -> list[Word] | None:
    match node.type:
        case "word" | "number" | "variable_name" | "extglob_pattern":
            return [_plain(source(node))]
        case "raw_string":
            return [Word(source(node)[1:-1])]
        case "ansi_c_string":
            text = source(node)[2:-1]
            return None if "\\" in text else [Word(text)]
        case "string" | "translated_string":
            return _double_quoted(node)
        case "concatenation":
            return _concatenated(node)
        case "command_name" if len(node.children) == 1:
            return _pieces(node.children[0])
        case _:
            return None


def _plain(text: str) -> Word:
    return Word(_ESCAPE.sub(lambda found: "" if found[1] == "\n" else found[1], text), pattern=bool(_GLOB.search(text)))


def _double_quoted(node: "Node") -> list[Word] | None:
    inner = node.children[-1] if node.type == "translated_string" else node
    if any(child.is_named and child.type != "string_content" for child in inner.children):
        return None
    text = source(inner)[1:-1]
    return [Word(_DOUBLE_QUOTED_ESCAPE.sub(lambda found: "" if found[1] == "\n" else found[1], text))]


def _concatenated(node: "Node") -> list[Word] | None:
    pieces: list[Word] = []
    for child in node.children:
        found = _pieces(child)
        if found is None:
            return None
        pieces += found
    return pieces
