"""The question before an act: the whole command or change, why it is asked, and four answers.

Nothing is cut: what does not fit is scrolled to, and until its end was seen no key says yes. Opened in the middle of
typing, it takes no answer for a moment.
"""

from collections.abc import Callable
from time import monotonic
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from openclaw_tui.constants import APPROVAL_GUARD_SECONDS
from openclaw_tui.events import ApprovalRequested, Risk
from openclaw_tui.tools.approval import Decision, DecisionKind
from openclaw_tui.tools.terminal_text import one_line as title_line
from openclaw_tui.ui.textual.bindings import bindings_of
from openclaw_tui.ui.textual.rendering.diff_lines import DiffLine, diff_counts, parse_diff, with_marks
from openclaw_tui.ui.textual.rendering.safe_text import one_line, visible
from openclaw_tui.visible_text import show_unseen

_QUESTIONS: dict[Risk, str] = {
    "read": "Read outside the project?",
    "write": "Make this change?",
    "execute": "Run this?",
    "network": "Fetch this?",
}
_DIFF_STYLES = {"+": "$foreground on $success 14%", "-": "$foreground on $error 14%", "@": "$foreground 75%"}
_MARK_STYLES = {"+": "bold $foreground on $success 34%", "-": "bold $foreground on $error 34%"}


class ApprovalScreen(ModalScreen[Decision | None]):
    """Dismisses with the decision; with None when the question was settled elsewhere (the turn was stopped)."""

    CSS_PATH = "../styles/approval.tcss"
    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings_of("approval"),
        Binding("up", "move(-1)", "Up", show=False),
        Binding("down,tab", "move(1)", "Down", show=False),
        Binding("enter", "take", "Take", show=False),
    ]

    def __init__(self, request: ApprovalRequested, keep_typing: Callable[[str], None] | None = None) -> None:
        """`keep_typing`: the user is in the middle of writing; takes what belongs to the prompt."""
        super().__init__()
        self.request = request
        self._keep_typing = keep_typing
        self._armed_at = monotonic() + (APPROVAL_GUARD_SECONDS if keep_typing else 0.0)
        self._choices = _choices(request)
        self._at = 0
        self._seen_to_end = False
        self._room = 0

    def compose(self) -> ComposeResult:
        request = self.request
        with Vertical(id="approval"):
            yield Static(_QUESTIONS[request.risk], id="approval-question", markup=False)
            with VerticalScroll(id="approval-preview", can_focus=False):
                yield Static(Content(visible(show_unseen(request.title))), id="approval-title", markup=False)
                yield Static(_preview(request), markup=False)
                yield Static(_parts(request), id="approval-parts", markup=False)
            yield Static(_reasons(request), id="approval-details", markup=False)
            yield Static("", id="approval-choices", markup=False)
            yield Input(placeholder="what should it do instead? Enter: just no", id="approval-reason", compact=True)
            yield Static("", id="approval-keys", markup=False)

    def on_mount(self) -> None:
        reason = self.query_one(Input)
        reason.display = False
        reason.cursor_blink = False
        said = {
            "title": _says_more(self.request),
            "parts": len(self.request.parts) > 1,
            "details": self.request.reasons,
        }
        for name in (name for name, needed in said.items() if not needed):
            self.query_one(f"#approval-{name}").display = False
        self._show_choices()
        self.watch(self.query_one("#approval-preview"), "scroll_y", self._look_again, init=False)
        self._fit()

    def on_resize(self) -> None:
        self._fit()

    # ── answers ────────────────────────────────────────────────────────────────────────────────────────────────
    def on_key(self, event: events.Key) -> None:
        """Until the typing pauses, keys are the prompt's and answer nothing."""
        if monotonic() < self._armed_at:
            event.prevent_default().stop()
            self._armed_at = monotonic() + APPROVAL_GUARD_SECONDS
            if self._keep_typing is not None and event.is_printable and event.character:
                self._keep_typing(event.character)

    def action_choose(self, number: int) -> None:
        for place, (digit, kind, _words) in enumerate(self._choices):
            if digit == number:
                self._at = place
                self._show_choices()
                self._answer(kind)

    def action_take(self) -> None:
        self.action_choose(self._choices[self._at][0])

    def action_move(self, step: int) -> None:
        self._at = (self._at + step) % len(self._choices)
        self._show_choices()

    def action_refuse(self) -> None:
        """Esc: out of the text field, out of the whole screen, else no."""
        reason = self.query_one(Input)
        if self.has_class("-whole"):
            self.action_whole_screen()
        elif reason.display:
            reason.display = False
            self.set_focus(None)
        else:
            self.dismiss(Decision("deny"))

    def _answer(self, kind: DecisionKind) -> None:
        if kind != "deny" and not self._seen_to_end:
            self.add_class("-unread")
            self.action_page(1)
            return
        if kind != "deny":
            self.dismiss(Decision(kind))
            return
        reason = self.query_one(Input)
        reason.display = True
        reason.focus()

    @on(Input.Submitted)
    def _with_reason(self, event: Input.Submitted) -> None:
        event.stop()
        self.dismiss(Decision("deny", event.value.strip()))

    # ── looking ────────────────────────────────────────────────────────────────────────────────────────────────
    def action_page(self, step: int) -> None:
        preview = self.query_one("#approval-preview")
        preview.scroll_relative(y=step * max(1, preview.size.height - 1), animate=False)

    def action_line(self, step: int) -> None:
        self.query_one("#approval-preview").scroll_relative(y=step, animate=False)

    def action_whole_screen(self) -> None:
        """The command or change alone on the whole screen, and back."""
        self.toggle_class("-whole")
        self._fit()

    def action_copy(self) -> None:
        """Copy what is selected; the question stays open."""
        text = self.get_selected_text()
        if text:
            self.app.copy_to_clipboard(text)
            self.query_one("#approval-keys", Static).update("copied")

    def _show_choices(self) -> None:
        lines = [
            Content.styled(f"{'▸' if place == self._at else ' '} {digit} {words}", _row_style(place == self._at))
            for place, (digit, _kind, words) in enumerate(self._choices)
        ]
        self.query_one("#approval-choices", Static).update(Content("\n").join(lines))

    def _fit(self) -> None:
        """The preview takes the room that question, reasons and answers leave."""
        self.query_one("#approval").set_class(self.size.height < 20, "-compact")
        self.call_after_refresh(self._fit_preview)

    def _fit_preview(self) -> None:
        if not self.children:  # answered meanwhile
            return
        dialog, preview = self.query_one("#approval"), self.query_one("#approval-preview")
        others = sum(child.outer_size.height for child in dialog.children if child.display and child is not preview)
        margins = sum(child.styles.margin.height for child in dialog.children if child.display)
        self._room = max(1, self.size.height - 2 - others - margins)
        preview.styles.max_height = self._room
        self.call_after_refresh(self._look_again)

    def _look_again(self) -> None:
        """How much is still to be seen; yes counts from the moment the end was on the screen."""
        if not self.children or not self._room:  # answered meanwhile, or not laid out within its room yet
            return
        preview = self.query_one("#approval-preview")
        shown = min(preview.size.height, self._room)
        below = preview.virtual_size.height - shown - round(preview.scroll_y)
        self._seen_to_end = self._seen_to_end or below <= 0
        self.set_class(self._seen_to_end, "-seen")
        self.query_one("#approval-keys", Static).update(self._key_words(max(0, below)))

    def _key_words(self, below: int) -> str:
        lines = f"{below} line{'' if below == 1 else 's'} below"
        if not self._seen_to_end:
            return f"yes works when all was seen: {lines} (Space) · f whole screen · Esc no"
        back = "f back · " if self.has_class("-whole") else f"{lines} · f whole screen · " if below else ""
        return f"{back}↑ ↓ Enter, or the key · Esc no"


