"""The program's own two themes, and which theme to use.

Colours are chosen so that every text of the screen keeps a contrast of at least 4.5:1 on its ground; a test computes it
from what the style sheets make of them.
"""

from textual.theme import Theme

from openclaw_tui.ui.first_frame import Background

DARK = Theme(
    name="openclaw-dark",
    primary="#7aa2f7",
    secondary="#73c8c0",
    accent="#d6a2ec",
    warning="#e6b673",
    error="#f28b8b",
    success="#9ccf84",
    foreground="#d9dce3",
    background="#14161b",
    surface="#1b1e25",
    panel="#242832",
    dark=True,
    variables={
        "input-cursor-background": "#d9dce3",
        "input-cursor-foreground": "#14161b",
        "input-cursor-text-style": "none",
        "input-selection-background": "#35466e",
        "input-selection-foreground": "#ffffff",
        "screen-selection-background": "#35466e",
        "screen-selection-foreground": "#ffffff",
        "border": "#7aa2f7",
        "border-blurred": "#3a4050",
    },
)

LIGHT = Theme(
    name="openclaw-light",
    primary="#1f4fa8",
    secondary="#0c6470",
    accent="#7a2f9a",
    warning="#7f4a00",
    error="#a81c28",
    success="#1c6b2a",
    foreground="#1f2328",
    background="#fbfbfa",
    surface="#f1f1ef",
    panel="#e6e6e3",
    dark=False,
    variables={
        "input-cursor-background": "#1f2328",
        "input-cursor-foreground": "#fbfbfa",
        "input-cursor-text-style": "none",
        "input-selection-background": "#bcd0f5",
        "input-selection-foreground": "#101214",
        "screen-selection-background": "#bcd0f5",
        "screen-selection-foreground": "#101214",
        "border": "#1f4fa8",
        "border-blurred": "#b9bcc4",
    },
)

_SHORT_NAMES = {"dark": DARK.name, "light": LIGHT.name}


def choose_theme(wanted: str, background: Background | None, available: set[str]) -> tuple[str, str]:
    """The theme's name, and a line for the user where the wanted one is unknown."""
    by_ground = LIGHT.name if background == "light" else DARK.name
    name = _SHORT_NAMES.get(wanted, wanted)
    if name == "auto":
        return by_ground, ""
    if name in available:
        return name, ""
    return by_ground, f"there is no theme {wanted!r}; using {by_ground}"
