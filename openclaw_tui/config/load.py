"""Settings from their places, weakest first: defaults, user, project and private project file, environment, flags.

Each value remembers the place that won. A bad line in a file is named (file, line, key) and skipped; it never loosens
anything. A file that cannot be parsed at all is replaced by its last good copy, else left out. A bad flag or `--config`
value stops the start. A project that was not trusted contributes its deny rules only.
"""

import hashlib
import os
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from openclaw_tui.atomic_write import atomic_write_text, make_private_dir
from openclaw_tui.config.paths import Paths
from openclaw_tui.config.schema import BY_KEY, SETTINGS, Setting, find_setting, fold_key
from openclaw_tui.config.toml_text import parse_toml
from openclaw_tui.config.values import BadValue, check_value, parse_text
from openclaw_tui.constants import PROBLEM_MAX_CHARS
from openclaw_tui.errors import ConfigError
from openclaw_tui.safety.trust import FolderTrust

ENVIRONMENT_PREFIX = "OPENCLAW_TUI_"
_RULE_KEYS = frozenset({"permissions.allow", "permissions.ask", "permissions.deny"})
_MODE, _NO_QUESTIONS, _HOLDS_ALWAYS = "permissions.mode", "bypassPermissions", "permissions.deny"
_SHORT_NAMES = {"MODEL": "agents.defaults.model", "THINKING": "agents.defaults.thinking", "THEME": "ui.theme"}
_RESERVED_NAMES = frozenset({"NO_LOCAL_PROBE", "DEBUG"})


class Rule(msgspec.Struct, frozen=True):
    """A permission rule with the place it came from: flag, local, project, user or environment."""

    text: str
    place: str


class ConfigProblem(msgspec.Struct, frozen=True):
    """One line that was skipped, worded for the user."""

    place: str
    text: str

    def __str__(self) -> str:
        text = self.text if len(self.text) <= PROBLEM_MAX_CHARS else f"{self.text[:PROBLEM_MAX_CHARS]}…"
        return f"{self.place}: {text}"


@dataclass(slots=True)
class Config:
    """All settings with their winning places. `problems` are shown and stay visible; nothing is dropped silently.

    `project_trusted` is the answer the files of the project were read with; `trust` what stood in the folder then.
    """

    values: dict[str, Any] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    rules: dict[str, list[Rule]] = field(default_factory=dict)
    problems: list[ConfigProblem] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    project_trusted: bool = False
    trust: FolderTrust = field(default_factory=FolderTrust)

    def get(self, key: str) -> Any:
        return self.values[key] if key in self.values else BY_KEY[key].default

    def place(self, key: str) -> str:
        return self.places.get(key, "default")

    def set(self, setting: Setting, value: Any, place: str) -> None:
        self.values[setting.key] = value
        self.places[setting.key] = place
        if setting.key in _RULE_KEYS:
            self.rules.setdefault(setting.key, []).extend(Rule(text, place) for text in value)
            self.values[setting.key] = tuple(rule.text for rule in self.rules[setting.key])

    def rows(self) -> Iterator[tuple[Setting, Any, str]]:
        for setting in SETTINGS:
            yield setting, self.get(setting.key), self.place(setting.key)


class _GoodCopies(msgspec.Struct, frozen=True):
    """Where files that parsed are kept, and whether this run may add to them."""

    folder: Path
    remember: bool


def load_config(
    paths: Paths,
    *,
    flags: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    project_trusted: bool = False,
    remember: bool = True,
) -> Config:
    """Read every place. `flags` are KEY=VALUE texts. Raises ConfigError for a bad flag or environment value only.

    `remember` False writes nothing: files that parse are not kept as the last good copy.
    """
    config = Config(project_trusted=project_trusted)
    cache = _GoodCopies(paths.state / "cache" / "config", remember)
    _apply_file(config, paths.user_config, "user", cache=cache)
    for path, place in ((paths.project_config, "project"), (paths.local_config, "local")):
        _apply_file(config, path, place, cache=cache, trusted=project_trusted)
    _apply_environment(config, os.environ if environment is None else environment)
    for flag in flags:
        _apply_flag(config, flag)
    return config


