"""Text that can be read under any theme: a foreground too close to its background is moved away from it.

Why here and not in the style sheets: themes are the user's, too, and a theme's own accent on a tinted ground is often
too faint. Hue is kept as far as the contrast allows.
"""

from rich.color import Color, ColorType
from rich.color_triplet import ColorTriplet
from rich.style import Style

from openclaw_tui.constants import MIN_TEXT_CONTRAST

_BLACK, _WHITE = ColorTriplet(0, 0, 0), ColorTriplet(255, 255, 255)


def contrast(first: ColorTriplet, second: ColorTriplet) -> float:
    """The ratio of WCAG 2: 1 (the same) to 21 (black on white)."""
    low, high = sorted((_luminance(first), _luminance(second)))
    return (high + 0.05) / (low + 0.05)


def readable(style: Style) -> Style:
    """The style with a foreground of at least `MIN_TEXT_CONTRAST`. The terminal's own colours are left alone."""
    if not _is_exact(style.color) or not _is_exact(style.bgcolor):
        return style
    assert style.color is not None
    assert style.bgcolor is not None
    text, ground = style.color.get_truecolor(), style.bgcolor.get_truecolor()
    if contrast(text, ground) >= MIN_TEXT_CONTRAST:
        return style
    target = max((_BLACK, _WHITE), key=lambda pole: contrast(pole, ground))
    for step in range(1, 21):
        mixed = _mix(text, target, step / 20)
        if contrast(mixed, ground) >= MIN_TEXT_CONTRAST:
            break
    return style + Style(color=Color.from_triplet(mixed))


def _is_exact(color: Color | None) -> bool:
    return color is not None and color.type is ColorType.TRUECOLOR


def _mix(first: ColorTriplet, second: ColorTriplet, share: float) -> ColorTriplet:
    return ColorTriplet(*(round(a + (b - a) * share) for a, b in zip(first, second, strict=True)))


def _luminance(color: ColorTriplet) -> float:
    red, green, blue = (_linear(value / 255) for value in color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(value: float) -> float:
    return value / 12.92 if value <= 0.03928 else float(((value + 0.055) / 1.055) ** 2.4)
