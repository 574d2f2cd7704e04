"""The side routes of the providers and of local servers: which models there are, and how large their window is."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from aiohttp import web

from tests.strict_fake import models_today
from tests.strict_fake.refusal import Json, Refused, error_body

if TYPE_CHECKING:
    from tests.strict_fake.server import Server

_CLOUD_MODELS = ("claude-sonnet-5-5", "claude-opus-5-5", "gpt-6.2-sol", "gpt-5.4", "gemini-4-argon", "bench-model")
_LOCAL_MODELS = ("qwen3-coder:30b",)
Answer = Callable[["Server", web.Request], Awaitable[Json | str]]


def add_info_routes(app: web.Application, server: "Server") -> None:
    routes: dict[str, tuple[Answer, tuple[str, ...]]] = {
        "GET /models": (_models, ()),
        "GET /v1/models": (_models, ()),
        "GET /v1beta/models": (_models, ()),
        "GET /v1/models/{name:.+}": (_model, ()),
        "GET /v1beta/models/{name:.+}": (_model, ()),
        "GET /props": (_props, ("llamacpp",)),
        "GET /health": (_health, ("llamacpp", "vllm")),
        "GET /slots": (_slots, ("llamacpp",)),
        "GET /": (_ollama_root, ("ollama",)),
        "GET /api/version": (_version, ("ollama",)),
        "GET /api/tags": (_ollama_tags, ("ollama",)),
        "GET /api/ps": (_ollama_ps, ("ollama",)),
        "POST /api/show": (_ollama_show, ("ollama",)),
        "GET /api/v0/models": (_lmstudio_models, ("lmstudio",)),
        "GET /api/v0/models/{name:.+}": (_lmstudio_model, ("lmstudio",)),
        "GET /version": (_version, ("vllm",)),
        "GET /bench/state": (_state, ()),
    }
    for route, (answer, dialects) in routes.items():
        method, _, path = route.partition(" ")
        if not dialects or server.options.dialect in dialects:
            app.router.add_route(method, path, _handler(server, answer))


def model_ids(server: "Server") -> list[str]:
    own = _LOCAL_MODELS if server.options.local else _CLOUD_MODELS
    return [*server.options.models, *own]


def _handler(server: "Server", answer: Answer) -> Callable[[web.Request], Awaitable[web.Response]]:
    async def handle(request: web.Request) -> web.Response:
        record = await server.open(request, "info")
        record.kind, record.status = "info", 200
        record.raw = await request.read()
        try:
            body = await answer(server, request)
        except Refused as refused:
            record.status, record.error, record.what = refused.status, refused.message, "unknown"
            return web.json_response(error_body(_protocol(request), refused), status=refused.status)
        finally:
            server.log.close_record(record)
        return web.Response(text=body) if isinstance(body, str) else web.json_response(body)

    return handle


def _protocol(request: web.Request) -> str:
    if "anthropic-version" in request.headers:
        return "anthropic"
    return "gemini" if "x-goog-api-key" in request.headers or request.path.startswith("/v1beta") else "openai"


# ------------------------------------------------------------------ model lists


async def _models(server: "Server", request: web.Request) -> Json:
    ids, protocol = model_ids(server), _protocol(request)
    if protocol == "gemini":
        return {"models": [_gemini_model(server, name) for name in ids]}
    if protocol == "anthropic":
        rows = [_anthropic_model(server, name) for name in ids]
        return {"data": rows, "has_more": False, "first_id": ids[0], "last_id": ids[-1]}
    return {"object": "list", "data": [_openai_model(server, name) for name in ids]}


async def _model(server: "Server", request: web.Request) -> Json:
    name, protocol = request.match_info["name"], _protocol(request)
    known = model_ids(server)
    if name not in known and not models_today.is_known_claude(name) and not name.startswith(("gpt-", "gemini-")):
        raise Refused(f"model: {name}", 404)
    makers = {"anthropic": _anthropic_model, "gemini": _gemini_model, "openai": _openai_model}
    return makers[protocol](server, name)


def _anthropic_model(server: "Server", name: str) -> Json:
    return {
        "type": "model",
        "id": name,
        "display_name": name,
        "created_at": "2026-01-01T00:00:00Z",
        "max_input_tokens": server.window,
        "max_tokens": models_today.claude_max_output(name, server.options.max_output),
    }


def _gemini_model(server: "Server", name: str) -> Json:
    return {
        "name": f"models/{name}",
        "displayName": name,
        "version": "1",
        "inputTokenLimit": server.window,
        "outputTokenLimit": server.options.max_output,
        "supportedGenerationMethods": ["generateContent", "countTokens"],
    }


def _openai_model(server: "Server", name: str) -> Json:
    """OpenAI's own list has no limits; vLLM's and llama.cpp's have."""
    row: Json = {"id": name, "object": "model", "created": 1_700_000_000, "owned_by": server.options.dialect}
    if server.options.dialect == "vllm":
        row["max_model_len"] = server.window
    elif server.options.dialect == "llamacpp":
        row["meta"] = {"n_ctx_train": _trained(server)}
    return row


