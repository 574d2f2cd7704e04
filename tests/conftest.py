"""Isolated home and state for every test; no network but loopback; no keys from the developer's environment."""

import os
import socket
from pathlib import Path
from typing import Any

import pytest

from openclaw_tui.safety.secrets import release

_KEY_VARIABLES = (
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_BASE_URL",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "GOOGLE_GEMINI_BASE_URL",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "NO_COLOR",
)


@pytest.fixture(autouse=True)
def isolated_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home, state and temporary folder of the test's own; inherited by child processes."""
    home = tmp_path / "home"
    home.mkdir()
    for name in _KEY_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name in [name for name in os.environ if name.startswith("OPENCLAW_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("OPENCLAW_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    monkeypatch.setenv("OPENCLAW_TUI_NO_LOCAL_PROBE", "1")
    monkeypatch.setenv("OPENCLAW_TUI_SANDBOX__MODE", "off")  # what a machine has must not change what tests see
    return home


@pytest.fixture(autouse=True)
def no_held_secrets() -> None:
    """What one test holds is not hidden in the next."""
    release()


@pytest.fixture(autouse=True)
def no_outside_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse any connection that leaves this machine."""
    real_connect = socket.socket.connect

    def connect(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6):
            host = str(address[0])
            if not (host.startswith("127.") or host in ("::1", "localhost")):
                raise AssertionError(f"a test tried to connect to {host}")
        real_connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect)
