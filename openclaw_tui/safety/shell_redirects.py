"""What belongs to a redirection and what only stands behind it.

The grammar puts every word after a redirection into its node; a shell gives all but the first to the command.
"""

import shlex
from typing import TYPE_CHECKING

from openclaw_tui.safety.command_tables import names

if TYPE_CHECKING:
    from tree_sitter import Node

REDIRECTS = frozenset(("file_redirect", "heredoc_redirect", "herestring_redirect"))
WORDS = frozenset(
    names(
        "word number string raw_string ansi_c_string translated_string concatenation simple_expansion expansion"
        " command_substitution process_substitution arithmetic_expansion extglob_pattern"
    )
)


def stray_words(node: "Node") -> list["Node"]:
    """Words that stand behind the target of a redirection, within its node."""
    if node.type == "file_redirect":
        at = next(index for index, child in enumerate(node.children) if not child.is_named)
        return node.children[at + 2 :]
    if node.type == "heredoc_redirect":
        return [
            stray
            for child in node.children
            for stray in ([child] if child.type in WORDS else stray_words(child) if child.type in REDIRECTS else [])
        ]
    return []


def heredoc_delimiter(start: str) -> str | None:
    """The line that ends a here-document, None where its quoting is unclear."""
    if not any(mark in start for mark in "'\"\\"):
        return start
    try:
        return "".join(shlex.split(start)[:1])
    except ValueError:
        return None
