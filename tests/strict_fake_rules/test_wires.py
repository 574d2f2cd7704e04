"""The answers as the real SDKs read them: text, thinking, parallel calls, usage; streamed and whole alike."""

import json
from collections.abc import AsyncIterator
from typing import Any

import anthropic
import httpx2
import openai
import pytest
from google import genai
from google.genai import types

from tests.strict_fake import Call, Reply, StrictFake
from tests.strict_fake_rules.client import (
    ANTHROPIC,
    CHAT_TOOLS,
    GEMINI,
    OPENAI,
    RESPONSE_TOOLS,
    TOOLS,
    Json,
    messages,
    parts,
    post,
    user,
)

ARGS: list[Json] = [{"command": "echo 'ünï' \"q\" " + "x" * 200}, {"command": "ls\n"}]
SAID = Reply("Hello, wörld. " * 40, "Let me think. ", [Call("bash", ARGS[0]), Call("bash", ARGS[1])])


@pytest.fixture
async def http() -> AsyncIterator[httpx2.AsyncClient]:
    async with httpx2.AsyncClient(trust_env=False, verify=False, timeout=20) as client:
        yield client


def claude(fake: StrictFake, http: httpx2.AsyncClient) -> anthropic.AsyncAnthropic:
    return anthropic.AsyncAnthropic(api_key="k", base_url=fake.url_anthropic, max_retries=0, http_client=http)


def gpt(fake: StrictFake, http: httpx2.AsyncClient) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(api_key="k", base_url=fake.url_openai, max_retries=0, http_client=http)


def gemini(fake: StrictFake, http: httpx2.AsyncClient) -> genai.Client:
    options = types.HttpOptions(base_url=fake.url_gemini, httpx_async_client=http)
    return genai.Client(api_key="k", http_options=options)


async def test_anthropic_streams_what_it_says_whole(http: httpx2.AsyncClient) -> None:
    asked: Json = {
        "model": "claude-sonnet-5-5",
        "max_tokens": 5000,
        "messages": [user("go")],
        "tools": TOOLS,
        "thinking": {"type": "adaptive", "display": "summarized"},
    }
    async with StrictFake([SAID, SAID]) as fake:
        async with claude(fake, http).messages.stream(**asked) as stream:
            streamed = await stream.get_final_message()
        whole = await claude(fake, http).messages.create(**asked)
    for message in (streamed, whole):
        kinds: list[Any] = list(message.content)
        assert [block.type for block in kinds] == ["thinking", "text", "tool_use", "tool_use"]
        assert kinds[0].thinking == SAID.thinking
        assert kinds[0].signature
        assert kinds[1].text == SAID.text
        assert [block.input for block in kinds[2:]] == ARGS
        assert message.stop_reason == "tool_use"
        assert message.usage.output_tokens > 100
    assert fake.refused == []


async def test_chat_streams_what_it_says_whole(http: httpx2.AsyncClient) -> None:
    asked: Json = {"model": "gpt-5.4", "messages": [user("go")], "tools": CHAT_TOOLS}
    async with StrictFake([SAID, SAID]) as fake:
        client = gpt(fake, http)
        text, arguments, usage, stop = "", ["", ""], None, None
        stream = await client.chat.completions.create(stream=True, stream_options={"include_usage": True}, **asked)
        async for chunk in stream:
            usage = chunk.usage or usage
            for choice in chunk.choices:
                text += choice.delta.content or ""
                stop = choice.finish_reason or stop
                for call in choice.delta.tool_calls or []:
                    arguments[call.index] += (call.function and call.function.arguments) or ""
        whole = await client.chat.completions.create(**asked)
    assert (text, stop) == (SAID.text, "tool_calls")
    assert [json.loads(words) for words in arguments] == ARGS
    assert usage is not None
    assert usage.completion_tokens > 100
    message: Any = whole.choices[0].message
    assert message.content == SAID.text
    assert [json.loads(call.function.arguments) for call in message.tool_calls] == ARGS


