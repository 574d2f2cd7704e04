"""The notes of a composed program: where they lie, how they are searched and when they are written."""

from pathlib import Path

from openclaw_tui.config.load import Config
from openclaw_tui.config.paths import Paths
from openclaw_tui.memory.flush import FlushSettings
from openclaw_tui.memory.index import ChunkSize
from openclaw_tui.memory.notebook import MemoryDesk
from openclaw_tui.memory.places import MemoryPlaces, memory_places
from openclaw_tui.memory.search import MemorySearch, SearchSettings

_FLUSH = "agents.defaults.compaction.memoryFlush."
_SEARCH = "agents.defaults.memorySearch."


def places_of(config: Config, paths: Paths) -> MemoryPlaces:
    extra = tuple(Path(path).expanduser().absolute() for path in config.get(_SEARCH + "extraPaths"))
    return memory_places(paths.project, paths.agent, extra=extra)


def build_search(config: Config, places: MemoryPlaces) -> MemorySearch:
    size = ChunkSize(config.get(_SEARCH + "chunking.tokens"), config.get(_SEARCH + "chunking.overlap"))
    return MemorySearch(places, SearchSettings(config.get(_SEARCH + "maxResults"), size))


def build_desk(config: Config, places: MemoryPlaces) -> MemoryDesk:
    settings = FlushSettings(
        enabled=config.get(_FLUSH + "enabled"),
        soft_tokens=config.get(_FLUSH + "softThresholdTokens"),
        transcript_bytes=config.get(_FLUSH + "forceFlushTranscriptBytes"),
        prompt=config.get(_FLUSH + "prompt"),
        system_prompt=config.get(_FLUSH + "systemPrompt"),
    )
    return MemoryDesk(places, settings)
