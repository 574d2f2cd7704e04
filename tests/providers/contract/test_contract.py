"""What every adapter owes the loop, tried over real sockets: one table of scenarios, every API."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, cast

import msgspec
import pytest

from openclaw_tui.errors import (
    AuthenticationFailed,
    InvalidRequest,
    ModelNotFound,
    OpenClawError,
    ProviderContextOverflow,
    ProviderUnavailable,
    RateLimited,
)
from openclaw_tui.messages import (
    AssistantMessage,
    ImageBlock,
    Message,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolDefinition,
    ToolResultMessage,
    user_text,
)
from openclaw_tui.providers.accumulator import Accumulator
from openclaw_tui.providers.base import Provider, ProviderRequest, StreamEnded, StreamEvent, StreamStarted
from openclaw_tui.providers.credentials import ApiKey, Credentials
from openclaw_tui.providers.registry import create_provider
from tests.providers.contract.apis import DIALECTS
from tests.providers.contract.canned import Answer, CannedServer
from tests.providers.contract.dialects import Call, Dialect, Part, Text, Thought

READ = ToolDefinition("read", "Read a file.", {"type": "object", "properties": {"path": {"type": "string"}}})
BOUNDARY = "OPENCLAW_CACHE_BOUNDARY"

every_api = pytest.mark.parametrize("api", DIALECTS, ids=[dialect.model.api for dialect in DIALECTS])


def ask(api: Dialect, *messages: Message, **changes: Any) -> ProviderRequest:
    fields: dict[str, Any] = {
        "system_stable": "You are careful.",
        "system_dynamic": "Today is Monday.",
        "tools": (READ,),
    }
    return ProviderRequest(api.model, messages=messages or (user_text("Hello"),), **{**fields, **changes})


def connect(api: Dialect, server: CannedServer, *, idle: float | None = 5.0) -> Provider:
    model = msgspec.structs.replace(api.model, base_url=api.base_url(server.url))
    return create_provider(model, Credentials(ApiKey("test-key")), idle_seconds=idle)


async def play(
    api: Dialect, answer: Answer, request: ProviderRequest | None = None, **options: Any
) -> list[StreamEvent]:
    async with CannedServer(answer) as server:
        provider = connect(api, server, **options)
        try:
            return [event async for event in provider.stream(request or ask(api))]
        finally:
            await provider.aclose()


async def answered(api: Dialect, *parts: Part, stop: str = "end") -> AssistantMessage:
    events = await play(api, Answer(tuple(api.frames(parts, stop))))
    accumulator = Accumulator(api.model)
    for event in events[:-1]:
        accumulator.add(event)
    ended = events[-1]
    assert isinstance(events[0], StreamStarted)
    assert isinstance(ended, StreamEnded)
    assert sum(isinstance(event, StreamEnded) for event in events) == 1
    streamed = accumulator.partial().content
    finished = accumulator.finish(ended)
    assert streamed == finished.content
    return finished


async def failure(api: Dialect, answer: Answer, **options: Any) -> OpenClawError:
    with pytest.raises(OpenClawError) as caught:
        await play(api, answer, **options)
    assert "\n" not in str(caught.value)
    assert "test-key" not in str(caught.value)
    return caught.value


async def sent(api: Dialect, *messages: Message, **changes: Any) -> dict[str, Any]:
    async with CannedServer(Answer(tuple(api.frames([Text("ok")])))) as server:
        provider = connect(api, server)
        async for _ in provider.stream(ask(api, *messages, **changes)):
            pass
        await provider.aclose()
        return server.received[0].body


# ── Answers ───────────────────────────────────────────────────────────────────────────────────────────────────────


@every_api
async def test_text_arrives_in_pieces_and_whole(api: Dialect) -> None:
    message = await answered(api, Text("Hello there, 世界 🙂"))
    assert message.content == (TextBlock("Hello there, 世界 🙂"),)
    assert message.stop_reason == "stop"


@every_api
async def test_thinking_keeps_its_signature_to_the_byte(api: Dialect) -> None:
    thought = Thought("let me see")
    message = await answered(api, thought, Text("Yes."))
    assert message.content == (ThinkingBlock("let me see", signature=api.signature(thought)), TextBlock("Yes."))


@every_api
async def test_calls_of_one_answer_keep_order_and_arguments(api: Dialect) -> None:
    arguments = {"path": 'a "b" 世界.py', "deep": [1, {"x": None}]}
    calls = (Call("call_1", "read", json.dumps(arguments)), Call("call_2", "read", "{}"))
    message = await answered(api, Text("Reading."), *calls)
    first, second = message.tool_calls
    assert (first.id, first.name, first.arguments) == (api.call_id(calls[0]), "read", arguments)
    assert (second.id, second.arguments, second.invalid_arguments) == (api.call_id(calls[1]), {}, None)
    assert message.stop_reason == "tool_use"


@every_api
async def test_empty_answer_is_an_answer_without_blocks(api: Dialect) -> None:
    assert (await answered(api)).content == ()


@every_api
@pytest.mark.parametrize("stop", ["length", "refusal"])
async def test_cut_and_refused_answers_say_so(api: Dialect, stop: str) -> None:
    assert (await answered(api, Text("part"), stop=stop)).stop_reason == stop


@every_api
async def test_usage_means_the_same_for_every_provider(api: Dialect) -> None:
    usage = (await answered(api, Text("x"))).usage
    assert {name: getattr(usage, name) for name in api.totals} == api.totals


# ── Failures ──────────────────────────────────────────────────────────────────────────────────────────────────────


@every_api
async def test_overflow_tells_size_and_limit(api: Dialect) -> None:
    error = await failure(api, api.refusal(400, api.overflow()))
    assert isinstance(error, ProviderContextOverflow)
    assert (error.tokens, error.limit) in ((208310, 200000), (None, None))


@every_api
async def test_rate_limit_carries_the_servers_wait(api: Dialect) -> None:
    dated = {"date": "Tue, 01 Dec 2026 10:00:00 GMT", "retry-after": "Tue, 01 Dec 2026 10:00:07 GMT"}
    for headers in ({"retry-after": "7"}, dated):
        error = await failure(api, api.refusal(429, "Slow down.", headers))
        assert isinstance(error, RateLimited)
        assert error.retry_after == 7.0


@every_api
@pytest.mark.parametrize(
    ("status", "expected"),
    [(529, ProviderUnavailable), (401, AuthenticationFailed), (404, ModelNotFound), (400, InvalidRequest)],
)
async def test_refusals_are_told_apart(api: Dialect, status: int, expected: type[OpenClawError]) -> None:
    assert type(await failure(api, api.refusal(status, "no model for you"))) is expected


@every_api
async def test_nothing_is_retried_below_the_loop(api: Dialect) -> None:
    async with CannedServer(api.refusal(529, "Overloaded")) as server:
        provider = connect(api, server)
        with pytest.raises(ProviderUnavailable):
            await anext(aiter(provider.stream(ask(api))))
        await provider.aclose()
        assert len(server.received) == 1


@every_api
async def test_error_in_mid_stream_is_a_failure_worth_another_try(api: Dialect) -> None:
    frames = api.frames([Text("Hello there")])
    error = await failure(api, Answer((*frames[:2], api.mid_error())))
    assert isinstance(error, ProviderUnavailable)


@every_api
@pytest.mark.parametrize("then", ["end", "drop"])
@pytest.mark.parametrize("kept", [0, 1, 3])
async def test_half_an_answer_is_never_taken_for_a_whole_one(api: Dialect, then: Any, kept: int) -> None:
    frames = api.frames([Text("Hello there"), Text("and more")])
    error = await failure(api, Answer(tuple(frames[:kept]), then=then))
    assert isinstance(error, ProviderUnavailable)


@every_api
async def test_silence_is_given_up(api: Dialect) -> None:
    frames = api.frames([Text("Hello there")])
    for sent_first in ((), tuple(frames[:2]), (*frames[:1], b": keep-alive\n\n")):
        error = await failure(api, Answer(sent_first, then="stall"), idle=0.3)
        assert isinstance(error, ProviderUnavailable)


@every_api
@pytest.mark.parametrize(
    "answer",
    [
        Answer((b"<!doctype html><html>Login</html>",), content_type="text/html"),
        Answer((b"<html>Bad gateway</html>",), 502, "text/html"),
        Answer((b'{"hello": 1}',), content_type="application/json"),
        Answer((b'{"error": {"message": "Overloaded", "type": "overloaded_error"}}',), content_type="application/json"),
        Answer((b"event: message_start\ndata: {nonsense\n\n", b"data: [1, 2\n\n")),
        Answer((b"data: 17\n\n", b"event: message_start\ndata: null\n\n")),
        Answer((b"\xff\xfe\x00garbage",)),
    ],
    ids=["page", "gateway page", "json", "json error", "broken json", "wrong shape", "bytes"],
)
async def test_nonsense_is_a_clear_failure(api: Dialect, answer: Answer) -> None:
    error = await failure(api, answer)
    assert isinstance(error, (ProviderUnavailable, InvalidRequest))
    assert "<html" not in str(error)


@every_api
@pytest.mark.parametrize("other", DIALECTS, ids=[dialect.model.api for dialect in DIALECTS])
async def test_answer_in_another_dialect_is_a_clear_failure_and_never_an_answer(api: Dialect, other: Dialect) -> None:
    if other is not api:
        error = await failure(api, Answer(tuple(other.frames([Text("Hello there")]))))
        assert isinstance(error, (ProviderUnavailable, InvalidRequest))


@every_api
@pytest.mark.parametrize("size", [1, 7, 1_000_000])
async def test_proxy_that_buffers_or_crumbles_the_stream_changes_nothing(api: Dialect, size: int) -> None:
    whole = b"".join(api.frames([Text("Hello there, 世界 🙂"), Call("call_1", "read", "{}")]))
    pieces = tuple(whole[at : at + size] for at in range(0, len(whole), size))
    events = await play(api, Answer(pieces))
    ended = events[-1]
    assert isinstance(ended, StreamEnded)
    accumulator = Accumulator(api.model)
    for event in events[:-1]:
        accumulator.add(event)
    assert [type(block).__name__ for block in accumulator.finish(ended).content] == ["TextBlock", "ToolCallBlock"]


@every_api
async def test_redirect_is_not_followed_with_the_key(api: Dialect) -> None:
    async with CannedServer(Answer()) as elsewhere:
        away = Answer(status=307, headers={"location": elsewhere.url + "/v1/messages"})
        assert isinstance(await failure(api, away), InvalidRequest)
        assert elsewhere.received == []


@every_api
async def test_server_that_is_not_there_is_unavailable(api: Dialect) -> None:
    async with CannedServer() as server:
        provider = connect(api, server)
    await asyncio.sleep(0)
    with pytest.raises(ProviderUnavailable):
        await anext(aiter(provider.stream(ask(api))))
    await provider.aclose()


@every_api
async def test_abort_closes_the_socket_at_once(api: Dialect) -> None:
    frames = api.frames([Text("Hello there")])
    async with CannedServer(Answer(tuple(frames[:2]), then="stall")) as server:
        provider = connect(api, server)

        async def consume() -> None:
            async with aclosing(cast(AsyncGenerator[StreamEvent, None], provider.stream(ask(api)))) as events:
                async for _ in events:
                    pass

        task = asyncio.create_task(consume())
        await server.stalling.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.wait_for(server.hung_up.wait(), 5)
        await provider.aclose()


@every_api
async def test_connection_is_used_again_after_an_answer(api: Dialect) -> None:
    async with CannedServer(Answer(tuple(api.frames([Text("one")])))) as server:
        provider = connect(api, server)
        for _ in range(2):
            assert [event async for event in provider.stream(ask(api))]
        await provider.aclose()
        assert len(server.received) == 2


# ── Requests ──────────────────────────────────────────────────────────────────────────────────────────────────────

HISTORY: tuple[Message, ...] = (
    user_text("Read a.py"),
    AssistantMessage(
        (
            ThinkingBlock("unsigned thought"),
            TextBlock("I look."),
            ToolCallBlock("call_1", "read", {"path": "a.py"}),
            ToolCallBlock("call_2", "read", {"path": "b.png"}),
        ),
        stop_reason="tool_use",
    ),
    ToolResultMessage("call_1", "read", (TextBlock("text of a"),), details={"secret": "not for the model"}),
    ToolResultMessage("call_2", "read", (ImageBlock("aGk=", "image/png"),), is_error=True),
    user_text("And now?"),
)


@every_api
async def test_boundary_never_reaches_the_model_and_both_halves_do(api: Dialect) -> None:
    body = await sent(api, system_stable=f"Stable.\n<!-- {BOUNDARY} -->\nRest.", system_dynamic="Dynamic.")
    text = json.dumps(body)
    assert BOUNDARY not in text
    assert text.index("Stable.") < text.index("Dynamic.")


@every_api
async def test_empty_system_halves_vanish(api: Dialect) -> None:
    body = await sent(api, system_stable="", system_dynamic="")
    assert not body.get("system")
    assert "systemInstruction" not in body


@every_api
async def test_results_and_pictures_reach_the_model_but_details_do_not(api: Dialect) -> None:
    text = json.dumps(await sent(api, *HISTORY))
    assert "text of a" in text
    assert "aGk=" in text
    assert "not for the model" not in text
    assert "unsigned thought" not in text


@every_api
async def test_text_only_model_gets_a_note_instead_of_a_picture(api: Dialect) -> None:
    blind = msgspec.structs.replace(api.model, images=False)
    async with CannedServer(Answer(tuple(api.frames([Text("ok")])))) as server:
        provider = connect(api, server)
        async for _ in provider.stream(msgspec.structs.replace(ask(api, *HISTORY), model=blind)):
            pass
        await provider.aclose()
        text = server.received[0].raw.decode()
    assert "aGk=" not in text
    assert "picture" in text


@every_api
async def test_halves_of_characters_become_replacements(api: Dialect) -> None:
    broken = (
        user_text("half \ud83d here, whole \ud83d\ude42"),
        AssistantMessage((ToolCallBlock("c1", "read", {"path": "\udc9d"}),), stop_reason="tool_use"),
        ToolResultMessage("c1", "read", (TextBlock("cut \ud83d"),)),
    )
    body = await sent(api, *broken, system_stable="sys \ud83d")
    text = json.dumps(body, ensure_ascii=False)
    text.encode("utf-8")
    assert "half \ufffd here, whole 🙂" in text
    assert "cut \ufffd" in text


@every_api
async def test_unchanged_history_has_the_same_bytes_and_only_grows(api: Dialect) -> None:
    async with CannedServer(Answer(tuple(api.frames([Text("ok")])))) as server:
        provider = connect(api, server)
        for messages in (HISTORY, HISTORY, (*HISTORY, AssistantMessage((TextBlock("Done."),)), user_text("Next"))):
            async for _ in provider.stream(ask(api, *messages)):
                pass
        await provider.aclose()
    first, again, longer = server.received
    assert first.raw == again.raw
    assert _without_markers(longer.body)[: len(HISTORY) - 2] == _without_markers(first.body)[: len(HISTORY) - 2]


def _without_markers(body: dict[str, Any]) -> list[Any]:
    """The conversation without cache markers, which are no content."""

    def clean(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: clean(item) for name, item in value.items() if name != "cache_control"}
        return [clean(item) for item in value] if isinstance(value, list) else value

    conversation: list[Any] = clean(body.get("messages") or body.get("contents") or body.get("input"))
    return conversation


@every_api
async def test_key_goes_in_a_header_and_nowhere_else(api: Dialect) -> None:
    async with CannedServer(Answer(tuple(api.frames([Text("ok")])))) as server:
        provider = connect(api, server)
        async for _ in provider.stream(ask(api)):
            pass
        await provider.aclose()
    request = server.received[0]
    assert any("test-key" in value for value in request.headers.values())
    assert b"test-key" not in request.raw
    assert "test-key" not in request.path
