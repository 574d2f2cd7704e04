"""Slash commands: what is one, what is nearly one, and what is only a line that begins with a slash."""

import pytest

from openclaw_tui.commands.help_command import all_commands
from openclaw_tui.commands.registry import CommandTable, looks_like_command, table_text

TABLE = all_commands()


def parsed(line: str, table: CommandTable = TABLE) -> tuple[str, str]:
    found = table.parse(line)
    assert found is not None
    assert found.command is not None, found.problem
    return found.command.name, found.argument


@pytest.mark.parametrize(
    ("line", "name", "argument"),
    [
        ("/compact", "compact", ""),
        ("/compact keep the plan", "compact", "keep the plan"),
        ("  /compact   keep  ", "compact", "keep"),
        ("/comp keep", "compact", "keep"),
        ("/compact: keep", "compact", "keep"),
        ("/COMPACT x", "compact", "x"),
        ("/?", "help", ""),
        ("/q", "exit", ""),
        ("/quit", "exit", ""),
        ("/clear", "new", ""),
        ("/cost", "usage", ""),
        ("/reasoning-effort high", "think", "high"),
        ("/model anthropic/claude-sonnet-5-5:high", "model", "anthropic/claude-sonnet-5-5:high"),
    ],
)
def test_names_beginnings_and_aliases(line: str, name: str, argument: str) -> None:
    assert parsed(line) == (name, argument)


@pytest.mark.parametrize("line", ["/compacct", "/modle gpt", "/hepl"])
def test_a_mistyped_name_is_told_with_near_names_and_never_run(line: str) -> None:
    found = TABLE.parse(line)
    assert found is not None
    assert found.command is None
    assert line[1:].split()[0] in found.problem
    assert "did you mean /" in found.problem


def test_a_name_like_no_other_names_the_list() -> None:
    found = TABLE.parse("/qqqqqqqq")
    assert found is not None
    assert found.command is None
    assert "/help" in found.problem


def test_an_ambiguous_beginning_lists_its_commands() -> None:
    found = TABLE.parse("/co")
    assert found is not None
    assert found.command is None
    assert "/compact" in found.problem
    assert "/context" in found.problem


@pytest.mark.parametrize(
    "line",
    [
        "/etc/hosts is wrong",
        "/usr/bin/env python3 fails, why?",
        "// a comment",
        "/",
        "/ spaced",
        "/3 of them failed",
        "what does /compact do?",
        "look at /home/me/x.py",
        "",
        "/src/app.py:12 raises",
        "/a.txt",
    ],
)
def test_paths_and_sentences_are_no_commands(line: str) -> None:
    assert TABLE.parse(line) is None
    assert not looks_like_command(line)


def test_the_menu_shows_beginnings_first() -> None:
    names = [command.name for command in TABLE.matching("/co")]
    assert names[:2] == sorted(names[:2], key=[c.name for c in TABLE.commands].index)
    assert {"context", "compact", "copy"} <= set(names)
    assert TABLE.matching("")[0].name == "help"


def test_no_name_or_alias_is_given_twice() -> None:
    words = [word for command in TABLE.commands for word in (command.name, *command.aliases)]
    assert len(words) == len(set(words))


def test_columns_are_padded() -> None:
    assert table_text([("a", "bb"), ("ccc", "d")], indent="  ") == "  a    bb\n  ccc  d"
    assert table_text([]) == ""
