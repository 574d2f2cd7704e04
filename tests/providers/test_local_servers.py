"""Servers on this machine: recognised by what they answer, asked with GET only, silent ports cost nothing."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest

from openclaw_tui.errors import AuthenticationFailed, ModelNotFound, OpenClawError, ProviderUnavailable
from openclaw_tui.providers.catalog import find_model
from openclaw_tui.providers.credentials import NO_CREDENTIALS, ApiKey, Credentials
from openclaw_tui.providers.live_limits import live_limits
from openclaw_tui.providers.local_servers import LocalServer, find_local_servers, local_model_info

Pages = Mapping[str, Any]


class PageServer:
    """Answers GET requests from a table of pages; notes what was asked."""

    def __init__(self, pages: Pages, status: int = 200) -> None:
        self.pages = pages
        self.status = status
        self.requests: list[str] = []
        self.heads: list[str] = []
        self.port = 0

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        line = head.split("\r\n", 1)[0]
        self.requests.append(line)
        self.heads.append(head.lower())
        page = self.pages.get(line.split(" ")[1])
        if page == "silence":
            await asyncio.sleep(5)
        body = json.dumps(page).encode() if not isinstance(page, bytes) else page
        status = 404 if page is None else self.status
        writer.write(
            b"HTTP/1.1 %d X\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % (status, len(body))
        )
        writer.write(body)
        await writer.drain()
        writer.close()


@asynccontextmanager
async def page_server(pages: Pages, status: int = 200) -> AsyncIterator[PageServer]:
    pages_server = PageServer(pages, status)
    server = await asyncio.start_server(pages_server.handle, "127.0.0.1", 0)
    pages_server.port = server.sockets[0].getsockname()[1]
    try:
        yield pages_server
    finally:
        server.close()


OLLAMA: Pages = {
    "/api/tags": {"models": [{"name": "qwen3:8b", "capabilities": ["completion", "tools"]}, {"name": "tiny:1b"}]},
    "/api/ps": {"models": [{"name": "qwen3:8b", "context_length": 4096}]},
}
LLAMACPP: Pages = {
    "/props": {"default_generation_settings": {"n_ctx": 8192}, "chat_template_caps": {"supports_tools": False}},
    "/v1/models": {"data": [{"id": "smol.gguf", "meta": {"n_ctx_train": 131072}}]},
}
LMSTUDIO: Pages = {
    "/api/v0/models": {
        "data": [
            {"id": "vision-7b", "type": "vlm", "state": "loaded", "loaded_context_length": 16384,
             "max_context_length": 131072, "capabilities": ["tool_use"]},
            {"id": "cold-7b", "type": "llm", "state": "not-loaded", "max_context_length": 32768},
            {"id": "embed", "type": "embeddings", "state": "loaded"},
        ]
    }
}  # fmt: skip
VLLM: Pages = {"/v1/models": {"data": [{"id": "org/model", "owned_by": "vllm", "max_model_len": 40960}]}}


async def _found(kind: str, pages: Pages) -> tuple[LocalServer, list[str]]:
    async with page_server(pages) as server:
        found = await find_local_servers({kind: server.port}, environ={}, timeout=2.0)
    assert len(found) == 1
    return found[0], server.requests


async def test_ollama_tells_the_window_of_the_loaded_model_only() -> None:
    server, asked = await _found("ollama", OLLAMA)
    loaded, cold = server.models
    assert (loaded.id, loaded.window, loaded.tools, loaded.loaded) == ("qwen3:8b", 4096, True, True)
    assert (cold.window, cold.tools, cold.loaded) == (None, None, False)
    assert all(line.startswith("GET ") for line in asked)


async def test_llamacpp_gives_the_window_of_one_slot_not_the_trained_one() -> None:
    server, _ = await _found("llamacpp", LLAMACPP)
    assert (server.models[0].id, server.models[0].window, server.models[0].tools) == ("smol.gguf", 8192, False)


async def test_lmstudio_gives_the_loaded_window_and_leaves_embeddings_out() -> None:
    server, _ = await _found("lmstudio", LMSTUDIO)
    assert [model.id for model in server.models] == ["vision-7b", "cold-7b"]
    assert (server.models[0].window, server.models[0].images, server.models[0].tools) == (16384, True, True)
    assert (server.models[1].window, server.models[1].loaded) == (None, False)


async def test_vllm_gives_its_model_length() -> None:
    server, _ = await _found("vllm", VLLM)
    assert server.models[0].window == 40960


async def test_what_the_server_tells_becomes_the_models_window() -> None:
    server, _ = await _found("ollama", OLLAMA)
    told, untold = (local_model_info(server, model) for model in server.models)
    assert (told.ref, told.context_window, told.window_source) == ("ollama/qwen3:8b", 4096, "server")
    assert told.base_url == server.base_url
    assert told.max_output <= told.context_window
    assert (untold.context_window, untold.window_source) == (32_000, "assumed")


@pytest.mark.parametrize(
    "pages",
    [
        {},
        {"/api/tags": b"<html>a web shop</html>", "/props": b"nonsense", "/v1/models": [1, 2]},
        {"/v1/models": {"data": [{"id": "someone-else"}]}, "/api/tags": {"models": "none"}, "/props": {}},
    ],
)
async def test_another_service_on_the_port_is_not_taken_for_a_model_server(pages: Pages) -> None:
    async with page_server(pages) as server:
        ports = dict.fromkeys(("ollama", "llamacpp", "lmstudio", "vllm"), server.port)
        assert await find_local_servers(ports, environ={}, timeout=2.0) == ()


async def test_a_silent_server_is_given_up_and_does_not_hold_the_others_back() -> None:
    async with page_server({"/v1/models": "silence"}) as silent, page_server(OLLAMA) as server:
        ports = {"vllm": silent.port, "ollama": server.port}
        found = await find_local_servers(ports, environ={}, timeout=0.5)
    assert [one.kind for one in found] == ["ollama"]


async def test_the_probe_can_be_turned_off() -> None:
    async with page_server(OLLAMA) as server:
        environ = {"OPENCLAW_TUI_NO_LOCAL_PROBE": "1"}
        assert await find_local_servers({"ollama": server.port}, environ=environ) == ()
    assert server.requests == []


def _at(reference: str, port: int, suffix: str = "/v1") -> dict[str, Any]:
    return {reference.partition("/")[0]: {"baseUrl": f"http://127.0.0.1:{port}{suffix}"}}


async def test_live_limits_of_a_local_model_come_from_its_server() -> None:
    async with page_server(LLAMACPP) as server:
        model = find_model("llamacpp/smol.gguf", _at("llamacpp/x", server.port))
        told = await live_limits(model, NO_CREDENTIALS)
    assert (told.context_window, told.window_source, told.tools) == (8192, "server", False)
    assert told.notes == ()


async def test_a_llamacpp_server_with_one_model_tells_its_window_under_any_name() -> None:
    async with page_server(LLAMACPP) as server:
        named = find_model("desk/what-i-call-it", _at("desk/x", server.port))
        told = await live_limits(named, NO_CREDENTIALS)
    assert (told.id, told.context_window, told.window_source) == ("what-i-call-it", 8192, "server")


async def test_a_server_with_several_models_tells_the_window_of_the_named_one_only() -> None:
    pages = {**LLAMACPP, "/v1/models": {"data": [{"id": "small.gguf"}, {"id": "large.gguf"}]}}
    async with page_server(pages) as server:
        own = _at("desk/x", server.port)
        unknown, known = [
            await live_limits(find_model(f"desk/{name}", own), NO_CREDENTIALS) for name in ("other.gguf", "large.gguf")
        ]
    assert (unknown.window_source, known.window_source) == ("assumed", "server")


async def test_a_configured_window_is_not_asked_for() -> None:
    async with page_server(LLAMACPP) as server:
        own = _at("llamacpp/x", server.port)
        own["llamacpp"]["models"] = [{"id": "smol.gguf", "contextWindow": 5000}]
        told = await live_limits(find_model("llamacpp/smol.gguf", own), NO_CREDENTIALS)
    assert (told.context_window, told.window_source) == (5000, "configuration")
    assert server.requests == []


async def test_live_limits_of_claude_are_asked_without_a_prompt_and_with_the_key() -> None:
    page = {"max_input_tokens": 500_000, "max_tokens": 64_000, "capabilities": {"image_input": {"supported": True}}}
    async with page_server({"/v1/models/claude-opus-9": page}) as server:
        model = find_model("anthropic/claude-opus-9", _at("anthropic/x", server.port, ""))
        told = await live_limits(model, Credentials(ApiKey("sk-ant-test")))
    assert (told.context_window, told.max_output, told.window_source) == (500_000, 64_000, "server")
    assert server.requests == ["GET /v1/models/claude-opus-9 HTTP/1.1"]
    assert "authorization: bearer sk-ant-test" in server.heads[0]


async def test_live_limits_of_gemini() -> None:
    page = {"inputTokenLimit": 131_072, "outputTokenLimit": 8_192}
    async with page_server({"/v1/models/gemini-4-argon": page}) as server:
        model = find_model("gemini-4-argon", _at("google/x", server.port, ""))
        told = await live_limits(model, Credentials(ApiKey("AIza-test")))
    assert (told.context_window, told.max_output, told.window_source) == (131_072, 8_192, "server")


@pytest.mark.parametrize(
    ("status", "expected"), [(401, AuthenticationFailed), (404, ModelNotFound), (529, ProviderUnavailable)]
)
async def test_a_server_that_refuses_to_tell_is_an_error_of_ours(status: int, expected: type[OpenClawError]) -> None:
    page = {"type": "error", "error": {"type": "x", "message": "no such model"}}
    async with page_server({"/v1/models/claude-opus-5-5": page}, status) as server:
        model = find_model("claude-opus-5-5", _at("anthropic/x", server.port, ""))
        with pytest.raises(expected):
            await live_limits(model, Credentials(ApiKey("k")))


async def test_openai_tells_no_limits_and_is_not_asked() -> None:
    model = find_model("gpt-6.2-sol")
    assert await live_limits(model, Credentials(ApiKey("k"))) is model
