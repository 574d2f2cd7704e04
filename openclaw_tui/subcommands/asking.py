"""Questions of subcommands to the person at the terminal, where there is one."""

import sys


def can_ask() -> bool:
    """Whether somebody sits at a terminal and would see a question."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()


def says_yes(question: str) -> bool:
    """Ask; anything but a clear yes is a no."""
    try:
        return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False
