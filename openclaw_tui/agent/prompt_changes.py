"""What to do when the prompt a session is sealed with is no longer the one that would be made today.

A warm cache is worth more than an up-to-date AGENTS.md: the sealed text goes on being sent and the change is offered
with its price. It enters at a compaction, on the user's word (`/reload`), or when the cache is surely cold anyway.
"""

from collections.abc import Callable, Iterable

from openclaw_tui.agent.acts import Acts
from openclaw_tui.agent.cache_observer import CacheObserver
from openclaw_tui.agent.cache_prices import dollars, reread_usd
from openclaw_tui.agent.sealed_prompt import PromptSeal, SealedPrompt
from openclaw_tui.ledger.snapshots import changed_sections
from openclaw_tui.messages import CacheRetention, ToolDefinition
from openclaw_tui.models import ModelInfo
from openclaw_tui.session.manager import SessionManager

_NAMES_SHOWN = "{} and {} more"


class PromptChanges:
    """`clock` is wall time in seconds."""

    def __init__(self, manager: SessionManager, acts: Acts, cache: CacheObserver, clock: Callable[[], float]) -> None:
        self._seal = PromptSeal(manager)
        self._acts = acts
        self._cache = cache
        self._clock = clock
        self._told: SealedPrompt | None = None

    @property
    def sealed(self) -> SealedPrompt | None:
        return self._seal.current

    def seal(self, stable: str, tools: Iterable[ToolDefinition]) -> SealedPrompt:
        """Seal the prompt of a session that has none."""
        return self._seal.put(SealedPrompt.fresh(stable, tools))

    def notice(
        self, stable: str, tools: Iterable[ToolDefinition], model: ModelInfo, retention: CacheRetention, tokens: int
    ) -> bool:
        """Look at the prompt of this turn. True when a change entered; else it waits and is told of once.

        `tokens` is the size of the context, for the price where the cache has told none.
        """
        sealed, fresh = self._seal.current, SealedPrompt.fresh(stable, tools)
        if sealed is None or fresh.sends_the_same_as(sealed):
            return False
        names = _short_list(changed_parts(sealed, fresh))
        if self._cache.is_cold(model, retention, self._clock()):
            self._seal.put(fresh)
            self._acts.notice("info", f"{names} changed: applied, since the prompt cache had expired anyway")
            return True
        self._tell(names, fresh, model, retention, tokens)
        return False

    def foretell(
        self, stable: str, tools: Iterable[ToolDefinition], model: ModelInfo, retention: CacheRetention, tokens: int
    ) -> bool:
        """The same between two turns: nothing enters yet. True where there was a change to tell of."""
        sealed, fresh = self._seal.current, SealedPrompt.fresh(stable, tools)
        if sealed is None or fresh.sends_the_same_as(sealed):
            return False
        names = _short_list(changed_parts(sealed, fresh))
        if self._cache.is_cold(model, retention, self._clock()):
            self._acts.notice_once("info", f"{names} changed: enters with the next message (the cache has expired)")
        else:
            self._tell(names, fresh, model, retention, tokens)
        return True

    def _tell(self, names: str, fresh: SealedPrompt, model: ModelInfo, retention: CacheRetention, tokens: int) -> None:
        """What waits, and what it would cost to let it enter now; each state once."""
        if self._told is not None and fresh.sends_the_same_as(self._told):
            return
        self._told = fresh
        again = self._cache.cached_tokens() or tokens
        price = reread_usd(model, again, retention)
        cost = f"re-reads ~{max(1, round(again / 1000)):,}k tokens" + (
            f", {dollars(price)}" if price is not None else ""
        )
        self._acts.notice("info", f"{names} changed: applies at the next compaction; now with /reload ({cost})")

    def apply(self, stable: str, tools: Iterable[ToolDefinition]) -> list[str]:
        """Let the change enter; the names of what entered, empty where nothing waited."""
        sealed, fresh = self._seal.current, SealedPrompt.fresh(stable, tools)
        if sealed is not None and fresh.sends_the_same_as(sealed):
            return []
        self._seal.put(fresh)
        return changed_parts(sealed, fresh) if sealed is not None else []


def changed_parts(old: SealedPrompt, new: SealedPrompt) -> list[str]:
    """Sections, project files and tools that differ, for people."""
    names = changed_sections(old.stable, new.stable)
    before = {tool.name: (tool.description, dict(tool.parameters)) for tool in old.tools}
    after = {tool.name: (tool.description, dict(tool.parameters)) for tool in new.tools}
    tools = [name for name in {**after, **before} if before.get(name) != after.get(name)]
    if tools and "Tooling" in names:
        names.remove("Tooling")
    return [*names, *(f"tool {name}" for name in tools)] or ["the order of the tools"]


def _short_list(names: list[str]) -> str:
    return ", ".join(names) if len(names) <= 3 else _NAMES_SHOWN.format(", ".join(names[:3]), len(names) - 3)
