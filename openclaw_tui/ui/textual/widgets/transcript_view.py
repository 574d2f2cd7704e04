"""The scrolling and drawing of the transcript: a `ScrollView` that owns its lines.

Why not child widgets: with a widget per message the price of a token grows with the session. Here a change marks one
item stale and asks for a frame; frames are at most `UI_FRAMES_PER_SECOND`, fewer when they are slow, and there is no
timer while nothing changes. A frame renders what lies near the viewport and nothing else.

Following: the view sticks to the end until the reader scrolls away or selects text; then it stays where it is,
whatever arrives, and `unseen` says that there is more below.
"""

from time import monotonic
from typing import ClassVar

from textual import events
from textual.geometry import Offset, Region, Size
from textual.message import Message
from textual.reactive import var
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.theme import Theme

from openclaw_tui.constants import FRAME_MAX_SHARE, UI_FRAMES_PER_SECOND
from openclaw_tui.ui.textual.rendering.palette import COMPONENT_CLASSES, palette_from
from openclaw_tui.ui.textual.widgets.transcript_css import TRANSCRIPT_CSS
from openclaw_tui.ui.textual.widgets.transcript_layout import Anchor, Entry, TranscriptLayout
from openclaw_tui.ui.textual.widgets.transcript_selection import highlighted, selected_text


