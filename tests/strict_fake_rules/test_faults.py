"""What goes wrong on the way, byte by byte, and that a retry gets the reply that was meant for it."""

import asyncio
import datetime
import json

import httpx2
import pytest

from tests.strict_fake import Call, Fault, Reply, StrictFake
from tests.strict_fake_rules.client import ANTHROPIC, GEMINI, OPENAI, Answered, Json, messages, parts, post, user

PATHS: dict[str, tuple[str, Json, dict[str, str]]] = {
    "anthropic": ("/v1/messages", messages(user("x"), stream=True), ANTHROPIC),
    "chat": ("/v1/chat/completions", {"model": "m", "messages": [user("x")], "stream": True}, OPENAI),
    "responses": ("/v1/responses", {"model": "m", "input": "x", "stream": True}, OPENAI),
    "gemini": (
        "/v1/models/m:streamGenerateContent?alt=sse",
        {"contents": [parts("user", {"text": "x"})]},
        GEMINI,
    ),
}
PROTOCOLS = list(PATHS)
LAST = {"anthropic": "message_stop", "chat": "[DONE]", "responses": "response.completed", "gemini": '"STOP"'}


async def meet(fault: Fault, protocol: str = "anthropic", reply: str | Reply = "Hello there") -> Answered:
    async with StrictFake([reply], faults={1: fault}) as fake:
        path, body, headers = PATHS[protocol]
        answer = await post(fake, path, body, headers)
        assert fake.requests[0].fault == fault.kind
        assert fake.refused == []
    return answer


def events(answer: Answered) -> list[Json]:
    lines = answer.text.replace("\r\n", "\n").split("\n")
    return [json.loads(line[6:]) for line in lines if line.startswith("data: {")]


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 413, 429, 500, 503, 529])
@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_http_errors_have_the_protocols_shape(protocol: str, status: int) -> None:
    answer = await meet(Fault.http(status), protocol)
    assert answer.status == status
    assert answer.message
    if protocol == "gemini":
        assert answer.body["error"]["code"] == status
    elif protocol == "anthropic":
        assert answer.body["type"] == "error"
    else:
        assert set(answer.body["error"]) == {"message", "type", "param", "code"}


async def test_waits_are_asked_in_seconds_in_date_form_and_in_details() -> None:
    seconds = await meet(Fault.http(429, retry_after=7))
    assert seconds.headers["retry-after"] == "7"
    assert seconds.body["error"]["type"] == "rate_limit_error"
    when = datetime.datetime(2026, 12, 1, 12, 0, tzinfo=datetime.UTC)
    assert (await meet(Fault.http(503, retry_after=when))).headers["retry-after"] == "Tue, 01 Dec 2026 12:00:00 GMT"
    assert (await meet(Fault.http(529, retry_after=3600))).headers["retry-after"] == "3600"
    details = (await meet(Fault.http(429, retry_after=27, code="PerDay"), "gemini")).body["error"]["details"]
    assert "PerDay" in details[0]["violations"][0]["quotaId"]
    assert details[1]["retryDelay"] == "27s"
    quota = await meet(Fault.http(429, code="insufficient_quota"), "responses")
    assert quota.body["error"]["code"] == quota.body["error"]["type"] == "insufficient_quota"


async def test_a_stream_breaks_off_with_the_protocols_own_error() -> None:
    anthropic = await meet(Fault.mid_error())
    assert "event: error\n" in anthropic.text
    assert events(anthropic)[-1]["error"]["type"] == "overloaded_error"
    assert events(await meet(Fault.mid_error("server"), "chat"))[-1]["error"]["code"] == "server_error"
    assert events(await meet(Fault.mid_error("rate_limit"), "responses"))[-1]["code"] == "rate_limit_exceeded"
    failed = events(await meet(Fault.mid_error("overflow", failed=True), "responses"))[-1]
    assert (failed["type"], failed["response"]["error"]["code"]) == ("response.failed", "context_length_exceeded")
    assert events(await meet(Fault.mid_error(after=1), "gemini"))[-1]["error"]["status"] == "UNAVAILABLE"


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("after_bytes", [None, 0, 30])
async def test_the_connection_drops(protocol: str, after_bytes: int | None) -> None:
    with pytest.raises(httpx2.RemoteProtocolError):
        await meet(Fault.drop(after_bytes), protocol)


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_the_body_ends_cleanly_but_too_early(protocol: str) -> None:
    answer = await meet(Fault.cut(), protocol)
    assert answer.status == 200
    assert "Hello there" in answer.text
    assert LAST[protocol] not in answer.text
    assert LAST[protocol] in (await meet(Fault.slow(0), protocol)).text


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_an_event_is_no_json(protocol: str) -> None:
    with pytest.raises(json.JSONDecodeError):
        events(await meet(Fault.malformed(), protocol))


