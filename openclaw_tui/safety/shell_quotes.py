"""A second, independent look at the quoting of a command line.

The grammar library and a real shell do not agree everywhere: on escapes in `$'…'`, on a backslash before a line end, on
backquotes inside backquotes. This scanner knows nothing but quoting. It tells at which places a shell sees an operator,
so that the parse can be refused where it took such a place for plain text. Invariant: it only ever makes the verdict
stricter.
"""

import itertools
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from openclaw_tui.safety.shell_redirects import REDIRECTS, WORDS

if TYPE_CHECKING:
    from tree_sitter import Node

_OPERATORS = frozenset(";&|\n<>`")
_BLANK = frozenset(" \t\n")
_TEXT_LEAVES = frozenset(
    (
        *("word", "number", "raw_string", "ansi_c_string", "string_content", "variable_name", "special_variable_name"),
        *("regex", "test_operator", "extglob_pattern", "file_descriptor", "comment"),
    )
)
_ONE_WORD = frozenset(("variable_assignment", "concatenation", "simple_expansion", "command_name", "translated_string"))
_GLUED = frozenset(("string", "expansion", "heredoc_body", "subscript", "unary_expression", "regex", "array"))
_HIDDEN_DESCRIPTOR = re.compile(r"(?<![^\s;&|()])(\d+|\{\w+\})[<>]")
_STRANGE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\u2028\u2029\U00020000-\U0010ffff]")


def has_strange_characters(text: str) -> bool:
    """Carriage returns, NUL and other controls are read differently by shells, grammars and people.

    Characters above U+1FFFF are among them: the grammar's scanner looks them up in a table that ends before (its
    `isalpha` takes bytes), which can end the whole process. Emoji and all common scripts lie below.
    """
    return _STRANGE.search(text) is not None


def operator_places(text: str) -> list[int] | None:
    """Indices of the characters a shell reads as operators or substitutions; None where even quoting is unclear."""
    scanner = _Scanner(text)
    return scanner.places if scanner.run() else None


def descendants(node: "Node") -> Iterator["Node"]:
    for child in node.children:
        yield child
        yield from descendants(child)


def agrees(command: str, root: "Node") -> bool:
    """False where the parse took for plain text what a shell reads as an operator, or left something out."""
    without_bodies = _blank_heredocs(command.encode("utf-8"), root)
    places = operator_places(without_bodies)
    if places is None:
        return False
    if _HIDDEN_DESCRIPTOR.search(without_bodies):
        starts = {node.start_byte for node in descendants(root) if node.type == "file_descriptor"}
        if any(found.start(1) not in starts for found in _HIDDEN_DESCRIPTOR.finditer(without_bodies)):
            return False
    text, seen = bytearray(len(without_bodies)), bytearray(len(without_bodies))
    for node in descendants(root):
        if (node.type in _ONE_WORD and not _is_unbroken(node)) or _runs_words_together(node):
            return False
        if not node.children:
            mark = b"\x01" * (node.end_byte - node.start_byte)
            seen[node.start_byte : node.end_byte] = mark
            if node.type in _TEXT_LEAVES:
                text[node.start_byte : node.end_byte] = mark
    unseen = "".join(char for char, mark in zip(without_bodies, seen, strict=True) if not mark)
    left_out = set(unseen.replace("\\\n", "").split()) - {"-"}  # a lone dash has no node of its own before `<<`
    return not left_out and not any(text[place] for place in places)


def _is_unbroken(node: "Node") -> bool:
    """A shell ends a word at a blank; a grammar that joins across one has read something else."""
    ends = [node.start_byte, *(child.end_byte for child in node.children)]
    starts = [*(child.start_byte for child in node.children), node.end_byte]
    return not node.children or ends == starts


def _runs_words_together(node: "Node") -> bool:
    """True where two words or commands stand side by side with nothing in between: a shell reads one."""
    if node.type in _ONE_WORD or node.type in _GLUED:
        return False
    return any(
        first.is_named and second.is_named and first.end_byte == second.start_byte and second.type not in REDIRECTS
        for first, second in itertools.pairwise(node.children)
        if first.type not in ("file_descriptor", "comment")
        and (node.type != "heredoc_redirect" or second.type in WORDS)
    )