class TranscriptView(ScrollView, can_focus=True):
    """Lays out, scrolls and draws entries; what they say is the subclass's business."""

    COMPONENT_CLASSES: ClassVar[set[str]] = COMPONENT_CLASSES | {"transcript--found", "transcript--found-here"}
    DEFAULT_CSS = TRANSCRIPT_CSS

    following: var[bool] = var(True)
    """Whether the view sticks to the end."""

    unseen: var[bool] = var(False)
    """Whether something arrived below while the view did not follow."""

    class FollowChanged(Message, namespace="transcript"):
        """The view began or ceased to follow, or something arrived below it."""

        def __init__(self, following: bool, unseen: bool) -> None:
            super().__init__()
            self.following = following
            self.unseen = unseen

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._plan = TranscriptLayout()
        self._anchor: Anchor | None = None
        self._anchor_row = 0
        self._origin = 0
        self._placing = False
        self._painting = False
        self._frame_asked = False
        self._frame_due = 0.0
        self._news = False
        self._follow_after_selection = False
        self._mouse_row = 0

    # ── frames ─────────────────────────────────────────────────────────────────────────────────────────────────
    def on_mount(self) -> None:
        self.app.theme_changed_signal.subscribe(self, self._theme_changed)
        self._look_changed()

    def _theme_changed(self, _theme: Theme) -> None:
        self._look_changed()

    def on_resize(self, _event: events.Resize) -> None:
        if self.scrollable_content_region.width != self._plan.width:
            self._look_changed()
        else:
            self._place()

    def _look_changed(self) -> None:
        """A new width or theme."""
        width = self.scrollable_content_region.width
        if width <= 0:
            return
        self._plan.set_look(width, palette_from(self.get_component_rich_style))
        self._place()
        self.refresh()

    def ask_frame(self, *, news: bool = True) -> None:
        """Something changed: draw it with the next frame. `news` when it is something the reader has not seen."""
        self._news = self._news or news
        if self._frame_asked or not self.is_mounted:
            return
        self._frame_asked = True
        delay = self._frame_due - monotonic()
        if delay > 0:
            self.set_timer(delay, self._frame)
        else:
            self.call_later(self._frame)

    def flush(self) -> None:
        """Lay out what changed without waiting for the frame."""
        if self.is_mounted:
            self._frame()

    def _frame(self) -> None:
        started = monotonic()
        self._frame_asked = False
        self._plan.sync()
        self._place()
        self.refresh()
        if self._news and not self.following:
            self.unseen = True
        self._news = False
        self._frame_due = started + max(1 / UI_FRAMES_PER_SECOND, (monotonic() - started) / FRAME_MAX_SHARE)

    def hold(self) -> None:
        """Lay out a change the reader asked for: what stands at the top stays there."""
        self._plan.sync()
        self._place(to_end=False)
        self.following = self.scroll_offset.y >= self.max_scroll_y
        self.refresh()

    def _place(self, *, to_end: bool | None = None) -> None:
        """Measure around the viewport and put the view where it belongs: at the end, or at its anchor."""
        plan, height = self._plan, self.size.height
        if plan.palette is None or height <= 0:
            return
        to_end = self.following if to_end is None else to_end
        if to_end or self._anchor is None:
            plan.settle_end(2 * height)
        else:
            plan.settle(self._anchor, height, 2 * height)
        if self._anchor is not None:
            self._origin += plan.offset_of(self._anchor) - self._anchor_row
        self._placing = True
        try:
            self._set_total(plan.total)
            if to_end or self._anchor is None:
                self.scroll_y = max(0, plan.total - height)
            else:
                self.scroll_y = plan.offset_of(self._anchor)
            self.scroll_target_y = self.scroll_y
        finally:
            self._placing = False
        self._take_anchor()
        self._show_position()

    def _set_total(self, total: int) -> None:
        """The new scrollable height. The scroll bar is always there, so no other widget moves: a layout of the whole
        screen, which `virtual_size` would ask for, paints everything a second time with each frame."""
        if total != self.virtual_size.height or self._plan.width != self.virtual_size.width:
            self.set_reactive(TranscriptView.virtual_size, Size(self._plan.width, total))

    def _show_position(self) -> None:
        """Bring the scroll bar up to date; at the end of a growing text only when its thumb would visibly change."""
        bar, total, height = self.vertical_scrollbar, self.virtual_size.height, self.size.height
        grown = abs(total - bar.window_virtual_size) * height * height * 4
        if self.following and bar.window_size == height and grown < total * total:
            return
        bar.window_virtual_size, bar.window_size, bar.position = total, height, self.scroll_y

    def _take_anchor(self) -> None:
        self._anchor_row = self.scroll_offset.y
        self._anchor = self._plan.find(self._anchor_row)

    # ── scrolling ──────────────────────────────────────────────────────────────────────────────────────────────
    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        if round(old_value) == round(new_value):
            return
        self.refresh()
        if self._placing:
            return
        self._take_anchor()
        self.following = self.scroll_offset.y >= self.max_scroll_y
        self._place()

    def scroll_to(self, x: float | None = None, y: float | None = None, **options: object) -> None:
        """Scroll at once: an animation would fight with heights that are corrected on the way."""
        super().scroll_to(x, y, animate=False, force=bool(options.get("force", False)))

    def follow(self) -> None:
        """Go to the end and stay there."""
        self.following = True
        self._place()
        self.refresh()

    def watch_following(self, following: bool) -> None:
        if following:
            self.unseen = False
        self.post_message(self.FollowChanged(following, self.unseen))

    def watch_unseen(self, unseen: bool) -> None:
        self.post_message(self.FollowChanged(self.following, unseen))

    def show_entry(self, entry: Entry) -> None:
        """Bring an entry to the top of the view."""
        self.show_anchor(Anchor(entry, 0, 0))

    def show_anchor(self, anchor: Anchor) -> None:
        """Bring a row to the top of the view."""
        self.following = False
        self._anchor = anchor
        self._plan.settle(self._anchor, self.size.height, 2 * self.size.height)
        self._anchor_row = self._plan.offset_of(self._anchor)
        self._place()
        self.following = self.scroll_offset.y >= self.max_scroll_y
        self.refresh()

    # ── drawing ────────────────────────────────────────────────────────────────────────────────────────────────
    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines of a region. Filters (no colour, ANSI) run on the kept strips, which remember the outcome."""
        self._painting = True
        try:
            if self.styles.gutter:
                return super().render_lines(crop)
            strips = [self.render_line(y) for y in crop.line_range]
        finally:
            self._painting = False
        _base, background = self.background_colors
        for line_filter in self.get_line_filters():
            strips = [strip.apply_filter(line_filter, background) for strip in strips]
        start, end = crop.column_span
        if start == 0 and end - self._plan.width in (0, self.scrollbar_size_vertical):
            return strips
        return [strip.crop_pad(end, 0, 0, self.rich_style).crop(start, end) for strip in strips]

    def render_line(self, y: int) -> Strip:
        row = self.scroll_offset.y + y
        final = self._plan.row_at(row)
        if final is None:
            strip = Strip.blank(self._plan.width, self.rich_style)
        else:
            selection = self.text_selection
            span = selection.get_span(row - self._origin) if selection is not None else None
            style = self.screen.get_component_rich_style("screen--selection") if span else None
            strip = self.marked_line(highlighted(final, span, style) if span and style else final.strip, row)
        # Textual asks for single lines, outside of painting, to learn which character is under the mouse.
        return strip if self._painting else strip.apply_offsets(0, row - self._origin)

    def marked_line(self, strip: Strip, row: int) -> Strip:
        """A subclass may mark what it looks for."""
        return strip

    # ── selection ──────────────────────────────────────────────────────────────────────────────────────────────
    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        first = 0 if selection.start is None else selection.start.y + self._origin
        last = self._plan.total - 1 if selection.end is None else selection.end.y + self._origin
        rows = ((row - self._origin, self._plan.row_at(row)) for row in range(max(0, first), last + 1))
        return selected_text(rows, selection), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        """What is being selected must not scroll away: following pauses until the selection is gone."""
        if selection is not None and self.following:
            self._follow_after_selection = True
            self.following = False
        elif selection is None and self._follow_after_selection:
            self._follow_after_selection = False
            self.follow()
        self.refresh()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self._mouse_row = self.scroll_offset.y + event.y

    def text_select_all(self) -> None:
        """A double click selects the item under the mouse, not the whole session."""
        found = self._plan.piece_at(self._mouse_row)
        if found is None:
            return
        entry, _piece = found
        first = self._plan.offset_of(Anchor(entry, 0, 0))
        last = first + (entry.piece_ends() or [1])[-1] - 1
        offsets = (Offset(0, first - self._origin), Offset(self._plan.width, last - self._origin))
        self.screen.selections = {self: Selection(*offsets)}
