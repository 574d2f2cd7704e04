"""Every key in one table: where it works, what it does, and the words the help screen has for it.

A new key is a row here and an `action_…` method at the widget or screen its place names. Rows without an action are
told in the help only; their widget handles them itself. The user's own keys come over these in `keymap.py`.
"""

from typing import Literal, TypeAlias

import msgspec
from textual.binding import Binding, BindingType

Place: TypeAlias = Literal["prompt", "main", "transcript", "approval", "panel", "choice", "look", "compaction"]


class Key(msgspec.Struct, frozen=True):
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
    Key("prompt", "down,ctrl+n", "down", "", "", ""),
    Key("main", "ctrl+r", "search_history", "Ctrl+R", "search the prompts of this project", "Writing"),
    Key("prompt", "alt+up", "take_back", "Alt+↑", "take the last queued message back", "Writing"),
    Key("main", "ctrl+s", "stash", "Ctrl+S", "put the draft aside; on an empty prompt: bring it back", "Writing"),
    Key("main", "ctrl+g", "edit_draft", "Ctrl+G", "write in your editor (also Ctrl+X Ctrl+E)", "Writing"),
    Key("prompt", "ctrl+x", "chord", "", "", ""),
    Key("main", "ctrl+v,alt+v", "paste_picture", "Ctrl+V, Alt+V", "paste; a picture becomes a chip", "Writing"),
    Key("prompt", "", "", "! !!", "run a command; with !! the model does not see it", "Writing"),
    Key("prompt", "", "", "/", "commands", "Writing"),
    Key("prompt", "", "", "@", "files of the project; @file:10-20 brings these lines along", "Writing"),
    Key("prompt", "ctrl+underscore,alt+z", "undo", "Ctrl+_, Alt+Z", "undo", "Writing"),
    Key("prompt", "ctrl+y,alt+y", "redo", "Ctrl+Y", "redo", "Writing"),
    Key("main", "escape", "escape", "Esc", "close what is open; else stop the work", "Steering"),
    Key("main", "", "", "Esc Esc", "idle, with text: clear it and keep it in the history", "Steering"),
    Key("main", "ctrl+c", "interrupt", "Ctrl+C", "copy a selection; else clear; else stop; twice: leave", "Steering"),
    Key("prompt", "ctrl+d", "delete_or_leave", "Ctrl+D", "leave, when the prompt is empty", "Steering"),
    Key("main", "shift+tab", "cycle_mode", "Shift+Tab", "what runs without a question", "Steering"),
    Key("main", "ctrl+p", "palette", "Ctrl+P", "find a command, skill, panel or session", "Steering"),
    Key("prompt", "", "", "Ctrl+P Ctrl+N", "with several lines: the line above, below", "Writing"),
    Key("main", "alt+p", "pick_model", "Alt+P", "choose the model", "Steering"),
    Key("main", "alt+t", "cycle_thinking", "Alt+T", "how hard the model thinks", "Steering"),
    Key("main", "ctrl+b", "to_background", "Ctrl+B", "send the running command to the background", "Steering"),
    Key("main", "ctrl+t", "toggle_plan", "Ctrl+T", "the model's plan", "Looking"),
    Key("main", "ctrl+o", "toggle_output", "Ctrl+O", "unfold or fold thinking and tool output", "Looking"),
    Key("main", "ctrl+f", "find", "Ctrl+F", "search the conversation", "Looking"),
    Key("main", "f5", "pager", "F5", "the whole conversation unfolded, to read and to search", "Looking"),
    Key("main", "pageup", "page(-1)", "PgUp PgDn", "scroll the conversation", "Looking"),
    Key("main", "pagedown", "page(1)", "", "", ""),
    Key("main", "ctrl+home", "top", "Ctrl+Home, Ctrl+End", "begin and end of the conversation", "Looking"),
    Key("main", "ctrl+end", "bottom", "", "", ""),
    Key("main", "ctrl+up", "line(-1)", "Ctrl+↑ Ctrl+↓", "scroll by a line", "Looking"),
    Key("main", "ctrl+down", "line(1)", "", "", ""),
    Key("transcript", "", "", "[ ]", "in the conversation (click it): the prompt before, after", "Looking"),
    Key("transcript", "", "", "/ n N", "there: search, next and previous hit", "Looking"),
    Key("transcript", "", "", "y c", "there: copy the lowest item in sight, or its code block", "Looking"),
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
    Key("panel", "enter", "details", "Enter", "look: a thing's text, both versions, a summary, all figures", "Context"),
    Key("panel", "1", "only('1')", "1-5 r m", "in events: only that layer; 0 shows all; in budget: views", "Context"),
    Key("panel", "2", "only('2')", "", "", ""),
    Key("panel", "3", "only('3')", "", "", ""),
    Key("panel", "4", "only('4')", "", "", ""),
    Key("panel", "5", "only('5')", "", "", ""),
    Key("panel", "r", "only('r')", "", "", ""),
    Key("panel", "m", "only('m')", "", "", ""),
    Key("panel", "0", "only('0')", "", "", ""),
    Key("panel", "u", "undo", "u y", "in events: undo the chosen compaction; do it again", "Context"),
    Key("panel", "y", "redo", "", "", ""),
    Key("panel", "t", "to_talk", "t", "in events: to this act's line in the talk (Alt+E comes back)", "Context"),
    Key("panel", "x", "export", "x", "in events: write all of them to a file", "Context"),
    Key("panel", "tab", "tab(1)", "Tab", "in budget: overview, tree, map, files", "Context"),
    Key("panel", "shift+tab", "tab(-1)", "", "", ""),
    Key("panel", "right,l", "unfold(1)", "→ ←", "in the budget's tree: unfold, fold", "Context"),
    Key("panel", "left,h", "unfold(-1)", "", "", ""),
    Key("panel", "s", "sort", "s", "in the budget's tree: by tokens, age, tokens × calls to come", "Context"),
    Key("panel", "c", "item('clear')", "c r o", "in budget: clear, put back, open what is chosen", "Context"),
    Key("panel", "o", "open", "", "", ""),
    Key("panel", "a", "pick('a')", "a b d e f n", "in budget: one of the heaviest by its letter", "Context"),
    Key("panel", "b", "pick('b')", "", "", ""),
    Key("panel", "d", "pick('d')", "", "", ""),
    Key("panel", "e", "pick('e')", "", "", ""),
    Key("panel", "f", "pick('f')", "", "", ""),
    Key("panel", "n", "pick('n')", "", "", ""),
    Key("main", "alt+e", "jump_to_events", "Alt+E", "to the event of the lowest layer line in sight", "Context"),
    Key("choice", "up,k,shift+tab", "move(-1)", "", "", ""),
    Key("choice", "down,j,tab", "move(1)", "", "", ""),
    Key("choice", "enter", "take", "", "", ""),
    Key("choice", "1", "digit(1)", "", "", ""),
    Key("choice", "2", "digit(2)", "", "", ""),
    Key("choice", "3", "digit(3)", "", "", ""),
    Key("choice", "escape,q,ctrl+c", "close", "", "", ""),
    Key("look", "escape,q", "close", "", "", ""),
    Key("compaction", "escape", "close", "", "", ""),
    Key("compaction", "tab,right", "tab(1)", "Tab, 1-5", "in a summary: Summary, Before, Lost, Diff, Cost", "Context"),
    Key("compaction", "shift+tab,left", "tab(-1)", "", "", ""),
    Key("compaction", "1", "digit(1)", "", "", ""),
    Key("compaction", "2", "digit(2)", "", "", ""),
    Key("compaction", "3", "digit(3)", "", "", ""),
    Key("compaction", "4", "digit(4)", "", "", ""),
    Key("compaction", "5", "digit(5)", "", "", ""),
    Key("compaction", "up,k", "move(-1)", "", "", ""),
    Key("compaction", "down,j", "move(1)", "", "", ""),
    Key("compaction", "pageup", "move(-10)", "", "", ""),
    Key("compaction", "pagedown,space", "move(10)", "", "", ""),
    Key("compaction", "e", "edit", "e z", "in a summary: edit it; take the edit back", "Context"),
    Key("compaction", "z", "command('/compact unedit')", "", "", ""),
    Key("compaction", "ctrl+s", "store", "", "", ""),
    Key(
        "compaction", "plus", "put_back('summary')", "+ =", "what was lost: into the summary, or to the end", "Context"
    ),
    Key("compaction", "equals_sign", "put_back('end')", "", "", ""),
    Key("compaction", "u", "command('/compact undo ask')", "", "", ""),
    Key("compaction", "y", "command('/compact redo')", "", "", ""),
    Key("main", "ctrl+l", "redraw", "Ctrl+L", "draw everything again", "Looking"),
    Key("main", "ctrl+z", "suspend", "Ctrl+Z", "back to the shell; fg returns", "Looking"),
    Key("approval", "y,1", "choose(1)", "y, 1", "yes, once", "Questions"),
    Key("approval", "a,2", "choose(2)", "a, 2", "yes, for this session", "Questions"),
    Key("approval", "p,3", "choose(3)", "p, 3", "yes, and all like it this session", "Questions"),
    Key("approval", "n,4", "choose(4)", "n, 4", "no, and say what to do instead", "Questions"),
    Key("approval", "escape", "refuse", "Esc", "no", "Questions"),
    Key("approval", "pageup", "page(-1)", "PgUp PgDn", "read the whole command or change", "Questions"),
    Key("approval", "pagedown,space", "page(1)", "", "", ""),
    Key("approval", "k", "line(-1)", "", "", ""),
    Key("approval", "j", "line(1)", "", "", ""),
    Key("approval", "f", "whole_screen", "f", "the command or change on the whole screen", "Questions"),
    Key("approval", "ctrl+c", "copy", "Ctrl+C", "copy what is selected", "Questions"),
)


def bindings_of(place: Place) -> list[BindingType]:
    """The bindings of a widget or screen."""
    return [Binding(key.keys, key.action, key.words, show=False) for key in KEYS if key.place == place and key.keys]
