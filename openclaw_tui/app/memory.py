"""The notes of a composed program: where they lie, how they are searched and when they are written."""

import os
from collections.abc import Callable
from pathlib import Path

from openclaw_tui.config.load import Config
from openclaw_tui.config.paths import Paths
from openclaw_tui.errors import MemoryFailed
from openclaw_tui.memory.flush import FlushSettings
from openclaw_tui.memory.index import ChunkSize
from openclaw_tui.memory.notebook import MemoryDesk
from openclaw_tui.memory.places import MemoryPlaces, memory_places
from openclaw_tui.memory.search import MemorySearch, SearchSettings
from openclaw_tui.memory.vectors import Vectors
from openclaw_tui.providers.catalog import find_model
from openclaw_tui.providers.embeddings import Embedder, EndpointEmbedder, FolderEmbedder

_FLUSH = "agents.defaults.compaction.memoryFlush."
_SEARCH = "agents.defaults.memorySearch."


def places_of(config: Config, paths: Paths) -> MemoryPlaces:
    extra = tuple(Path(os.path.expanduser(path)).absolute() for path in config.get(_SEARCH + "extraPaths"))
    return memory_places(paths.project, paths.agent, extra=extra)


def build_search(config: Config, paths: Paths, places: MemoryPlaces) -> MemorySearch:
    size = ChunkSize(config.get(_SEARCH + "chunking.tokens"), config.get(_SEARCH + "chunking.overlap"))
    settings = SearchSettings(
        config.get(_SEARCH + "maxResults"),
        size,
        vector_weight=config.get(_SEARCH + "query.hybrid.vectorWeight"),
        text_weight=config.get(_SEARCH + "query.hybrid.textWeight"),
        min_score=config.get(_SEARCH + "minScore"),
    )
    return MemorySearch(places, settings, build_vectors(config, paths, stored=places.index is not None))


def build_vectors(config: Config, paths: Paths, *, stored: bool = True) -> Vectors | None:
    """Meaning beside words, where an embedding model is configured; nothing is imported or asked before its use."""
    provider = config.get(_SEARCH + "provider")
    if provider == "none":
        return None
    path = paths.agent / "memory" / "vectors.sqlite" if stored else None
    return Vectors(lambda: _embedder(provider, config, paths), path)


def _embedder(provider: str, config: Config, paths: Paths) -> Embedder:
    """Raises ConfigError, AuthenticationFailed, MemoryFailed: each is one line of the first search."""
    if provider == "folder":
        folder = config.get(_SEARCH + "local.modelPath")
        if not folder:
            raise MemoryFailed(f"{_SEARCH}local.modelPath names no folder")
        return FolderEmbedder(Path(os.path.expanduser(folder)))
    from openclaw_tui.app.compose import credentials_for

    name = config.get(_SEARCH + "model")
    if not name:
        raise MemoryFailed(f"{_SEARCH}model names no embedding model of {provider}")
    model = find_model(f"{provider}/{name}", config.get("models.providers"))
    base_url = config.get(_SEARCH + "remote.baseUrl") or model.base_url
    return EndpointEmbedder(provider, name, base_url, credentials_for(model, config, paths))


def engine_facts(config: Config, paths: Paths, notice: Callable[[str], None]) -> dict[str, object]:
    """What every context engine may know. `vectors` is None where no embeddings are configured."""
    return {
        "memoryDir": paths.agent / "memory",
        "project": paths.project.name,
        "vectors": build_vectors(config, paths),
        "notice": notice,
    }


def build_desk(config: Config, places: MemoryPlaces) -> MemoryDesk:
    settings = FlushSettings(
        enabled=config.get(_FLUSH + "enabled"),
        soft_tokens=config.get(_FLUSH + "softThresholdTokens"),
        transcript_bytes=config.get(_FLUSH + "forceFlushTranscriptBytes"),
        prompt=config.get(_FLUSH + "prompt"),
        system_prompt=config.get(_FLUSH + "systemPrompt"),
    )
    return MemoryDesk(places, settings)
