"""The fake as a test uses it: start, addresses, what arrived, stop."""

import asyncio
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from tests.strict_fake import scenarios
from tests.strict_fake.dialects import add_info_routes
from tests.strict_fake.exchange import Record
from tests.strict_fake.options import Options
from tests.strict_fake.refusal import Refused, error_body
from tests.strict_fake.scenarios import Scenario
from tests.strict_fake.script import Answerer, Reply, Script
from tests.strict_fake.server import Server

_LARGEST_READ = 512 << 20


class StrictFake:
    """`async with StrictFake(script, **options) as fake`. See the README for scripts and options."""

    def __init__(self, script: Script | dict[str, Any] = (), **options: Any) -> None:
        settings = Options(**options)
        self.scenario: Scenario | None = None
        self._replies: list[Reply | str | Answerer] = []
        if isinstance(script, (str, dict)):
            self.scenario = scenarios.build(script, settings.seed)
        elif isinstance(script, Scenario):
            self.scenario = script
        elif not callable(script):
            self._replies = list(script)
        if self.scenario is not None and settings.tps is not None:
            self.scenario.opts["tps"] = settings.tps
        self.server = Server(script if callable(script) else self._replies, self.scenario, settings)
        self._runner: web.AppRunner | None = None
        self.port = 0

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def start(self) -> None:
        runner = web.AppRunner(
            _application(self.server), access_log=None, handler_cancellation=True, shutdown_timeout=0.5
        )
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", self.server.options.port)
        await site.start()
        self._runner = runner
        self.port = int(runner.addresses[0][1])

    async def stop(self) -> None:
        self.server.closing.set()
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    # -------------------------------------------------------------- addresses

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def url_anthropic(self) -> str:
        return self.url

    @property
    def url_openai(self) -> str:
        return self.url + "/v1"

    @property
    def url_gemini(self) -> str:
        return self.url

    # -------------------------------------------------------------- what arrived

    @property
    def requests(self) -> list[Record]:
        return self.server.requests

    @property
    def refused(self) -> list[Record]:
        """Requests that a real API would not have taken."""
        return [record for record in self.requests if record.refused]

    @property
    def main(self) -> list[Record]:
        return [record for record in self.requests if record.kind == "main"]

    @property
    def summaries(self) -> list[Record]:
        return [record for record in self.requests if record.kind == "summary"]

    def add(self, *replies: Reply | str | Answerer) -> None:
        """More replies at the end of a list script."""
        self._replies += replies

    async def wait_for(self, n: int, timeout: float = 30.0) -> None:
        """Until n requests have arrived (their answers may not have been sent)."""
        async with asyncio.timeout(timeout), self.server.arrived:
            await self.server.arrived.wait_for(lambda: len(self.requests) >= n)


def _application(server: Server) -> web.Application:
    app = web.Application(client_max_size=_LARGEST_READ)
    _add_protocol_routes(app, server)
    add_info_routes(app, server)

    async def unknown(request: web.Request) -> web.Response:
        record = await server.open(request, "?")
        record.raw = await request.read()
        record.status, record.what, record.error = 404, "unknown", f"Not found: {request.path}"
        server.log.close_record(record)
        return web.json_response(error_body("anthropic", Refused(record.error, 404)), status=404)

    app.router.add_route("*", "/{tail:.*}", unknown)
    return app


def _add_protocol_routes(app: web.Application, server: Server) -> None:
    async def messages(request: web.Request) -> web.StreamResponse:
        return await server.handle(request, "anthropic", counting=request.path.endswith("/count_tokens"))

    async def chat(request: web.Request) -> web.StreamResponse:
        return await server.handle(request, "chat", counting=request.path.endswith("/input_tokens"))

    async def responses(request: web.Request) -> web.StreamResponse:
        return await server.handle(request, "responses", counting=request.path.endswith("/input_tokens"))

    async def gemini(request: web.Request) -> web.StreamResponse:
        model, _, verb = request.match_info["name"].rpartition(":")
        if verb not in ("generateContent", "streamGenerateContent", "countTokens"):
            return web.json_response(error_body("gemini", Refused(f"{verb} is not supported", 404)), status=404)
        streaming = verb == "streamGenerateContent"
        return await server.handle(request, "gemini", model=model, streaming=streaming, counting=verb == "countTokens")

    for prefix in ("", "/v1"):
        app.router.add_post(prefix + "/messages", messages)
        app.router.add_post(prefix + "/messages/count_tokens", messages)
        app.router.add_post(prefix + "/chat/completions", chat)
        app.router.add_post(prefix + "/chat/completions/input_tokens", chat)
        app.router.add_post(prefix + "/responses", responses)
        app.router.add_post(prefix + "/responses/input_tokens", responses)
    for version in ("v1", "v1beta"):
        app.router.add_post(f"/{version}/models/{{name:.+}}", gemini)
