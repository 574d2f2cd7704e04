"""What one SKILL.md says of itself: the values of its head that the program uses, checked.

Only the head is kept; the model reads the body when it needs it. The record is what the cache stores.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

import msgspec

from openclaw_tui.constants import MAX_SKILL_DESCRIPTION_CHARS, MAX_SKILL_NAME_CHARS
from openclaw_tui.skills.frontmatter import Broken, parse_front_matter, truth_of, words_of
from openclaw_tui.visible_text import show_controls, show_hidden

SKILL_FILE = "SKILL.md"
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?")
_BAD = re.compile(r"[^a-z0-9]+")


class SkillHead(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """`problem` is set for a file that is no usable skill, with `line` to look at. `notes` tell what was mended.

    `bins`, `any_bins`, `env` and `config` are what must be there; `systems` the platforms it is for, empty for all.
    """

    name: str = ""
    description: str = ""
    problem: str = ""
    line: int = 0
    notes: tuple[str, ...] = ()
    license: str = ""
    compatibility: str = ""
    allowed_tools: tuple[str, ...] = ()
    user_invocable: bool = True
    model_invocable: bool = True
    always: bool = False
    systems: tuple[str, ...] = ()
    bins: tuple[str, ...] = ()
    any_bins: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    config: tuple[str, ...] = ()

    @property
    def has_requirements(self) -> bool:
        return bool(self.systems or self.bins or self.any_bins or self.env or self.config)


def read_head(data: bytes, folder: str) -> SkillHead:
    """The head of a SKILL.md that lies in a folder of that name."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return SkillHead(problem="is not UTF-8 text", line=data[: error.start].count(b"\n") + 1)
    parsed = parse_front_matter(text)
    if isinstance(parsed, Broken):
        return SkillHead(problem=parsed.reason, line=parsed.line)
    notes = list(parsed.notes)
    name = _name(parsed.fields.get("name"), folder, notes)
    if not name:
        return SkillHead(problem="its name holds no letter or digit", line=_line_of(text, "name"))
    description = _description(parsed.fields.get("description"), notes)
    if not description:
        return SkillHead(name=name, problem="has no description", line=_line_of(text, "description"))
    hidden = show_hidden(parsed.body).hidden
    if hidden:
        notes.append(f"its text holds {hidden} invisible characters; they are shown as escapes when it is read")
    return _with_rules(parsed.fields, name, description, tuple(notes))


def _with_rules(fields: Mapping[str, Any], name: str, description: str, notes: tuple[str, ...]) -> SkillHead:
    metadata = _mapping(fields.get("metadata"))
    own = _mapping(metadata.get("openclaw"))
    needs = _mapping(own.get("requires")) or _mapping(fields.get("requirements")) or _mapping(fields.get("requires"))
    return SkillHead(
        name=name,
        description=description,
        notes=notes,
        license=_text(fields.get("license")),
        compatibility=_text(fields.get("compatibility")),
        allowed_tools=words_of(fields.get("allowed-tools")),
        user_invocable=truth_of(fields.get("user-invocable"), True),
        model_invocable=not truth_of(fields.get("disable-model-invocation"), False),
        always=truth_of(own.get("always"), False),
        systems=words_of(own.get("os") or needs.get("os") or fields.get("os")),
        bins=words_of(needs.get("bins")),
        any_bins=words_of(needs.get("anyBins") or needs.get("any-bins")),
        env=words_of(needs.get("env")),
        config=words_of(needs.get("config")),
    )


def clean_name(text: str) -> str:
    """The form of a skill's name: lower case, digits and single hyphens, at most 64 characters; may be empty."""
    return _BAD.sub("-", text.lower()).strip("-")[:MAX_SKILL_NAME_CHARS].strip("-")


def _name(value: Any, folder: str, notes: list[str]) -> str:
    given = _text(value)
    if not given:
        return clean_name(folder)
    name = given if _NAME.fullmatch(given) and len(given) <= MAX_SKILL_NAME_CHARS else clean_name(given)
    if name != given:
        notes.append(f"its name {given[:40]!r} is read as {name}")
    if name and name != folder:
        notes.append(f"its folder is called {folder}, not {name}")
    return name


def _description(value: Any, notes: list[str]) -> str:
    """One line without hidden characters, bounded."""
    shown = show_hidden(show_controls(_text(value)))
    if shown.hidden:
        notes.append(f"its description holds {shown.hidden} invisible characters, shown as escapes")
    text = " ".join(shown.text.split())
    if len(text) > MAX_SKILL_DESCRIPTION_CHARS:
        notes.append(f"its description of {len(text):,} characters is cut to {MAX_SKILL_DESCRIPTION_CHARS:,}")
        text = f"{text[: MAX_SKILL_DESCRIPTION_CHARS - 1]}…"
    return text


def _mapping(value: Any) -> Mapping[str, Any]:
    """A table, also where it was written as JSON text."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = json.loads(value)
        except ValueError:
            return {}
    return value if isinstance(value, Mapping) else {}


def _text(value: Any) -> str:
    return str(value).strip() if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def _line_of(text: str, key: str) -> int:
    """The line of a key in the head; 1 where it does not stand."""
    for number, line in enumerate(text.splitlines(), start=1):
        if line.lower().startswith(f"{key}:"):
            return number
    return 1
