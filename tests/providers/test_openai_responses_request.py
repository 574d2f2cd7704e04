"""The body of a Responses call: what stands first, what goes back word for word, what is never sent."""

import dataclasses
import json
from itertools import pairwise
from typing import Any

import pytest
from msgspec.structs import replace

from openclaw_tui.messages import (
    AssistantMessage,
    ImageBlock,
    Message,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolDefinition,
    ToolResultMessage,
    UserMessage,
    user_text,
)
from openclaw_tui.providers.base import ProviderRequest
from openclaw_tui.providers.catalog import find_model
from openclaw_tui.providers.openai_body import ModelCaches
from openclaw_tui.providers.openai_items import keep_arguments
from openclaw_tui.providers.openai_responses_request import build_body, items_of

SOL = find_model("openai/gpt-6.2-sol")
READ = ToolDefinition("read", "Read a file", {"type": "object", "properties": {"path": {"type": "string"}}})
REASONING = {
    "id": "rs_1",
    "type": "reasoning",
    "summary": [{"type": "summary_text", "text": "Look first."}],
    "encrypted_content": "gAAAA-opaque==",
}
THINK = ThinkingBlock("Look first.", json.dumps(REASONING))
CALL = ToolCallBlock("call_1|fc_1", "read", {"path": "a.py"})
RESULT = ToolResultMessage("call_1|fc_1", "read", (TextBlock("x = 1"),))


def answer(*blocks: Any, **fields: Any) -> AssistantMessage:
    origin = {"api": "openai-responses", "provider": "openai", "model": "gpt-6.2-sol"}
    return AssistantMessage(content=blocks, **{**origin, **fields})


def request(*messages: Message, **fields: Any) -> ProviderRequest:
    given: dict[str, Any] = {"system_stable": "You are.", "system_dynamic": "cwd: /p", **fields}
    return ProviderRequest(model=given.pop("model", SOL), messages=messages, **given)


def body(*messages: Message, **fields: Any) -> dict[str, Any]:
    """The body as a server would parse it."""
    asked = request(*messages, **fields)
    cache = ModelCaches(items_of).of(asked.model)
    parsed: dict[str, Any] = json.loads(build_body(asked, cache).encoded(cache))
    return parsed


def conversation(sent: dict[str, Any]) -> list[dict[str, Any]]:
    return [item for item in sent["input"] if item.get("role") != "developer"]


def test_the_system_prompt_is_the_first_developer_message_and_ends_in_a_breakpoint() -> None:
    sent = body(user_text("hello"))
    assert "instructions" not in sent
    stable, dynamic, user = sent["input"]
    assert stable["role"] == dynamic["role"] == "developer"
    assert stable["content"] == [
        {"type": "input_text", "text": "You are.", "prompt_cache_breakpoint": {"mode": "explicit"}}
    ]
    assert dynamic["content"] == [{"type": "input_text", "text": "cwd: /p"}]
    assert user["content"] == [{"type": "input_text", "text": "hello"}]


def test_an_empty_part_of_the_system_prompt_is_not_sent() -> None:
    assert len(body(user_text("hello"), system_dynamic="")["input"]) == 2


def test_the_call_is_stateless_and_asks_for_encrypted_reasoning() -> None:
    sent = body(user_text("hello"), session_id="s-1")
    assert sent["store"] is False
    assert sent["include"] == ["reasoning.encrypted_content"]
    assert sent["prompt_cache_key"] == "s-1"
    assert not {"temperature", "top_p", "previous_response_id", "prompt_cache_retention"} & set(sent)


def test_a_growing_history_only_appends() -> None:
    """Reasoning is bound to the bytes before it: what was sent stays as it was, byte for byte."""
    history: list[Message] = [
        user_text("one"),
        answer(THINK, CALL),
        RESULT,
        answer(TextBlock("done", "msg_1")),
        user_text("two"),
    ]
    cache = ModelCaches(items_of).of(SOL)
    sent = [build_body(request(*history[:n]), cache).encoded(cache) for n in range(1, len(history) + 1)]
    for shorter, longer in pairwise(sent):
        assert longer.startswith(shorter.removesuffix(b"]}"))


