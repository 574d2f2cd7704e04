"""The parsers of the subcommands: one line for a usage error, exit 2, help that names the command."""

import argparse
import sys
from typing import NoReturn

from openclaw_tui.errors import EXIT_USAGE


class CommandParser(argparse.ArgumentParser):
    """Errors are one line that says where to read more."""

    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: {message}; see `{self.prog} --help`", file=sys.stderr)
        raise SystemExit(EXIT_USAGE)


def command_parser(name: str, description: str) -> CommandParser:
    return CommandParser(prog=f"openclaw-tui {name}", description=description, allow_abbrev=False)


def add_json_flag(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")
