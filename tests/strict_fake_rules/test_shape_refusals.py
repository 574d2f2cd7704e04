"""Fields that are absent or of a wrong type: each is refused by its name, in each protocol's words."""

import pytest

from tests.strict_fake import StrictFake
from tests.strict_fake_rules.client import (
    ANTHROPIC,
    BINDING,
    CHAT_TOOLS,
    COMPACTING,
    GEMINI,
    OLD_ANTHROPIC,
    OPENAI,
    TOOLS,
    Json,
    assistant,
    called,
    chat_call,
    chat_result,
    function_call,
    function_output,
    messages,
    parts,
    post,
    text,
    tool_result,
    tool_use,
    user,
)
from tests.strict_fake_rules.test_anthropic_refusals import OPUS, THOUGHT

CALLED = (user("x"), assistant([tool_use("a")]))


def without(body: Json, key: str) -> Json:
    return {name: value for name, value in body.items() if name != key}


def claude(*turns: Json, **more: object) -> Json:
    return messages(*(turns or (user("x"),)), **more)


def adaptive(**more: object) -> Json:
    return claude(model=OPUS, thinking={"type": "adaptive", **more})


ANTHROPIC_SHAPES: dict[str, tuple[Json, dict[str, str]]] = {
    "model: Field required": (without(claude(), "model"), OLD_ANTHROPIC),
    "max_tokens: Input should be a valid integer": (claude(max_tokens="9"), OLD_ANTHROPIC),
    "max_tokens: must be greater than or equal to 1": (claude(max_tokens=0), OLD_ANTHROPIC),
    "messages: Field required": (without(claude(), "messages"), OLD_ANTHROPIC),
    "messages: at most 100000 messages": (claude(*[user("x")] * 100_001), OLD_ANTHROPIC),
    "messages.0.content: Field required": (claude({"role": "user"}), OLD_ANTHROPIC),
    "messages.0.content: Input should be a valid list": (claude(user({"text": "x"})), OLD_ANTHROPIC),
    "messages.0.content.0.text.text: Field required": (claude(user([{"type": "text"}])), OLD_ANTHROPIC),
    "system: Input should be a valid list": (claude(system={"text": "x"}), OLD_ANTHROPIC),
    "tools: Input should be a valid list": (claude(tools={"name": "x"}), OLD_ANTHROPIC),
    "tools.0.custom.name: Field required": (claude(tools=[{"input_schema": {}}]), OLD_ANTHROPIC),
    "tools.0.custom.input_schema: Field required": (claude(tools=[{"name": "x"}]), OLD_ANTHROPIC),
    "tools.0.custom.input_schema.type: Field required": (
        claude(tools=[{"name": "x", "input_schema": {}}]),
        OLD_ANTHROPIC,
    ),
    "thinking.enabled.budget_tokens: Field required": (claude(thinking={"type": "enabled"}), OLD_ANTHROPIC),
    "content.0.cache_control.type: Input should be 'ephemeral'": (
        claude(user([text("x", cache_control={"type": "forever"})])),
        OLD_ANTHROPIC,
    ),
    "tool_use.id: Field required": (claude(user("x"), assistant([without(tool_use("a"), "id")])), OLD_ANTHROPIC),
    "tool_result.tool_use_id: Field required": (
        claude(*CALLED, user([without(tool_result("a"), "tool_use_id")]), tools=TOOLS),
        OLD_ANTHROPIC,
    ),
    "`tool_result` blocks can only be in `user` messages": (
        claude(user("x"), assistant([tool_result("a")])),
        OLD_ANTHROPIC,
    ),
    "may not be an assistant prefill when thinking is enabled": (
        claude(
            user("x"),
            assistant([THOUGHT, text("y")]),
            max_tokens=3000,
            thinking={"type": "enabled", "budget_tokens": 1024},
        ),
        OLD_ANTHROPIC,
    ),
    "text.citations: Extra inputs are not permitted": (claude(user([text("x", citations=[{}])])), ANTHROPIC),
    "thinking: Input tag 'sometimes' found using 'type'": (adaptive(type="sometimes"), ANTHROPIC),
    "display: Input should be 'summarized' or 'omitted'": (adaptive(display="all"), ANTHROPIC),
    "prefix_mismatch_behavior: Input should be 'error' or": (
        adaptive(block_binding={"prefix_mismatch_behavior": "ignore"}),
        BINDING,
    ),
    "`system` messages can only hold text": (
        claude(user("x"), {"role": "system", "content": [{"type": "image"}]}, model=OPUS),
        ANTHROPIC,
    ),
    "the messages to compact end in a turn with an open tool call: a": (
        claude(*CALLED, model=OPUS, tools=TOOLS, compaction={"type": "summarize"}),
        COMPACTING,
    ),
}


