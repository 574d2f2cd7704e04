"""Each rule of the Messages API: a body that breaks it is refused in the API's words, the corrected one is taken."""

from typing import Any

import pytest

from tests.strict_fake import StrictFake
from tests.strict_fake.seals import plain_signature
from tests.strict_fake_rules.client import (
    ANTHROPIC,
    BINDING,
    COMPACTING,
    OLD_ANTHROPIC,
    TOOLS,
    Json,
    assistant,
    messages,
    post,
    text,
    tool_result,
    tool_use,
    user,
)

OPUS, SONNET, HAIKU = "claude-opus-5-5", "claude-sonnet-5-5-20261001", "claude-haiku-5-5"
MARK = {"cache_control": {"type": "ephemeral"}}
HOUR = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
THOUGHT = {"type": "thinking", "thinking": "t", "signature": plain_signature("t")}
LOOP = (user("x"), assistant([tool_use("a")]), user([tool_result("a")]))
CHOICE = {"tools": TOOLS, "tool_choice": {"type": "any"}}
PAIR = "`tool_use` ids were found without `tool_result` blocks immediately after"


def tooled(*turns: Json, **more: Any) -> Json:
    return messages(*turns, tools=TOOLS, **more)


def schema(**input_schema: Any) -> Json:
    return messages(user("x"), tools=[{"name": "t", "input_schema": input_schema}])


