"""The styles of the transcript as one record, taken from the theme through component classes.

Why a record: rendering is pure and runs outside any widget, so it gets values, not a style sheet. Every style carries
both colours, so that no text depends on what the terminal's own background is; the modifiers carry none.
"""

from collections.abc import Callable

import msgspec
from msgspec.structs import fields
from rich.style import Style

from openclaw_tui.ui.textual.rendering.contrast import readable

PREFIX = "transcript--"
"""What the component classes are called in the style sheet: this and the field name with hyphens."""

MODIFIERS = frozenset({"strong", "emphasis", "strike"})
"""Fields that change the look of what they lie on and have no colour of their own."""

DECORATION = frozenset({"rule", "quote_bar", "user_bar"})
"""Lines and bars: nothing to read, so they may be faint."""


class Palette(msgspec.Struct, frozen=True):
    """Every style the transcript draws with. `text` is ordinary prose; `muted` is chrome one may overlook."""

    text: Style
    muted: Style
    rule: Style
    strong: Style
    emphasis: Style
    strike: Style
    heading_one: Style
    heading_two: Style
    heading: Style
    link: Style
    bullet: Style
    quote: Style
    quote_bar: Style
    inline_code: Style
    code: Style
    code_label: Style
    keyword: Style
    string: Style
    number: Style
    comment: Style
    function: Style
    type: Style
    decorator: Style
    error_token: Style
    user: Style
    user_bar: Style
    user_muted: Style
    chip: Style
    thinking: Style
    tool_name: Style
    tool_text: Style
    done: Style
    running: Style
    warning: Style
    error: Style
    info: Style
    separator: Style
    added: Style
    added_word: Style
    removed: Style
    removed_word: Style
    hunk: Style


def component_class(field_name: str) -> str:
    return PREFIX + field_name.replace("_", "-")


COMPONENT_CLASSES = {component_class(field.name) for field in fields(Palette)}


def palette_from(style_of: Callable[[str], Style]) -> Palette:
    """The palette of a theme. `style_of` gives the full style (both colours) of a component class."""
    return Palette(
        **{field.name: _style(field.name, style_of(component_class(field.name))) for field in fields(Palette)}
    )


def _style(name: str, full: Style) -> Style:
    if name not in MODIFIERS:
        return full if name in DECORATION else readable(full)
    return Style(bold=full.bold, italic=full.italic, underline=full.underline, strike=full.strike)
