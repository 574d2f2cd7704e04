"""Each rule of both OpenAI APIs: a body that breaks it is refused in the API's words, the corrected one is taken."""

from typing import Any

import pytest

from tests.strict_fake import Call, Reply, StrictFake
from tests.strict_fake_rules.client import (
    CHAT_TOOLS,
    OPENAI,
    RESPONSE_TOOLS,
    Json,
    assistant,
    chat_call,
    chat_result,
    function_call,
    function_output,
    post,
    user,
)

LOOP = [user("x"), chat_call("a"), chat_result("a")]
NOT_ANSWERED = "did not have response messages: a"
UNCALLED = "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'"


def chat(*turns: Json, **more: Any) -> Json:
    return {"model": "gpt-5.4", "messages": list(turns), **more}


def named(name: str) -> list[Json]:
    return [{"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": {}}}}]


CHAT: dict[str, tuple[Json, str, str | None, Json]] = {
    "no messages": (chat(), "Invalid 'messages': empty array", "empty_array", chat(user("x"))),
    "unknown role": (chat({"role": "bot", "content": "x"}), "Invalid value: 'bot'", "invalid_value", chat(user("x"))),
    "null content": (
        chat(user("x"), assistant(None)),
        "expected a string, got null",
        None,
        chat(user("x"), assistant("y")),
    ),
    "empty parts": (chat(user([])), "Invalid 'messages[0].content': empty array", "empty_array", chat(user("x"))),
    "result of nothing": (chat(user("x"), chat_result("a")), UNCALLED, None, chat(*LOOP)),
    "result of another": (chat(user("x"), chat_call("b"), chat_result("a")), UNCALLED, None, chat(*LOOP)),
    "user between": (chat(*LOOP[:2], user("y"), chat_result("a")), NOT_ANSWERED, None, chat(*LOOP, user("y"))),
    "never answered": (chat(*LOOP[:2]), NOT_ANSWERED, None, chat(*LOOP)),
    "null result": (chat(*LOOP[:2], chat_result("a", content=None)), "got null", None, chat(*LOOP)),
    "no calls": (
        chat(user("x"), {"role": "assistant", "content": "y", "tool_calls": []}),
        "Invalid 'messages[1].tool_calls': empty array",
        "empty_array",
        chat(user("x"), assistant("y")),
    ),
    "long id": (
        chat(user("x"), chat_call("a" * 41), chat_result("a" * 41)),
        "maximum length 40",
        "string_above_max_length",
        chat(user("x"), chat_call("a" * 40), chat_result("a" * 40)),
    ),
    "arguments no text": (
        chat(user("x"), chat_call("a", function={"name": "f", "arguments": {}}), chat_result("a")),
        "Missing required parameter: 'messages[1].tool_calls[0].function.arguments'",
        "missing_required_parameter",
        chat(*LOOP),
    ),
    "foreign call name": (
        chat(user("x"), chat_call("a", function={"name": "ba sh", "arguments": "{}"}), chat_result("a")),
        "string does not match pattern",
        "invalid_value",
        chat(*LOOP),
    ),
    "no tools in list": (chat(user("x"), tools=[]), "Invalid 'tools': empty array", "empty_array", chat(user("x"))),
    "too many tools": (
        chat(user("x"), tools=CHAT_TOOLS * 129),
        "maximum length 128",
        "array_above_max_length",
        chat(user("x"), tools=CHAT_TOOLS * 128),
    ),
    "foreign tool name": (
        chat(user("x"), tools=named("a.b")),
        "does not match pattern",
        "invalid_value",
        chat(user("x"), tools=named("a_b")),
    ),
    "long tool name": (
        chat(user("x"), tools=named("n" * 65)),
        "maximum length 64",
        "string_above_max_length",
        chat(user("x"), tools=named("n" * 64)),
    ),
    "choice without tools": (
        chat(user("x"), tool_choice="auto"),
        "only allowed when 'tools' are specified",
        None,
        chat(user("x"), tools=CHAT_TOOLS, tool_choice="auto"),
    ),
    "tools on gpt-5.6": (
        chat(user("x"), model="gpt-5.6-sol", tools=CHAT_TOOLS),
        "Function tools with reasoning_effort are not supported for gpt-5.6-sol in /v1/chat/completions. To use "
        "function tools, use /v1/responses or set reasoning_effort to 'none'.",
        None,
        chat(user("x"), model="gpt-5.6-sol", tools=CHAT_TOOLS, reasoning_effort="none"),
    ),
    "tools on gpt-6.2": (
        chat(user("x"), model="gpt-6.2-sol", tools=CHAT_TOOLS, reasoning_effort="none"),
        "does not support 'none' with this model",
        "unsupported_value",
        chat(user("x"), model="gpt-6.2-sol"),
    ),
    "effort of astra": (
        chat(user("x"), model="gpt-6.2-astra", reasoning_effort="minimal"),
        "does not support 'minimal'",
        "unsupported_value",
        chat(user("x"), model="gpt-6.2-astra", reasoning_effort="low"),
    ),
    "sampling on gpt-6": (
        chat(user("x"), model="gpt-6-luna", temperature=0),
        "Unsupported parameter: 'temperature'",
        "unsupported_parameter",
        chat(user("x"), model="gpt-4.1", temperature=0),
    ),
    "old limit on gpt-6": (
        chat(user("x"), model="gpt-6-luna", max_tokens=100),
        "Use 'max_completion_tokens' instead",
        "unsupported_parameter",
        chat(user("x"), model="gpt-6-luna", max_completion_tokens=100),
    ),
}