def _row_style(selected: bool) -> str:
    return "$text-primary bold" if selected else "$foreground"


def _choices(request: ApprovalRequested) -> list[tuple[int, DecisionKind, str]]:
    """Digit, decision and words. The digits keep their meaning where a choice is not offered."""
    choices: list[tuple[int, DecisionKind, str]] = [(1, "once", "yes, once (y)")]
    choices.append((2, "session", "yes, and the same for this session (a)"))
    if request.prefix_rule:
        choices.append((3, "prefix", f"yes, and all like it this session: {one_line(request.prefix_rule)} (p)"))
    choices.append((4, "deny", "no, and say what to do instead (n)"))
    return choices


def _parts(request: ApprovalRequested) -> Content:
    """The commands of a chain, each with what lets it run or why it asks."""
    words = request.part_words or ("",) * len(request.parts)
    lines: list[Content] = []
    for number, (part, word) in enumerate(zip(request.parts, words, strict=True), 1):
        asks = word.startswith(("asks", "refused"))
        said = Content.styled(one_line(word), "$text-warning" if asks else "$text-success")
        lines.append(Content.styled(f"{number}. {visible(show_unseen(part))}  ", "$foreground") + said)
    return Content("\n").join(lines)


def _reasons(request: ApprovalRequested) -> Content:
    lines = [Content.styled(f"why: {one_line(reason)}", "$text-warning") for reason in request.reasons]
    return Content("\n").join(lines)


def _says_more(request: ApprovalRequested) -> bool:
    """True where the title holds what the preview does not: of a command, where it runs and what it gets."""
    return request.preview_kind != "command" or request.title != title_line(request.preview)


def _preview(request: ApprovalRequested) -> Content:
    if request.preview_kind != "diff":
        return Content(visible(show_unseen(request.preview)))
    added, removed = diff_counts(request.preview)
    lines = with_marks(parse_diff(request.preview))
    digits = max((len(str(line.number)) for line in lines), default=1)
    told = f"+{added} -{removed}" in request.title
    head = [] if told else [Content.styled(f"+{added} −{removed}", "$foreground 75%")]
    first = 1 if lines and lines[0].sign == "@" and lines[0].number <= 1 else 0
    return Content("\n").join([*head, *(_diff_line(line, digits) for line in lines[first:])])


def _diff_line(line: DiffLine, digits: int) -> Content:
    base = _DIFF_STYLES.get(line.sign, "")
    if line.sign == "@":
        return Content.styled(f"{'⋯':>{digits}} {line.text}".rstrip(), base)
    parts: list[Content] = [Content.styled(f"{line.number:>{digits}} {line.sign} ", base)]
    at = 0
    for start, end in line.marks:
        parts.append(Content.styled(line.text[at:start], base))
        parts.append(Content.styled(line.text[start:end], _MARK_STYLES.get(line.sign, base)))
        at = end
    return Content("").join([*parts, Content.styled(line.text[at:], base)])
