"""The budget on the whole screen: overview with the heaviest things, tree, treemap, files of the workspace.

One thing is always chosen, and keys act on it. The tree is made when it is looked at, not with every change.
"""

from collections.abc import Callable
from typing import ClassVar, Literal, TypeAlias

from textual import events
from textual.message import Message

from openclaw_tui.agent.budget_tree import SORTS, Node, Sort, in_order
from openclaw_tui.constants import TREE_BAR_CELLS
from openclaw_tui.ui.context_line import ContextView
from openclaw_tui.ui.context_view import KIND_OF_PART, BudgetView
from openclaw_tui.ui.figures import percent, plural, tokens_short
from openclaw_tui.ui.textual.panels.bars import FILLS, share_bar
from openclaw_tui.ui.textual.panels.budget import ITEM_LETTERS, budget_lines, files_lines, level_role, of_usable
from openclaw_tui.ui.textual.panels.lines import Line, Run, chosen_line, spread
from openclaw_tui.ui.textual.panels.panel import Panel
from openclaw_tui.ui.textual.panels.treemap import treemap_lines
from openclaw_tui.ui.textual.rendering.safe_text import one_line

Tab: TypeAlias = Literal["overview", "tree", "map", "files"]
TABS: tuple[Tab, ...] = ("overview", "tree", "map", "files")
_SORT_WORDS: dict[Sort, str] = {"tokens": "tokens", "age": "age", "calls": "tokens × calls to come"}


def no_tree() -> tuple[Node, ...]:
    """For a screen without a session behind it."""
    return ()


