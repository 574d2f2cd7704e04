"""Local servers: where they say their window, how they overflow, what their tool calls look like."""

import json
from typing import Any

import pytest

from tests.strict_fake import Call, Reply, StrictFake
from tests.strict_fake_rules.client import CHAT_TOOLS, Answered, Json, assistant, get, post, user

CHAT = "/v1/chat/completions"


def body(*turns: Json, **more: Any) -> Json:
    return {"model": "qwen3-coder:30b", "messages": list(turns or (user("x"),)), **more}


def chunks(answer: Answered) -> list[Json]:
    return [json.loads(line[6:]) for line in answer.text.split("\n") if line.startswith("data: {")]


async def test_each_server_says_its_window_in_its_own_place() -> None:
    async with StrictFake(dialect="llamacpp", window=8192) as fake:
        props = (await get(fake, "/props")).body
        assert props["default_generation_settings"]["n_ctx"] == 8192
        assert props["chat_template_caps"]["supports_tools"] is True
        assert (await get(fake, "/v1/models")).body["data"][0]["meta"] == {"n_ctx_train": 32768}
    async with StrictFake(dialect="ollama", window=4096, trained_window=40_960) as fake:
        assert (await get(fake, "/")).text == "Ollama is running"
        assert (await get(fake, "/api/ps")).body["models"][0]["context_length"] == 4096
        shown = (await post(fake, "/api/show", {"model": "qwen3-coder:30b"}, {})).body
        assert shown["model_info"]["qwen3.context_length"] == 40_960
        assert "tools" in shown["capabilities"]
        assert (await post(fake, "/api/show", {"model": "none"}, {})).status == 404
    async with StrictFake(dialect="lmstudio", window=4096) as fake:
        row = (await get(fake, "/api/v0/models")).body["data"][0]
        assert (row["loaded_context_length"], row["max_context_length"]) == (4096, 16384)
    async with StrictFake(dialect="vllm", window=4096) as fake:
        assert (await get(fake, "/v1/models")).body["data"][0]["max_model_len"] == 4096
        assert (await get(fake, "/props")).status == 404
    assert fake.requests[-1].what == "unknown"


async def test_no_key_is_needed_and_no_provider_field_is_shown() -> None:
    async with StrictFake(["a"], dialect="lmstudio") as fake:
        answer = await post(fake, CHAT, body(), {})
    assert answer.status == 200
    assert set(answer.body["usage"]) == {"prompt_tokens", "completion_tokens", "total_tokens"}


@pytest.mark.parametrize("stream", [False, True])
async def test_llamacpp_overflows_with_its_own_error(stream: bool) -> None:
    async with StrictFake(dialect="llamacpp", window=1000) as fake:
        answer = await post(fake, CHAT, body(user("x" * 9000), stream=stream), {})
    error = answer.body["error"]
    assert answer.status == 400
    assert (error["type"], error["n_ctx"]) == ("exceed_context_size_error", 1000)
    assert f"request ({error['n_prompt_tokens']} tokens) exceeds the available context size" in error["message"]


async def test_ollama_cuts_the_prompt_silently() -> None:
    async with StrictFake(["a"], dialect="ollama", window=1000) as fake:
        answer = await post(fake, CHAT, body(user("x" * 9000)), {})
    assert (answer.status, answer.body["usage"]["prompt_tokens"]) == (200, 1000)


async def test_lm_studio_overflows_with_status_200() -> None:
    async with StrictFake(dialect="lmstudio", window=1000) as fake:
        whole = await post(fake, CHAT, body(user("x" * 9000)), {})
        streamed = await post(fake, CHAT, body(user("x" * 9000), stream=True), {})
    assert whole.status == streamed.status == 200
    assert "when context the overflows" in whole.message
    assert streamed.text.startswith("event: error\ndata: ")
    assert [record.what for record in fake.requests] == ["overflow", "overflow"]