@pytest.mark.parametrize("rule", CHAT)
async def test_chat_refuses_a_bad_body_and_takes_the_corrected_one(rule: str) -> None:
    bad, words, code, good = CHAT[rule]
    async with StrictFake(["ok"]) as fake:
        refused = await post(fake, "/v1/chat/completions", bad, OPENAI)
        taken = await post(fake, "/v1/chat/completions", good, OPENAI)
    assert refused.status == 400
    assert words in refused.message
    assert refused.body["error"]["code"] == code
    assert refused.body["error"]["type"] == "invalid_request_error"
    assert taken.status == 200, taken.text
    assert len(fake.refused) == 1


def responses(*items: Json, **more: Any) -> Json:
    return {"model": "gpt-5.4", "input": list(items), **more}


REASONING: Json = {"type": "reasoning", "id": "rs_1", "summary": []}
DONE = (user("x"), function_call("c"), function_output("c"))
SAID: Json = {"role": "assistant", "content": [{"type": "output_text", "text": "y"}]}

RESPONSES: dict[str, tuple[Json, str, Json]] = {
    "no input": (responses(), "Missing required parameter: 'input'", responses(user("x"))),
    "no output": (responses(*DONE[:2]), "No tool output found for function call c.", responses(*DONE)),
    "no call": (
        responses(user("x"), function_output("c")),
        "No tool call found for function call output with call_id c.",
        responses(*DONE),
    ),
    "output first": (
        responses(user("x"), function_output("c"), function_call("c")),
        "No tool call found for function call output with call_id c.",
        responses(*DONE),
    ),
    "item id of another kind": (
        responses(user("x"), function_call("c", id="msg_1"), function_output("c")),
        "Expected an ID that begins with 'fc'",
        responses(*DONE),
    ),
    "long call id": (
        responses(user("x"), function_call("c" * 65), function_output("c" * 65)),
        "maximum length 64",
        responses(user("x"), function_call("c" * 64), function_output("c" * 64)),
    ),
    "foreign call name": (
        responses(user("x"), function_call("c", name="a b"), function_output("c")),
        "does not match pattern",
        responses(*DONE),
    ),
    "null output": (
        responses(user("x"), function_call("c"), function_output("c", output=None)),
        "Missing required parameter: 'input[2].output'",
        responses(*DONE),
    ),
    "reasoning at the end": (
        responses(user("x"), REASONING),
        "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
        responses(user("x"), REASONING, SAID),
    ),
    "reasoning before user": (
        responses(user("x"), REASONING, user("y")),
        "without its required following item",
        responses(user("x"), REASONING, *DONE[1:]),
    ),
    "invented encryption": (
        responses(user("x"), {**REASONING, "encrypted_content": "junk"}, SAID),
        "The encrypted content for item rs_1 could not be verified.",
        responses(user("x"), REASONING, SAID),
    ),
    "input text by assistant": (
        responses(user("x"), {"role": "assistant", "content": [{"type": "input_text", "text": "y"}]}),
        "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
        responses(user("x"), SAID),
    ),
    "unknown item": (responses({"type": "thing"}), "Invalid value: 'thing'", responses(user("x"))),
    "unknown role": (responses({"role": "tool", "content": "x"}), "Invalid value: 'tool'", responses(user("x"))),
    "unknown previous": (
        responses(user("x"), previous_response_id="resp_0"),
        "Previous response with id 'resp_0' not found.",
        responses(user("x")),
    ),
    "effort none": (
        responses(user("x"), model="gpt-6.2-sol", reasoning={"effort": "none"}),
        "'reasoning.effort' does not support 'none'",
        responses(user("x"), model="gpt-6.2-sol", reasoning={"effort": "low"}),
    ),
    "sampling": (
        responses(user("x"), model="gpt-6.1-sol", top_p=1),
        "Unsupported parameter: 'top_p'",
        responses(user("x"), model="gpt-6.1-sol"),
    ),
}


