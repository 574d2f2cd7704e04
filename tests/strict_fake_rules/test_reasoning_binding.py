"""The prefix check of gpt-6.2: reasoning falls silently, is reported, and instructions are never cached."""

from typing import Any

from tests.strict_fake import Call, Reply, StrictFake
from tests.strict_fake_rules.client import OPENAI, RESPONSE_TOOLS, Answered, Json, function_output, post

NEW = "gpt-6.2-sol"


async def ask(fake: StrictFake, items: list[Json], model: str = NEW, **more: Any) -> Answered:
    body = {"model": model, "input": items, "tools": RESPONSE_TOOLS, "store": False, **more}
    answer = await post(fake, "/v1/responses", body, OPENAI)
    assert answer.status in (200, 400), answer.text
    return answer


async def talk(fake: StrictFake, n: int) -> list[Json]:
    items: list[Json] = [{"role": "developer", "content": "You are a bench."}, {"role": "user", "content": "go"}]
    for _ in range(n):
        output = (await ask(fake, items)).body["output"]
        assert output[0]["type"] == "reasoning"
        results = [function_output(item["call_id"]) for item in output if item["type"] == "function_call"]
        items = items + output + results
    return items


async def test_reasoning_falls_when_what_came_before_it_changes() -> None:
    async with StrictFake([Reply(calls=[Call("bash")])] * 3, exhausted="done") as fake:
        items = await talk(fake, 3)
        ids = [item["id"] for item in items if item.get("type") == "reasoning"]

        async def removed(said: list[Json], **more: Any) -> list[str]:
            report = (await ask(fake, said, **more)).body["input_transformations"]
            assert all(entry["reason"] == "prefix_mismatch" for entry in report)
            return [entry["id"] for entry in report]

        assert await removed(items) == []
        assert await removed([{key: item[key] for key in item if key != "status"} for item in items]) == []
        assert await removed(items, instructions="other", max_output_tokens=99) == []
        assert await removed([*items, {"role": "developer", "content": "note"}]) == []
        assert await removed(items, reasoning={"effort": "high"}) == ids
        assert await removed(items, tools=[]) == ids
        assert await removed(items, text={"format": {"type": "json_object"}}) == ids
        at = next(i for i, item in enumerate(items) if item.get("type") == "function_call_output")
        shortened = [*items[:at], {**items[at], "output": "shortened"}, *items[at + 1 :]]
        assert await removed(shortened) == ids[1:]
        assert fake.requests[-1].dropped == 2


async def test_invented_reasoning_is_refused() -> None:
    async with StrictFake([Reply(calls=[Call("bash")]), "x"]) as fake:
        items = await talk(fake, 1)
        junk = [
            {**item, "encrypted_content": "gAAAAAjunk"} if item.get("type") == "reasoning" else item for item in items
        ]
        answer = await ask(fake, junk)
    assert (answer.status, answer.body["error"]["code"]) == (400, "invalid_encrypted_content")


async def test_older_models_do_not_report_transformations() -> None:
    async with StrictFake(["ok"]) as fake:
        answer = await ask(fake, [{"role": "user", "content": "x"}], model="gpt-5.4")
    assert "input_transformations" not in answer.body
    assert "cache_write_tokens" not in answer.body["usage"]["input_tokens_details"]


async def test_instructions_are_cached_only_before_gpt_6_2() -> None:
    instructions = "word " * 3000
    for model, uncached in ((NEW, True), ("gpt-6.1-sol", False)):
        async with StrictFake(["a", "b", "c"], repeat_identical=False) as fake:
            items: list[Json] = [{"role": "user", "content": "go " * 3000}]
            first = await ask(fake, items, model, instructions=instructions)
            second = await ask(fake, [*items, {"role": "user", "content": "more"}], model, instructions=instructions)
            estimate = fake.server.estimate.text(instructions)
        for answer in (first, second):
            usage = answer.body["usage"]
            details = usage["input_tokens_details"]
            rest = usage["input_tokens"] - details["cached_tokens"] - details["cache_write_tokens"]
            assert rest == (estimate if uncached else 0)
        written = first.body["usage"]["input_tokens_details"]["cache_write_tokens"]
        assert second.body["usage"]["input_tokens_details"]["cached_tokens"] == written > 1024