async def test_vllm_reserves_the_output() -> None:
    async with StrictFake(["a"], dialect="vllm", window=1000) as fake:
        refused = await post(fake, CHAT, body(max_tokens=999), {})
        taken = await post(fake, CHAT, body(max_tokens=900), {})
    assert (refused.status, refused.body["code"]) == (400, 400)
    assert "However, you requested" in refused.body["message"]
    assert taken.status == 200


async def test_a_slot_keeps_its_prefix_and_says_so() -> None:
    asked = body(user("word " * 300), stream=True, stream_options={"include_usage": True})
    more = {**asked, "messages": [*asked["messages"], assistant("a"), user("more")]}
    async with StrictFake(["a", "b"], dialect="llamacpp") as fake:
        await post(fake, CHAT, asked, {})
        second = chunks(await post(fake, CHAT, more, {}))
    cached = fake.requests[0].tokens
    assert second[-1]["usage"]["prompt_tokens_details"]["cached_tokens"] == cached
    assert second[-2]["timings"]["cache_n"] == cached
    assert second[-2]["timings"]["prompt_n"] == fake.requests[1].tokens - cached


@pytest.mark.parametrize(
    ("dialect", "field"), [("ollama", "reasoning"), ("llamacpp", "reasoning_content"), ("vllm", "reasoning")]
)
async def test_thinking_has_a_field_of_its_own(dialect: str, field: str) -> None:
    async with StrictFake([Reply("a", "hm")] * 2, dialect=dialect) as fake:
        whole = await post(fake, CHAT, body(), {})
        streamed = chunks(await post(fake, CHAT, body(stream=True), {}))
    assert whole.body["choices"][0]["message"][field] == "hm"
    assert [chunk["choices"][0]["delta"][field] for chunk in streamed if field in chunk["choices"][0]["delta"]] == [
        "hm"
    ]


async def calls_of(*quirks: str) -> tuple[list[Json], str]:
    """All call fragments of a streamed answer with two calls, and the finish reason."""
    reply = Reply(calls=[Call("bash", {"command": "ls"}), Call("bash", {"command": "pwd"})])
    async with StrictFake([reply], dialect="ollama", quirks=quirks) as fake:
        said = chunks(await post(fake, CHAT, body(stream=True, tools=CHAT_TOOLS), {}))
    found = [call for chunk in said for call in chunk["choices"][0]["delta"].get("tool_calls", [])]
    return found, said[-1]["choices"][0]["finish_reason"]


async def test_tool_calls_have_the_quirks_that_were_asked_for() -> None:
    plain, stop = await calls_of()
    assert ([call["index"] for call in plain], stop) == ([0, 0, 1, 1], "tool_calls")
    without_id, _ = await calls_of("no_id")
    assert not any("id" in call for call in without_id)
    same_index, _ = await calls_of("index_zero")
    assert {call["index"] for call in same_index} == {0}
    in_one, _ = await calls_of("one_chunk")
    assert [call["function"]["arguments"] for call in in_one] == ['{"command":"ls"}', '{"command":"pwd"}']
    objects, stop = await calls_of("args_object", "stop_with_calls")
    assert [call["function"]["arguments"] for call in objects] == [{"command": "ls"}, {"command": "pwd"}]
    assert stop == "stop"


async def test_a_template_may_want_alternating_turns() -> None:
    system = {"role": "system", "content": "s"}
    async with StrictFake(["a", "b"], dialect="llamacpp", alternate=True) as fake:
        assert (await post(fake, CHAT, body(system, user("x"), assistant("y"), user("z")), {})).status == 200
        twice = await post(fake, CHAT, body(user("x"), user("y")), {})
        late = await post(fake, CHAT, body(user("x"), system), {})
    assert (twice.status, "must alternate" in twice.message) == (500, True)
    assert (late.status, late.message) == (500, "System message must be at the beginning.")


def test_unknown_words_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match="dialect 'none': use one of"):
        StrictFake(dialect="none")
    with pytest.raises(ValueError, match=r"unknown quirks \['odd'\]"):
        StrictFake(quirks=["odd"])