def test_reasoning_goes_back_whole_with_the_item_after_it() -> None:
    items = conversation(body(user_text("go"), answer(THINK, CALL), RESULT))
    assert items[1] == REASONING
    assert items[2] == {
        "type": "function_call",
        "id": "fc_1",
        "call_id": "call_1",
        "name": "read",
        "arguments": '{"path":"a.py"}',
        "status": "completed",
    }
    assert items[3] == {"type": "function_call_output", "call_id": "call_1", "output": "x = 1"}


def test_without_its_reasoning_a_call_goes_without_its_item_id() -> None:
    items = conversation(body(user_text("go"), answer(CALL), RESULT))
    assert "id" not in items[1]


def test_reasoning_that_lost_its_item_is_left_out() -> None:
    items = conversation(body(user_text("go"), answer(THINK, stop_reason="aborted"), user_text("again")))
    assert [item["type"] for item in items] == ["message", "message"]


@pytest.mark.parametrize(
    ("signature", "api"),
    [("EqQBCgIYAg==", "anthropic"), ("not json", "openai-responses"), (json.dumps(REASONING), "anthropic")],
)
def test_a_foreign_or_damaged_signature_is_not_sent(signature: str, api: str) -> None:
    foreign = answer(ThinkingBlock("hm", signature), TextBlock("hi"), api=api)
    items = conversation(body(user_text("go"), foreign, user_text("on")))
    assert [item.get("role") for item in items] == ["user", "assistant", "user"]


def test_the_phase_of_a_text_goes_back() -> None:
    signature = '{"v":1,"id":"msg_7","phase":"commentary"}'
    item = conversation(body(user_text("go"), answer(THINK, TextBlock("Reading.", signature))))[2]
    assert (item["id"], item["phase"]) == ("msg_7", "commentary")


def test_arguments_go_back_as_the_model_wrote_them() -> None:
    raw = '{"path": "a.py",  "n": 1.0}'
    kept = keep_arguments(raw, json.loads(raw))
    call = replace(CALL, arguments=json.loads(raw), thought_signature=kept)
    assert conversation(body(user_text("go"), answer(THINK, call), RESULT))[2]["arguments"] == raw


def test_arguments_changed_since_are_sent_as_they_are_now() -> None:
    kept = keep_arguments('{"path": "a.py"}', {"path": "a.py"})
    call = replace(CALL, arguments={"path": "b.py"}, thought_signature=kept)
    assert conversation(body(user_text("go"), answer(call), RESULT))[1]["arguments"] == '{"path":"b.py"}'


def test_a_long_foreign_id_is_cut_the_same_way_on_call_and_result() -> None:
    long_id = "toolu_" + "x" * 90
    foreign = answer(replace(CALL, id=long_id), api="anthropic")
    items = conversation(body(user_text("go"), foreign, dataclasses.replace(RESULT, tool_call_id=long_id)))
    assert items[1]["call_id"] == items[2]["call_id"]
    assert len(items[1]["call_id"]) <= 64
    other = conversation(body(user_text("go"), answer(replace(CALL, id=long_id + "y")), RESULT))
    assert other[1]["call_id"] != items[1]["call_id"]


PICTURE = ImageBlock("aGk=", "image/png")


def test_a_picture_of_a_tool_travels_in_its_output() -> None:
    result = ToolResultMessage("call_1|fc_1", "read", (TextBlock("a.png"), PICTURE))
    output = conversation(body(user_text("go"), answer(CALL), result))[2]["output"]
    assert output == [
        {"type": "input_text", "text": "a.png"},
        {"type": "input_image", "image_url": "data:image/png;base64,aGk=", "detail": "auto"},
    ]


