"""The body of a Chat Completions call: one system message, plain texts, pictures where servers take them."""

import dataclasses
import json
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
from openclaw_tui.models import ModelInfo
from openclaw_tui.providers.base import ProviderRequest
from openclaw_tui.providers.catalog import find_model
from openclaw_tui.providers.chat_dialects import GATEWAY, OPENAI, chat_dialect
from openclaw_tui.providers.openai_body import ModelCaches
from openclaw_tui.providers.openai_chat_request import build_body, rows_of

LOCAL = replace(find_model("llamacpp/m"), images=True)
MINI = replace(find_model("gpt-5.4-mini"), api="openai-chat")
GATE = {"gate": {"baseUrl": "https://gate.example/v1", "models": [{"id": "m", "reasoning": True}]}}
READ = ToolDefinition("read", "Read a file", {"type": "object", "properties": {}})
PICTURE = ImageBlock("aGk=", "image/png")
PICTURE_PART = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}


def body(*messages: Message, model: ModelInfo = LOCAL, **fields: Any) -> dict[str, Any]:
    given: dict[str, Any] = {"system_stable": "You are.", "system_dynamic": "cwd: /p", **fields}
    cache = ModelCaches(rows_of).of(model)
    asked = ProviderRequest(model=model, messages=messages, **given)
    parsed: dict[str, Any] = json.loads(build_body(asked, chat_dialect(model), cache).encoded(cache))
    return parsed


def rows(*messages: Message, **fields: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = body(*messages, **fields)["messages"][1:]
    return found


def call(call_id: str, **fields: Any) -> ToolCallBlock:
    return ToolCallBlock(call_id, "read", {"path": "a"}, **fields)


def answer(*blocks: Any, **fields: Any) -> AssistantMessage:
    return AssistantMessage(content=blocks, **{"api": "openai-chat", "provider": "llamacpp", "model": "m", **fields})


def result(call_id: str, *blocks: Any) -> ToolResultMessage:
    return ToolResultMessage(call_id, "read", blocks)


def test_the_system_prompt_is_one_message_and_the_first() -> None:
    sent = body(user_text("hello"))
    assert sent["messages"][0] == {"role": "system", "content": "You are.\n\ncwd: /p"}
    assert [row["role"] for row in sent["messages"]] == ["system", "user"]
    assert body(user_text("hello"), model=MINI)["messages"][0]["role"] == "developer"


def test_text_travels_as_a_string_and_only_pictures_make_a_list() -> None:
    assert rows(UserMessage((TextBlock("a"), TextBlock("b")))) == [{"role": "user", "content": "a\nb"}]
    assert rows(UserMessage((TextBlock("a"), PICTURE)))[0]["content"] == [{"type": "text", "text": "a"}, PICTURE_PART]


def test_a_call_and_its_results() -> None:
    sent = rows(user_text("go"), answer(TextBlock("Reading."), call("call_1")), result("call_1", TextBlock("x")))
    assert sent[1] == {
        "role": "assistant",
        "content": "Reading.",
        "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "read", "arguments": '{"path":"a"}'}}],
    }
    assert sent[2] == {"role": "tool", "tool_call_id": "call_1", "content": "x"}


def test_pictures_of_parallel_results_follow_after_the_last_one() -> None:
    sent = rows(
        user_text("go"),
        answer(call("c1"), call("c2")),
        result("c1", PICTURE),
        result("c2", TextBlock("b"), PICTURE),
        answer(TextBlock("two pictures")),
    )
    assert [row["role"] for row in sent] == ["user", "assistant", "tool", "tool", "user", "assistant"]
    assert sent[2]["content"] == "(see the attached image)"
    assert sent[4]["content"][1:] == [PICTURE_PART, PICTURE_PART]
    assert not any("pictures" in row for row in sent)


def test_pictures_join_the_users_next_message_so_that_turns_alternate() -> None:
    sent = rows(user_text("go"), answer(call("c1")), result("c1", PICTURE), user_text("and now?"))
    assert [row["role"] for row in sent] == ["user", "assistant", "tool", "user"]
    assert sent[3]["content"][-2:] == [PICTURE_PART, {"type": "text", "text": "and now?"}]


def test_a_text_only_model_gets_a_note_instead_of_a_picture() -> None:
    blind = replace(LOCAL, images=False)
    sent = rows(user_text("go"), answer(call("c1")), result("c1", PICTURE), model=blind)
    assert "takes no pictures" in sent[-1]["content"]


def test_ids_of_other_providers_are_cut_alike_on_both_sides() -> None:
    long_id = "call_" + "9" * 60 + "|fc_1"
    sent = rows(user_text("go"), answer(call(long_id)), result(long_id, TextBlock("x")))
    assert sent[1]["tool_calls"][0]["id"] == sent[2]["tool_call_id"]
    assert len(sent[2]["tool_call_id"]) <= 40
    assert "|" not in sent[2]["tool_call_id"]


def test_reasoning_goes_back_under_its_own_field_to_the_model_that_gave_it() -> None:
    own = answer(ThinkingBlock("Hm.", "reasoning_content"), TextBlock("hi"))
    assert rows(user_text("a"), own)[1]["reasoning_content"] == "Hm."
    for foreign in (
        dataclasses.replace(own, model="other"),
        dataclasses.replace(own, api="anthropic"),
        dataclasses.replace(own, provider="vllm"),
    ):
        assert set(rows(user_text("a"), foreign)[1]) == {"role", "content"}
    signed = answer(ThinkingBlock("Hm.", "EqQBCg=="), TextBlock("hi"))
    assert set(rows(user_text("a"), signed)[1]) == {"role", "content"}


def test_an_answer_of_reasoning_only_is_not_sent() -> None:
    assert len(rows(user_text("a"), answer(ThinkingBlock("Hm.", "reasoning")), user_text("b"))) == 2


def test_half_a_character_never_reaches_the_wire() -> None:
    sent = rows(user_text("go"), answer(call("c1")), result("c1", TextBlock("cut \ud83d")))
    assert sent[2]["content"] == "cut \ufffd"


@pytest.mark.parametrize(
    ("model", "present", "absent"),
    [
        (
            LOCAL,
            {"max_tokens"},
            {"max_completion_tokens", "prompt_cache_key", "reasoning_effort", "parallel_tool_calls"},
        ),
        (find_model("gate/m", GATE), {"max_tokens", "reasoning_effort"}, {"prompt_cache_key", "parallel_tool_calls"}),
        (
            MINI,
            {"max_completion_tokens", "prompt_cache_key", "reasoning_effort", "parallel_tool_calls"},
            {"max_tokens"},
        ),
    ],
)
def test_each_kind_of_server_gets_the_fields_it_knows(model: ModelInfo, present: set[str], absent: set[str]) -> None:
    sent = body(user_text("x"), model=model, session_id="s", tools=(READ,), thinking="low")
    assert present <= set(sent)
    assert not absent & set(sent)
    assert sent["stream_options"] == {"include_usage": True}


def test_a_server_without_tools_gets_none() -> None:
    assert "tools" not in body(user_text("x"), model=replace(LOCAL, tools=False), tools=(READ,))
    assert "tools" not in body(user_text("x"))


def test_a_server_on_this_machine_is_known_by_name_or_address() -> None:
    assert chat_dialect(find_model("ollama/q")).cuts_silently
    assert chat_dialect(replace(find_model("gate/m", GATE), base_url="http://localhost:9000/v1")).on_this_machine
    assert chat_dialect(find_model("gate/m", GATE)) == GATEWAY
    assert chat_dialect(MINI) == OPENAI
