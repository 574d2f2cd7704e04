"""Themes of the user's own: TOML files in `<state>/themes`, named after the file.

A file gives colours by Textual's names (`primary`, `foreground`, `background` …) and `dark`. What is left out comes
from the program's own theme of that ground. A file that cannot be used, or whose text could not be read on its ground,
is told in one line and left out.
"""

import tomllib
from dataclasses import replace
from pathlib import Path

from rich.color_triplet import ColorTriplet
from textual.color import Color, ColorParseError
from textual.theme import Theme

from openclaw_tui.config.toml_text import parse_toml
from openclaw_tui.constants import MIN_TEXT_CONTRAST, PROBLEM_MAX_CHARS
from openclaw_tui.ui.textual.rendering.contrast import contrast
from openclaw_tui.ui.textual.themes import DARK, LIGHT

_COLOURS = (
    "primary",
    "secondary",
    "accent",
    "warning",
    "error",
    "success",
    "foreground",
    "background",
    "surface",
    "panel",
)
_GROUNDS = ("background", "surface", "panel")


def own_themes(folder: Path) -> tuple[list[Theme], list[str]]:
    """The themes of a folder, and a line about each file that gives none."""
    themes: list[Theme] = []
    problems: list[str] = []
    for file in sorted(folder.glob("*.toml")):
        try:
            themes.append(theme_of(file))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, ValueError) as error:
            problems.append(f"theme {file.name} is left out: {str(error)[:PROBLEM_MAX_CHARS]}")
    return themes, problems


def theme_of(file: Path) -> Theme:
    """Raises ValueError, with the reason, where it is no theme one could read by."""
    values = parse_toml(file.read_text(encoding="utf-8"))
    dark = values.pop("dark", True)
    if not isinstance(dark, bool):
        raise ValueError("dark is true or false")
    base = DARK if dark else LIGHT
    colours = {name: str(getattr(base, name)) for name in _COLOURS}
    for name, value in values.items():
        if name not in _COLOURS:
            raise ValueError(f"there is no colour {name}; there are {', '.join(_COLOURS)}")
        try:
            colours[name] = Color.parse(str(value)).hex6
        except ColorParseError as error:
            raise ValueError(f"{name} = {value!r} is no colour") from error
    for ground in _GROUNDS:
        ratio = contrast(
            ColorTriplet(*Color.parse(colours["foreground"]).rgb), ColorTriplet(*Color.parse(colours[ground]).rgb)
        )
        if ratio < MIN_TEXT_CONTRAST:
            raise ValueError(f"foreground on {ground} has a contrast of {ratio:.1f}; {MIN_TEXT_CONTRAST:g} is needed")
    variables = {**base.variables, "border": colours["primary"]}
    theme = replace(base, name=file.stem, variables=variables)
    for name, colour in colours.items():
        setattr(theme, name, colour)
    return theme