class BudgetZoom(Panel):
    """Arrow keys choose, Enter looks, → and ← unfold and fold; `tree` gives the request taken apart."""

    can_focus = True
    TABS_TOLD: ClassVar[str] = "Tab next view"

    class Chosen(Message):
        """Another thing or view is chosen: the keys that apply may differ now."""

    def __init__(self, tree: Callable[[], tuple[Node, ...]] = no_tree, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._tree_of = tree
        self._taken: tuple[Node, ...] = ()
        self._made_for: int | None = None
        self.tab: Tab = "overview"
        self.sort: Sort = "tokens"
        self.opened: set[str] = set()
        self.at = 0
        self._top = 0

    # ── what is chosen ─────────────────────────────────────────────────────────────────────────────────────────
    def show(self, view: ContextView) -> None:
        if self._made_for != view.budget.total:
            self._made_for = None
        super().show(view)

    @property
    def apart(self) -> tuple[Node, ...]:
        """The tree as of the figures shown."""
        if self._made_for is None and self.view is not None:
            self._taken, self._made_for = self._tree_of(), self.view.budget.total
        return self._taken

    @property
    def rows(self) -> list[tuple[int, Node]]:
        """Depth and node of each row of the tree that is unfolded."""
        found: list[tuple[int, Node]] = []
        for node in self.apart:
            self._unfold(node, 0, found)
        return found

    def _unfold(self, node: Node, depth: int, found: list[tuple[int, Node]]) -> None:
        found.append((depth, node))
        if node.key in self.opened:
            for child in in_order(node.children, self.sort, self._calls_left):
                self._unfold(child, depth + 1, found)

    @property
    def _calls_left(self) -> int:
        return (self.view.budget.turns_left if self.view else None) or 1

    @property
    def chosen(self) -> tuple[str, str] | None:
        """Key and name of the chosen thing; None on views without a choice."""
        if self.view is None or self.tab not in ("overview", "tree"):
            return None
        if self.tab == "tree":
            rows = self.rows
            return (rows[self.at][1].key, rows[self.at][1].name) if self.at < len(rows) else None
        items = self.view.budget.items
        return (items[self.at].key, items[self.at].name) if self.at < len(items) else None

    def _count(self) -> int:
        if self.tab == "tree":
            return len(self.rows)
        return len(self.view.budget.items) if self.tab == "overview" and self.view else 0

    # ── keys ───────────────────────────────────────────────────────────────────────────────────────────────────
    def move(self, step: int) -> None:
        self.at = max(0, min(self._count() - 1, self.at + step))
        self._tell()

    def look_at(self, tab: Tab) -> None:
        self.tab, self.at, self._top = tab, 0, 0
        self._tell()

    def next_tab(self, step: int) -> None:
        self.look_at(TABS[(TABS.index(self.tab) + step) % len(TABS)])

    def pick(self, letter: str) -> None:
        """One of the heaviest by its letter."""
        if self.tab == "overview" and letter in ITEM_LETTERS and ITEM_LETTERS.index(letter) < self._count():
            self.at = ITEM_LETTERS.index(letter)
            self._tell()

    def next_sort(self) -> None:
        self.sort = SORTS[(SORTS.index(self.sort) + 1) % len(SORTS)]
        self._tell()

    def unfold(self, opens: bool) -> None:
        """→ opens what is chosen in the tree; ← closes it, or goes to what it belongs to."""
        if self.tab != "tree" or self.at >= len(self.rows):
            return
        depth, node = self.rows[self.at]
        if opens and node.children:
            self.opened.add(node.key)
        elif not opens and node.key in self.opened:
            self.opened.discard(node.key)
        elif not opens:
            self.at = next((n for n in range(self.at, -1, -1) if self.rows[n][0] < depth), self.at)
        self._tell()

    def _tell(self) -> None:
        self.changed()
        self.post_message(self.Chosen())

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.move(3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.move(-3)

    @property
    def is_sorted(self) -> bool:
        return self.tab == "tree"

    # ── rows ───────────────────────────────────────────────────────────────────────────────────────────────────
    def body(self, view: ContextView, width: int, height: int) -> list[Line]:
        budget = view.budget
        head = [_head(budget, width), self._tabs(width), []]
        room = max(3, height - len(head)) if height else 0
        match self.tab:
            case "tree":
                shown = self._tree_rows(width)
                focus = self.at
            case "map":
                return [*head, *treemap_lines(self.apart, width, room or 20)]
            case "files":
                shown, focus = files_lines(budget, width), 0
                shown = shown if budget.files else [[("no file of the workspace is sent", "muted")]]
            case _:
                shown = budget_lines(budget, width, zoomed=True, chosen=self.at)
                focus = next((n for n, line in enumerate(shown) if line and line[0][0].startswith("▸")), 0)
        if not room:
            return [*head, *shown]
        self._top = max(0, min(max(self._top, focus - room + 1), focus, max(0, len(shown) - room)))
        if self.tab == "overview" and (self.at == 0 or focus < room):
            self._top = 0
        return [*head, *shown[self._top : self._top + room]]

    def _tabs(self, width: int) -> Line:
        left: list[Run] = []
        for number, tab in enumerate(TABS, 1):
            role = "selected" if tab == self.tab else "muted"
            left += [(f" {number} {tab} ", role), (" ", "text")]
        right = [(f"by {_SORT_WORDS[self.sort]}", "muted")] if self.tab == "tree" else []
        return spread(left, right, width)

    def _tree_rows(self, width: int) -> list[Line]:
        rows, budget = self.rows, self.view.budget if self.view else None
        if budget is None or not rows:
            return [[("…", "muted")]]
        whole = max(1, budget.total)
        return [
            self._tree_row(depth, node, number == self.at, whole, width) for number, (depth, node) in enumerate(rows)
        ]

    def _tree_row(self, depth: int, node: Node, chosen: bool, whole: int, width: int) -> Line:
        sign = ("−" if node.key in self.opened else "+") if node.children else " "
        kind = KIND_OF_PART.get(node.name, "free") if depth == 0 else "free"
        fill: Run = (FILLS[kind], kind) if depth == 0 else (" ", "text")
        left: list[Run] = [("  " * depth, "text"), (f"{sign} ", "key"), fill, (f" {one_line(node.name)}", "text")]
        age = (
            ""
            if depth == 0 or "/" in node.key
            else "always"
            if node.age is None
            else plural(node.age, "turn")
            if node.age
            else "now"
        )
        bar = share_bar(node.tokens, whole, TREE_BAR_CELLS)
        share = f"{percent(node.tokens, whole):>3}%"
        right: list[Run] = [(f" {age:>9}", "muted"), (f" {'~' + tokens_short(node.tokens):>7}", "figure")]
        right += [(f" {share} ", "muted"), (bar, "key")]
        line = spread(left, right, width - 2)
        return chosen_line(line) if chosen else [("  ", "text"), *line]


def _head(budget: BudgetView, width: int) -> Line:
    head = [(budget.model, "strong"), (f" · engine {budget.engine}", "muted")]
    return spread(head, [(of_usable(budget), "figure"), (f" {budget.percent}%", level_role(budget))], width)


def _age(node: Node) -> str:
    if node.age is None:
        return "always"
    return plural(node.age, "turn") if node.age else "now"
