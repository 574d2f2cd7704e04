"""Where a key may go, and which way."""

import logging

import pytest

from openclaw_tui.constants import LOCAL_STREAM_IDLE_TIMEOUT_SECONDS, STREAM_IDLE_TIMEOUT_SECONDS
from openclaw_tui.errors import AuthenticationFailed, ConfigError
from openclaw_tui.providers.http import build_client, check_address, idle_seconds_for, is_loopback

LOOPBACK = [
    "http://127.0.0.1:8080/v1",
    "http://localhost:11434",
    "http://[::1]:9",
    "http://127.9.9.9",
    "http://a.localhost",
]
ELSEWHERE = [
    "https://api.example.com",
    "http://10.0.0.1",
    "http://localhost.example.com",
    "http://127.0.0.1.example.com",
]


@pytest.mark.parametrize("url", LOOPBACK)
def test_this_machine_is_recognised(url: str) -> None:
    assert is_loopback(url)
    check_address("p", url, has_key=True)
    assert idle_seconds_for(url) == LOCAL_STREAM_IDLE_TIMEOUT_SECONDS


@pytest.mark.parametrize("url", [*ELSEWHERE, None])
def test_other_hosts_are_not_taken_for_it(url: str | None) -> None:
    assert not is_loopback(url)
    assert idle_seconds_for(url) == STREAM_IDLE_TIMEOUT_SECONDS


def test_key_never_goes_over_plain_http() -> None:
    with pytest.raises(AuthenticationFailed, match=r"10\.0\.0\.1"):
        check_address("p", "http://10.0.0.1/v1", has_key=True)
    check_address("p", "http://10.0.0.1/v1", has_key=False)


@pytest.mark.parametrize("url", ["ftp://host", "api.example.com", "http://"])
def test_address_that_is_none_is_named(url: str) -> None:
    with pytest.raises(ConfigError, match="base URL"):
        check_address("p", url, has_key=False)


async def test_loopback_never_goes_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    async with build_client("p", "http://127.0.0.1:9", has_key=True) as local:
        assert not local.trust_env
    async with build_client("p", "https://api.example.com", has_key=True) as remote:
        assert remote.trust_env
        assert not remote.follow_redirects


def test_proxy_setting_that_cannot_be_used_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "ftp://nowhere")
    with pytest.raises(ConfigError, match="ALL_PROXY"):
        build_client("p", "https://api.example.com", has_key=True)


async def test_sdk_loggers_never_go_to_debug() -> None:
    logging.getLogger("anthropic").setLevel(logging.DEBUG)
    async with build_client("p", None, has_key=True):
        assert not logging.getLogger("anthropic").isEnabledFor(logging.INFO)
