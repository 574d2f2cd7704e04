"""The open connections of a session: one provider object per provider id, made on first use, closed at the end."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from openclaw_tui.models import ModelInfo
from openclaw_tui.providers.base import Provider

MakeProvider: TypeAlias = Callable[[ModelInfo], Provider]
"""Makes the adapter for a model; may import an SDK, so it runs in a thread."""


class ProviderPool:
    def __init__(self, make: MakeProvider, *, in_thread: bool = True) -> None:
        self._make = make
        self._in_thread = in_thread
        self._open: dict[tuple[str, str, str | None], Provider] = {}
        self._lock = asyncio.Lock()

    async def get(self, model: ModelInfo) -> Provider:
        """The provider for a model. Raises AuthenticationFailed or ConfigError when it cannot be made."""
        key = (model.provider, model.api, model.base_url)
        async with self._lock:
            if key not in self._open:
                self._open[key] = await self._create(model)
            return self._open[key]

    async def warm(self, model: ModelInfo) -> None:
        """Make the provider ahead of its first use; a failure shows when it is really needed."""
        await self.get(model)

    async def aclose(self) -> None:
        closing: list[Awaitable[None]] = [provider.aclose() for provider in self._open.values()]
        self._open.clear()
        await asyncio.gather(*closing, return_exceptions=True)

    async def _create(self, model: ModelInfo) -> Provider:
        if not self._in_thread or model.api in ("offline", "scripted"):
            return self._make(model)
        return await asyncio.to_thread(self._make, model)


class SharedPool(ProviderPool):
    """The connections of another session, for its sub-agents; closing it leaves them open."""

    def __init__(self, owner: Callable[[], ProviderPool]) -> None:
        super().__init__(_no_provider)
        self._owner = owner

    async def get(self, model: ModelInfo) -> Provider:
        return await self._owner().get(model)

    async def aclose(self) -> None:
        return None


def _no_provider(model: ModelInfo) -> Provider:
    raise LookupError(f"no connection of its own for {model.ref}")
