"""A palette without colours, for tests of what rows say."""

from msgspec.structs import fields
from rich.style import Style

from openclaw_tui.ui.textual.rendering.palette import Palette
from openclaw_tui.ui.textual.rendering.rows import Row

PLAIN = Palette(**{field.name: Style(color=f"color({number})") for number, field in enumerate(fields(Palette))})
"""Every field has a colour of its own, so that a test can ask which one painted a run."""


def text_of(row: Row) -> str:
    return "".join(segment.text for segment in row.segments)


def texts_of(rows: list[Row]) -> list[str]:
    return [text_of(row).rstrip() for row in rows]
