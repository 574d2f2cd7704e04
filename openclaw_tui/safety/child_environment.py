"""The environment of the commands the agent runs: no keys of ours, nobody at a keyboard.

A command must never get the keys the program itself pays with, must not wait for an editor or a password nobody can
type, and must be able to tell that an agent runs it. Everything else of the user's environment stays.
"""

from collections.abc import Iterable, Mapping

EXEC_MARK_VARIABLE = "OPENCLAW_EXEC_ID"
"""Set to a value of its own for each command: by it even children that left the process group are found again."""

PROVIDER_KEY_VARIABLES = (
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_CUSTOM_HEADERS",
    "OPENAI_API_KEY",
    "OPENAI_ADMIN_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
)
_NO_EDITOR = (
    "sh -c 'echo \"no editor can be opened here: give the text on the command line"
    " (git commit -m, --no-edit, --message)\" >&2; exit 1' --"
)
_NOBODY_AT_THE_KEYBOARD = {
    "OPENCLAW_SHELL": "exec",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_PAGER": "cat",
    "PAGER": "cat",
    "MANPAGER": "cat",
    "GIT_EDITOR": _NO_EDITOR,
    "GIT_MERGE_AUTOEDIT": "no",
    "EDITOR": _NO_EDITOR,
    "VISUAL": _NO_EDITOR,
    "SSH_ASKPASS_REQUIRE": "never",
    "DEBIAN_FRONTEND": "noninteractive",
    "PYTHONUNBUFFERED": "1",
    "TERM": "dumb",
}
_NOT_FOR_CHILDREN = ("CDPATH", "OLDPWD", "GIT_ASKPASS", "SSH_ASKPASS", "SUDO_ASKPASS")
"""Where `cd` goes must be what the command line says; nothing may open a window to ask."""


def child_environment(
    base: Mapping[str, str], *, key_variables: Iterable[str] = (), passed_through: Iterable[str] = ()
) -> dict[str, str]:
    """`base` without provider keys (and the named further ones); `passed_through` lets named keys stay."""
    allowed = set(passed_through)
    removed = {*PROVIDER_KEY_VARIABLES, *key_variables, *_NOT_FOR_CHILDREN} - allowed
    kept = {name: value for name, value in base.items() if name not in removed}
    return {**kept, **_NOBODY_AT_THE_KEYBOARD}