def waiting_settings(path: Path) -> list[tuple[str, Any]]:
    """What a project's file would set once the folder is trusted; empty for a file that cannot be read."""
    try:
        data = parse_toml(path.read_bytes().decode("utf-8-sig"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return []
    found = [(find_setting(key), value) for key, value in _leaves(data)]
    return [
        (setting.key, value)
        for setting, value in found
        if setting is not None
        and not setting.user_only
        and setting.key != _HOLDS_ALWAYS
        and (setting.key, value) != (_MODE, _NO_QUESTIONS)
    ]


def _apply_file(config: Config, path: Path, place: str, *, cache: "_GoodCopies", trusted: bool = True) -> None:
    text = _read_text(config, path)
    if text is None:
        return
    data = _parse_file(config, path, text, cache)
    for key, value in _leaves(data):
        setting = find_setting(key)
        where = f"{path}, line {_line_of(text, key)}"
        if setting is None:
            config.problems.append(
                ConfigProblem(where, f"{key} is not a setting{did_you_mean(key)}; the line is skipped")
            )
        elif place != "user" and setting.user_only:
            config.problems.append(
                ConfigProblem(where, f"{key} may only stand in the user's own settings; it is skipped")
            )
        elif place != "user" and setting.key == _MODE and value == _NO_QUESTIONS:
            text = f"{key} = {value!r} is for the user alone to choose; it is skipped"
            config.problems.append(ConfigProblem(where, text))
        elif not trusted and setting.key != _HOLDS_ALWAYS:
            config.left_out.append(f"{path.name}: {setting.key}")
        else:
            _set_checked(config, setting, value, place, where)


def _set_checked(config: Config, setting: Setting, value: Any, place: str, where: str) -> None:
    try:
        config.set(setting, check_value(setting, value), place)
    except BadValue as error:
        config.problems.append(ConfigProblem(where, f"{setting.key} {error}; the line is skipped"))


def _read_text(config: Config, path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        config.problems.append(ConfigProblem(str(path), f"cannot be read ({error}); it is left out"))
        return None


def _parse_file(config: Config, path: Path, text: str, cache: "_GoodCopies") -> dict[str, Any]:
    """The parsed file; for a broken one its last good copy, and a problem that says so."""
    copy = cache.folder / f"{hashlib.sha256(str(path).encode()).hexdigest()[:16]}.toml"
    try:
        data = parse_toml(text)
    except tomllib.TOMLDecodeError as error:
        good = _last_good(copy)
        action = "its last good copy is used" if good else "it is left out"
        config.problems.append(ConfigProblem(str(path), f"is not valid TOML ({error}); {action}"))
        return good
    if cache.remember:
        _keep_copy(copy, text)
    return data


def _last_good(copy: Path) -> dict[str, Any]:
    try:
        return parse_toml(copy.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return {}


def _keep_copy(copy: Path, text: str) -> None:
    """Remember a file that parses. Losing the copy only costs the fallback, so a full disk is no error here."""
    try:
        if not copy.exists() or copy.read_text(encoding="utf-8") != text:
            make_private_dir(copy.parent)
            atomic_write_text(copy, text, durable=False)
    except OSError:
        return


def _leaves(data: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Dotted keys and values; tables that are themselves settings are not entered."""
    for name, value in data.items():
        key = f"{prefix}{name}"
        setting = find_setting(key)
        if isinstance(value, dict) and (setting is None or setting.kind != "table"):
            yield from _leaves(value, f"{key}.")
        else:
            yield key, value


def _line_of(text: str, key: str) -> int:
    """The line a key stands on, as well as a search can tell; 1 where it cannot."""
    last = re.escape(key.rsplit(".", 1)[-1])
    found = re.search(rf"^\s*(?:[\w.\"-]+\.)?\"?{last}\"?\s*=", text, re.MULTILINE)
    return text.count("\n", 0, found.start()) + 1 if found else 1


def did_you_mean(key: str) -> str:
    """A hint with the nearest key, empty where none is near."""
    from rapidfuzz import process

    found = process.extractOne(fold_key(key), {k: fold_key(k) for k in BY_KEY}, score_cutoff=75)
    return f" (did you mean {found[2]}?)" if found else ""


def _apply_environment(config: Config, environment: Mapping[str, str]) -> None:
    for name, text in sorted(environment.items()):
        if not name.startswith(ENVIRONMENT_PREFIX) or name.removeprefix(ENVIRONMENT_PREFIX) in _RESERVED_NAMES:
            continue
        short = name.removeprefix(ENVIRONMENT_PREFIX)
        setting = find_setting(_SHORT_NAMES.get(short, short.replace("__", ".")))
        if setting is None:
            config.problems.append(ConfigProblem(name, "is not a setting; it is skipped"))
            continue
        try:
            config.set(setting, parse_text(setting, text), f"environment ({name})")
        except BadValue as error:
            config.problems.append(ConfigProblem(name, f"{error}; it is skipped"))


def _apply_flag(config: Config, flag: str) -> None:
    key, equals, text = flag.partition("=")
    setting = find_setting(key.strip())
    if not equals:
        raise ConfigError(f"--config {flag}: write it as KEY=VALUE, for example --config ui.theme=textual-dark")
    if setting is None:
        raise ConfigError(
            f"--config {key}: there is no such setting{did_you_mean(key)}; see `openclaw-tui config show`"
        )
    try:
        config.set(setting, parse_text(setting, text.strip()), "flag")
    except BadValue as error:
        raise ConfigError(f"--config {key}: {error}") from error
