"""One compaction on the whole screen: summary, what it covers, what it lost, what changed, what it cost.

The text can be edited where the compaction is in force; what is lost can be put back. Both go through the same commands
as in line mode, so that they ask for their price and can be taken back.
"""

from collections.abc import Awaitable, Callable
from typing import ClassVar, Literal, TypeAlias

from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import ContentSwitcher, Static, TextArea

from openclaw_tui.agent.cache_prices import dollars
from openclaw_tui.agent.compaction_record import CompactionRecord
from openclaw_tui.ui.context_line import ContextView
from openclaw_tui.ui.figures import plural, tokens_short
from openclaw_tui.ui.textual.bindings import bindings_of
from openclaw_tui.ui.textual.panels.lines import Line, chosen_line, spread, wrapped
from openclaw_tui.ui.textual.panels.panel import Panel
from openclaw_tui.ui.textual.rendering.safe_text import one_line, visible

Tab: TypeAlias = Literal["summary", "before", "lost", "diff", "cost"]
TABS: tuple[Tab, ...] = ("summary", "before", "lost", "diff", "cost")
Run: TypeAlias = Callable[[str], Awaitable[str]]


class CompactionPanel(Panel):
    """The rows of a tab; in `before` and `lost` one row is chosen."""

    can_focus = True

    def __init__(self, record: CompactionRecord) -> None:
        super().__init__(id="compaction-body")
        self.record = record
        self.tab: Tab = "summary"
        self.at = 0
        self._top = 0

    def look_at(self, tab: Tab) -> None:
        self.tab, self.at, self._top = tab, 0, 0
        self.changed()

    def move(self, step: int) -> None:
        most = len(self._rows_of(max(1, self.content_size.width))) - 1
        self.at = max(0, min(most, self.at + step))
        self.changed()

    def _lines(self, width: int, height: int) -> list[Line]:
        chooses = self.tab in ("before", "lost")
        rows = self._rows_of(width - 2 if chooses else width)
        if not height:
            return rows
        at = min(self.at, max(0, len(rows) - 1))
        if chooses:
            self._top = max(0, min(max(self._top, at - height + 1), at))
        else:
            self._top = max(0, min(at, len(rows) - height))
        shown = rows[self._top : self._top + height]
        if not chooses:
            return shown
        return [chosen_line(line) if self._top + n == at else [("  ", "text"), *line] for n, line in enumerate(shown)]

    def body(self, view: ContextView, width: int, height: int) -> list[Line]:
        return self._lines(width, height)

    def _rows_of(self, width: int) -> list[Line]:
        record = self.record
        match self.tab:
            case "before":
                return [before_row(text.result_id or text.label, text.text, width) for text in record.covered]
            case "lost":
                return lost_rows(record, width)
            case "diff":
                return diff_rows(record, width)
            case "cost":
                return cost_rows(record, width)
            case _:
                return [row for line in visible(record.summary).split("\n") for row in _prose(line, width)]


def _prose(line: str, width: int) -> list[Line]:
    role = "title" if line.startswith("#") else "text"
    return wrapped(line, width, role) or [[]]


def before_row(who: str, text: str, width: int) -> Line:
    right = f"{len(text):,} chars"
    return spread([(f"{who:<10.10} ", "muted"), (one_line(text[: 4 * width]), "text")], [(right, "muted")], width)


def lost_rows(record: CompactionRecord, width: int) -> list[Line]:
    """What may be missed, with how often it was said."""
    if not record.lost:
        return [[("nothing: every name of the covered talk is in the summary or still sent", "good")]]
    return [
        spread(
            [(f"{number:>3} ", "muted"), (f"{item.kind:<8} ", "key"), (one_line(item.text), "text")],
            [(f"×{item.times}", "muted")] if item.times > 1 else [],
            width,
        )
        for number, item in enumerate(record.lost, 1)
    ]


def diff_rows(record: CompactionRecord, width: int) -> list[Line]:
    roles = {"+": "good", "-": "error", "@": "muted"}
    rows = [row for line in record.diff for row in wrapped(visible(line), width, roles.get(line[:1], "text"))]
    head = "against the summary before" if record.previous else "there was no summary before: all of it is new"
    return [[(head, "muted")], [], *rows]


def cost_rows(record: CompactionRecord, width: int) -> list[Line]:
    """What was paid, what each call saves since, and after how many it is paid back."""
    saved = record.tokens_before - record.tokens_after
    facts = [
        ("size", f"{record.tokens_before:,} → {record.tokens_after:,} tokens"),
        ("the summary", dollars(record.usd)),
        ("cache rewrite", f"{dollars(record.rewrite_usd)} for ~{tokens_short(record.rewrite_tokens)} tokens"),
        ("saved a call", f"{dollars(record.saved_usd)} for {tokens_short(max(0, saved))} tokens read from the cache"),
        ("calls since", str(record.calls)),
        ("paid back", _paid_back(record)),
    ]
    rows: list[Line] = [[(f"{name:<15}", "muted"), (figure, "text")] for name, figure in facts]
    return [*wrapped(record.cost_text, width, "strong"), [], *rows]


