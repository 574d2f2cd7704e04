"""Slash commands: one table, shared by every front end.

A command returns plain data: text to show, and where a front end must act (leave, switch the conversation, open a
picker) an action. Names match by prefix while they are unambiguous; a mistyped name is reported with near names and
never runs its nearest match.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec

from openclaw_tui.options import Options

if TYPE_CHECKING:
    from openclaw_tui.agent.price_sheet import PriceSheet
    from openclaw_tui.app.compose import App

ActionKind: TypeAlias = Literal[
    "",
    "exit",
    "switch",
    "pick_session",
    "pick_model",
    "help",
    "copy",
    "rewind",
    "rewound",
    "tree",
    "diff",
    "aside",
    "confirm",
    "commands",
    "pick_theme",
    "settings",
    "settled",
    "ask_key",
    "pick_provider",
    "keymap",
    "price",
    "undo_ways",
    "edit_file",
    "find",
    "pager",
]
"""What a front end is to do: `settled` means that settings changed, `commands` that the table did, `rewound` that the
session is on another branch. `price` shows `sheet` and runs `payload` with the answer, `undo_ways` asks how to undo.
`confirm` asks `text`; on a yes the line in `payload` is run. `edit_file` gives the file in `payload` to the user's
editor and then runs the line in `draft`. `find` searches the talk for `payload`, `pager` shows it whole."""


class CommandOutput(msgspec.Struct, frozen=True):
    """`text` is shown; `options` describe the conversation to switch to; `payload` is what an action needs.

    `draft` goes into the editor; `data` is the same as `text` for a screen that shows it its own way.
    """

    text: str = ""
    action: ActionKind = ""
    options: Options | None = None
    payload: str = ""
    is_error: bool = False
    sheet: PriceSheet | None = None
    draft: str = ""
    data: object = None


Run: TypeAlias = "Callable[[App, str], Awaitable[CommandOutput]]"


class Command(msgspec.Struct, frozen=True):
    """`while_busy` says what happens when it is typed while the agent works: it runs at once, or waits for the end."""

    name: str
    summary: str
    run: Run
    hint: str = ""
    aliases: tuple[str, ...] = ()
    while_busy: Literal["now", "wait"] = "now"


class Parsed(msgspec.Struct, frozen=True):
    """A typed line taken apart: the command it names, or why it names none."""

    command: Command | None = None
    argument: str = ""
    problem: str = ""


@dataclass(slots=True)
class CommandTable:
    commands: list[Command] = field(default_factory=list)

    def add(self, *commands: Command) -> None:
        self.commands.extend(commands)

    def parse(self, line: str) -> Parsed | None:
        """None when the line is no command at all (a path, a sentence): it is sent as a message."""
        if not looks_like_command(line):
            return None
        word, _, rest = line.strip().removeprefix("/").partition(" ")
        name, colon, inline = word.partition(":")
        argument = f"{inline} {rest}".strip() if colon else rest.strip()
        found = self._named(name.lower())
        if len(found) == 1:
            return Parsed(found[0], argument)
        if found:
            return Parsed(problem=f"/{name} may be {', '.join('/' + c.name for c in found)}; type more of it")
        near = self.near(name)
        hint = f"; did you mean {' or '.join('/' + n for n in near)}?" if near else "; /help lists the commands"
        return Parsed(problem=f"there is no command /{name}{hint}")

    def near(self, name: str) -> list[str]:
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        names = {word: c.name for c in self.commands for word in (c.name, *c.aliases)}
        found = process.extract(name, list(names), scorer=OSA.normalized_similarity, limit=4, score_cutoff=0.5)
        return list(dict.fromkeys(names[match[0]] for match in found))[:2]

    def matching(self, prefix: str) -> list[Command]:
        """Commands for the menu: those that begin with the prefix first, then those that hold it."""
        wanted = prefix.lower().removeprefix("/")
        starts = [c for c in self.commands if c.name.startswith(wanted) or any(a.startswith(wanted) for a in c.aliases)]
        holds = [c for c in self.commands if wanted in c.name and c not in starts]
        return starts + holds

    def _named(self, name: str) -> list[Command]:
        exact = [c for c in self.commands if c.name == name or name in c.aliases]
        if exact or not name:
            return exact
        by_name = [c for c in self.commands if c.name.startswith(name)]
        return by_name or [c for c in self.commands if any(alias.startswith(name) for alias in c.aliases)]


def looks_like_command(line: str) -> bool:
    """`/name …`: one leading slash and a word of letters; `/etc/hosts is wrong` is a sentence about a path."""
    text = line.strip()
    if text.lower() in ("exit", ":q"):
        return False
    if not text.startswith("/") or text[1:2] in ("", "/") or text[1].isspace():
        return False
    word = text[1:].split(None, 1)[0] if text[1:].strip() else ""
    name = word.split(":", 1)[0]
    return bool(name) and all(c.isalpha() or c in "-_?" for c in name)


def table_text(rows: Sequence[Sequence[str]], *, indent: str = "") -> str:
    """Rows as columns padded to equal width."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))] if rows else []
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join(indent + line for line in lines)