def test_a_text_only_model_gets_a_note_instead_of_a_picture() -> None:
    blind = replace(SOL, images=False)
    sent = conversation(body(UserMessage((PICTURE,)), model=blind))
    assert sent[0]["content"][0]["text"] == "[a picture was left out: this model takes no pictures]"


def test_half_a_character_never_reaches_the_wire() -> None:
    """A tool result cut inside an emoji, also one read back from a session file (case 189)."""
    result = ToolResultMessage("call_1|fc_1", "read", (TextBlock("cut \ud83d here"),))
    sent = body(user_text("smile \ud83d\ude00"), answer(CALL), result, system_stable="s\udc00")
    items = conversation(sent)
    assert items[2]["output"] == "cut \ufffd here"
    assert items[0]["content"][0]["text"] == "smile \U0001f600"
    assert sent["input"][0]["content"][0]["text"] == "s\ufffd"


def test_an_empty_result_says_so() -> None:
    result = ToolResultMessage("call_1|fc_1", "read", ())
    assert conversation(body(user_text("go"), answer(CALL), result))[2]["output"] == "(no output)"


@pytest.mark.parametrize(
    ("reference", "level", "expected"),
    [
        ("gpt-6.2-sol", "high", {"effort": "high", "summary": "auto"}),
        ("gpt-6.2-sol", "off", {"effort": "low", "summary": "auto"}),
        ("gpt-6.1-terra", "off", {"effort": "none"}),
        ("gpt-6.1-sol", "max", {"effort": "xhigh", "summary": "auto"}),
        ("openai/gpt-9-new", "high", None),
    ],
)
def test_effort_is_one_that_the_model_takes(reference: str, level: Any, expected: dict[str, str] | None) -> None:
    assert body(user_text("x"), model=find_model(reference), thinking=level).get("reasoning") == expected


@pytest.mark.parametrize(
    ("reference", "retention", "expected"),
    [
        ("gpt-6.2-sol", "short", {}),
        ("gpt-6.2-sol", "long", {"prompt_cache_options": {"ttl": "12h"}}),
        ("gpt-6.2-sol", "none", {"prompt_cache_options": {"mode": "explicit"}}),
        ("gpt-5.4", "short", {}),
        ("gpt-5.4", "long", {"prompt_cache_retention": "24h"}),
    ],
)
def test_retention_takes_the_form_of_the_models_generation(
    reference: str, retention: Any, expected: dict[str, Any]
) -> None:
    sent = body(user_text("x"), model=find_model(reference), cache_retention=retention, session_id="s")
    fields = {key: sent[key] for key in ("prompt_cache_options", "prompt_cache_retention") if key in sent}
    assert fields == expected
    marked = "prompt_cache_breakpoint" in sent["input"][0]["content"][0]
    assert marked == (reference == "gpt-6.2-sol" and retention != "none")
    assert ("prompt_cache_key" in sent) == (retention != "none")


def test_the_last_answer_is_named_for_comparison() -> None:
    sent = body(user_text("x"), previous_response_id="resp_1")
    assert sent["prompt_cache_options"] == {"comparison_response_id": "resp_1"}
    assert "prompt_cache_options" not in body(user_text("x"), previous_response_id="msg_of_another_provider")


def test_tools_keep_their_order_and_their_schema() -> None:
    sent = body(user_text("x"), tools=(READ, replace(READ, name="grep")))
    assert [tool["name"] for tool in sent["tools"]] == ["read", "grep"]
    assert sent["tools"][0]["parameters"] == dict(READ.parameters)
    assert sent["tools"][0]["strict"] is False
    assert sent["parallel_tool_calls"] is True


def test_the_answer_limit_stays_within_what_the_model_and_the_api_take() -> None:
    assert body(user_text("x"), max_output_tokens=10**9)["max_output_tokens"] == SOL.max_output
    assert body(user_text("x"), max_output_tokens=1)["max_output_tokens"] == 16
