"""A treemap drawn in cells: each thing a rectangle as large as its share, with its category's fill and its name."""

from collections.abc import Sequence

import msgspec

from openclaw_tui.agent.budget_tree import Node
from openclaw_tui.constants import CELL_HEIGHT_TO_WIDTH, TREEMAP_LABEL_MIN_CELLS
from openclaw_tui.ui.context_view import KIND_OF_PART, PartKind
from openclaw_tui.ui.figures import tokens_short
from openclaw_tui.ui.textual.panels.bars import FILLS
from openclaw_tui.ui.textual.panels.lines import Line
from openclaw_tui.ui.textual.rendering.safe_text import fit, one_line


class Tile(msgspec.Struct, frozen=True):
    """A rectangle in cells."""

    node: Node
    kind: PartKind
    x: int
    y: int
    width: int
    height: int


def tiles(nodes: Sequence[Node], width: int, height: int) -> list[Tile]:
    """Rectangles of the single things, those of a category together."""
    groups = [node for node in nodes if node.tokens > 0]
    placed: list[Tile] = []
    for node, (x, y, w, h) in zip(groups, _split([n.tokens for n in groups], 0, 0, width, height), strict=True):
        below = sorted((c for c in node.children if c.tokens > 0), key=lambda c: -c.tokens) or [node]
        boxes = _split([c.tokens for c in below], x, y, w, h)
        kind = KIND_OF_PART[node.name]
        placed += [Tile(child, kind, *box) for child, box in zip(below, boxes, strict=True) if box[2] and box[3]]
    return placed


def treemap_lines(nodes: Sequence[Node], width: int, height: int) -> list[Line]:
    """The rows of the map."""
    glyphs = [[" "] * width for _ in range(height)]
    roles: list[list[str]] = [["free"] * width for _ in range(height)]
    for tile in tiles(nodes, width, height):
        _draw(tile, glyphs, roles)
    return [_runs(glyph_row, role_row) for glyph_row, role_row in zip(glyphs, roles, strict=True)]


def _draw(tile: Tile, glyphs: list[list[str]], roles: list[list[str]]) -> None:
    """Fill, a free column at the right and a free row below as borders, and the name with its size."""
    border_x = 1 if tile.width > 2 else 0
    border_y = 1 if tile.height > 2 else 0
    for y in range(tile.y, tile.y + tile.height - border_y):
        for x in range(tile.x, tile.x + tile.width - border_x):
            glyphs[y][x], roles[y][x] = FILLS[tile.kind], tile.kind
    room = tile.width - border_x - 1
    if room < TREEMAP_LABEL_MIN_CELLS:
        return
    words = [fit(one_line(tile.node.name), room)]
    words += [f"~{tokens_short(tile.node.tokens)}"[:room]] if tile.height - border_y > 1 else []
    for row, text in enumerate(words):
        for at, glyph in enumerate(f"{text} "[: room + 1]):
            glyphs[tile.y + row][tile.x + at], roles[tile.y + row][tile.x + at] = glyph, "figure"


def _split(sizes: Sequence[int], x: int, y: int, width: int, height: int) -> list[tuple[int, int, int, int]]:
    """Halves by weight along the longer side, again and again; the boxes in the order of the sizes."""
    if not sizes:
        return []
    if len(sizes) == 1 or width <= 0 or height <= 0:
        return [(x, y, max(0, width), max(0, height))] + [(x, y, 0, 0)] * (len(sizes) - 1)
    whole, left, cut = sum(sizes), 0, 0
    for cut in range(1, len(sizes)):
        left += sizes[cut - 1]
        if 2 * left >= whole:
            break
    if width >= CELL_HEIGHT_TO_WIDTH * height:
        first = min(width, round(width * left / whole))
        return [
            *_split(sizes[:cut], x, y, first, height),
            *_split(sizes[cut:], x + first, y, width - first, height),
        ]
    first = min(height, round(height * left / whole))
    return [*_split(sizes[:cut], x, y, width, first), *_split(sizes[cut:], x, y + first, width, height - first)]


def _runs(glyphs: Sequence[str], roles: Sequence[str]) -> Line:
    line: Line = []
    for glyph, role in zip(glyphs, roles, strict=True):
        if line and line[-1][1] == role:
            line[-1] = (line[-1][0] + glyph, role)
        else:
            line.append((glyph, role))
    return line
