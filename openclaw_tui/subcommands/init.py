"""`init [DIR]`: writes the workspace templates that are missing. Never overwrites, never follows a link out."""

import os
from pathlib import Path

from openclaw_tui.config.paths import data_dir, git_root, resolve_paths
from openclaw_tui.errors import EXIT_DONE, ConfigError
from openclaw_tui.options import Options
from openclaw_tui.prompt.bootstrap_files import BOOTSTRAP
from openclaw_tui.safety.trust import TrustStore
from openclaw_tui.subcommands.arguments import command_parser
from openclaw_tui.subcommands.asking import can_ask, says_yes

TEMPLATES = ("AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md", "TOOLS.md", "MEMORY.md", "BOOTSTRAP.md", "HEARTBEAT.md")
PRIVATE_NOTES = ("MEMORY.md", "memory/")
"""What `init` offers to keep out of the repository: notes about a person are nobody else's business."""


def run(options: Options) -> int:
    parser = command_parser("init", "Write the workspace templates that are missing; what exists stays as it is.")
    parser.add_argument("directory", nargs="?", metavar="DIR", help="where to write (default: here)")
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--exclude", action="store_true", help="keep MEMORY.md and memory/ out of git without asking")
    choice.add_argument("--no-exclude", action="store_true", help="do not ask about git")
    given = parser.parse_args(options.arguments)
    folder = (options.cwd / Path(os.path.expanduser(given.directory))) if given.directory else options.cwd
    if not folder.is_dir():
        raise ConfigError(f"init {folder}: there is no such directory; make it first")
    written = write_templates(folder)
    if BOOTSTRAP in written:
        remember_ritual(folder / BOOTSTRAP)
    for name in TEMPLATES:
        print(f"{'written' if name in written else 'kept'}  {name}")
    if not given.no_exclude:
        _offer_exclude(folder, ask=not given.exclude)
    return EXIT_DONE


def remember_ritual(path: Path) -> None:
    """The first-run questions are asked only where `init` wrote them, so that a cloned folder cannot ask its own."""
    try:
        TrustStore(resolve_paths(path.parent).trust).note_written(path, path.read_bytes())
    except OSError as error:
        raise ConfigError(f"the state directory cannot be written: {error.strerror}") from error


def write_templates(folder: Path) -> list[str]:
    """Names of the files that were written: those that did not exist in any form, links to nowhere included."""
    source = data_dir("workspace_templates")
    written = []
    for name in TEMPLATES:
        text = (source / name).read_bytes()
        try:
            descriptor = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        except FileExistsError:
            continue
        except OSError as error:
            raise ConfigError(f"{folder / name} cannot be written: {error.strerror}") from error
        with os.fdopen(descriptor, "wb") as handle:
            handle.write(text)
        written.append(name)
    return written


def _offer_exclude(folder: Path, *, ask: bool) -> None:
    root = git_root(folder)
    exclude = root / ".git" / "info" / "exclude" if root is not None else None
    if root is None or exclude is None or not (root / ".git").is_dir():
        return
    lines = missing_excludes(exclude, root, folder)
    if not lines:
        return
    if ask and not (can_ask() and says_yes(f"keep {' and '.join(PRIVATE_NOTES)} out of git (.git/info/exclude)?")):
        print("to keep your notes out of git: openclaw-tui init --exclude")
        return
    before = exclude.read_text(encoding="utf-8") if exclude.exists() else ""
    exclude.parent.mkdir(exist_ok=True)
    start = "" if not before or before.endswith("\n") else "\n"
    with exclude.open("a", encoding="utf-8") as handle:
        handle.write(start + "".join(f"{line}\n" for line in lines))
    print(f"excluded from git: {', '.join(lines)}")


def missing_excludes(exclude: Path, root: Path, folder: Path) -> list[str]:
    """Lines that are not in the exclude file yet."""
    place = folder.resolve().relative_to(root.resolve()).as_posix()
    wanted = [f"/{name}" if place == "." else f"/{place}/{name}" for name in PRIVATE_NOTES]
    present = exclude.read_text(encoding="utf-8", errors="replace").splitlines() if exclude.exists() else []
    return [line for line in wanted if line not in present]
