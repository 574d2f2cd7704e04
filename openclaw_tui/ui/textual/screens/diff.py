"""Changes of files, as `/diff` gathered them: a card for each file, unfolded, with the words that changed marked."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import Screen
from textual.widgets import Static

from openclaw_tui.commands.diff_command import DiffReport
from openclaw_tui.ui.textual.bindings import bindings_of
from openclaw_tui.ui.textual.widgets.transcript import Transcript
from openclaw_tui.ui.textual.widgets.transcript_items import Item, NoticeItem, ToolItem


class DiffScreen(Screen[None]):
    """Scrolls like the talk; Enter folds a file, Esc goes back."""

    CSS_PATH = "../styles/panels.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("look")

    def __init__(self, report: DiffReport) -> None:
        super().__init__()
        self._report = report
        self.files = Transcript(id="diff-files")

    def compose(self) -> ComposeResult:
        count = len(self._report.ours) + len(self._report.others)
        yield Static(f"Changes of files  ·  {count} file{'' if count == 1 else 's'}", id="zoom-title", markup=False)
        yield self.files
        yield Static("↑ ↓ PgUp PgDn scroll · Enter fold, unfold · Esc back", id="zoom-keys", markup=False)

    def on_mount(self) -> None:
        self.files.load_history(report_items(self._report))
        self.files.focus()
        self.call_after_refresh(self.files.scroll_home, animate=False)

    def action_close(self) -> None:
        self.dismiss(None)


def report_items(report: DiffReport) -> list[Item]:
    """Headings, then a card for each file; remarks at the end."""
    items: list[Item] = []
    for heading, files in report.sections:
        if files:
            items.append(NoticeItem(id=f"h {heading}", level="info", text=heading))
        for file in files:
            diff = file.diff.text if file.diff is not None else None
            items.append(
                ToolItem(id=str(file.path), name=file.name, summary=file.note, state="done", diff=diff, folded=False)
            )
    if not items:
        items.append(NoticeItem(id="none", level="info", text="no file has changed"))
    items += [NoticeItem(id=f"r{at}", level="info", text=remark) for at, remark in enumerate(report.remarks)]
    return items