@pytest.mark.parametrize("rule", RESPONSES)
async def test_responses_refuses_a_bad_body_and_takes_the_corrected_one(rule: str) -> None:
    bad, words, good = RESPONSES[rule]
    async with StrictFake(["ok"]) as fake:
        refused = await post(fake, "/v1/responses", bad, OPENAI)
        taken = await post(fake, "/v1/responses", good, OPENAI)
    assert refused.status == 400
    assert words in refused.message
    assert taken.status == 200, taken.text


async def test_a_call_and_the_reasoning_it_came_with_stay_together() -> None:
    body: Json = {"model": "gpt-5.4", "tools": RESPONSE_TOOLS, "store": False}
    async with StrictFake([Reply(thinking="hm", calls=[Call("bash")]), "ok"]) as fake:
        asked = {**body, "input": [user("x")], "include": ["reasoning.encrypted_content"]}
        reasoning, call = (await post(fake, "/v1/responses", asked, OPENAI)).body["output"]
        output = function_output(call["call_id"])
        torn = await post(fake, "/v1/responses", {**body, "input": [user("x"), call, output]}, OPENAI)
        bare = {key: value for key, value in reasoning.items() if key != "encrypted_content"}
        lost = await post(fake, "/v1/responses", {**body, "input": [user("x"), bare, call, output]}, OPENAI)
        kept = await post(fake, "/v1/responses", {**body, "input": [user("x"), reasoning, call, output]}, OPENAI)
    words = f"Item '{call['id']}' of type 'function_call' was provided without its required 'reasoning' item"
    assert words in torn.message
    assert lost.status == 404
    assert "Items are not persisted when `store` is set to false" in lost.message
    assert kept.status == 200


async def test_a_stored_response_can_be_continued() -> None:
    async with StrictFake([Reply(calls=[Call("bash", id="c")]), "ok"]) as fake:
        body: Json = {"model": "gpt-5.4", "tools": RESPONSE_TOOLS}
        first = await post(fake, "/v1/responses", {**body, "input": "x"}, OPENAI)
        more = {**body, "input": [function_output("c")], "previous_response_id": first.body["id"]}
        second = await post(fake, "/v1/responses", more, OPENAI)
    assert second.status == 200
    assert second.body["output"][0]["content"][0]["text"] == "ok"


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/responses"])
async def test_a_key_is_needed(path: str) -> None:
    async with StrictFake() as fake:
        answer = await post(fake, path, {}, {})
    assert answer.status == 401
    assert "You didn't provide an API key" in answer.message