REFUSED: dict[str, tuple[Json, str, Json]] = {
    "no messages": (messages(), "at least one message is required", messages(user("x"))),
    "first is assistant": (messages(assistant("x")), 'first message must use the "user" role', messages(user("x"))),
    "unknown role": (messages({"role": "tool", "content": "x"}), "Input should be 'user' or", messages(user("x"))),
    "system role": (messages({"role": "system", "content": "x"}), "Unexpected role", messages(user("x"), system="x")),
    "empty content": (messages(user("")), "messages.0: all messages must have non-empty content", messages(user("x"))),
    "empty text": (messages(user([text("")])), "text content blocks must be non-empty", messages(user([text("x")]))),
    "blank text": (messages(user([text(" \n")])), "must contain non-whitespace text", messages(user([text("x")]))),
    "empty system": (messages(user("x"), system=[text("")]), "system: text content", messages(user("x"), system="y")),
    "unknown block": (messages(user([{"type": "x"}])), "Input tag 'x' found using 'type'", messages(user([text("x")]))),
    "call left open": (tooled(*LOOP[:2]), f"messages.1: {PAIR}: a", tooled(*LOOP)),
    "call without result": (tooled(*LOOP[:2], user("no")), f"messages.1: {PAIR}: a", tooled(*LOOP)),
    "one of two answered": (
        tooled(user("x"), assistant([tool_use("a"), tool_use("b")]), user([tool_result("a")])),
        f"{PAIR}: b",
        tooled(user("x"), assistant([tool_use("a"), tool_use("b")]), user([tool_result("a"), tool_result("b")])),
    ),
    "orphan result": (
        tooled(user("x"), assistant("y"), user([tool_result("zz")])),
        "messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: zz",
        tooled(*LOOP),
    ),
    "two results": (
        tooled(*LOOP[:2], user([tool_result("a"), tool_result("a")])),
        "each tool_use must have a single result",
        tooled(*LOOP),
    ),
    "text before result": (
        tooled(*LOOP[:2], user([text("first"), tool_result("a")])),
        f"messages.1: {PAIR}: a",
        tooled(*LOOP[:2], user([tool_result("a"), text("then")])),
    ),
    "id twice": (
        tooled(*LOOP, assistant([tool_use("a")]), user([tool_result("a")])),
        "messages.3.content.0: `tool_use` ids must be unique",
        tooled(*LOOP, assistant([tool_use("b")]), user([tool_result("b")])),
    ),
    "foreign id": (
        tooled(user("x"), assistant([tool_use("f.bash:0")]), user([tool_result("f.bash:0")])),
        "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
        tooled(user("x"), assistant([tool_use("f-bash-0")]), user([tool_result("f-bash-0")])),
    ),
    "foreign name": (
        tooled(user("x"), assistant([tool_use("a", name="ba sh")]), user([tool_result("a")])),
        "tool_use.name: String should match pattern",
        tooled(*LOOP),
    ),
    "input no object": (
        tooled(user("x"), assistant([tool_use("a", input="{}")]), user([tool_result("a")])),
        "tool_use.input: Input should be a valid dictionary",
        tooled(*LOOP),
    ),
    "call by user": (tooled(user([tool_use("a")])), "can only be in `assistant` messages", tooled(*LOOP)),
    "no tools defined": (messages(*LOOP), "must define tools", tooled(*LOOP)),
    "empty text in result": (
        tooled(*LOOP[:2], user([tool_result("a", content=[text("")])])),
        "text content blocks must be non-empty",
        tooled(*LOOP[:2], user([tool_result("a", content=[])])),
    ),
    "tool twice": (messages(user("x"), tools=[TOOLS[0]] * 2), "Tool names must be unique", tooled(user("x"))),
    "long tool name": (
        messages(user("x"), tools=[{**TOOLS[0], "name": "n" * 129}]),
        "tools.0.custom.name: String should match",
        messages(user("x"), tools=[{**TOOLS[0], "name": "n" * 128}]),
    ),
    "schema no object": (schema(type="string"), "type: Input should be 'object'", schema(type="object")),
    "schema alternatives": (schema(type="object", anyOf=[]), "does not support oneOf", schema(type="object")),
    "choice without tools": (
        messages(user("x"), tool_choice={"type": "auto"}),
        "only be specified while providing tools",
        tooled(user("x"), tool_choice={"type": "auto"}),
    ),
    "choice of nothing": (
        tooled(user("x"), tool_choice={"type": "tool", "name": "nope"}),
        "not found in provided tools",
        tooled(user("x"), tool_choice={"type": "tool", "name": "bash"}),
    ),
    "trailing space": (
        messages(user("x"), assistant("y ")),
        "trailing whitespace",
        messages(user("x"), assistant("y")),
    ),
    "five marks": (messages(user([text("x", **MARK)] * 5)), "Found 5", messages(user([text("x", **MARK)] * 4))),
    "automatic is a fifth": (
        messages(user([*[text("x", **MARK)] * 4, text("y")]), **MARK),
        "Found 5",
        messages(user([*[text("x", **MARK)] * 3, text("y")]), **MARK),
    ),
    "automatic with another life": (
        messages(user([text("x", **HOUR)]), **MARK),
        "another ttl",
        messages(user([text("x", **MARK)]), **MARK),
    ),
    "short before long": (
        messages(user([text("x", **MARK), text("y", **HOUR)])),
        "must not come after a ttl='5m'",
        messages(user([text("x", **HOUR), text("y", **MARK)])),
    ),
    "unknown life": (
        messages(user([text("x", cache_control={"type": "ephemeral", "ttl": "2h"})])),
        "ttl: Input should be '5m' or '1h'",
        messages(user([text("x", **HOUR)])),
    ),
    "mark on thinking": (
        messages(user("x"), assistant([{**THOUGHT, **MARK}, text("y")]), user("z")),
        "thinking.cache_control: Extra inputs are not permitted",
        messages(user("x"), assistant([THOUGHT, text("y", **MARK)]), user("z")),
    ),
    "mark on empty text": (
        messages(user([text("", **MARK)])),
        "cache_control cannot be set for empty text blocks",
        messages(user([text("x", **MARK)])),
    ),
    "unsigned thinking": (
        messages(user("x"), assistant([{"type": "thinking", "thinking": "t"}, text("y")]), user("z")),
        "signature: Field required",
        messages(user("x"), assistant([THOUGHT, text("y")]), user("z")),
    ),
    "changed thinking": (
        messages(user("x"), assistant([{**THOUGHT, "thinking": "T"}, text("y")]), user("z")),
        "Invalid `signature` in `thinking` block",
        messages(user("x"), assistant([THOUGHT, text("y")]), user("z")),
    ),
    "thinking not first": (
        messages(user("x"), assistant([text("y"), THOUGHT, text("y")]), user("z")),
        "the first block must be `thinking`",
        messages(user("x"), assistant([THOUGHT, text("y")]), user("z")),
    ),
    "thinking last": (
        messages(user("x"), assistant([THOUGHT]), user("z")),
        "The final block in an assistant message cannot be `thinking`",
        messages(user("x"), assistant([THOUGHT, text("y")]), user("z")),
    ),
    "thinking by user": (messages(user([THOUGHT])), "can only be in `assistant` messages", messages(user("x"))),
    "budget over limit": (
        messages(user("x"), thinking={"type": "enabled", "budget_tokens": 2000}),
        "must be greater than `thinking.budget_tokens`",
        messages(user("x"), max_tokens=3000, thinking={"type": "enabled", "budget_tokens": 2000}),
    ),
    "budget too small": (
        messages(user("x"), max_tokens=3000, thinking={"type": "enabled", "budget_tokens": 1000}),
        "greater than or equal to 1024",
        messages(user("x"), max_tokens=3000, thinking={"type": "enabled", "budget_tokens": 1024}),
    ),
    "thinking and temperature": (
        messages(user("x"), max_tokens=3000, temperature=0, thinking={"type": "enabled", "budget_tokens": 1024}),
        "`temperature` may only be set to 1",
        messages(user("x"), max_tokens=3000, temperature=1, thinking={"type": "enabled", "budget_tokens": 1024}),
    ),
    "thinking and forced tool": (
        messages(user("x"), max_tokens=3000, thinking={"type": "enabled", "budget_tokens": 1024}, **CHOICE),
        "Thinking may not be enabled when tool_choice forces tool use",
        messages(user("x"), **CHOICE),
    ),
    "no limit": ({"model": "m", "messages": [user("x")]}, "max_tokens: Field required", messages(user("x"))),
    "limit too high": (
        messages(user("x"), max_tokens=10**6),
        "maximum allowed number of output tokens",
        messages(user("x")),
    ),
}