# ------------------------------------------------------------------ local servers


def _trained(server: "Server") -> int:
    return server.options.trained_window or server.window * 4


async def _props(server: "Server", _request: web.Request) -> Json:
    return {
        "default_generation_settings": {"n_ctx": server.window, "params": {"n_predict": -1}},
        "total_slots": 1,
        "model_path": f"/models/{model_ids(server)[0]}.gguf",
        "chat_template": "{{ messages }}",
        "chat_template_caps": {"supports_tools": True, "supports_tool_calls": True, "supports_system_role": True},
        "build_info": "b11434-fake",
    }


async def _health(_server: "Server", _request: web.Request) -> Json:
    return {"status": "ok"}


async def _slots(server: "Server", _request: web.Request) -> Json:
    return {"slots": [{"id": 0, "n_ctx": server.window, "is_processing": False}]}


async def _version(_server: "Server", _request: web.Request) -> Json:
    return {"version": "0.32.9"}


async def _ollama_root(_server: "Server", _request: web.Request) -> str:
    return "Ollama is running"


async def _ollama_tags(server: "Server", _request: web.Request) -> Json:
    return {"models": [{"name": name, "model": name, "size": 1} for name in model_ids(server)]}


async def _ollama_ps(server: "Server", _request: web.Request) -> Json:
    rows = [{"name": name, "model": name, "context_length": server.window} for name in model_ids(server)]
    return {"models": rows}


async def _ollama_show(server: "Server", request: web.Request) -> Json:
    asked = await request.json()
    name = asked.get("model") or asked.get("name")
    if name not in model_ids(server):
        raise Refused(f"model '{name}' not found", 404)
    info = {"general.architecture": "qwen3", "qwen3.context_length": _trained(server)}
    return {"model_info": info, "capabilities": ["completion", "tools", "thinking"], "parameters": ""}


async def _lmstudio_models(server: "Server", _request: web.Request) -> Json:
    return {"object": "list", "data": [_lmstudio_row(server, name) for name in model_ids(server)]}


async def _lmstudio_model(server: "Server", request: web.Request) -> Json:
    name = request.match_info["name"]
    if name not in model_ids(server):
        raise Refused(f"model '{name}' not found", 404)
    return _lmstudio_row(server, name)


def _lmstudio_row(server: "Server", name: str) -> Json:
    return {
        "id": name,
        "object": "model",
        "type": "llm",
        "state": "loaded",
        "max_context_length": _trained(server),
        "loaded_context_length": server.window,
        "capabilities": ["tool_use"],
    }


async def _state(server: "Server", _request: web.Request) -> Json:
    return {
        "step": server.director.position,
        "turns_done": server.director.turns_done,
        "compactions": server.summaries_asked,
        "requests": len(server.requests),
        "main": server.main_requests,
        "refused": sum(record.refused for record in server.requests),
    }
