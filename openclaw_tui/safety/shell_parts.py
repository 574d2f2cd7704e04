"""One simple command of a command line, judged for itself: its name, whether it only looks, what it destroys."""

import shlex
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec

from openclaw_tui.safety import command_tables
from openclaw_tui.safety.shell_git import canonical_git
from openclaw_tui.safety.shell_redirects import WORDS
from openclaw_tui.safety.shell_words import Word, source, word_of
from openclaw_tui.safety.shell_wrappers import MAY_RUN_ANYTHING

if TYPE_CHECKING:
    from tree_sitter import Node

_CHANGES_MEANING = frozenset(("alias", "enable", "hash", "bind", "complete", "shopt"))
_GIT_RUNNERS = (("bisect",), ("submodule",), ("rebase",), ("filter-branch",), ("difftool",), ("mergetool",))


class Part(msgspec.Struct, frozen=True):
    """One command of a command line.

    `words` is the command in its normal form (program without folder, git without its global options) and `literal`
    says of each word whether it is known before the shell runs. `transparent` parts only carry others. `writes` and
    `reads` are targets of redirections; `unclear` says why the part cannot be vouched for by a rule of a prefix.
    `own_path` is the program as written where it does not lie in one of the system's folders.
    """

    words: tuple[str, ...]
    program: str
    text: str
    literal: tuple[bool, ...] = ()
    writes: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    dangerous_reasons: tuple[str, ...] = ()
    unclear: tuple[str, ...] = ()
    read_only: bool = False
    transparent: bool = False
    patterns: frozenset[int] = frozenset()
    own_path: str = ""


def simple_part(words: Sequence[Word], assignments: Sequence[str]) -> Part:
    names = [text.split("=", 1)[0].rstrip("+") for text in assignments]
    unclear = [
        f"sets {name}, by which programs are changed" for name in names if command_tables.is_risky_variable(name)
    ]
    first = words[0]
    if not first.literal or first.pattern or not first.text:
        text = " ".join(word.text for word in words)
        reason = "the program is not known before it runs"
        return Part((text,), "", text, (False,), unclear=(*unclear, reason), patterns=frozenset())
    folder, _, program = first.text.rpartition("/")
    own_path = bool(folder) and folder not in command_tables.STANDARD_PROGRAM_FOLDERS
    normal: list[Word] = [Word(program), *words[1:]]
    folders: tuple[str, ...] = ()
    if program in _CHANGES_MEANING and len(words) > 1:
        unclear.append(f"{program} gives words another meaning")
    if program == "git":
        normal, problems, folders = canonical_git(normal)
        unclear += problems
    texts = tuple(word.text for word in normal)
    literal = tuple(word.literal for word in normal)
    patterns = frozenset(index for index, word in enumerate(normal) if word.pattern)
    if any(_is_unknown_pattern(word) for word in normal[1:]):
        unclear.append("a pattern that is not known before it runs")
    looks = _looks(texts, literal, patterns) and not own_path and not unclear
    return Part(
        texts,
        program,
        " ".join(word.text if not word.literal or word.pattern else shlex.quote(word.text) for word in normal),
        literal,
        dangerous_reasons=tuple(command_tables.dangers(texts, has_pattern=bool(patterns), all_literal=all(literal))),
        unclear=tuple(unclear),
        read_only=looks and all(command_tables.is_harmless_variable(name) for name in names),
        patterns=patterns,
        own_path=first.text if own_path else "",
        reads=folders,
    )


def _looks(texts: tuple[str, ...], literal: tuple[bool, ...], patterns: frozenset[int]) -> bool:
    program = texts[0]
    if command_tables.is_read_only_whatever(program):
        return True
    becomes_option = any(texts[index][:1] in "*?[-" for index in patterns)
    if not all(literal) or (becomes_option and command_tables.has_harmful_options(program)):
        return False
    return command_tables.is_read_only(texts)


def may_be_command_start(part: Part) -> Iterator[int]:
    """Places in `part.words` where a command may begin: 0, and every later one for programs that run others."""
    yield 0
    if part.program in MAY_RUN_ANYTHING or (part.program == "git" and part.words[1:2] in _GIT_RUNNERS):
        yield from range(1, len(part.words))


def loop_part(node: "Node") -> Part:
    """`for NAME in WORD …` as a part: its patterns name files, and its variable may be one that programs obey."""
    name = next((source(child) for child in node.children if child.type == "variable_name"), "")
    words = [word_of(child) for child in node.children if child.type in WORDS]
    unclear = [f"sets {name}, by which programs are changed"] if command_tables.is_risky_variable(name) else []
    if any(_is_unknown_pattern(word) for word in words):
        unclear.append("goes over files that are not known before it runs")
    texts = ("for", *(word.text for word in words))
    return Part(
        texts,
        "for",
        " ".join(("for", name, "in", *texts[1:])),
        (True, *(word.literal for word in words)),
        unclear=tuple(unclear),
        read_only=not unclear,
        patterns=frozenset(index for index, word in enumerate(words, start=1) if word.pattern),
    )


def _is_unknown_pattern(word: Word) -> bool:
    """A pattern behind a variable, such as `$x/*`: names of files nobody can tell beforehand."""
    quoted = word.text[:1] == '"' and word.text[-1:] == '"' and word.text.count('"') == 2
    return not word.literal and not quoted and any(mark in word.text for mark in "*?[{~")
