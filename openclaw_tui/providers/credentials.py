"""Keys and addresses of providers: the process environment, else the system keyring, else a private file.

The keyring is asked only where a marker file says that a key was stored there: asking can open a dialog. Project files
and `.env` are never read. A key is wrapped from the moment it is found, so that no log line or traceback shows it.
"""

import json
import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from openclaw_tui.atomic_write import atomic_write_text, make_private_dir
from openclaw_tui.errors import ConfigError

KeySource: TypeAlias = Literal["environment", "keyring", "file", "none"]

KEY_VARIABLES: Mapping[str, tuple[str, ...]] = {
    "anthropic": ("ANTHROPIC_API_KEY",),
    "openai": ("OPENAI_API_KEY",),
    "google": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
}
"""Environment variables of the providers the catalogue knows; another id uses `<ID>_API_KEY`."""

URL_VARIABLES: Mapping[str, str] = {
    "anthropic": "ANTHROPIC_BASE_URL",
    "openai": "OPENAI_BASE_URL",
    "google": "GOOGLE_GEMINI_BASE_URL",
}

_FOLDER = "tui-keys"
_SERVICE = "openclaw-tui"
_KEY_TEXT = re.compile(r"[\x21-\x7e]+")


class ApiKey:
    """A secret that does not print itself. `reveal()` is for the SDK's constructor only."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        return self._value

    def __repr__(self) -> str:
        return "ApiKey(hidden)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ApiKey) and other._value == self._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __reduce__(self) -> str:
        raise TypeError("a key is not written anywhere but by store_key")


class Credentials(msgspec.Struct, frozen=True):
    """What a provider is called with. `base_url` is the process environment's; a model's own one goes first."""

    api_key: ApiKey | None = None
    base_url: str | None = None
    source: KeySource = "none"


NO_CREDENTIALS = Credentials()


def key_variables(provider: str) -> tuple[str, ...]:
    """The environment variables that can hold the key of `provider`."""
    return KEY_VARIABLES.get(provider) or (re.sub(r"\W+", "_", provider).upper() + "_API_KEY",)


def has_key(provider: str, *, state_dir: Path, environ: Mapping[str, str] | None = None) -> bool:
    """Whether a key is known, without asking the keyring."""
    env = os.environ if environ is None else environ
    return (
        any(env.get(name, "").strip() for name in key_variables(provider)) or _record_path(state_dir, provider).exists()
    )


def find_credentials(provider: str, *, state_dir: Path, environ: Mapping[str, str] | None = None) -> Credentials:
    """Key and address of `provider`. May ask the keyring: call it off the event loop."""
    env = os.environ if environ is None else environ
    base_url = env.get(URL_VARIABLES.get(provider, ""), "").strip() or None
    for name in key_variables(provider):
        if value := env.get(name, "").strip():
            return Credentials(ApiKey(_checked(value, name)), base_url, "environment")
    stored, source = _stored(provider, state_dir)
    key = ApiKey(_checked(stored, f"the stored key of {provider}")) if stored else None
    return Credentials(key, base_url, source)


def store_key(provider: str, key: str, *, state_dir: Path) -> KeySource:
    """Keep a key in the system keyring, or where there is none in a 0600 file. Returns where it is now."""
    value = _checked(key.strip(), f"the key for {provider}")
    source: KeySource = "keyring" if _keyring_store(provider, value) else "file"
    record = {"store": source} if source == "keyring" else {"store": source, "key": value}
    path = _record_path(state_dir, provider)
    make_private_dir(path.parent)
    atomic_write_text(path, json.dumps(record) + "\n")
    path.chmod(0o600)
    return source


def forget_key(provider: str, *, state_dir: Path) -> bool:
    """Remove a stored key. False when none was stored."""
    path = _record_path(state_dir, provider)
    if not path.exists():
        return False
    if _read_record(path).get("store") == "keyring":
        _keyring_delete(provider)
    path.unlink()
    return True


def stored_keys(state_dir: Path, *, keyring: bool = False) -> tuple[list[str], list[str]]:
    """The keys in files of our own, with `keyring` also those it keeps; and a line about each that cannot be read."""
    keys: list[str] = []
    problems: list[str] = []
    for path in sorted((state_dir / _FOLDER).glob("*.json")):
        try:
            record = _read_record(path)
            if keyring and record.get("store") == "keyring":
                record["key"] = _keyring_read(path.stem) or ""
        except ConfigError as error:
            problems.append(str(error))
            continue
        keys += filter(None, [record.get("key", "")])
    return keys, problems


def _stored(provider: str, state_dir: Path) -> tuple[str | None, KeySource]:
    path = _record_path(state_dir, provider)
    if not path.exists():
        return None, "none"
    record = _read_record(path)
    if record.get("store") == "keyring":
        value = _keyring_read(provider)
        return value, "keyring" if value else "none"
    value = record.get("key")
    return value, "file" if value else "none"


def _read_record(path: Path) -> dict[str, str]:
    try:
        if stat.S_IMODE(path.stat().st_mode) & 0o077:
            path.chmod(0o600)
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: the stored key cannot be read ({error}); /login stores it again.") from error
    if not isinstance(record, dict):
        raise ConfigError(f"{path}: this is no key record; /login stores the key again.")
    return {str(name): value for name, value in record.items() if isinstance(value, str)}


def _record_path(state_dir: Path, provider: str) -> Path:
    return state_dir / _FOLDER / f"{re.sub(r'[^A-Za-z0-9_.-]', '_', provider)}.json"


def _checked(value: str, where: str) -> str:
    """A key travels in a header: anything but printable ASCII is a slip of copying."""
    if not _KEY_TEXT.fullmatch(value):
        raise ConfigError(f"{where} is empty or holds a space, line break or foreign character; copy the key again.")
    return value


def _keyring_store(provider: str, value: str) -> bool:
    """True when the keyring really kept it: some backends accept everything and keep nothing."""
    import keyring
    from keyring.errors import KeyringError

    try:
        keyring.set_password(_SERVICE, provider, value)
        return keyring.get_password(_SERVICE, provider) == value
    except (KeyringError, RuntimeError, OSError):
        return False


def _keyring_read(provider: str) -> str | None:
    import keyring
    from keyring.errors import KeyringError

    try:
        return keyring.get_password(_SERVICE, provider)
    except (KeyringError, RuntimeError, OSError) as error:
        raise ConfigError(
            f"the system keyring does not give out the key of {provider} ({error}); unlock it, or set"
            f" {key_variables(provider)[0]}."
        ) from error


def _keyring_delete(provider: str) -> None:
    import keyring
    from keyring.errors import KeyringError

    try:
        keyring.delete_password(_SERVICE, provider)
    except (KeyringError, RuntimeError, OSError) as error:
        raise ConfigError(f"the system keyring did not remove the key of {provider}: {error}") from error
