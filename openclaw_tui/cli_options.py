"""Flags and subcommands of interface.md sections 3 and 4 as one parser; what it reads becomes an `Options` record."""

import argparse
import os
import sys
from pathlib import Path
from typing import Any, NoReturn

from openclaw_tui.errors import EXIT_DONE, EXIT_USAGE
from openclaw_tui.options import Options as Options

PERMISSION_MODES = ("default", "acceptEdits", "plan", "bypassPermissions")
OUTPUT_FORMATS = ("text", "json", "stream-json")
INPUT_FORMATS = ("text", "stream-json")
SUBCOMMANDS = (
    "init",
    "context",
    "sessions",
    "skills",
    "memory",
    "models",
    "config",
    "doctor",
    "completion",
)
ABSENT_COMMANDS = ("acp", "serve", "replay", "mcp")
"""Words that other versions know as commands: named as absent instead of being sent to a model as a prompt."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        print(f"openclaw-tui: {message}; see `openclaw-tui --help`", file=sys.stderr)
        raise SystemExit(EXIT_USAGE)


def build_parser(*, words: bool = True) -> argparse.ArgumentParser:
    """The global flags, with or without the free words behind them."""
    parser = _Parser(
        prog="openclaw-tui",
        description="A terminal coding agent whose context you can see.",
        usage="openclaw-tui [options] [PROMPT]   |   openclaw-tui [options] COMMAND [arguments]",
        epilog="Commands: " + ", ".join(SUBCOMMANDS) + ". `openclaw-tui COMMAND --help` tells more.",
        allow_abbrev=False,
        add_help=False,
    )
    add = parser.add_argument
    if words:
        add("words", nargs="*", metavar="PROMPT", help="first prompt, or a command with its arguments")
    add(
        "-p",
        "--print",
        dest="print_prompt",
        nargs="?",
        const="",
        metavar="PROMPT",
        help="one answer, then leave; - reads standard input",
    )
    add("--line", action="store_true", help="line mode instead of the full screen")
    add(
        "-c",
        "--continue",
        dest="continue_last",
        action="store_true",
        help="go on with the newest session of this directory",
    )
    add(
        "-r",
        "--resume",
        "--session",
        dest="resume",
        nargs="?",
        const="",
        metavar="ID",
        help="resume by id, prefix or path; without one, choose",
    )
    add("--fork", "--fork-session", dest="fork", action="store_true", help="with -c or -r: go on in a copy")
    add("--read-only", "--readOnly", action="store_true", help="with -c or -r: look at a session, write nothing")
    add("--take-over", "--takeOver", action="store_true", help="with -c or -r: take a session from another process")
    add("--session-id", "--sessionId", metavar="ID", help="id of a new session")
    add("--no-session", "--noSession", action="store_true", help="store nothing")
    add("-m", "--model", metavar="PROVIDER/MODEL[:LEVEL]", help="model to use")
    add("--agent", metavar="ID", help="agent to use")
    add("--output-format", "--outputFormat", choices=OUTPUT_FORMATS, default="text", help="with -p")
    add("--input-format", "--inputFormat", choices=INPUT_FORMATS, default="text", help="with -p")
    add("--permission-mode", "--permissionMode", choices=PERMISSION_MODES, help="what runs without a question")
    add(
        "--dangerously-skip-permissions",
        "--dangerouslySkipPermissions",
        "--yolo",
        dest="skip_permissions",
        action="store_true",
        help="same as --permission-mode bypassPermissions",
    )
    add(
        "--allowed-tools",
        "--allowedTools",
        action="append",
        default=[],
        metavar="RULES",
        help="rules that run without a question, such as 'Bash(git log:*)'",
    )
    add(
        "--disallowed-tools",
        "--disallowedTools",
        action="append",
        default=[],
        metavar="RULES",
        help="rules that never run",
    )
    add("--add-dir", "--addDir", action="append", default=[], metavar="DIR", help="one more directory to work in")
    add("--max-turns", "--maxTurns", type=_positive, metavar="N", help="most model calls")
    add("--max-budget-usd", "--maxBudgetUsd", type=_amount, metavar="USD", help="most money")
    add("--max-tokens", "--maxTokens", type=_positive, metavar="N", help="most tokens")
    add("--context-tokens", "--contextTokens", type=_positive, metavar="N", help="context window to plan for")
    add("--engine", metavar="ID", help="context engine")
    add("--system-prompt", "--systemPrompt", metavar="TEXT", help="replace the built-in instructions")
    add("--append-system-prompt", "--appendSystemPrompt", metavar="TEXT", help="add to them")
    add("--config", action="append", default=[], metavar="KEY=VALUE", help="set one setting for this run")
    add("--cwd", metavar="DIR", help="directory to work in")
    add("--verbose", action="store_true", help="with stream-json: deltas too")
    add("--debug", action="store_true", help="a detailed log file")
    add("-v", "--version", action="store_true", help="print the version")
    add("-h", "--help", action="store_true", help="print this help")
    return parser


def parse_options(arguments: list[str]) -> Options:
    """Parse the command line. Exits with 2 and one line on a usage error.

    Flags a subcommand has of its own (`--json`) are unknown here and are handed on to it.
    """
    flags = build_parser(words=False)
    namespace, rest = flags.parse_known_args(arguments)
    if rest and rest[0] in SUBCOMMANDS and namespace.print_prompt is None:
        return _options(namespace, rest[0], [*rest[1:], *(["--help"] if namespace.help else [])])
    if rest and rest[0] in ABSENT_COMMANDS and namespace.print_prompt is None:
        flags.error(f"there is no command {rest[0]!r} in this version (a prompt that begins so goes in quotes)")
    parser = build_parser()
    namespace, unknown = parser.parse_known_intermixed_args(arguments)
    if namespace.help:
        parser.print_help()
        raise SystemExit(EXIT_DONE)
    if unknown:
        parser.error(f"there is no flag {unknown[0]}")
    return _options(namespace, None, list(namespace.words))


def _options(namespace: argparse.Namespace, command: str | None, words: list[str]) -> Options:
    values: dict[str, Any] = vars(namespace)
    printing = namespace.print_prompt is not None
    prompt = " ".join(([namespace.print_prompt] if namespace.print_prompt else []) + words) or None
    return Options(
        prompt=None if command else _text(prompt),
        print_mode=printing,
        line_mode=namespace.line,
        continue_last=namespace.continue_last,
        resume=namespace.resume,
        fork=namespace.fork,
        read_only=namespace.read_only,
        take_over=namespace.take_over,
        session_id=namespace.session_id,
        no_session=namespace.no_session,
        model=namespace.model,
        agent=namespace.agent,
        output_format=namespace.output_format,
        input_format=namespace.input_format,
        permission_mode="bypassPermissions" if namespace.skip_permissions else namespace.permission_mode,
        allowed_tools=split_rules(namespace.allowed_tools),
        disallowed_tools=split_rules(namespace.disallowed_tools),
        add_dirs=tuple(namespace.add_dir),
        max_turns=namespace.max_turns,
        max_budget_usd=namespace.max_budget_usd,
        max_tokens=namespace.max_tokens,
        context_tokens=namespace.context_tokens,
        engine=namespace.engine,
        system_prompt=_text(namespace.system_prompt),
        append_system_prompt=_text(namespace.append_system_prompt),
        config=tuple(values["config"]),
        cwd=_directory(namespace.cwd),
        cwd_given=bool(namespace.cwd),
        verbose=namespace.verbose,
        debug=namespace.debug,
        version=namespace.version,
        command=command,
        arguments=tuple(words) if command else (),
    )


def _directory(given: str | None) -> Path:
    """The directory to work in. One that was removed under us is named by what the shell remembers of it."""
    try:
        return Path(os.path.expanduser(given)).absolute() if given else Path.cwd()
    except FileNotFoundError:
        return Path(os.environ.get("PWD", "/")) / (given or "")


def _text(argument: str | None) -> str | None:
    """Bytes of the command line that are no UTF-8 become replacement characters."""
    return None if argument is None else os.fsencode(argument).decode("utf-8", "replace")


def split_rules(texts: list[str]) -> tuple[str, ...]:
    """Rules separated by commas or blanks, but never inside brackets: `Bash(git log:*),Read Edit`."""
    rules: list[str] = []
    for text in texts:
        depth, word = 0, ""
        for char in text:
            depth += (char == "(") - (char == ")")
            if depth <= 0 and char in ", ":
                rules.append(word)
                word = ""
            else:
                word += char
        rules.append(word)
    return tuple(rule.strip() for rule in rules if rule.strip())


def _positive(text: str) -> int:
    try:
        number = int(text.replace("_", ""))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} must be at least 1")
    return number


def _amount(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} must be above 0")
    return number
