"""Finds the skills of all places and decides which are in use; tells of every other one why it is not.

One entry for each name: the nearest that can work wins. A broken, oversized or unusable copy never hides a working
one farther away. Links must stay inside their place. Nothing is read but SKILL.md, and that only when it changed.
"""

import os
import stat
from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

import msgspec

from openclaw_tui.constants import MAX_SKILL_FILE_BYTES
from openclaw_tui.skills.cache import HeadCache
from openclaw_tui.skills.eligibility import Surroundings, missing_for
from openclaw_tui.skills.places import SkillRoot
from openclaw_tui.skills.record import SKILL_FILE, SkillHead
from openclaw_tui.skills.scripts import scripts_of

Why: TypeAlias = Literal["broken", "oversized", "shadowed", "unusable", "disabled", "untrusted"]
_TRUST_FIRST = "this folder is not trusted (/trust)"
_SKIPPED = frozenset({"node_modules", "__pycache__"})


class Skill(msgspec.Struct, frozen=True, gc=False):
    """A skill in use. `path` is its SKILL.md."""

    head: SkillHead
    path: str
    root: SkillRoot

    @property
    def name(self) -> str:
        return self.head.name


class LeftOut(msgspec.Struct, frozen=True, gc=False):
    """A skill that is not in use, with the reason in the user's words; `line` is 0 where no line is to blame."""

    why: Why
    name: str
    path: str
    reason: str
    line: int = 0


class SkillSet(msgspec.Struct, frozen=True):
    """All skills in use, nearest place first and by name within a place, and those left out."""

    active: tuple[Skill, ...] = ()
    left_out: tuple[LeftOut, ...] = ()

    def find(self, name: str) -> Skill | None:
        wanted = name.strip().lower()
        return next((skill for skill in self.active if skill.head.name == wanted), None)


def discover(
    roots: Sequence[SkillRoot],
    *,
    cache: HeadCache,
    here: Surroundings | None = None,
    disabled: Sequence[str] = (),
    only: Sequence[str] | None = None,
) -> SkillSet:
    """Look at all places. `only` is an agent's own list of skills; None lets all through."""
    here = here or Surroundings()
    wanted = None if only is None else frozenset(only)
    hidden = frozenset(disabled)
    active: dict[str, Skill] = {}
    left: list[LeftOut] = []
    for root in roots:
        found = sorted(_scan(root, cache, left), key=lambda skill: (skill.head.name, skill.path))
        for skill in found:
            refusal = _refusal(skill, active, here, hidden, wanted)
            if refusal is None:
                active[skill.head.name] = skill
            else:
                left.append(refusal)
    cache.save()
    return SkillSet(tuple(active.values()), tuple(left))


def _refusal(
    skill: Skill, active: dict[str, Skill], here: Surroundings, hidden: frozenset[str], wanted: frozenset[str] | None
) -> LeftOut | None:
    head = skill.head
    if head.name in hidden:
        return LeftOut("disabled", head.name, skill.path, "is turned off in the settings (skills.disabled)")
    if wanted is not None and head.name not in wanted:
        return LeftOut("disabled", head.name, skill.path, "is not among the skills of this agent")
    if head.has_requirements and (lacking := missing_for(head, here)):
        return LeftOut("unusable", head.name, skill.path, lacking)
    waits = skill.root.owner == "project" and not skill.root.trusted
    if waits and (scripts := scripts_of(os.path.dirname(skill.path))):
        return LeftOut("untrusted", head.name, skill.path, f"has scripts ({', '.join(scripts[:3])}); {_TRUST_FIRST}")
    winner = active.get(head.name)
    if winner is None:
        return None
    reason = f"stands behind {winner.path}"
    if waits and winner.root.owner != "project":
        reason += " (this folder is not trusted, so it does not replace yours)"
    return LeftOut("shadowed", head.name, skill.path, reason)


def _scan(root: SkillRoot, cache: HeadCache, left: list[LeftOut]) -> Iterator[Skill]:
    """The usable skills of one place; what is wrong with the others goes to `left`."""
    for name, path, linked in _folders(root.path, left):
        try:
            status = os.lstat(path)
        except FileNotFoundError:
            _look_for_misspelt(os.path.dirname(path), left)
            continue
        except OSError as error:
            left.append(LeftOut("broken", name, path, f"cannot be read ({error.strerror})"))
            continue
        head = _head(root, name, path, status, linked, cache)
        if isinstance(head, LeftOut):
            left.append(head)
        else:
            yield Skill(head, path, root)


def _folders(root: str, left: list[LeftOut]) -> Iterator[tuple[str, str, bool]]:
    """Name, SKILL.md and whether the folder is a link, for each child; for the place itself where it is one skill."""
    try:
        with os.scandir(root) as entries:
            found = list(entries)
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        left.append(LeftOut("broken", "", root, f"cannot be read ({error.strerror})"))
        return
    names = {entry.name for entry in found}
    if SKILL_FILE in names:
        yield os.path.basename(root), f"{root}/{SKILL_FILE}", False
        return
    if "skills" in names and _holds_skills(f"{root}/skills"):
        yield from _folders(f"{root}/skills", left)
        return
    for entry in found:
        if entry.name[0] != "." and entry.name not in _SKIPPED and entry.is_dir():
            yield entry.name, f"{entry.path}/{SKILL_FILE}", entry.is_symlink()


def _holds_skills(folder: str) -> bool:
    """Whether a folder called `skills` is a place of its own (a repository of skills), and no skill of that name."""
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries]
    except OSError:
        return False
    return SKILL_FILE not in names and any(os.path.exists(f"{folder}/{name}/{SKILL_FILE}") for name in names)


def _head(
    root: SkillRoot, name: str, path: str, status: os.stat_result, linked: bool, cache: HeadCache
) -> SkillHead | LeftOut:
    linked = linked or stat.S_ISLNK(status.st_mode)
    if linked:
        real, place = os.path.realpath(path), os.path.realpath(root.path)
        if not real.startswith(place + os.sep):
            return LeftOut("broken", name, path, "is a link that leads out of its place")
    try:
        if linked:
            status = os.stat(path)
        if not stat.S_ISREG(status.st_mode):
            return LeftOut("broken", name, path, f"{SKILL_FILE} is no regular file")
        if status.st_size > MAX_SKILL_FILE_BYTES:
            reason = f"has {status.st_size:,} bytes; {MAX_SKILL_FILE_BYTES:,} are the most"
            return LeftOut("oversized", name, path, reason)
        head = cache.head(path, status, name)
    except OSError as error:
        return LeftOut("broken", name, path, f"cannot be read ({error.strerror})")
    return LeftOut("broken", head.name or name, path, head.problem, head.line) if head.problem else head


def _look_for_misspelt(folder: str, left: list[LeftOut]) -> None:
    """A folder without SKILL.md is no skill, unless its file is only spelt in another case."""
    try:
        with os.scandir(folder) as entries:
            name = next((entry.name for entry in entries if entry.name.lower() == SKILL_FILE.lower()), None)
    except OSError:
        return
    if name is not None:
        path = f"{folder}/{name}"
        left.append(LeftOut("broken", os.path.basename(folder), path, f"the file must be called {SKILL_FILE}", 1))
