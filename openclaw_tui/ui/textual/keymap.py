"""The user's own keys over the table of `bindings.py`: `ui.keys.<action> = "ctrl+x"` of the settings.

Keys of the prompt and of the main screen can be moved; they share one keyboard, so a key serves one action of both.
What cannot be used is told in one line and skipped. The keymap holds for the whole program; widgets are given it with
`rebind`, again after each change.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from msgspec.structs import replace
from textual.binding import Binding
from textual.dom import DOMNode

from openclaw_tui.ui.textual.bindings import KEYS, Key, Place

MOVABLE: tuple[Place, ...] = ("prompt", "main")
_MODIFIERS = ("ctrl", "alt", "shift", "super")
_WAYS = {"(-1)": "_up", "(1)": "_down"}
_NAMED_KEYS = frozenset(
    [
        "enter",
        "tab",
        "escape",
        "space",
        "backspace",
        "delete",
        "insert",
        "home",
        "end",
        "pageup",
        "pagedown",
        "up",
        "down",
        "left",
        "right",
    ]
    + [f"f{number}" for number in range(1, 25)]
)


@dataclass(slots=True)
class _Own:
    keys: dict[str, str]


_OWN = _Own({})


def use_keys(wanted: Mapping[str, object]) -> list[str]:
    """Take the user's keys over; lines about those that cannot be used."""
    problems: list[str] = []
    kept: dict[str, str] = {}
    for name, keys in wanted.items():
        others = {other: text for other, text in {**_texts(wanted), **kept}.items() if other != name}
        problem = problem_of(name, str(keys), others)
        if problem:
            problems.append(f"ui.keys.{name}: {problem}; it is skipped")
        else:
            kept[_named(name)] = _clean(str(keys))
    _OWN.keys = kept
    return problems


def problem_of(name: str, keys: str, others: Mapping[str, str]) -> str:
    """Why `keys` cannot be those of an action, or nothing. `others` are the own keys of other actions."""
    key = next((key for key in movable_keys() if name_of(key) == _named(name)), None)
    if key is None:
        return f"there is no action {name}{_near(name)}"
    for one in _clean(keys).split(","):
        if not _is_key(one):
            return f"{one or 'nothing'} is no key, or one that types"
        for other in movable_keys():
            taken = _clean(others.get(name_of(other), other.keys)).split(",")
            if name_of(other) != _named(name) and one in taken:
                return f"{shown_keys(one)} is the key of {name_of(other)}"
    return ""


def own_keys() -> dict[str, str]:
    """The user's own keys by action."""
    return dict(_OWN.keys)


def name_of_action(name: str) -> str:
    """An action's name as the settings spell it."""
    return _named(name)


def movable_keys() -> Iterator[Key]:
    return (key for key in KEYS if key.place in MOVABLE and key.keys)


def effective(key: Key) -> Key:
    """A row of the table as it holds for this user."""
    own = _OWN.keys.get(name_of(key)) if key.place in MOVABLE and key.keys else None
    return replace(key, keys=own, shown=shown_keys(own)) if own is not None else key


def actions_of(place: Place) -> dict[str, str]:
    """The actions of a place by key."""
    rows = [effective(key) for key in KEYS if key.place == place and key.keys]
    return {name: key.action for key in rows for name in key.keys.split(",")}


def rebind(node: DOMNode, place: Place) -> None:
    """Give a widget or screen the user's keys in place of those of the table, whatever keys it had before."""
    made = type(node)._merged_bindings
    if made is not None:
        node._bindings = made.copy()
    table = node._bindings.key_to_bindings
    moved = [(key, effective(key)) for key in KEYS if key.place == place and effective(key) != key]
    for old, _ in moved:
        for name in old.keys.split(","):
            table.pop(name, None)
    for _, new in moved:
        for name in new.keys.split(","):
            table[name] = [Binding(name, new.action, new.words, show=False)]


def name_of(key: Key) -> str:
    """The name of a row's action in the settings: `zoom_panel('budget')` is `zoom_panel_budget`."""
    action = key.action
    for way, word in _WAYS.items():
        action = action.replace(way, word)
    return re.sub(r"\W+", "_", action).strip("_")


def help_groups() -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Keys and words by group, for the help screen."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for key in map(effective, KEYS):
        if key.shown and key.words:
            groups.setdefault(key.group, []).append((key.shown, key.words))
    return iter(groups.items())


def keymap_rows() -> list[tuple[str, str, str]]:
    """Action, its keys and whose they are, for `/keymap`."""
    rows = []
    for key in movable_keys():
        now = effective(key)
        rows.append((name_of(key), shown_keys(now.keys), "yours" if now != key else ""))
    return rows


def shown_keys(keys: str) -> str:
    """`ctrl+x,f5` as people read it: `Ctrl+X, F5`."""
    return ", ".join("+".join(_cap(part) for part in one.split("+")) for one in keys.split(","))


def _cap(part: str) -> str:
    words = {"pageup": "PgUp", "pagedown": "PgDn", "escape": "Esc", "backslash": "\\", "underscore": "_", "up": "↑"}
    return (words | {"down": "↓"}).get(part, part.upper() if len(part) == 1 else part.capitalize())


def _texts(wanted: Mapping[str, object]) -> dict[str, str]:
    return {_named(name): str(keys) for name, keys in wanted.items()}


def _named(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower().replace("-", "_")


def _clean(keys: str) -> str:
    return ",".join(part.strip().lower().replace("control+", "ctrl+") for part in keys.split(","))


def _is_key(text: str) -> bool:
    """A key that does not type: a named one, or a character with a modifier other than Shift."""
    *modifiers, last = text.split("+")
    if any(modifier not in _MODIFIERS for modifier in modifiers) or not last:
        return False
    known = last in _NAMED_KEYS or last in ("backslash", "underscore") or (len(last) == 1 and last.isprintable())
    types = (len(last) == 1 or last in ("backslash", "underscore", "space")) and not set(modifiers) - {"shift"}
    return known and not types


def _near(name: str) -> str:
    from rapidfuzz import process

    found = process.extractOne(_named(name), [name_of(key) for key in movable_keys()], score_cutoff=60)
    return f" (did you mean {found[0]}?)" if found else "; /keymap lists them"
