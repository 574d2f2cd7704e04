"""Panel 1: what the next call will hold. One bar in wire order, the lines that matter, how long it will do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from openclaw_tui.constants import HEAVY_ITEMS_SHOWN, PANEL_LEGEND_CELLS, PANEL_WIDE_CELLS
from openclaw_tui.ui.context_line import ContextView
from openclaw_tui.ui.context_view import BarPart, BudgetView
from openclaw_tui.ui.figures import percent, plural, tokens_short, usd_text
from openclaw_tui.ui.textual.panels.bars import FILLS, ruler, share_bar, stacked_bar
from openclaw_tui.ui.textual.panels.lines import Line, Run, chosen_line, fitted, spread, width_of
from openclaw_tui.ui.textual.panels.panel import Panel
from openclaw_tui.ui.textual.rendering.safe_text import fit, one_line

if TYPE_CHECKING:
    from openclaw_tui.ui.heavy_items import HeavyItem

ITEM_LETTERS = "abdefn"
"""Names of the heaviest things as keys; the letters of acts on them are left out."""


class BudgetPanel(Panel):
    """The next request against its window."""

    TITLE = "Budget"
    KEY = "F2"

    def headline(self, view: ContextView, room: int) -> Line:
        budget = view.budget
        return [(budget.total_text, "figure"), (f" {budget.percent}%", level_role(budget))]

    def body(self, view: ContextView, width: int, height: int) -> list[Line]:
        return budget_lines(view.budget, width)


def budget_lines(budget: BudgetView, width: int, *, zoomed: bool = False, chosen: int | None = None) -> list[Line]:
    """Rows of the panel, most needed first."""
    lines = [stacked_bar(budget, width), *ruler(budget, width)]
    lines.append(_turns(budget, width))
    lines += _sources(budget, width)
    lines += [_draft(budget, width)] if budget.draft else []
    lines += [[], *(_table(budget, width) if zoomed else _legend(budget, width))]
    if zoomed:
        lines += [[], [("the lines: ", "muted"), (_marks_text(budget), "text")]]
    if budget.items:
        shown = budget.items if zoomed else budget.items[:HEAVY_ITEMS_SHOWN]
        heads = f"{'age':>10}{'$ a call':>9}" if width >= PANEL_WIDE_CELLS else "age"
        lines += [[], spread([("heaviest", "strong")], [(heads, "muted")], width)]
        lines += [
            _item(item, budget.items[0].tokens, width, ITEM_LETTERS[at : at + 1], at == chosen)
            for at, item in enumerate(shown)
        ]
    if zoomed and budget.files:
        lines += [[], *files_lines(budget, width)]
    return lines


def level_role(budget: BudgetView) -> str:
    if budget.next_tokens > budget.trigger:
        return "error"
    return "warning" if budget.turns_left == 0 else "good"


def of_usable(budget: BudgetView) -> str:
    return f"{budget.total_text} of {tokens_short(budget.usable)}"


def _turns(budget: BudgetView, width: int) -> Line:
    role = {"error": "error", "warning": "warning"}.get(level_role(budget), "strong")
    growth = f"+{tokens_short(budget.growth)}/turn" if budget.growth else ""
    fits = len(budget.turns_text) + len(growth) + 1 <= width
    return spread([(budget.turns_text, role)], [(growth, "muted")] if growth and fits else [], width)


def _sources(budget: BudgetView, width: int) -> list[Line]:
    """What of the total is measured, what estimated, and how far estimates were off so far."""
    if budget.measured:
        left: list[Run] = [("measured ", "muted"), (tokens_short(budget.measured), "text")]
        if budget.estimated:
            left += [(" + new ", "muted"), (f"~{tokens_short(budget.estimated)}", "text")]
    else:
        left = [("not measured yet: estimate", "muted")]
    if not budget.estimate_calls:
        return [spread(left, [], width)]
    off = f"~ ±{max(1, round(100 * budget.estimate_error))}%"
    whole = f"{off} from {plural(budget.estimate_calls, 'call')}"
    right = whole if width_of(left) + len(whole) + 2 <= width else off
    return [spread(left, [(right, "muted")], width)]


def _draft(budget: BudgetView, width: int) -> Line:
    left: list[Run] = [(FILLS["draft"], "draft"), (f" the draft adds ~{tokens_short(budget.draft)}", "strong")]
    share = percent(budget.draft, budget.usable)
    right = budget.draft_words or (f"{share}% of the room" if share else "")
    return spread(left, [(right, "muted")] if right else [], width)


def _marks_text(budget: BudgetView) -> str:
    words = {"75": "75 % guard", "90": "90 % overflow", "C": "C compaction"}
    return " · ".join(f"{words[name]} {tokens_short(tokens)}" for name, tokens in budget.marks)


def _named(budget: BudgetView) -> list[BarPart]:
    return [part for part in budget.bar if part.tokens or part.kind in ("tools", "system", "talk", "results")]


def _figure(part: BarPart) -> str:
    return f"{'' if part.kind == 'reserve' else '~'}{tokens_short(part.tokens)}"


def _legend(budget: BudgetView, width: int) -> list[Line]:
    """Fill, word and tokens of each part, in two columns where they fit."""
    columns = 2 if width >= 2 * PANEL_LEGEND_CELLS - 2 else 1
    cell = (width - 2 * (columns - 1)) // columns
    parts = [part for part in _named(budget) if part.kind != "draft"]
    cells = [
        spread([(FILLS[part.kind], part.kind), (f" {part.kind}", "text")], [(_figure(part), "muted")], cell)
        for part in parts
    ]
    rows = -(-len(cells) // columns)
    lines: list[Line] = []
    for row in range(rows):
        line: Line = []
        for column in cells[row::rows]:
            line += [("  ", "text"), *column] if line else column
        lines.append(line)
    return lines


def _table(budget: BudgetView, width: int) -> list[Line]:
    largest = max(part.tokens for part in budget.bar)
    bars = max(0, min(60, width - 26))
    lines: list[Line] = []
    for part in _named(budget):
        left: list[Run] = [(FILLS[part.kind], part.kind), (f" {part.kind:<8} {_figure(part):>8} ", "text")]
        left += [(f"{percent(part.tokens, budget.window):>3}%  ", "muted")]
        left += [(FILLS[part.kind] * max(1 if part.tokens else 0, round(bars * part.tokens / largest)), part.kind)]
        lines.append(fitted(left, width))
    return lines


def _item(item: HeavyItem, largest: int, width: int, letter: str, chosen: bool) -> Line:
    price = usd_text(item.usd_per_call) if item.usd_per_call is not None else ""
    age: list[Run] = [(f"{item.age_text:>10}", "muted")]
    mark: Run = ("▸", "key") if chosen else (letter or " ", "key")
    if width >= PANEL_WIDE_CELLS:
        bar = share_bar(item.tokens, largest, 12)
        left: list[Run] = [mark, (f"{'~' + tokens_short(item.tokens):>7} ", "text"), (f"{bar} ", "key")]
        line = spread([*left, (one_line(item.name), "text")], [*age, (f"{price:>9}", "muted")], width)
    else:
        left = [mark, (f"{'~' + tokens_short(item.tokens):>7} ", "figure"), (one_line(item.name), "text")]
        line = spread(left, [(f" {item.age_text}", "muted")], width)
    return chosen_line(line, mark="") if chosen else line


def files_lines(budget: BudgetView, width: int) -> list[Line]:
    """Files of the workspace: how long they are, how much of them is sent, what was cut."""
    heads = f"{'raw chars':>9} {'injected':>9}  {'':<20}"
    lines: list[Line] = [spread([("files", "strong")], [(heads, "muted")], width)]
    for file in budget.files:
        cut = f"lines {file.cut_lines[0]}-{file.cut_lines[1]} cut" if file.cut_lines else "whole"
        state = file.problem or cut
        right = f"{file.raw_chars:>9,} {file.injected_chars:>9,}  {fit(one_line(state), 20):<20}"
        role = "warning" if file.cut_lines or file.problem else "muted"
        lines.append(spread([(f"  {one_line(file.shown_path)}", "text")], [(right, role)], width))
    return lines
