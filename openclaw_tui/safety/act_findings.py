"""What one act touches: the facts a verdict is made of, before any rule is looked at."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from openclaw_tui.events import Risk
from openclaw_tui.safety.command_paths import PartPaths, paths_of_parts
from openclaw_tui.safety.permission_rules import Places, Reach
from openclaw_tui.safety.shell_commands import parse_command
from openclaw_tui.safety.shell_parts import Part
from openclaw_tui.safety.shell_wrappers import MAY_RUN_ANYTHING

_OBEYED_FOLDERS = frozenset((".git", ".openclaw", ".claude", ".agents"))


class Act(msgspec.Struct, frozen=True):
    """One thing a tool is about to do. `paths` are real paths; of a command the first is the folder it starts in."""

    tool: str
    risk: Risk
    paths: tuple[Path, ...] = ()
    command: str | None = None
    url: str | None = None
    reach: Reach = ""


class Findings(msgspec.Struct, frozen=True):
    """`warnings` are reasons to ask in every mode but bypass: outside, destructive, not understood.

    `only_looks` is True when nothing is changed and nothing outside is read; `vague` when a changing command has words
    that are not known before it runs.
    """

    rows: tuple[PartPaths, ...] = ()
    unparsed: str = ""
    warnings: tuple[str, ...] = ()
    only_looks: bool = False
    cwd_outside: bool = False
    vague: bool = False


def examine(act: Act, places: Places) -> Findings:
    if act.command is not None:
        return _examine_command(act, act.command, places)
    warnings = tuple(dict.fromkeys(_path_warnings(act, places)))
    return Findings(warnings=warnings, only_looks=act.risk == "read" and not warnings)


def _path_warnings(act: Act, places: Places) -> Iterator[str]:
    for path in act.paths:
        inside = places.may_read(path) if act.risk == "read" else places.contains(path)
        if not inside:
            yield f"{path} is outside the workspace"
        elif act.risk == "write" and _is_obeyed(path, places):
            yield f"{path} is a file that other programs or this one obey"


def _is_obeyed(path: Path, places: Places) -> bool:
    """Hooks and settings: who writes them can run things later without being asked."""
    roots = [Path(root).resolve() for root in (places.root, *places.added)]
    inner = [path.relative_to(root).parts for root in roots if path.is_relative_to(root)]
    return any(part.lower() in _OBEYED_FOLDERS for parts in inner for part in parts)


def _examine_command(act: Act, command: str, places: Places) -> Findings:
    parsed = parse_command(command)
    cwd = act.paths[0] if act.paths else places.root
    rows = tuple(paths_of_parts(parsed.parts, cwd))
    unparsed = "" if parsed.parseable else f"the command line is not understood: {parsed.problem}"
    warnings = [unparsed] if unparsed else []
    if act.reach == "outside":
        warnings.append("it runs outside the sandbox")
    cwd_outside = not places.contains(cwd)
    if cwd_outside:
        warnings.append(f"it runs in {cwd}, outside the workspace")
    for row in rows:
        warnings += _row_warnings(row, places)
    looks = all((row.part.read_only or row.part.transparent) and not row.part.writes for row in rows)
    vague = any(_is_vague(row.part) for row in rows)
    return Findings(
        rows,
        unparsed,
        tuple(dict.fromkeys(warnings)),
        looks and bool(rows) and not (warnings or act.reach),
        cwd_outside,
        vague,
    )


def _is_vague(part: Part) -> bool:
    """Not known before it runs, or of a program whose words may be any other command."""
    return not part.read_only and (not all(part.literal) or part.program in MAY_RUN_ANYTHING)


def _row_warnings(row: PartPaths, places: Places) -> Iterator[str]:
    part = row.part
    yield from part.dangerous_reasons
    if not part.transparent:
        yield from part.unclear
    for path in row.named:
        if not places.may_read(path):
            yield f"{part.program or part.text} names {path}, outside the workspace"
        elif not part.read_only and not places.contains(path):
            yield f"{part.program or part.text} names {path}, which may only be read"
    for path in row.written:
        if not places.contains(path):
            yield f"it writes {path}, outside the workspace"
        elif _is_obeyed(path, places):
            yield f"it writes {path}, a file that other programs or this one obey"