def chat(*turns: Json, **more: object) -> Json:
    return {"model": "m", "messages": list(turns or (user("x"),)), **more}


def function(**fields: object) -> Json:
    return chat(tools=[{"type": "function", "function": fields}])


CHAT_SHAPES: dict[str, Json] = {
    "you must provide a model parameter": {"messages": [user("x")]},
    "Missing required parameter: 'messages'.": {"model": "m"},
    "Missing required parameter: 'tools[0].function.name'.": function(),
    "Invalid schema for function 'f': schema must be a JSON Schema of 'type": function(
        name="f", parameters={"type": "array"}
    ),
    "Invalid 'messages[0].content': string too long": chat(user("x" * 10_485_761)),
    "Missing required parameter: 'messages[2].tool_call_id'.": chat(
        user("x"), chat_call("a"), without(chat_result("a"), "tool_call_id")
    ),
    "Missing required parameter: 'messages[1].tool_calls[0].id'.": chat(user("x"), chat_call("a", id=None)),
    "Duplicate value for 'tool_call_id' of 'a'": chat(
        user("x"), {**chat_call("a"), "tool_calls": chat_call("a")["tool_calls"] * 2}, chat_result("a")
    ),
    "Invalid value for 'content': expected a string, got null.": chat(user(None)),
}


def responses(*items: object, **more: object) -> Json:
    return {"model": "m", "input": list(items), **more}


RESPONSE_SHAPES: dict[str, Json] = {
    "Missing required parameter: 'model'.": {"input": "x"},
    "Missing required parameter: 'tools[0].name'.": responses(user("x"), tools=[{"type": "function"}]),
    "Invalid type for 'input[1]': expected an input item.": responses(user("x"), "y"),
    "Missing required parameter: 'input[0].call_id'.": responses(function_call("")),
    "Missing required parameter: 'input[0].arguments'.": responses(function_call("c", arguments=None)),
    "Missing required parameter: 'input[0].content'.": responses(user(None)),
    "Invalid 'input[1].output': string too long": responses(
        function_call("c"), function_output("c", output="x" * 10_485_761)
    ),
}


@pytest.mark.parametrize("words", ANTHROPIC_SHAPES)
async def test_anthropic_names_the_field(words: str) -> None:
    body, headers = ANTHROPIC_SHAPES[words]
    async with StrictFake() as fake:
        answer = await post(fake, "/v1/messages", body, headers)
    assert (answer.status, words in answer.message) == (400, True), answer.message


@pytest.mark.parametrize("words", CHAT_SHAPES)
async def test_chat_names_the_field(words: str) -> None:
    async with StrictFake() as fake:
        answer = await post(fake, "/v1/chat/completions", CHAT_SHAPES[words], OPENAI)
    assert (answer.status, words in answer.message) == (400, True), answer.message


@pytest.mark.parametrize("words", RESPONSE_SHAPES)
async def test_responses_names_the_field(words: str) -> None:
    async with StrictFake() as fake:
        answer = await post(fake, "/v1/responses", RESPONSE_SHAPES[words], OPENAI)
    assert (answer.status, words in answer.message) == (400, True), answer.message


async def test_gemini_matches_answers_to_calls_by_id() -> None:
    call = called()
    call["functionCall"]["id"] = "one"
    result = {"functionResponse": {"name": "bash", "id": "two", "response": {}}}
    turns = [parts("user", {"text": "x"}), parts("model", call), parts("user", result)]
    async with StrictFake() as fake:
        answer = await post(fake, "/v1/models/m:generateContent", {"contents": turns}, GEMINI)
    assert "Function response id `two` does not match function call id `one`." in answer.message


@pytest.mark.parametrize(
    ("path", "headers", "status", "words"),
    [
        ("/v1/messages", OLD_ANTHROPIC, 413, "Request exceeds the maximum size"),
        ("/v1/models/m:generateContent", GEMINI, 400, "Request payload size exceeds the limit: 20971520 bytes."),
    ],
)
async def test_a_body_has_a_largest_size(path: str, headers: dict[str, str], status: int, words: str) -> None:
    async with StrictFake() as fake:
        answer = await post(fake, path, b" " * (33 << 20), headers)
    assert (answer.status, answer.message) == (status, words)
    assert fake.requests[0].what == "too_large"


async def test_an_unknown_path_is_noted() -> None:
    async with StrictFake() as fake:
        answer = await post(fake, "/v1/complete", {"tools": CHAT_TOOLS}, OPENAI)
    assert (answer.status, fake.requests[0].what, fake.requests[0].protocol) == (404, "unknown", "?")
