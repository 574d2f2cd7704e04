"""A key goes to the one host that was chosen, encrypted or on this machine: every adapter, every other request."""

import asyncio

import msgspec
import pytest

from openclaw_tui.errors import AuthenticationFailed, OpenClawError
from openclaw_tui.models import ModelInfo
from openclaw_tui.providers.credentials import ApiKey, Credentials
from openclaw_tui.providers.embeddings import EndpointEmbedder
from openclaw_tui.providers.http import is_loopback
from openclaw_tui.providers.live_limits import live_limits
from openclaw_tui.providers.registry import create_provider
from tests.providers.contract.apis import DIALECTS
from tests.providers.contract.canned import Answer, CannedServer
from tests.providers.contract.dialects import Dialect
from tests.providers.contract.test_contract import ask

KEY = "test-key-that-stays"
CREDENTIALS = Credentials(ApiKey(KEY))
every_api = pytest.mark.parametrize("api", DIALECTS, ids=[dialect.model.api for dialect in DIALECTS])
in_clear = pytest.mark.parametrize(
    "server",
    [
        "http://api.example.com",
        "http://192.168.1.20:11434",
        "http://localhost.evil.com",
        "http://127.0.0.1.evil.com",
        "http://127.0.0.1:80@evil.com",
        "http://localhost@evil.com",
        "http://[2001:db8::1]:8080",
        "HTTP://EVIL.COM",
        "http://0.0.0.0:8080",
    ],
)


async def stream(model: ModelInfo, api: Dialect, credentials: Credentials = CREDENTIALS) -> None:
    provider = create_provider(model, credentials, idle_seconds=5.0)
    try:
        async for _ in provider.stream(ask(api)):
            pass
    finally:
        await provider.aclose()


def at(api: Dialect, server: str) -> ModelInfo:
    return msgspec.structs.replace(api.model, base_url=api.base_url(server))


@every_api
@in_clear
async def test_no_adapter_sends_its_key_in_clear(api: Dialect, server: str) -> None:
    with pytest.raises(AuthenticationFailed, match="plain http"):
        await stream(at(api, server), api)


@every_api
async def test_a_password_in_the_address_and_headers_of_the_environment_count_as_keys(
    api: Dialect, monkeypatch: pytest.MonkeyPatch
) -> None:
    if api.model.api == "openai-chat":  # the one API that also goes to servers without a key elsewhere
        with pytest.raises(AuthenticationFailed, match="plain http") as caught:
            await stream(at(api, "http://me:hunter2-and-more@evil.com"), api, Credentials())
        assert "hunter2" not in str(caught.value)
        monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Key: abc")
        with pytest.raises(AuthenticationFailed, match="plain http"):
            await stream(at(api, "http://evil.com"), api, Credentials())
    with pytest.raises(OpenClawError) as refused:
        await stream(at(api, "http://me:hunter2-and-more@127.0.0.1\\@evil.com"), api)
    assert "base URL" in str(refused.value)
    assert "hunter2" not in str(refused.value)


@every_api
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_no_adapter_follows_a_redirect_with_its_key(api: Dialect, status: int) -> None:
    async with CannedServer(Answer()) as other:
        elsewhere = Answer(status=status, headers={"location": f"{other.url}/v1/stolen"})
        async with CannedServer(elsewhere) as chosen:
            with pytest.raises(OpenClawError) as caught:
                await stream(at(api, chosen.url), api)
        assert KEY in str(chosen.received[0].headers)
        assert not other.received
        assert KEY not in str(caught.value)


@pytest.mark.parametrize("name", ["anthropic", "google"])
async def test_the_list_of_models_keeps_the_key(name: str) -> None:
    api = next(dialect for dialect in DIALECTS if dialect.model.api == name)
    with pytest.raises(AuthenticationFailed, match="plain http"):
        await live_limits(at(api, "http://localhost.evil.com"), CREDENTIALS)
    async with CannedServer(Answer()) as other:
        elsewhere = Answer(status=307, headers={"location": f"{other.url}/stolen"}, content_type="application/json")
        async with CannedServer(elsewhere) as chosen:
            with pytest.raises(OpenClawError):
                await live_limits(at(api, chosen.url), CREDENTIALS)
        assert KEY in str(chosen.received[0].headers)
        assert not other.received


async def test_embeddings_keep_the_key() -> None:
    with pytest.raises(AuthenticationFailed, match="plain http"):
        EndpointEmbedder("p", "m", "http://localhost.evil.com/v1", CREDENTIALS).embed(["x"])
    async with CannedServer(Answer()) as other:
        elsewhere = Answer(status=308, headers={"location": f"{other.url}/stolen"})
        async with CannedServer(elsewhere) as chosen:
            embedder = EndpointEmbedder("p", "m", f"{chosen.url}/v1", CREDENTIALS)
            with pytest.raises(OpenClawError):
                await asyncio.to_thread(embedder.embed, ["x"])
            embedder.close()
        assert KEY in str(chosen.received[0].headers)
        assert not other.received


@pytest.mark.parametrize(
    "url", ["http://[::1", "http://[::ffff:8.8.8.8]/", "http://127.0.0.1@evil.com", "//127.0.0.1", ""]
)
def test_what_is_not_surely_this_machine_is_not(url: str) -> None:
    assert is_loopback(url) is (url == "//127.0.0.1")
