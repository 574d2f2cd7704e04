"""The keys of the live prompt, in one table: those of conventions.md that a line editor can have."""

from collections.abc import Callable

from prompt_toolkit.enums import DEFAULT_BUFFER
from prompt_toolkit.filters import Condition, has_focus
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.key_binding.key_processor import KeyPressEvent
from prompt_toolkit.keys import Keys

from openclaw_tui.ui.completion import wanted_at
from openclaw_tui.ui.line.paste import pasted_text
from openclaw_tui.ui.line.reader import Hooks, LineKind

KEY_HELP = (
    ("Enter", "send; steers while the agent works"),
    ("Alt+Enter, Ctrl+J, \\ Enter", "new line"),
    ("Tab", "complete; while the agent works: queue for after the turn"),
    ("Up on an empty line", "earlier prompts; while something is queued: take it back"),
    ("Ctrl+R", "search earlier prompts"),
    ("Ctrl+C, Esc", "stop the turn; Ctrl+C clears the line, twice leaves"),
    ("Ctrl+D on an empty line", "leave"),
    ("Ctrl+X Ctrl+E", "open the editor"),
    ("Ctrl+Z", "suspend"),
)


def line_keys(hooks: Hooks, finish: Callable[[LineKind], None]) -> KeyBindings:
    """Bindings that win over the toolkit's own."""
    keys = KeyBindings()
    busy, asking = Condition(hooks.is_busy), Condition(hooks.is_asking)
    _add_sending(keys, finish)
    _add_stopping(keys, hooks, busy)

    @keys.add(Keys.BracketedPaste)
    def _paste(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text(pasted_text(event.data))

    @keys.add("tab", filter=busy & ~asking & Condition(lambda: _can_queue()))
    def _queue(event: KeyPressEvent) -> None:
        finish("follow_up")

    @keys.add("up", filter=busy & Condition(lambda: not _buffer_text()))
    def _take_back(event: KeyPressEvent) -> None:
        if text := hooks.take_back():
            event.current_buffer.insert_text(text)
        else:
            event.current_buffer.auto_up()

    return keys


def _add_sending(keys: KeyBindings, finish: Callable[[LineKind], None]) -> None:
    @keys.add("enter", filter=has_focus(DEFAULT_BUFFER))
    def _enter(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if buffer.complete_state is not None and buffer.complete_state.current_completion is not None:
            buffer.complete_state = None
        elif buffer.document.text_before_cursor.endswith("\\"):
            buffer.delete_before_cursor()
            buffer.insert_text("\n")
        else:
            finish("send")

    @keys.add("c-j", filter=has_focus(DEFAULT_BUFFER))
    @keys.add("escape", "enter", filter=has_focus(DEFAULT_BUFFER))
    def _newline(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")


def _add_stopping(keys: KeyBindings, hooks: Hooks, busy: Condition) -> None:
    @keys.add("c-c", filter=has_focus(DEFAULT_BUFFER))
    def _interrupt(event: KeyPressEvent) -> None:
        if event.current_buffer.text and not hooks.is_busy():
            event.current_buffer.reset()
        else:
            hooks.interrupt()

    @keys.add("escape", filter=busy)
    def _escape(event: KeyPressEvent) -> None:
        hooks.interrupt()


def _buffer_text() -> str:
    from prompt_toolkit.application import get_app

    return get_app().current_buffer.text


def _can_queue() -> bool:
    """Tab queues where it could not complete anything."""
    from prompt_toolkit.application import get_app

    buffer = get_app().current_buffer
    return bool(buffer.text.strip()) and wanted_at(buffer.text, buffer.cursor_position) is None
