"""Model servers on this machine: which of the four known ones runs, what it serves, and its real window.

Only GET requests to loopback, all at once, each with 150 ms; never a prompt, so nothing is loaded or computed. A server
is recognised by the shape of its own answers, not by the port alone. `OPENCLAW_TUI_NO_LOCAL_PROBE=1` turns it off.
What a server does not tell stays unknown: None, never a guess.
"""

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

import msgspec
from msgspec.structs import replace

from openclaw_tui.constants import LOCAL_PROBE_SECONDS
from openclaw_tui.models import ModelInfo
from openclaw_tui.providers.catalog import LOCAL_PORTS, find_model, local_url
from openclaw_tui.providers.loopback_get import get_json

Ask: TypeAlias = Callable[[str], Awaitable[Any]]

NO_PROBE_VARIABLE = "OPENCLAW_TUI_NO_LOCAL_PROBE"


class LocalModel(msgspec.Struct, frozen=True):
    """One model of a server. `window` is the loaded one in tokens; None for a thing the server does not tell.

    `only`: the server has no other and answers with it whatever name a request carries.
    """

    id: str
    window: int | None = None
    tools: bool | None = None
    images: bool | None = None
    loaded: bool = True
    only: bool = False


class LocalServer(msgspec.Struct, frozen=True):
    """A server that answered. `kind` is also the provider id of its models."""

    kind: str
    port: int
    models: tuple[LocalModel, ...]

    @property
    def base_url(self) -> str:
        return local_url(self.port)


async def find_local_servers(
    ports: Mapping[str, int] = LOCAL_PORTS,
    *,
    environ: Mapping[str, str] | None = None,
    timeout: float = LOCAL_PROBE_SECONDS,
) -> tuple[LocalServer, ...]:
    """The servers that answer now, in the order of `ports`. Takes `timeout` seconds at most."""
    env = os.environ if environ is None else environ
    if env.get(NO_PROBE_VARIABLE, "") not in ("", "0"):
        return ()
    found = await asyncio.gather(*(_probe(kind, port, timeout) for kind, port in ports.items()))
    return tuple(server for server in found if server is not None)


def local_model_info(server: LocalServer, model: LocalModel) -> ModelInfo:
    """What the program knows of a local model: the server's own figures where it told them, else assumed ones."""
    info = replace(find_model(f"{server.kind}/{model.id}"), base_url=server.base_url)
    if model.window:
        info = replace(
            info,
            context_window=model.window,
            max_output=min(info.max_output, model.window),
            window_source="server",
            notes=(),
        )
    return replace(info, tools=model.tools is not False, images=bool(model.images))


async def _probe(kind: str, port: int, timeout: float) -> LocalServer | None:
    async def ask(path: str) -> Any:
        return await get_json(port, path, timeout=timeout)

    models = await _READERS[kind](ask)
    return None if models is None else LocalServer(kind, port, models)


async def _ollama(ask: Ask) -> tuple[LocalModel, ...] | None:
    """`/api/ps` tells the window of what is loaded; of the rest nothing is known before its first use."""
    tags, running = await asyncio.gather(ask("/api/tags"), ask("/api/ps"))
    rows = _rows(tags, "models")
    if rows is None:
        return None
    windows = {_name(row, "name", "model"): _count(row.get("context_length")) for row in _rows(running, "models") or ()}
    return tuple(
        LocalModel(
            id=name,
            window=windows.get(name),
            tools=_capability(row, "tools"),
            images=_capability(row, "vision"),
            loaded=name in windows,
        )
        for row in rows
        if (name := _name(row, "name", "model"))
    )


async def _llamacpp(ask: Ask) -> tuple[LocalModel, ...] | None:
    """`/props` tells the window of one slot, which is what one conversation gets."""
    props, listed = await asyncio.gather(ask("/props"), ask("/v1/models"))
    settings = _mapping(_mapping(props).get("default_generation_settings"))
    window = _count(settings.get("n_ctx"))
    rows = _rows(listed, "data")
    if window is None or rows is None:
        return None
    caps = _mapping(_mapping(props).get("chat_template_caps"))
    vision = _flag(_mapping(_mapping(props).get("modalities")).get("vision"))
    tools = _flag(caps.get("supports_tools", caps.get("supports_tool_calls")))
    names = [name for row in rows if (name := _name(row, "id"))]
    return tuple(LocalModel(name, window, tools, vision, only=len(names) == 1) for name in names)


async def _lmstudio(ask: Ask) -> tuple[LocalModel, ...] | None:
    rows = _rows(await ask("/api/v0/models"), "data")
    if rows is None or not all("state" in row for row in rows):
        return None
    return tuple(
        LocalModel(
            id=name,
            window=_count(row.get("loaded_context_length")),
            tools=_capability(row, "tool_use"),
            images=row.get("type") == "vlm",
            loaded=row.get("state") == "loaded",
        )
        for row in rows
        if (name := _name(row, "id")) and row.get("type") != "embeddings"
    )


async def _vllm(ask: Ask) -> tuple[LocalModel, ...] | None:
    rows = _rows(await ask("/v1/models"), "data")
    if rows is None or not any(row.get("owned_by") == "vllm" for row in rows):
        return None
    return tuple(LocalModel(name, _count(row.get("max_model_len"))) for row in rows if (name := _name(row, "id")))


_READERS: Mapping[str, Callable[[Ask], Awaitable[tuple[LocalModel, ...] | None]]] = {
    "ollama": _ollama,
    "llamacpp": _llamacpp,
    "lmstudio": _lmstudio,
    "vllm": _vllm,
}


def _rows(document: Any, key: str) -> list[Mapping[str, Any]] | None:
    """The objects of a list in a document; None if the document has no such list."""
    rows = _mapping(document).get(key)
    return [row for row in rows if isinstance(row, Mapping)] if isinstance(rows, list) else None


def _name(row: Mapping[str, Any], *keys: str) -> str:
    return next((value for key in keys if isinstance(value := row.get(key), str)), "")


def _capability(row: Mapping[str, Any], name: str) -> bool | None:
    told = row.get("capabilities")
    return name in told if isinstance(told, list) else None


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _flag(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None