@pytest.mark.parametrize("rule", REFUSED)
async def test_a_bad_body_is_refused_and_the_corrected_one_taken(rule: str) -> None:
    bad, words, good = REFUSED[rule]
    async with StrictFake(["ok"]) as fake:
        refused = await post(fake, "/v1/messages", bad, OLD_ANTHROPIC)
        taken = await post(fake, "/v1/messages", good, OLD_ANTHROPIC)
    assert refused.status == 400
    assert refused.body["error"]["type"] == "invalid_request_error"
    assert words in refused.message
    assert taken.status == 200, taken.message
    assert [record.what for record in fake.requests] == ["invalid", "ok"]
    assert fake.refused == [fake.requests[0]]


MODEL_RULES: dict[str, tuple[Json, dict[str, str], str | None]] = {
    "opus always thinks": ({"model": OPUS, "thinking": {"type": "disabled"}}, ANTHROPIC, "thinking.type.disabled"),
    "fable 5 always thinks": ({"model": "claude-fable-5", "thinking": {"type": "disabled"}}, ANTHROPIC, "disabled"),
    "sonnet may not": ({"model": SONNET, "thinking": {"type": "disabled"}}, ANTHROPIC, None),
    "no budgets": (
        {"model": OPUS, "thinking": {"type": "enabled", "budget_tokens": 2000}},
        ANTHROPIC,
        "thinking.type.enabled",
    ),
    "no budgets on 4.7": (
        {"model": "claude-opus-4-7", "max_tokens": 3000, "thinking": {"type": "enabled", "budget_tokens": 2000}},
        OLD_ANTHROPIC,
        "thinking.type.enabled",
    ),
    "budgets on 4.6": (
        {"model": "claude-opus-4-6", "max_tokens": 3000, "thinking": {"type": "enabled", "budget_tokens": 2000}},
        OLD_ANTHROPIC,
        None,
    ),
    "between tools": ({"model": SONNET, "thinking": {"type": "between_tools"}}, ANTHROPIC, None),
    "not on opus": ({"model": OPUS, "thinking": {"type": "between_tools"}}, ANTHROPIC, "between_tools"),
    "forced choice": ({"model": OPUS, **CHOICE}, ANTHROPIC, "forces tool use"),
    "forced tool": (
        {"model": HAIKU, "tools": TOOLS, "tool_choice": {"type": "tool", "name": "bash"}},
        ANTHROPIC,
        "forces tool use",
    ),
    "choice left open": ({"model": OPUS, "tools": TOOLS, "tool_choice": {"type": "auto"}}, ANTHROPIC, None),
    "forced on an old model": ({**CHOICE}, ANTHROPIC, None),
    "temperature": ({"temperature": 1}, ANTHROPIC, "temperature: Extra inputs are not permitted"),
    "top_p": ({"model": OPUS, "top_p": 1}, ANTHROPIC, "top_p: Extra inputs"),
    "temperature of old": ({"temperature": 1}, OLD_ANTHROPIC, None),
    "document by assistant": (
        {"messages": [user("x"), assistant([{"type": "document"}]), user("y")]},
        ANTHROPIC,
        "`document` blocks are not permitted",
    ),
    "binding without beta": (
        {"model": OPUS, "thinking": {"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "drop_block"}}},
        ANTHROPIC,
        "block_binding: Extra inputs",
    ),
    "binding with beta": (
        {"model": OPUS, "thinking": {"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "drop_block"}}},
        BINDING,
        None,
    ),
    "long output": ({"model": OPUS, "max_tokens": 128_000}, ANTHROPIC, None),
    "too long output": ({"model": OPUS, "max_tokens": 128_001}, ANTHROPIC, "maximum allowed number"),
    "prefill": ({"model": OPUS, "messages": [user("x"), assistant("y")]}, ANTHROPIC, "assistant message prefill"),
    "prefill on 4.6": (
        {"model": "claude-sonnet-4-6", "messages": [user("x"), assistant("y")]},
        OLD_ANTHROPIC,
        "prefill",
    ),
    "prefill on 4.5": ({"model": "claude-sonnet-4-5", "messages": [user("x"), assistant("y")]}, OLD_ANTHROPIC, None),
    "system message": ({"model": OPUS, "messages": [user("x"), {"role": "system", "content": "n"}]}, ANTHROPIC, None),
    "system before user": (
        {"model": OPUS, "messages": [user("x"), {"role": "system", "content": "n"}, user("y")]},
        ANTHROPIC,
        "must follow a `user` message",
    ),
    "no system on haiku": (
        {"model": HAIKU, "messages": [user("x"), {"role": "system", "content": "n"}]},
        ANTHROPIC,
        "role 'system' is not supported on this model",
    ),
    "compaction without beta": (
        {"model": OPUS, "compaction": {"type": "summarize"}},
        ANTHROPIC,
        "compaction: Extra inputs",
    ),
    "compaction of old": (
        {"model": "claude-haiku-4-5", "compaction": {"type": "summarize"}},
        COMPACTING,
        "not supported",
    ),
    "compaction kind": ({"model": OPUS, "compaction": {"type": "x"}}, COMPACTING, "Input should be 'summarize'"),
    "compaction and editing": (
        {"model": OPUS, "compaction": {"type": "summarize"}, "context_management": {}},
        COMPACTING,
        "cannot be combined",
    ),
}


@pytest.mark.parametrize("rule", MODEL_RULES)
async def test_models_and_versions_have_rules_of_their_own(rule: str) -> None:
    fields, headers, words = MODEL_RULES[rule]
    async with StrictFake(["ok"]) as fake:
        answer = await post(fake, "/v1/messages", {**messages(user("x")), **fields}, headers)
    assert answer.status == (200 if words is None else 400), answer.text
    if words is not None:
        assert words in answer.message


async def test_headers_are_needed() -> None:
    async with StrictFake(["ok"]) as fake:
        no_key = await post(fake, "/v1/messages", messages(user("x")), {"anthropic-version": "2026-10-21"})
        no_version = await post(fake, "/v1/messages", messages(user("x")), {"x-api-key": "k"})
    assert (no_key.status, no_key.body["error"]["type"]) == (401, "authentication_error")
    assert (no_version.status, no_version.message) == (400, "anthropic-version: header is required")


async def test_old_models_want_the_thinking_that_they_wrote_before_the_calls_now_answered() -> None:
    from tests.strict_fake import Call, Reply

    thinking = {"type": "enabled", "budget_tokens": 1024}
    body = tooled(user("x"), max_tokens=3000, thinking=thinking)
    async with StrictFake([Reply(thinking="hm", calls=[Call("bash")]), "ok"]) as fake:
        first = (await post(fake, "/v1/messages", body, OLD_ANTHROPIC)).body["content"]
        assert [block["type"] for block in first] == ["thinking", "tool_use"]
        results = user([tool_result(first[1]["id"])])
        torn = await post(
            fake, "/v1/messages", {**body, "messages": [user("x"), assistant(first[1:]), results]}, OLD_ANTHROPIC
        )
        kept = await post(
            fake, "/v1/messages", {**body, "messages": [user("x"), assistant(first), results]}, OLD_ANTHROPIC
        )
    assert "Expected `thinking` or `redacted_thinking`, but found `tool_use`" in torn.message
    assert kept.status == 200
