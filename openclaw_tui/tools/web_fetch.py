"""`web_fetch`: one page of the open web as text.

Every hop is judged by the address its name leads to and connected to that address. A redirect to another host is not
followed but told: the user was asked about the first one. Size, time and redirects are bounded.
"""

import asyncio
import importlib.util
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

import msgspec

from openclaw_tui import __version__
from openclaw_tui.constants import (
    TOOL_OUTPUT_MAX_BYTES,
    WEB_FETCH_ERROR_CHARS,
    WEB_FETCH_MAX_BYTES,
    WEB_FETCH_MAX_CHARS,
    WEB_FETCH_MAX_REDIRECTS,
    WEB_FETCH_MIN_CHARS,
    WEB_FETCH_TIMEOUT_SECONDS,
)
from openclaw_tui.errors import ToolError, ToolTimeout
from openclaw_tui.events import Risk
from openclaw_tui.messages import TextBlock, ToolDefinition
from openclaw_tui.tools.base import ToolContext, ToolIntent, ToolOutcome
from openclaw_tui.tools.output import OutputLimits, SpillStore, bound_output
from openclaw_tui.tools.terminal_text import one_line
from openclaw_tui.tools.web_address import (
    AddressRule,
    Resolver,
    WebTarget,
    check_url,
    is_public,
    resolve_by_system,
    resolve_target,
)
from openclaw_tui.tools.web_page import WebPage, as_untrusted, page_text
from openclaw_tui.tools.workspace import Workspace

if TYPE_CHECKING:
    import httpx2

_DEFINITION = ToolDefinition(
    name="web_fetch",
    summary="Fetch a public web page as text",
    description="Fetch a public http(s) page as Markdown, JSON or text. Private addresses are refused.",
    parameters={
        "type": "object",
        "properties": {
            "url": {"type": "string"},
            "maxChars": {"type": "integer", "minimum": WEB_FETCH_MIN_CHARS, "maximum": WEB_FETCH_MAX_CHARS},
        },
        "required": ["url"],
        "additionalProperties": False,
    },
)


class _Answer(msgspec.Struct, frozen=True):
    url: str
    status: int
    page: WebPage
    cut: bool


def web_fetch_available() -> bool:
    """True when the `web` extra is installed."""
    return importlib.util.find_spec("markdownify") is not None


class WebFetchTool:
    """`resolve` and `is_allowed` decide which addresses may be asked; the defaults are right outside of tests."""

    label = "Fetch"
    risk: Risk = "network"
    parallel_safe = True
    definition = _DEFINITION

    def __init__(
        self,
        spill: SpillStore | None = None,
        *,
        resolve: Resolver = resolve_by_system,
        is_allowed: AddressRule = is_public,
    ) -> None:
        self._spill = spill
        self._resolve = resolve
        self._is_allowed = is_allowed

    def intent(self, arguments: Mapping[str, Any], workspace: Workspace) -> ToolIntent:
        url = arguments["url"]
        check_url(url)
        return ToolIntent("network", f"Fetch {one_line(url)}", url=url)

    async def execute(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        url = arguments["url"]
        try:
            async with asyncio.timeout(WEB_FETCH_TIMEOUT_SECONDS):
                answer = await self._follow(url)
        except TimeoutError as error:
            raise ToolTimeout(
                f"{one_line(url)} did not answer within {WEB_FETCH_TIMEOUT_SECONDS:.0f} seconds"
            ) from error
        text = await asyncio.to_thread(page_text, answer.page)
        return self._outcome(answer, text, int(arguments.get("maxChars") or TOOL_OUTPUT_MAX_BYTES))

    async def _follow(self, url: str) -> _Answer:
        asked = await resolve_target(url, self._resolve, self._is_allowed)
        target = asked
        for _ in range(WEB_FETCH_MAX_REDIRECTS + 1):
            answer = await self._ask(target)
            if not isinstance(answer, str):
                return answer
            target = await resolve_target(urljoin(target.url, answer), self._resolve, self._is_allowed)
            if _bare(target.host) != _bare(asked.host):
                raise ToolError(
                    f"{one_line(url)} redirects to another host; fetch {one_line(target.url)} if it is wanted"
                )
        raise ToolError(f"{one_line(url)} redirects more than {WEB_FETCH_MAX_REDIRECTS} times")

    async def _ask(self, target: WebTarget) -> "_Answer | str":
        """One request to the judged address; a string is where it redirects to."""
        import httpx2

        pinned = httpx2.URL(target.url).copy_with(host=target.address)
        headers = {
            "Host": httpx2.URL(target.url).netloc.decode("ascii"),
            "User-Agent": f"openclaw-tui/{__version__}",
            "Accept": "text/markdown, text/html, application/json, text/*;q=0.9, */*;q=0.1",
            "Accept-Encoding": "identity",
        }
        try:
            async with (
                httpx2.AsyncClient(timeout=WEB_FETCH_TIMEOUT_SECONDS) as client,
                client.stream("GET", pinned, headers=headers, extensions={"sni_hostname": target.host}) as response,
            ):
                if response.has_redirect_location:
                    return response.headers["location"]
                return await _received(response, target.url)
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise ToolError(
                f"{one_line(target.url)} cannot be fetched: {one_line(str(error)) or type(error).__name__}"
            ) from error

    def _outcome(self, answer: _Answer, text: str, max_chars: int) -> ToolOutcome:
        failed = answer.status >= 400
        room = WEB_FETCH_ERROR_CHARS if failed else min(max_chars, WEB_FETCH_MAX_CHARS)
        bounded = bound_output(text, OutputLimits(max_bytes=room), spill=self._spill, label="web", hint="ask for less")
        kind = answer.page.media_type or "unknown type"
        head = f"Web fetch failed ({answer.status})" if failed else f"Fetched ({answer.status}, {kind})"
        cut = f"; the page was cut at {WEB_FETCH_MAX_BYTES:,} bytes" if answer.cut else ""
        return ToolOutcome(
            (TextBlock(f"{head}: {one_line(answer.url)}{cut}\n{as_untrusted(bounded.text)}"),),
            is_error=failed,
            details={"url": answer.url, "status": answer.status, "contentType": kind, "bytes": len(answer.page.data)},
            full_output=bounded.full_output,
        )


async def _received(response: "httpx2.Response", url: str) -> _Answer:
    data = bytearray()
    cut = False
    async for chunk in response.aiter_bytes():
        data += chunk[: WEB_FETCH_MAX_BYTES - len(data)]
        if len(data) >= WEB_FETCH_MAX_BYTES:
            cut = True
            break
    media_type = response.headers.get("content-type", "").split(";")[0].strip().lower()
    return _Answer(url, response.status_code, WebPage(bytes(data), media_type, response.charset_encoding), cut)


def _bare(host: str) -> str:
    return host.removeprefix("www.")
