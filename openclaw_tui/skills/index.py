"""The listing of skills in the prompt: names, descriptions and places, never their texts.

It stays within its number and its characters whatever there is: descriptions are shortened evenly first, then left
out, then the farthest skills are dropped; each step is told to the model and to the user. Pure, so that the same
skills give the same bytes.
"""

import os
from collections.abc import Sequence
from xml.sax.saxutils import escape

import msgspec

from openclaw_tui.constants import (
    MAX_SKILLS_IN_PROMPT,
    MAX_SKILLS_PROMPT_CHARS,
    MIN_SKILL_DESCRIPTION_CHARS,
    SKILL_LISTING_NOTE_CHARS,
)
from openclaw_tui.skills.discovery import Skill

_OPEN, _CLOSE = "<available_skills>", "</available_skills>"
_QUOTES = {'"': "&quot;", "'": "&apos;"}


class SkillLimits(msgspec.Struct, frozen=True):
    """How many skills and characters the listing may take, and how short a description may become."""

    count: int = MAX_SKILLS_IN_PROMPT
    chars: int = MAX_SKILLS_PROMPT_CHARS
    description: int = MIN_SKILL_DESCRIPTION_CHARS


class SkillListing(msgspec.Struct, frozen=True):
    """`text` is empty where there is nothing to list. `steps` tell what was done to fit, `dropped` what is missing."""

    text: str = ""
    listed: tuple[Skill, ...] = ()
    dropped: tuple[Skill, ...] = ()
    steps: tuple[str, ...] = ()


def list_skills(skills: Sequence[Skill], limits: SkillLimits | None = None, *, home: str | None = None) -> SkillListing:
    """The listing of the skills the model may choose itself, nearest first as they come."""
    limits = limits or SkillLimits()
    offered = [skill for skill in skills if skill.head.model_invocable]
    if not offered:
        return SkillListing()
    home = os.path.expanduser("~") if home is None else home
    kept, dropped = offered[: limits.count], offered[limits.count :]
    steps = [f"{len(dropped)} of {len(offered)} skills are not listed: at most {limits.count} are"] if dropped else []
    room = limits.chars - len(_OPEN) - len(_CLOSE) - 2 - (SKILL_LISTING_NOTE_CHARS if dropped else 0)
    bare = [_entry(skill, None, home) for skill in kept]
    longest = max(len(escape(skill.head.description, _QUOTES)) for skill in kept)
    width = (
        longest
        if _fits(kept, bare, longest, room)
        else _width(kept, bare, room - SKILL_LISTING_NOTE_CHARS, limits.description)
    )
    if width is not None:
        shortened = sum(len(skill.head.description) > width for skill in kept)
        if shortened:
            steps.append(f"{shortened} descriptions are shortened to {width} characters")
        entries = [_entry(skill, width, home) for skill in kept]
        return SkillListing(_joined(entries, steps), tuple(kept), tuple(dropped), tuple(steps))
    return _names_only(kept, dropped, bare, room - SKILL_LISTING_NOTE_CHARS, limits)


def shown_path(path: str, home: str) -> str:
    """A path with the home directory as `~`."""
    return f"~{path[len(home) :]}" if home and path.startswith(home + os.sep) else path


def _names_only(
    kept: Sequence[Skill], dropped: Sequence[Skill], bare: Sequence[str], room: int, limits: SkillLimits
) -> SkillListing:
    count, left = 0, room
    for entry in bare:
        left -= len(entry) + 1
        if left < 0:
            break
        count += 1
    missing = (*kept[count:], *dropped)
    steps = [f"descriptions are left out: {len(kept)} skills do not fit into {limits.chars:,} characters with them"]
    if missing:
        steps.append(f"{len(missing)} of {len(kept) + len(dropped)} skills are not listed, the farthest ones")
    return SkillListing(_joined(bare[:count], steps), tuple(kept[:count]), missing, tuple(steps))


def _joined(entries: Sequence[str], steps: Sequence[str]) -> str:
    notes = [f"({'; '.join(steps)}. /skills shows all.)"] if steps else []
    return "\n".join([*notes, _OPEN, *entries, _CLOSE])


def _entry(skill: Skill, width: int | None, home: str) -> str:
    """One skill; without its description where `width` is None."""
    lines = ["  <skill>", f"    <name>{escape(skill.head.name, _QUOTES)}</name>"]
    if width is not None:
        lines.append(f"    <description>{escape(_shortened(skill.head.description, width), _QUOTES)}</description>")
    lines.append(f"    <location>{escape(shown_path(skill.path, home), _QUOTES)}</location>")
    if not skill.root.trusted:
        lines.append("    <source>this folder, not trusted</source>")
    return "\n".join([*lines, "  </skill>"])


def _shortened(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1].rstrip()}…"


def _fits(skills: Sequence[Skill], bare: Sequence[str], width: int, room: int) -> bool:
    frame = len("    <description></description>\n")
    whole = sum(len(entry) + 1 for entry in bare)
    texts = sum(len(escape(_shortened(skill.head.description, width), _QUOTES)) + frame for skill in skills)
    return whole + texts <= room


def _width(skills: Sequence[Skill], bare: Sequence[str], room: int, least: int) -> int | None:
    """The largest common width at which all fit, None where even the least does not."""
    if not _fits(skills, bare, least, room):
        return None
    low, high = least, max(len(skill.head.description) for skill in skills)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _fits(skills, bare, middle, room) else (low, middle - 1)
    return low
