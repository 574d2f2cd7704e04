"""Keys come from the environment, the keyring or a private file, and never show themselves."""

import json
import pickle
import stat
from pathlib import Path
from types import SimpleNamespace

import keyring
import pytest
from keyring.errors import KeyringError

from openclaw_tui.errors import ConfigError
from openclaw_tui.providers.credentials import ApiKey, find_credentials, forget_key, has_key, store_key


class Ring:
    """A keyring in memory that counts how often it is asked."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], str] = {}
        self.asked = 0
        self.locked = False

    def set_password(self, service: str, user: str, value: str) -> None:
        self.kept[service, user] = value

    def get_password(self, service: str, user: str) -> str | None:
        self.asked += 1
        if self.locked:
            raise KeyringError("locked")
        return self.kept.get((service, user))

    def delete_password(self, service: str, user: str) -> None:
        del self.kept[service, user]


@pytest.fixture
def ring(monkeypatch: pytest.MonkeyPatch) -> Ring:
    ring = Ring()
    for name in ("set_password", "get_password", "delete_password"):
        monkeypatch.setattr(keyring, name, getattr(ring, name))
    return ring


def test_environment_wins_and_the_keyring_is_not_asked(tmp_path: Path, ring: Ring) -> None:
    store_key("anthropic", "stored", state_dir=tmp_path)
    ring.asked = 0
    env = {"ANTHROPIC_API_KEY": " from-env\n", "ANTHROPIC_BASE_URL": "https://gate.example"}
    found = find_credentials("anthropic", state_dir=tmp_path, environ=env)
    assert found.api_key == ApiKey("from-env")
    assert (found.base_url, found.source, ring.asked) == ("https://gate.example", "environment", 0)


def test_keyring_is_asked_only_where_a_key_was_stored(tmp_path: Path, ring: Ring) -> None:
    assert find_credentials("openai", state_dir=tmp_path, environ={}).api_key is None
    assert ring.asked == 0
    assert store_key("openai", "sk-1", state_dir=tmp_path) == "keyring"
    assert find_credentials("openai", state_dir=tmp_path, environ={}).api_key == ApiKey("sk-1")
    assert "sk-1" not in "".join(path.read_text() for path in tmp_path.rglob("*.json"))


def test_without_a_keyring_the_key_lies_in_a_private_file(tmp_path: Path) -> None:
    assert store_key("google", "AIza-1", state_dir=tmp_path) == "file"
    (path,) = tmp_path.rglob("*.json")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    path.chmod(0o644)
    found = find_credentials("google", state_dir=tmp_path, environ={})
    assert (found.api_key, found.source) == (ApiKey("AIza-1"), "file")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert forget_key("google", state_dir=tmp_path)
    assert not has_key("google", state_dir=tmp_path, environ={})


def test_both_names_of_googles_key_work_and_unknown_ids_have_one_of_their_own(tmp_path: Path) -> None:
    for provider, name in (("google", "GEMINI_API_KEY"), ("google", "GOOGLE_API_KEY"), ("my-gate", "MY_GATE_API_KEY")):
        assert find_credentials(provider, state_dir=tmp_path, environ={name: "k"}).api_key == ApiKey("k")
        assert has_key(provider, state_dir=tmp_path, environ={name: "k"})


def test_env_files_of_the_project_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".env").write_text("ANTHROPIC_API_KEY=leak\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert find_credentials("anthropic", state_dir=tmp_path / "state").api_key is None


def test_key_does_not_print_or_pickle_itself() -> None:
    key = ApiKey("sk-secret")
    assert "secret" not in f"{key!r} {key} {SimpleNamespace(key=key)}"
    with pytest.raises(TypeError):
        pickle.dumps(key)


@pytest.mark.parametrize("bad", ["", "two words", "line\nbreak", "“quoted”"])
def test_slip_of_copying_is_named(tmp_path: Path, bad: str) -> None:
    with pytest.raises(ConfigError):
        store_key("anthropic", bad, state_dir=tmp_path)


def test_locked_keyring_and_broken_record_are_said(tmp_path: Path, ring: Ring) -> None:
    store_key("openai", "sk-1", state_dir=tmp_path)
    ring.locked = True
    with pytest.raises(ConfigError, match="OPENAI_API_KEY"):
        find_credentials("openai", state_dir=tmp_path, environ={})
    (path,) = tmp_path.rglob("*.json")
    path.write_text(json.dumps([1]), encoding="utf-8")
    with pytest.raises(ConfigError, match="/login"):
        find_credentials("openai", state_dir=tmp_path, environ={})


def test_provider_id_cannot_leave_the_folder(tmp_path: Path) -> None:
    store_key("../../x", "k", state_dir=tmp_path / "a" / "b")
    assert [path.parent.parent for path in tmp_path.rglob("*.json")] == [tmp_path / "a" / "b"]
