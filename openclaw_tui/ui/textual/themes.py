"""The program's own themes, two of them with more contrast, and which theme to use.

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

CONTRAST_DARK = Theme(
    name="openclaw-contrast-dark",
    primary="#8cc8ff",
    secondary="#7fe3d8",
    accent="#f0b8ff",
    warning="#ffd37a",
    error="#ff9d9d",
    success="#a8f08a",
    foreground="#ffffff",
    background="#000000",
    surface="#0b0b0b",
    panel="#1a1a1a",
    dark=True,
    variables={**DARK.variables, "border": "#8cc8ff", "border-blurred": "#8a8a8a"},
)

CONTRAST_LIGHT = Theme(
    name="openclaw-contrast-light",
    primary="#003a94",
    secondary="#004c56",
    accent="#5c1480",
    warning="#5c3500",
    error="#8a0012",
    success="#0b4d18",
    foreground="#000000",
    background="#ffffff",
    surface="#f6f6f6",
    panel="#ebebeb",
    dark=False,
    variables={**LIGHT.variables, "border": "#003a94", "border-blurred": "#6a6a6a"},
)

BUNDLED = (DARK, LIGHT, CONTRAST_DARK, CONTRAST_LIGHT)

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