async def test_responses_streams_what_it_says_whole(http: httpx2.AsyncClient) -> None:
    asked: Json = {"model": "gpt-6.2-sol", "input": "go", "tools": RESPONSE_TOOLS, "reasoning": {"summary": "auto"}}
    async with StrictFake([SAID, SAID]) as fake:
        client = gpt(fake, http)
        done: list[Any] = []
        numbers: list[int] = []
        text = ""
        stream: Any = await client.responses.create(stream=True, **asked)
        async for event in stream:
            numbers.append(event.sequence_number)
            if event.type == "response.output_item.done":
                done.append(event.item)
            elif event.type == "response.output_text.delta":
                text += event.delta
            elif event.type == "response.completed":
                final = event.response
        whole: Any = await client.responses.create(**asked)
    assert numbers == list(range(len(numbers)))
    assert text == SAID.text
    for items in (done, final.output, whole.output):
        assert [item.type for item in items] == ["reasoning", "message", "function_call", "function_call"]
        assert items[0].encrypted_content
        assert items[0].summary[0].text == SAID.thinking
        assert [json.loads(item.arguments) for item in items[2:]] == ARGS
    assert final.usage.output_tokens_details.reasoning_tokens > 0


async def test_gemini_streams_what_it_says_whole(http: httpx2.AsyncClient) -> None:
    declaration = types.FunctionDeclaration(name="bash", parameters_json_schema={"type": "object", "properties": {}})
    config = types.GenerateContentConfig(
        tools=[types.Tool(function_declarations=[declaration])],
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
        thinking_config=types.ThinkingConfig(include_thoughts=True),
    )
    async with StrictFake([SAID, SAID]) as fake:
        client = gemini(fake, http)
        found: list[Any] = []
        stream = await client.aio.models.generate_content_stream(model="gemini-4-argon", contents="go", config=config)
        async for chunk in stream:
            candidate: Any = (chunk.candidates or [])[0]
            found += candidate.content.parts
            usage, stop = chunk.usage_metadata, candidate.finish_reason
        whole: Any = await client.aio.models.generate_content(model="gemini-4-argon", contents="go", config=config)
    assert "".join(part.text for part in found if part.thought) == SAID.thinking
    assert "".join(part.text for part in found if part.text and not part.thought) == SAID.text
    assert [part.function_call.args for part in found if part.function_call] == ARGS
    assert [bool(part.thought_signature) for part in found if part.function_call] == [True, False]
    assert stop == types.FinishReason.STOP
    assert usage is not None
    assert (usage.thoughts_token_count or 0) > 0
    assert [part.function_call.args for part in whole.candidates[0].content.parts if part.function_call] == ARGS


@pytest.mark.parametrize(
    ("word", "native"),
    [
        ("end", ("end_turn", "stop", None, "STOP")),
        ("length", ("max_tokens", "length", "max_output_tokens", "MAX_TOKENS")),
        ("filter", ("refusal", "content_filter", "content_filter", "SAFETY")),
        ("window", ("model_context_window_exceeded", "length", "max_output_tokens", "MAX_TOKENS")),
    ],
)
async def test_stop_words_are_said_natively(word: str, native: tuple[str | None, ...]) -> None:
    async with StrictFake([Reply("x", stop=word)] * 4) as fake:
        claude_ = await post(fake, "/v1/messages", messages(user("x"), model="claude-opus-5"), ANTHROPIC)
        chat = await post(fake, "/v1/chat/completions", {"model": "m", "messages": [user("x")]}, OPENAI)
        response = await post(fake, "/v1/responses", {"model": "m", "input": "x"}, OPENAI)
        google = await post(fake, "/v1/models/m:generateContent", {"contents": [parts("user", {"text": "x"})]}, GEMINI)
    details = response.body["incomplete_details"]
    said = (
        claude_.body["stop_reason"],
        chat.body["choices"][0]["finish_reason"],
        details and details["reason"],
        google.body["candidates"][0]["finishReason"],
    )
    assert said == native


async def test_output_is_cut_at_the_limit_of_the_request_or_of_the_window() -> None:
    long = Reply("word " * 500)
    async with StrictFake([long, long], window=200) as fake:
        asked = messages(user("x"), model="claude-opus-5")
        by_limit = await post(fake, "/v1/messages", {**asked, "max_tokens": 50}, ANTHROPIC)
        by_window = await post(fake, "/v1/messages", {**asked, "max_tokens": 5000}, ANTHROPIC)
    assert by_limit.body["stop_reason"] == "max_tokens"
    assert by_limit.body["usage"]["output_tokens"] == 50
    assert by_window.body["stop_reason"] == "model_context_window_exceeded"


async def test_usage_can_be_claimed_or_kept_back() -> None:
    asked = {"model": "m", "messages": [user("x")], "stream": True, "stream_options": {"include_usage": True}}
    async with StrictFake(
        [Reply("a", usage={"total": 900, "read": 100, "output": 5}), Reply("b", usage=False)]
    ) as fake:
        claimed = await post(fake, "/v1/chat/completions", asked, OPENAI)
        kept = await post(fake, "/v1/chat/completions", {**asked, "user": "2"}, OPENAI)
    assert '"prompt_tokens":900,"completion_tokens":5' in claimed.text
    assert "prompt_tokens" not in kept.text
    assert kept.text.endswith("data: [DONE]\n\n")


