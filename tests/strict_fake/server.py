"""The order of a request: read, refuse, count, overflow, fault, charge, reply, send. One method a stage."""

import asyncio
import json
import uuid
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from aiohttp import web

from tests.strict_fake import windows
from tests.strict_fake.answers import Answer, dumps_text, make_answer
from tests.strict_fake.billing import Billing
from tests.strict_fake.checks import Prompt, check_request
from tests.strict_fake.delivery import Delivery, close_connection
from tests.strict_fake.exchange import Exchange, Memory, Record, Wish
from tests.strict_fake.faults import Fault, http_body, http_headers
from tests.strict_fake.kinds import is_memory_flush, kind_of, read_wish
from tests.strict_fake.log import Log
from tests.strict_fake.options import Options
from tests.strict_fake.refusal import Json, Refused, error_body, refuse_malformed
from tests.strict_fake.scenarios import Needle, Scenario
from tests.strict_fake.script import Director, Reply
from tests.strict_fake.segments import Estimator
from tests.strict_fake.spoiling import spoil
from tests.strict_fake.summaries import summary_reply
from tests.strict_fake.tool_map import ToolMap, default_for, resolve
from tests.strict_fake.wire_anthropic import AnthropicWire
from tests.strict_fake.wire_chat import ChatWire
from tests.strict_fake.wire_gemini import GeminiWire
from tests.strict_fake.wire_responses import ResponsesWire

_LARGEST_BODY = {"anthropic": 32 << 20, "gemini": 20 << 20, "chat": 256 << 20, "responses": 256 << 20}
_NOT_JSON = {
    "anthropic": "The request body is not valid JSON: unexpected token",
    "gemini": "Invalid JSON payload received. Unexpected token.",
}
_PAGE = "<!doctype html><html><head><title>Sign in</title></head><body><h1>Please sign in</h1></body></html>"
Wire = AnthropicWire | ChatWire | ResponsesWire | GeminiWire


