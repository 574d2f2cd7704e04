"""Where skills lie, nearest first. The order of this list is the precedence of two skills with one name.

A project that the user has not marked as trusted comes after the user's own places, so that a cloned repository can
never put its text in the place of a skill the user relies on.
"""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

Owner: TypeAlias = Literal["project", "user", "bundled"]


class SkillRoot(msgspec.Struct, frozen=True):
    """A folder whose children are skills. `trusted` is False for the folders of a project without a trust answer."""

    path: str
    owner: Owner
    trusted: bool = True


def skill_roots(
    project: Path,
    *,
    git_root: Path | None,
    home: Path,
    state: Path,
    bundled: Path,
    extra: Sequence[str] = (),
    trusted: bool = False,
) -> tuple[SkillRoot, ...]:
    """All places in their order of precedence, each folder once; they need not exist."""
    up = [project]
    if git_root is not None and project.is_relative_to(git_root):
        up += [folder for folder in project.parents if folder.is_relative_to(git_root)]
    near = [project / "skills", *(folder / ".agents" / "skills" for folder in up)]
    near += [folder / ".claude" / "skills" for folder in up]
    own = [home / ".agents" / "skills", home / ".claude" / "skills", state / "skills"]
    user_paths = {str(path) for path in own} | set(extra)
    projects = [SkillRoot(str(p), "project", trusted) for p in near if str(p) not in user_paths]
    users = [SkillRoot(str(path), "user") for path in own]
    ours = [
        SkillRoot(str(bundled), "bundled"),
        *(SkillRoot(os.path.expanduser(path), "user") for path in extra),
    ]
    first, second = (projects, users) if trusted else (users, projects)
    return _once([*first, *second, *ours])


def readable_folders(roots: Iterable[SkillRoot]) -> tuple[Path, ...]:
    """The folders of skills that exist: the model may read there, also outside the project."""
    return tuple(Path(root.path) for root in roots if os.path.isdir(root.path))


def _once(roots: Iterable[SkillRoot]) -> tuple[SkillRoot, ...]:
    """Each folder once. One that is both the project's and bundled (a checkout of this program) is bundled."""
    by_path: dict[str, SkillRoot] = {}
    for root in roots:
        known = by_path.get(root.path)
        if known is None or root.owner == "bundled":
            by_path[root.path] = root
    return tuple(by_path.values())