def _paid_back(record: CompactionRecord) -> str:
    if record.break_even is None:
        return "not known: no price"
    left = record.break_even - record.calls
    return f"in {plural(left, 'call')}" if left > 0 else f"since {plural(-left, 'call')}" if left else "just now"


class CompactionScreen(Screen[None]):
    """`again` looks at the compaction anew after something changed it; `run` runs a command and gives its line."""

    CSS_PATH = "../styles/panels.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("compaction")

    def __init__(self, record: CompactionRecord, run: Run, again: Callable[[], CompactionRecord | None]) -> None:
        super().__init__()
        self.panel = CompactionPanel(record)
        self._run_line, self._again = run, again
        self.said = ""

    def compose(self) -> ComposeResult:
        yield Static(id="zoom-title", markup=False)
        with ContentSwitcher(initial="compaction-body", id="zoom-body"):
            yield self.panel
            yield TextArea(id="compaction-editor", soft_wrap=True)
        yield Static(id="zoom-keys", markup=False)

    def on_mount(self) -> None:
        self.panel.focus()
        self._tell()

    @property
    def record(self) -> CompactionRecord:
        return self.panel.record

    @property
    def is_editing(self) -> bool:
        return self.query_one(ContentSwitcher).current == "compaction-editor"

    def refresh_record(self) -> None:
        """Look again: the cost goes on, and an edit makes another text."""
        record = self._again()
        if record is not None:
            self.panel.record = record
        self.panel.changed()
        self._tell()

    def _tell(self) -> None:
        parts: list[tuple[str, str]] = []
        counts = {"before": f" {len(self.record.covered)}", "lost": f" {len(self.record.lost)}"}
        for number, tab in enumerate(TABS, 1):
            style = "$text-primary bold" if tab == self.panel.tab else "$foreground 62%"
            parts.append((f"{number} {tab.capitalize()}{counts.get(tab, '')}    ", style))
        state = "" if self.record.is_current else "no longer in force"
        state = state or ("edited" if self.record.is_edited else "")
        self.query_one("#zoom-title", Static).update(Content.assemble(*parts, (state, "$text-warning")))
        keys = f"{self.said} · {self._keys()}" if self.said else self._keys()
        self.query_one("#zoom-keys", Static).update(Content.styled(keys, "$foreground 75%"))

    def _keys(self) -> str:
        if self.is_editing:
            return "Ctrl+S stores it · Esc leaves the text as it was"
        acts = " · u undo · y redo" if self.record.is_current else ""
        edit = " · e edit" if self.panel.tab == "summary" and self.record.is_current else ""
        edit += " · z take the edit back" if self.record.is_current and self.record.is_edited else ""
        back = " · + into the summary · = at the end" if self.panel.tab == "lost" and self.record.lost else ""
        return f"Tab next{edit}{back}{acts} · Esc back"

    # ── keys ───────────────────────────────────────────────────────────────────────────────────────────────────
    def action_tab(self, step: int) -> None:
        if not self.is_editing:
            self._look_at(TABS[(TABS.index(self.panel.tab) + step) % len(TABS)])

    def action_digit(self, number: int) -> None:
        self._look_at(TABS[number - 1])

    def _look_at(self, tab: Tab) -> None:
        self.panel.look_at(tab)
        self.said = ""
        self._tell()

    def action_move(self, step: int) -> None:
        self.panel.move(step)

    def action_edit(self) -> None:
        if self.panel.tab != "summary" or not self.record.is_current:
            return
        editor = self.query_one(TextArea)
        editor.text = self.record.summary
        self.query_one(ContentSwitcher).current = "compaction-editor"
        editor.focus()
        self._tell()

    def action_store(self) -> None:
        if self.is_editing:
            text = self.query_one(TextArea).text
            self._close_editor()
            self._do(f"/compact edit {text}")

    def action_put_back(self, place: str) -> None:
        if self.panel.tab == "lost" and self.panel.at < len(self.record.lost):
            self._do(f"/compact put-back {self.panel.at + 1} {place}")

    def action_command(self, line: str) -> None:
        if not self.is_editing:
            self._do(line)

    @work(group="compaction")
    async def _do(self, line: str) -> None:
        self.said = await self._run_line(line)
        if self.is_attached:
            self.refresh_record()

    def action_close(self) -> None:
        if self.is_editing:
            self._close_editor()
        else:
            self.dismiss(None)

    def _close_editor(self) -> None:
        self.query_one(ContentSwitcher).current = "compaction-body"
        self.panel.focus()
        self._tell()
