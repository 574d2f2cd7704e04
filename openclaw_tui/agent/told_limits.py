"""What servers told about their models in the course of a session: windows, and whether tools reach the model.

A server is asked once; one on this machine before every turn for as long as its window is only assumed, because while
it loads it tells nothing yet.
A refusal that names the window is the hardest fact of all: where it is smaller, it beats tables and settings.
"""

from collections.abc import Awaitable, Callable

from msgspec.structs import replace

from openclaw_tui.agent.acts import Acts
from openclaw_tui.errors import OpenClawError
from openclaw_tui.models import ModelInfo
from openclaw_tui.providers.http import is_loopback

AskServer = Callable[[ModelInfo], Awaitable[ModelInfo]]


class ToldLimits:
    """One per session. Windows in tokens, by the model's reference."""

    def __init__(self, acts: Acts) -> None:
        self._acts = acts
        self._windows: dict[str, int] = {}
        self._asked: set[str] = set()

    async def ask(self, model: ModelInfo, ask: AskServer | None) -> ModelInfo | None:
        """The model with its server's own figures; None where there is nothing to ask or nothing was told."""
        if ask is None or model.window_source != "assumed":
            return None
        if model.ref in self._asked and not is_loopback(model.base_url):
            return None
        self._asked.add(model.ref)
        try:
            told = await ask(model)
        except OpenClawError as error:
            self._acts.notice_once("info", f"{model.ref}: its server does not tell its window ({error})")
            return None
        if model.tools and not told.tools:
            text = (
                "its server leaves tool definitions out of the prompt: it can talk, but not read, change or run things"
            )
            self._acts.notice_once("warning", f"{model.ref}: {text}")
        return None if told == model else told

    def refused_above(self, model: ModelInfo, tokens: int) -> None:
        """The server said that its window is `tokens`."""
        self._windows[model.ref] = tokens
        self._acts.notice_once("warning", f"{model.ref}: its server says that its window is {tokens:,} tokens")

    def of(self, model: ModelInfo) -> ModelInfo:
        """The model with the window its server insists on."""
        window = self._windows.get(model.ref)
        if window is None or window >= model.context_window:
            return model
        return replace(
            model,
            context_window=window,
            max_output=min(model.max_output, window),
            max_input=None,
            window_source="server",
        )

    def configured(self, model: ModelInfo, wanted: int | None) -> int | None:
        """The window that the user wishes for; None where there is no wish, or where the server refused more."""
        window = self._windows.get(model.ref)
        return None if wanted is None or (window is not None and wanted > window) else wanted