async def test_frames_look_like_each_provider_sends_them() -> None:
    contents = {"contents": [parts("user", {"text": "x"})]}
    async with StrictFake(["a", "b"]) as fake:
        claude_ = await post(fake, "/v1/messages", messages(user("x"), stream=True), ANTHROPIC)
        google = await post(fake, "/v1/models/m:streamGenerateContent?alt=sse", contents, GEMINI)
    events = claude_.text.strip().split("\n\n")
    assert all(event.startswith("event: ") and "\ndata: {" in event for event in events)
    assert [event.split("\n")[0][7:] for event in (events[0], events[-1])] == ["message_start", "message_stop"]
    frames = google.text.split("\r\n\r\n")
    assert frames[-1] == ""
    assert all(frame.startswith("data: {") and "\n" not in frame for frame in frames[:-1])


async def test_counting_counts_what_is_billed() -> None:
    body = messages(user("some words"), tools=TOOLS, system="s")
    async with StrictFake(["a"]) as fake:
        counted = await post(
            fake, "/v1/messages/count_tokens", {k: body[k] for k in body if k != "max_tokens"}, ANTHROPIC
        )
        sent = await post(fake, "/v1/messages", body, ANTHROPIC)
        contents = {"contents": [parts("user", {"text": "x"})]}
        google = await post(fake, "/v1/models/m:countTokens", contents, GEMINI)
    assert counted.body == {"input_tokens": sent.body["usage"]["input_tokens"]}
    assert google.body["totalTokens"] > 0
    assert [record.kind for record in fake.requests] == ["count", "main", "count"]


async def test_model_lists_have_each_providers_shape(http: httpx2.AsyncClient) -> None:
    async with StrictFake(window=123_456, models=["mine"]) as fake:
        claude_: Any = await claude(fake, http).models.retrieve("claude-opus-5-5")
        names = [model.id async for model in gpt(fake, http).models.list()]
        google = await gemini(fake, http).aio.models.get(model="gemini-4-argon")
    assert (claude_.max_input_tokens, claude_.max_tokens) == (123_456, 128_000)
    assert "mine" in names
    assert google.input_token_limit == 123_456


async def test_overflow_is_said_in_each_providers_words() -> None:
    big = "x" * 40_000
    async with StrictFake(window=8000) as fake:
        answers = [
            await post(fake, "/v1/messages", messages(user(big)), ANTHROPIC),
            await post(fake, "/v1/chat/completions", {"model": "m", "messages": [user(big)]}, OPENAI),
            await post(fake, "/v1/responses", {"model": "m", "input": big}, OPENAI),
            await post(fake, "/v1/models/m:generateContent", {"contents": [parts("user", {"text": big})]}, GEMINI),
        ]
        streamed = await post(fake, "/v1/responses", {"model": "m", "input": big, "stream": True}, OPENAI)
        small = messages(user("x"), max_tokens=7999)
    assert [answer.status for answer in answers] == [400] * 4
    words = [
        "prompt is too long: ",
        "maximum context length is 8000",
        "exceeds the context window",
        "input token count",
    ]
    assert all(word in answer.message for word, answer in zip(words, answers, strict=True))
    assert answers[1].body["error"]["code"] == answers[2].body["error"]["code"] == "context_length_exceeded"
    assert streamed.text.startswith("event: response.failed")
    assert "context_length_exceeded" in streamed.text
    assert fake.refused == []
    assert {record.what for record in fake.requests} == {"overflow"}
    async with StrictFake(window=8000, reject_sum=True) as fake:
        refused = await post(fake, "/v1/messages", small, ANTHROPIC)
    assert "input length and `max_tokens` exceed context limit" in refused.message


async def test_bytes_that_are_no_json_text_are_refused() -> None:
    half = json.dumps(messages(user("\ud83d"))).encode()
    async with StrictFake() as fake:
        answers = [
            await post(fake, "/v1/messages", body, ANTHROPIC)
            for body in (b"{", b"[]", half, b'{"model": "\xff"}', b'{"max_tokens": NaN}')
        ]
    assert {(answer.status, answer.message[:38]) for answer in answers} == {
        (400, "The request body is not valid JSON: un")
    }
    assert len(fake.refused) == 5