async def test_content_comes_before_what_announces_it() -> None:
    kinds = [event["type"] for event in events(await meet(Fault.out_of_order()))]
    assert kinds.index("content_block_delta") < kinds.index("content_block_start")
    kinds = [event["type"] for event in events(await meet(Fault.out_of_order(), "responses"))]
    assert kinds.index("response.output_text.delta") < kinds.index("response.output_item.added")


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("fault", [Fault.empty(), Fault.zero_deltas()], ids=["empty", "zero deltas"])
async def test_a_complete_answer_says_nothing(protocol: str, fault: Fault) -> None:
    answer = await meet(fault, protocol)
    assert "Hello" not in answer.text
    assert LAST[protocol] in answer.text


async def test_tool_arguments_end_too_early() -> None:
    reply = Reply(calls=[Call("bash", {"command": "ls"})])
    deltas = [
        event.get("delta", {}).get("partial_json", "") for event in events(await meet(Fault.bad_args(), reply=reply))
    ]
    assert "".join(deltas) == '{"command":"ls'
    last = events(await meet(Fault.bad_args(), "gemini", reply))[-1]
    assert last["candidates"][0]["finishReason"] == "MALFORMED_FUNCTION_CALL"


async def test_something_else_than_the_api_answers() -> None:
    page = await meet(Fault.html(502))
    assert (page.status, page.headers["content-type"]) == (502, "text/html; charset=utf-8")
    moved = await meet(Fault.redirect("http://127.0.0.1:1/"))
    assert (moved.status, moved.headers["location"]) == (307, "http://127.0.0.1:1/")
    told = await meet(Fault.error_200("model crashed"), "chat")
    assert (told.status, told.message) == (200, "model crashed")
    assert "event: error" in (await meet(Fault.error_200(stream=True), "chat")).text


async def test_a_silently_cut_prompt_shows_only_in_the_usage() -> None:
    body = {"model": "m", "messages": [user("x" * 9000)]}
    async with StrictFake(["a"], faults={1: Fault.truncate(100)}) as fake:
        answer = await post(fake, "/v1/chat/completions", body, OPENAI)
    assert answer.body["usage"]["prompt_tokens"] == 100
    assert fake.requests[0].tokens > 2000


@pytest.mark.parametrize(
    ("keepalive", "seen"),
    [(None, ""), ("comment", ": keep-alive\n\n"), ("ping", 'event: ping\ndata: {"type": "ping"}\n\n')],
)
async def test_a_stall_sends_headers_and_then_only_signs_of_life(keepalive: str | None, seen: str) -> None:
    fault = Fault.stall(None, keepalive=keepalive, interval=0.01)
    path, body, headers = PATHS["anthropic"]
    async with (
        StrictFake(["x"], faults={1: fault}) as fake,
        httpx2.AsyncClient(trust_env=False, verify=False) as client,
        client.stream("POST", fake.url + path, json=body, headers=headers, timeout=0.3) as response,
    ):
        assert response.status_code == 200
        received = ""
        try:
            async for piece in response.aiter_text():
                received += piece
                if len(received) > len(seen) * 3:
                    break
        except httpx2.ReadTimeout:
            assert keepalive is None
    assert received.replace(seen, "") == "" if seen else received == ""


async def test_a_client_that_leaves_is_noticed() -> None:
    path, body, headers = PATHS["anthropic"]
    async with StrictFake(["x"], faults={1: Fault.stall(None, after=2)}) as fake:
        async with (
            httpx2.AsyncClient(trust_env=False, verify=False) as client,
            client.stream("POST", fake.url + path, json=body, headers=headers) as response,
        ):
            async for _ in response.aiter_text():
                break
        async with asyncio.timeout(5):
            while not fake.requests[0].client_gone:
                await asyncio.sleep(0.01)


async def test_a_retry_gets_the_reply_that_was_meant_for_it() -> None:
    path, body, headers = PATHS["anthropic"]
    faults = {1: Fault.http(529), 2: Fault.cut()}
    async with StrictFake(["first", "second"], faults=faults) as fake:
        answers = [await post(fake, path, body, headers) for _ in range(3)]
        after = await post(fake, path, {**body, "max_tokens": 99}, headers)
    assert [("first" in answer.text, answer.status) for answer in answers] == [(False, 529), (True, 200), (True, 200)]
    assert "second" in after.text


async def test_faults_can_be_chosen_by_what_arrives_or_carried_by_a_reply() -> None:
    path, body, headers = PATHS["chat"]
    async with StrictFake(
        ["a", "b"], faults=lambda record: Fault.http(500) if "y" in record.last_user else None
    ) as fake:
        assert (await post(fake, path, body, headers)).status == 200
        assert (await post(fake, path, {**body, "messages": [user("y")]}, headers)).status == 500
    async with StrictFake([Reply("a", fault=Fault.http(503)), "b"], repeat_identical=False) as fake:
        assert [(await post(fake, path, body, headers)).status for _ in range(2)] == [503, 200]


def test_faults_can_be_written_on_a_command_line() -> None:
    assert Fault.parse("429:7@3") == {3: Fault.http(429, retry_after="7")}
    assert Fault.parse("drop@5,6") == {5: Fault.drop(), 6: Fault.drop()}
    assert Fault.parse("midError@1") == {1: Fault.mid_error()}
    assert Fault.parse("500@2") == {2: Fault.http(500)}
    with pytest.raises(ValueError, match="unknown fault 'nonsense'"):
        Fault.parse("nonsense@1")
