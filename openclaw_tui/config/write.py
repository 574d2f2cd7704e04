"""Writing one setting into the user's file: comments, order and spelling of what stands there stay.

The only writer of that file. A file that is no TOML is left for its owner to mend; nothing is written then.
"""

import os
from typing import TYPE_CHECKING, Any

from openclaw_tui.atomic_write import atomic_write_text, make_private_dir
from openclaw_tui.config.load import did_you_mean
from openclaw_tui.config.paths import Paths
from openclaw_tui.config.schema import Setting, find_setting, fold_key
from openclaw_tui.config.values import BadValue, parse_text
from openclaw_tui.errors import ConfigError

if TYPE_CHECKING:
    from tomlkit import TOMLDocument


def write_user_setting(paths: Paths, key: str, text: str) -> tuple[Setting, Any]:
    """Set `key` to a value given as text. Raises ConfigError with the reason where either is none."""
    setting = find_setting(key)
    if setting is None:
        raise ConfigError(f"there is no setting {key}{did_you_mean(key)}; see `openclaw-tui config show`")
    try:
        value = parse_text(setting, text)
    except BadValue as error:
        raise ConfigError(f"{setting.key} {error}") from error
    write_user_value(paths, setting.key, value)
    return setting, value


def write_user_value(paths: Paths, key: str, value: Any) -> None:
    """Set a dotted key to a value that was checked. Raises ConfigError."""
    document = _user_document(paths)
    put_value(document, key, value)
    _store(paths, document)


def remove_user_value(paths: Paths, key: str) -> bool:
    """Take a dotted key out of the file, under whatever spelling. False when it was not there. Raises ConfigError."""
    document = _user_document(paths)
    *folders, last = key.split(".")
    table: Any = document
    for name in folders:
        found = _spelled(table, name)
        table = table[found] if found is not None else None
        if not hasattr(table, "keys"):
            return False
    found = _spelled(table, last)
    if found is None:
        return False
    del table[found]
    _store(paths, document)
    return True


def put_value(document: Any, key: str, value: Any) -> None:
    """Set a dotted key where it stands already, under whatever spelling, else in the tables of its dotted name."""
    import tomlkit

    *folders, last = key.split(".")
    table = document
    for depth, name in enumerate(folders, start=1):
        found = _spelled(table, name)
        if found is None:
            table[name] = tomlkit.table(is_super_table=depth < len(folders))
            found = name
        table = table[found]
        if not hasattr(table, "keys"):
            raise ConfigError(f"{'.'.join(folders[:depth])} is no table in the settings file")
    table[_spelled(table, last) or last] = list(value) if isinstance(value, tuple) else value


def _store(paths: Paths, document: "TOMLDocument") -> None:
    try:
        make_private_dir(paths.user_config.parent)
        atomic_write_text(paths.user_config, document.as_string())
    except OSError as error:
        raise ConfigError(f"{paths.user_config} cannot be written: {os.strerror(error.errno or 0)}") from error


def _user_document(paths: Paths) -> "TOMLDocument":
    """The user's file as it stands, comments and all."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        return tomlkit.parse(paths.user_config.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        return tomlkit.document()
    except (OSError, UnicodeDecodeError, TOMLKitError) as error:
        raise ConfigError(f"{paths.user_config} cannot be changed as long as it cannot be read: {error}") from error


def _spelled(table: Any, name: str) -> str | None:
    return next((key for key in table if fold_key(key) == fold_key(name)), None)