class Server:
    """One fake provider. `requests` is what arrived, in order."""

    def __init__(self, script: Any, scenario: Scenario | None, options: Options) -> None:
        self.options, self.scenario = options, scenario
        self.window = options.window or int(scenario.opts.get("window", 0) if scenario else 0) or 200_000
        self.estimate = Estimator(options.bytes_per_token)
        self.director = Director(scenario or script, exhausted=options.exhausted, repeat=options.repeat_identical)
        self.needles = [*(scenario.needles if scenario else ()), *_needles(options)]
        self.memory = Memory()
        self.billing = Billing(options, self.estimate)
        self.requests: list[Record] = []
        self.arrived = asyncio.Condition()
        self.closing = asyncio.Event()
        self.log = Log(options.log)
        self.main_requests = 0
        self.summaries_asked = 0

    # -------------------------------------------------------------- the stages

    async def handle(
        self, request: web.Request, protocol: str, *, model: str = "", streaming: bool = False, counting: bool = False
    ) -> web.StreamResponse:
        record = await self.open(request, protocol)
        try:
            record.raw = await request.read()
            return await self._answer(request, record, model, streaming, counting)
        except Refused as refused:
            record.status, record.error = refused.status, refused.message
            record.what = record.what if record.what != "ok" else "invalid"
            self._keep_body(record)
            return web.json_response(error_body(protocol, refused), status=refused.status)
        except asyncio.CancelledError:
            record.client_gone = True
            raise
        finally:
            self.log.close_record(record)

    async def open(self, request: web.Request, protocol: str) -> Record:
        """Note that a request has arrived."""
        headers: dict[str, str] = {}
        for name, value in request.headers.items():
            key = name.lower()
            headers[key] = f"{headers[key]}, {value}" if key in headers else value
        record = Record(len(self.requests) + 1, protocol, request.method, request.path, headers)
        self.log.open_record(record)
        async with self.arrived:
            self.requests.append(record)
            self.arrived.notify_all()
        return record

    async def _answer(
        self, request: web.Request, record: Record, model: str, streaming: bool, counting: bool
    ) -> web.StreamResponse:
        record.body = self._parse(record)
        record.model = model or str(record.body.get("model", ""))
        record.stream = streaming or bool(record.body.get("stream"))
        exchange = Exchange(record, self.memory, request.query, counting, keyless=self.options.local)
        prompt = check_request(exchange, self.options, self.estimate)
        with refuse_malformed():
            self.billing.describe(exchange, prompt)
            wish = read_wish(exchange)
            tools = ToolMap(wish.tools, str(Path(self.options.repo).resolve()))
            self._classify(exchange, wish, tools)
        if counting:
            return self._count(record)
        record.first_diff = self.billing.history.compare(prompt.cacheable, record.n)
        record.needles = [needle.id for needle in self.needles if needle.value.encode() in record.raw]
        overflow = windows.overflow_of(exchange, self.window, self.options)
        if overflow is not None:
            return await self._overflow(request, record, overflow)
        fault = self._fault(record)
        early = self._early_fault(request, record, fault)
        if early is not None:
            return early
        return await self._reply(request, exchange, prompt, wish, tools, fault)

    def _parse(self, record: Record) -> Json:
        protocol, limit = record.protocol, _LARGEST_BODY[record.protocol]
        if len(record.raw) > limit:
            record.what = "too_large"
            if protocol == "gemini":
                raise Refused(f"Request payload size exceeds the limit: {limit} bytes.")
            raise Refused("Request exceeds the maximum size", 413)
        refused = Refused(_NOT_JSON.get(protocol, "We could not parse the JSON body of your request."))
        try:
            body = json.loads(record.raw.decode("utf-8"), parse_constant=_no_constant)
            if b"\\ud" in record.raw.lower():
                dumps_text(body).encode("utf-8")  # half of a surrogate pair is no text
        except ValueError as error:
            raise refused from error
        if not isinstance(body, dict):
            raise refused
        return body

    def _classify(self, exchange: Exchange, wish: Wish, tools: ToolMap) -> None:
        record = exchange.record
        record.last_user = wish.last_user
        record.tool_names = [tool["name"] for tool in wish.tools]
        record.kind = kind_of(exchange, wish, tools, self.scenario is None, self.options.summary != "script")
        if record.kind == "main":
            self.main_requests += 1
            record.main_n = self.main_requests

    def _count(self, record: Record) -> web.Response:
        record.status = 200
        if record.protocol == "gemini":
            return web.json_response({"totalTokens": record.tokens})
        body: Json = {"input_tokens": record.tokens}
        if record.protocol == "responses":
            body["object"] = "response.input_tokens"
        return web.json_response(body)

    async def _overflow(self, request: web.Request, record: Record, overflow: windows.Overflow) -> web.StreamResponse:
        record.what, record.error, record.status = "overflow", overflow.message, overflow.status
        if overflow.frame is None:
            return web.json_response(overflow.body, status=overflow.status)
        record.status = 200
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await response.prepare(request)
        await response.write(overflow.frame)
        await response.write_eof()
        return response

    # -------------------------------------------------------------- faults

    def _fault(self, record: Record) -> Fault | None:
        fault = self.options.fault_for(record)
        record.fault = fault.kind if fault else None
        return fault

    def _early_fault(self, request: web.Request, record: Record, fault: Fault | None) -> web.StreamResponse | None:
        """Faults in place of an answer."""
        if fault is None or fault.kind not in ("http", "html", "redirect", "error_200", "drop", "raw"):
            return None
        if fault.kind == "drop":
            if fault.get("after_bytes") != 0 and record.stream:
                return None
            record.what = "fault"
            close_connection(request)
            return web.Response()
        record.what = "fault"
        record.status = fault.get("status", 200)
        if fault.kind == "http":
            body = http_body(fault, record.protocol)
            record.error = str(body["error"]["message"])
            return web.json_response(body, status=record.status, headers=http_headers(fault))
        if fault.kind == "raw":
            return web.Response(text=fault.args["text"], content_type=fault.args["content_type"], status=record.status)
        if fault.kind == "html":
            return web.Response(text=_PAGE, content_type="text/html", status=record.status)
        if fault.kind == "redirect":
            return web.Response(status=record.status, headers={"location": fault.args["location"]})
        record.error = fault.args["message"]
        body = {"error": {"message": record.error}}
        if fault.get("stream"):
            return web.Response(text=f"event: error\ndata: {dumps_text(body)}\n\n", content_type="text/event-stream")
        return web.json_response(body)

    # -------------------------------------------------------------- the reply

    async def _reply(
        self,
        request: web.Request,
        exchange: Exchange,
        prompt: Prompt,
        wish: Wish,
        tools: ToolMap,
        fault: Fault | None,
    ) -> web.StreamResponse:
        record = exchange.record
        try:
            reply = await self._choose(exchange, wish, tools)
        except Refused:
            record.what = "script"
            raise
        if reply.fault is not None:
            fault = reply.fault
            record.fault = fault.kind
            early = self._early_fault(request, record, fault)
            if early is not None:
                return early
        await self._wait(reply.delay + (fault.get("seconds", 0.0) if fault and fault.kind == "slow" else 0.0))
        if fault is not None and fault.kind in ("empty", "zero_deltas"):
            reply = replace(reply, text="", thinking="", calls=())
        record.usage = self._charge(exchange, prompt, fault)
        answer = self._make(exchange, reply, fault)
        record.calls = [call.name for call in answer.calls]
        record.figures["out_tokens"] = answer.usage["output"]
        record.what = "fault" if fault is not None and fault.kind != "slow" else record.what
        return await self._send(request, exchange, answer, fault)

    async def _choose(self, exchange: Exchange, wish: Wish, tools: ToolMap) -> Reply:
        record = exchange.record
        if record.kind == "summary":
            self.summaries_asked += 1
            mode = self.options.summary
            if callable(mode):
                reply = await Director(mode, exhausted="fail", repeat=False).reply(record, tools)
            else:
                reply = summary_reply(mode, record, wish, self.needles, self.summaries_asked)
            return reply
        if record.kind == "json":
            schema = wish.schema or {}
            return Reply(json.dumps(default_for(resolve(schema, schema), schema)))
        if record.kind == "side":
            return Reply("NO_REPLY" if is_memory_flush(wish) else "Bench session")
        reply = await self.director.reply(record, tools)
        return reply if self.options.tps is None else replace(reply, tps=self.options.tps)

    async def _wait(self, seconds: float) -> None:
        if seconds <= 0:
            return
        try:
            await asyncio.wait_for(self.closing.wait(), seconds)
        except TimeoutError:
            return

    def _charge(self, exchange: Exchange, prompt: Prompt, fault: Fault | None) -> dict[str, int]:
        usage = self.billing.charge(exchange, prompt)
        keep = fault.get("keep_tokens") if fault and fault.kind == "truncate" else None
        if keep is None and self.options.dialect == "ollama" and usage["total"] > self.window:
            keep = self.window
        if keep is None:
            return usage
        exchange.warn("the prompt was cut silently")
        return {"total": keep, "read": 0, "write": 0, "uncached": keep}

    def _make(self, exchange: Exchange, reply: Reply, fault: Fault | None) -> Answer:
        room = max(1, self.window - exchange.record.tokens)
        own = windows.asked_output(exchange, self.options.max_output)
        if self.scenario is not None and self.scenario.opts.get("uncapped"):
            room = own = 1 << 40
        answer = make_answer(exchange, reply, exchange.record.usage, self.estimate, room, own)
        answer.bad_args = fault is not None and fault.kind == "bad_args"
        return answer

    async def _send(
        self, request: web.Request, exchange: Exchange, answer: Answer, fault: Fault | None
    ) -> web.StreamResponse:
        record = exchange.record
        wire = self._wire(exchange, answer)
        name = f"req_{uuid.uuid4().hex[:20]}"
        headers = {"request-id": name, "x-request-id": name}
        whole = wire.whole()
        if record.protocol == "responses" and exchange.body.get("store", True):
            self.memory.stored[whole["id"]] = exchange.items + whole["output"]
        record.status = 200
        if not record.stream:
            return web.json_response(whole, headers=headers, dumps=dumps_text)
        frames = spoil(wire.frames(), fault, record.protocol)
        return await Delivery(request, record, answer, fault, self.closing).stream(frames, headers)

    def _wire(self, exchange: Exchange, answer: Answer) -> Wire:
        protocol = exchange.record.protocol
        if protocol == "anthropic":
            return AnthropicWire(exchange, answer)
        if protocol == "chat":
            return ChatWire(exchange, answer, self.options.dialect, frozenset(self.options.quirks))
        return ResponsesWire(exchange, answer) if protocol == "responses" else GeminiWire(exchange, answer)

    def _keep_body(self, record: Record) -> None:
        if self.options.bodies is not None:
            folder = Path(self.options.bodies)
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{record.n:05d}.json").write_bytes(record.raw)


def _needles(options: Options) -> list[Needle]:
    return [Needle(f"n:{i}", "planted", value, 0) for i, value in enumerate(options.needles)]


def _no_constant(name: str) -> Mapping[str, str]:
    raise ValueError(f"{name} is not JSON")