def _blank_heredocs(text: bytes, root: "Node") -> str:
    """The text, one character a byte, with here-document bodies and ends replaced by blanks."""
    blanked = bytearray(text)
    for node in descendants(root):
        if node.type in ("heredoc_body", "heredoc_end"):
            blanked[node.start_byte : node.end_byte] = b" " * (node.end_byte - node.start_byte)
    return blanked.decode("latin-1")


class _Scanner:
    """One pass with a stack of contexts: `(` code, `"` double quotes, `{` a braced expansion, a backquote."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.places: list[int] = []
        self.index = 0
        self.stack = ["("]

    def run(self) -> bool:
        while self.index < len(self.text):
            if not self._step():
                return False
        return self.stack == ["("]

    def _step(self) -> bool:
        char = self.text[self.index]
        if char == "\\":
            return self._escape()
        if char == "$" and self._expansion():
            return self._last_step_was_clear
        if char == "`":
            return self._backquote()
        if self.stack[-1] == '"':
            if char == '"':
                self.stack.pop()
            self.index += 1
            return True
        return self._code(char)

    _last_step_was_clear = True

    def _escape(self) -> bool:
        """A joined line is clear only where blanks stand at one side and something before; never inside backquotes."""
        following = self.text[self.index + 1 : self.index + 2]
        if following == "\n" and self.stack[-1] != '"':
            before = self.text[self.index - 1] if self.index else " "
            after = self.text[self.index + 2 : self.index + 3] or " "
            line = self.text[self.text.rfind("\n", 0, self.index) + 1 : self.index]
            if (before not in _BLANK and after not in _BLANK) or (self.index and not line.strip()):
                return False
        if "`" in self.stack or (following == "\n" and self.text[self.index - 1 : self.index] == "$"):
            return False
        self.index += 2
        return following != ""

    def _expansion(self) -> bool:
        """Enter `$(`, `${` or refuse `$'` with escapes. False when the dollar is plain."""
        following = self.text[self.index + 1 : self.index + 2]
        self._last_step_was_clear = True
        if following == "(":
            self.places.append(self.index)
            self.stack.append("(")
        elif following == "{":
            self.stack.append("{")
        elif following == "'" and self.stack[-1] != '"':
            end = self.text.find("'", self.index + 2)
            self._last_step_was_clear = end >= 0 and "\\" not in self.text[self.index : end]
            self.index = end + 1
            return True
        else:
            return False
        self.index += 2
        return True

    def _backquote(self) -> bool:
        self.places.append(self.index)
        if self.stack[-1] == "`":
            self.stack.pop()
        elif "`" in self.stack:
            return False
        else:
            self.stack.append("`")
        self.index += 1
        return True

    def _code(self, char: str) -> bool:
        if char == "'" and not self._inside_quoted_brace():
            end = self.text.find("'", self.index + 1)
            self.index = end + 1
            return end >= 0
        if char == "#" and self._starts_word() and self.stack[-1] != "{":
            end = self.text.find("\n", self.index)
            self.index = end if end >= 0 else len(self.text)
            return True
        if char == '"':
            self.stack.append('"')
        elif char == "(" and self.stack[-1] != "{":
            self.stack.append("(")
        elif (char == ")" and self.stack[-1] == "(" and len(self.stack) > 1) or (char == "}" and self.stack[-1] == "{"):
            self.stack.pop()
        elif (char in _OPERATORS and self.stack[-1] != "{") or self.text.startswith(("<(", ">("), self.index):
            self.places.append(self.index)
        self.index += 1
        return True

    def _inside_quoted_brace(self) -> bool:
        return self.stack[-1] == "{" and '"' in self.stack

    def _starts_word(self) -> bool:
        return self.index == 0 or self.text[self.index - 1] in " \t\n;&|()<>"
