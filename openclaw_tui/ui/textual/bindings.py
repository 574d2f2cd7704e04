"""Every key in one table: where it works, what it does, and the words the help screen has for it.

A new key is a row here and an `action_…` method at the widget or screen its place names. Rows without an action are
told in the help only; their widget handles them itself.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from textual.binding import Binding, BindingType

Place: TypeAlias = Literal["prompt", "main", "transcript", "approval", "panel"]


@dataclass(frozen=True, slots=True)
class Key:
    """`keys` are Textual's names, `shown` is what a person reads."""

    place: Place
    keys: str
    action: str
    shown: str
    words: str
    group: str


KEYS: tuple[Key, ...] = (
    Key("prompt", "enter", "send", "Enter", "send; while it works: steer at the next safe point", "Writing"),
    Key("prompt", "shift+enter,ctrl+j,alt+enter", "newline", "Shift+Enter, Ctrl+J", "new line", "Writing"),
    Key("prompt", "", "", "Alt+Enter, \\ Enter", "new line, in every terminal", "Writing"),
    Key("prompt", "tab", "tab", "Tab", "complete; while it works: send after this turn", "Writing"),
    Key(
        "prompt",
        "up",
        "up",
        "↑ ↓",
        "earlier, later prompts; ↑ when empty: a queued one back",
        "Writing",
    ),
    Key("prompt", "down", "down", "", "", ""),
    Key("main", "ctrl+r", "search_history", "Ctrl+R", "search the prompts of this project", "Writing"),
    Key("prompt", "", "", "/", "commands", "Writing"),
    Key("prompt", "", "", "@", "files of the project", "Writing"),
    Key("prompt", "ctrl+underscore,alt+z", "undo", "Ctrl+_, Alt+Z", "undo", "Writing"),
    Key("prompt", "ctrl+y,alt+y", "redo", "Ctrl+Y", "redo", "Writing"),
    Key("main", "escape", "escape", "Esc", "close what is open; else stop the work", "Steering"),
    Key("main", "", "", "Esc Esc", "idle, with text: clear it and keep it in the history", "Steering"),
    Key("main", "ctrl+c", "interrupt", "Ctrl+C", "copy a selection; else clear; else stop; twice: leave", "Steering"),
    Key("prompt", "ctrl+d", "delete_or_leave", "Ctrl+D", "leave, when the prompt is empty", "Steering"),
    Key("main", "shift+tab", "cycle_mode", "Shift+Tab", "what runs without a question", "Steering"),
    Key("main", "alt+p", "pick_model", "Alt+P", "choose the model", "Steering"),
    Key("main", "alt+t", "cycle_thinking", "Alt+T", "how hard the model thinks", "Steering"),
    Key("main", "ctrl+o", "toggle_output", "Ctrl+O", "unfold or fold thinking and tool output", "Looking"),
    Key("main", "pageup", "page(-1)", "PgUp PgDn", "scroll the conversation", "Looking"),
    Key("main", "pagedown", "page(1)", "", "", ""),
    Key("main", "ctrl+home", "top", "Ctrl+Home, Ctrl+End", "begin and end of the conversation", "Looking"),
    Key("main", "ctrl+end", "bottom", "", "", ""),
    Key("main", "ctrl+up", "line(-1)", "Ctrl+↑ Ctrl+↓", "scroll by a line", "Looking"),
    Key("main", "ctrl+down", "line(1)", "", "", ""),
    Key("transcript", "", "", "[ ]", "in the conversation (click it): the prompt before, after", "Looking"),
    Key("main", "f1", "help", "?, F1", "this help", "Looking"),
    Key("main", "f2", "zoom_panel('budget')", "F2", "budget: what the next call will hold", "Context"),
    Key("main", "f3", "zoom_panel('cache')", "F3", "cache: what is warm, what broke it", "Context"),
    Key("main", "f4", "zoom_panel('events')", "F4", "events: what each layer did; undo of a compaction", "Context"),
    Key("main", "ctrl+backslash", "toggle_panels", "Ctrl+\\", "panels on and off", "Context"),
    Key("main", "alt+2", "fold_panel('budget')", "Alt+2 3 4", "fold a panel to its title (or click it)", "Context"),
    Key("main", "alt+3", "fold_panel('cache')", "", "", ""),
    Key("main", "alt+4", "fold_panel('events')", "", "", ""),
    Key("panel", "escape,q", "close", "Esc", "in a panel: back to the conversation", "Context"),
    Key("panel", "f2", "look('budget')", "", "", ""),
    Key("panel", "f3", "look('cache')", "", "", ""),
    Key("panel", "f4", "look('events')", "", "", ""),
    Key("panel", "up,k", "move(-1)", "", "", ""),
    Key("panel", "down,j", "move(1)", "", "", ""),
    Key("panel", "pageup", "move(-10)", "", "", ""),
    Key("panel", "pagedown,space", "move(10)", "", "", ""),
    Key("panel", "home,g", "move(-100000)", "", "", ""),
    Key("panel", "end,G", "move(100000)", "", "", ""),
    Key("panel", "enter", "details", "Enter", "in events: reason, way back and all figures", "Context"),
    Key("panel", "1", "only('1')", "1-5 r m", "in events: only that layer; 0 shows all", "Context"),
    Key("panel", "2", "only('2')", "", "", ""),
    Key("panel", "3", "only('3')", "", "", ""),
    Key("panel", "4", "only('4')", "", "", ""),
    Key("panel", "5", "only('5')", "", "", ""),
    Key("panel", "r", "only('r')", "", "", ""),
    Key("panel", "m", "only('m')", "", "", ""),
    Key("panel", "0", "only('0')", "", "", ""),
    Key("panel", "u", "undo", "u", "in events: undo the chosen compaction", "Context"),
    Key("main", "ctrl+l", "redraw", "Ctrl+L", "draw everything again", "Looking"),
    Key("main", "ctrl+z", "suspend", "Ctrl+Z", "back to the shell; fg returns", "Looking"),
    Key("approval", "y,1", "choose(1)", "y, 1", "yes, once", "Questions"),
    Key("approval", "a,2", "choose(2)", "a, 2", "yes, for this session", "Questions"),
    Key("approval", "p,3", "choose(3)", "p, 3", "always for this kind of command", "Questions"),
    Key("approval", "n,4", "choose(4)", "n, 4", "no, and say what to do instead", "Questions"),
    Key("approval", "escape", "refuse", "Esc", "no", "Questions"),
    Key("approval", "pageup", "page(-1)", "PgUp PgDn", "read the whole command or change", "Questions"),
    Key("approval", "pagedown,space", "page(1)", "", "", ""),
    Key("approval", "k", "line(-1)", "", "", ""),
    Key("approval", "j", "line(1)", "", "", ""),
    Key("approval", "ctrl+c", "copy", "Ctrl+C", "copy what is selected", "Questions"),
)


def bindings_of(place: Place) -> list[BindingType]:
    """The bindings of a widget or screen."""
    return [Binding(key.keys, key.action, key.words, show=False) for key in KEYS if key.place == place and key.keys]


def actions_of(place: Place) -> dict[str, str]:
    """The same as actions by key."""
    return {name: key.action for key in KEYS if key.place == place and key.keys for name in key.keys.split(",")}


def help_groups() -> Iterable[tuple[str, list[tuple[str, str]]]]:
    """Keys and words by group, for the help screen."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for key in KEYS:
        if key.shown:
            groups.setdefault(key.group, []).append((key.shown, key.words))
    return groups.items()
