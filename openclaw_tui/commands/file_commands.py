"""Commands from Markdown files: `.claude/commands/*.md` of the user, and of a project once it is trusted.

The text is sent as a message, with `$ARGUMENTS` and `$1` … `$9` replaced. Nothing in it is run by the program: where a
line begins with `!`, the model is told that its author wants that command run first, and running it goes through the
ordinary question.
"""

import re
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from openclaw_tui.app.compose import App
from openclaw_tui.app.trust import NOT_AS_TRUSTED, command_files, lets_in
from openclaw_tui.commands.registry import Command, CommandOutput
from openclaw_tui.config.paths import Paths, project_bases
from openclaw_tui.constants import MAX_SKILL_FILE_BYTES
from openclaw_tui.skills.frontmatter import Broken, parse_front_matter
from openclaw_tui.visible_text import show_hidden

_NUMBERED = re.compile(r"\$(ARGUMENTS|[1-9])")
_SHELL_LINE = re.compile(r"^\s*!`?\S", re.MULTILINE)
_NAME = re.compile(r"[^\W\d_][\w-]*")
_RUN_FIRST = "(Lines that begin with ! are commands to run first: run them with `exec` where they are needed.)"


def file_commands(paths: Paths, taken: Collection[str], *, trusted: bool) -> tuple[list[Command], list[str]]:
    """The commands of files whose names are not taken, and a line about each file that is left out."""
    found: dict[str, Command] = {}
    problems: list[str] = []
    for path, is_theirs in _files(paths, problems, trusted=trusted):
        name = path.stem.lower()
        if name in taken or name in found or not _NAME.fullmatch(name):
            problems.append(f"{path}: /{name} is taken, or no name for a command; it is left out")
        elif (command := _command(name, path, problems, _refusal(paths, path, is_theirs))) is not None:
            found[name] = command
    return list(found.values()), problems


def _refusal(paths: Paths, path: Path, is_theirs: bool) -> Callable[[], bool]:
    """Whether a file must not be used any more: one of the project's that is other than the user trusted."""
    return lambda: is_theirs and not lets_in(paths, "command", path)


def filled(text: str, argument: str) -> str:
    """The text of a command with its argument put in; one that has no place for it gets it at the end."""
    words = argument.split()

    def value(match: re.Match[str]) -> str:
        if match[1] == "ARGUMENTS":
            return argument
        at = int(match[1]) - 1
        return words[at] if at < len(words) else ""

    replaced, count = _NUMBERED.subn(value, text.strip())
    return f"{replaced}\n\n{argument}" if argument and not count else replaced


def _files(paths: Paths, problems: list[str], *, trusted: bool) -> Iterator[tuple[Path, bool]]:
    """Command files, nearest first, and whether they are the project's; of those the trusted ones."""
    near = command_files(project_bases(paths.project))
    if near and not trusted:
        problems.append(f"{len(near)} command files of this folder are left out: it is not trusted")
        near = []
    for path in near:
        if lets_in(paths, "command", path):
            yield path, True
        else:
            problems.append(f"{path}: {NOT_AS_TRUSTED}")
    yield from ((path, False) for path in command_files([Path.home()]))


def _command(name: str, path: Path, problems: list[str], is_refused: Callable[[], bool]) -> Command | None:
    text = _text(path, problems)
    if text is None:
        return None
    parsed = parse_front_matter(text)
    fields = {} if isinstance(parsed, Broken) else parsed.fields
    body = text if isinstance(parsed, Broken) else parsed.body
    summary = str(fields.get("description") or next(iter(body.strip().splitlines()), "")).strip("# ")

    async def run(app: App, argument: str) -> CommandOutput:
        if is_refused():
            return CommandOutput(f"{path} {NOT_AS_TRUSTED}", is_error=True)
        now = _text(path, [])
        if now is None:
            return CommandOutput(f"{path} cannot be read any more", is_error=True)
        parsed = parse_front_matter(now)
        message = filled(now if isinstance(parsed, Broken) else parsed.body, argument)
        if not message:
            return CommandOutput(f"{path} holds no text", is_error=True)
        app.session.prompt(f"{message}\n\n{_RUN_FIRST}" if _SHELL_LINE.search(message) else message)
        return CommandOutput()

    hint = str(fields.get("argument-hint") or "[input]")
    return Command(name, summary[:80], run, hint=hint, while_busy="wait")


def _text(path: Path, problems: list[str]) -> str | None:
    try:
        if path.stat().st_size > MAX_SKILL_FILE_BYTES:
            problems.append(f"{path}: more than {MAX_SKILL_FILE_BYTES:,} bytes; it is left out")
            return None
        text = path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        problems.append(f"{path}: cannot be read ({error}); it is left out")
        return None
    return show_hidden(text.replace("\r\n", "\n")).text
