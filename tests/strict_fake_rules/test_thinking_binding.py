"""The prefix check of the newest Anthropic models, its cure, and on-demand compaction."""

import copy
from typing import Any

import pytest

from tests.strict_fake import Call, Intent, Reply, StrictFake
from tests.strict_fake.models_today import BINDING_BETA
from tests.strict_fake_rules.client import (
    ANTHROPIC,
    BINDING,
    COMPACTING,
    TOOLS,
    Answered,
    Json,
    assistant,
    post,
    tool_result,
    user,
)

OPUS, HAIKU = "claude-opus-5-5", "claude-haiku-5-5"
MISMATCH = (
    "Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set"
)
DROP = {"thinking": {"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "drop_block"}}}


def body(turns: list[Json], model: str = OPUS, **more: Any) -> Json:
    return {"model": model, "max_tokens": 500, "system": "You are a bench.", "tools": TOOLS, "messages": turns, **more}


async def ask(fake: StrictFake, turns: list[Json], headers: dict[str, str] = ANTHROPIC, **more: Any) -> Answered:
    return await post(fake, "/v1/messages", body(turns, **more), headers)


def steps(n: int) -> list[Reply]:
    return [Reply(f"step {i}", calls=[Intent("exec", command=f"echo {i}")]) for i in range(n)]


def follow(turns: list[Json], answer: Answered) -> list[Json]:
    calls = [block for block in answer.body["content"] if block["type"] == "tool_use"]
    results = user([tool_result(call["id"]) for call in calls]) if calls else user("go on")
    return [*turns, assistant(answer.body["content"]), results]


async def talk(fake: StrictFake, n: int, **more: Any) -> list[Json]:
    turns = [user("go")]
    for _ in range(n):
        answer = await ask(fake, turns, **more)
        assert answer.status == 200, answer.text
        turns = follow(turns, answer)
    return turns


def bare(turn: Json) -> Json:
    if turn["role"] != "assistant":
        return turn
    return {**turn, "content": [block for block in turn["content"] if block["type"] != "thinking"]}


def thinking(answer: Answered) -> list[Json]:
    return [block for block in answer.body["content"] if block["type"] == "thinking"]


def edited(turns: list[Json], how: str) -> Json:
    request = body(copy.deepcopy(turns))
    said = request["messages"]
    if how == "cache marks":
        said[-1]["content"][-1]["cache_control"] = {"type": "ephemeral"}
        request["system"] = [{"type": "text", "text": request["system"], "cache_control": {"type": "ephemeral"}}]
        said[0]["content"] = [{"type": "text", "text": said[0]["content"]}]
    elif how == "key order":
        said[1]["content"] = [dict(reversed(list(block.items()))) for block in said[1]["content"]]
    elif how == "max_tokens":
        request["max_tokens"] = 499
    elif how == "all thinking gone":
        request["messages"] = [bare(turn) for turn in said]
    elif how == "result shortened":
        said[2]["content"][0]["content"] = "shortened"
    elif how == "system":
        request["system"] += " It is Tuesday."
    elif how == "tools":
        request["tools"] = TOOLS[:1]
    elif how == "reminder":
        said[0]["content"] += "\n<system-reminder>x</system-reminder>"
    elif how == "first thinking gone":
        said[1] = bare(said[1])
    elif how == "middle thinking gone":
        said[3] = bare(said[3])
    return request


@pytest.mark.parametrize("how", ["nothing", "cache marks", "key order", "max_tokens", "all thinking gone"])
async def test_what_is_no_content_may_change(how: str) -> None:
    async with StrictFake(steps(4)) as fake:
        turns = await talk(fake, 3)
        answer = await post(fake, "/v1/messages", edited(turns, how), ANTHROPIC)
    assert answer.status == 200, answer.text


@pytest.mark.parametrize(
    ("how", "at", "change"),
    [
        ("result shortened", 3, "messages.2.content.0"),
        ("system", 1, "system"),
        ("tools", 1, "tools"),
        ("reminder", 1, "messages.0.content.0"),
        ("first thinking gone", 3, ""),
        ("middle thinking gone", 5, ""),
    ],
)
async def test_a_changed_prefix_is_refused_unless_its_blocks_may_be_dropped(how: str, at: int, change: str) -> None:
    async with StrictFake(steps(6)) as fake:
        turns = await talk(fake, 3)
        request = edited(turns, how)
        refused = await post(fake, "/v1/messages", request, ANTHROPIC)
        assert refused.status == 400
        assert f"messages.{at}.content.0: {MISMATCH}" in refused.message
        assert BINDING_BETA in refused.message
        assert f"first change is at `{change}`" in refused.message or not change

        dropped = await post(fake, "/v1/messages", {**request, **DROP}, BINDING)
        assert dropped.status == 200
        report = dropped.body["input_transformations"]
        assert report[0]["reason"] == "prefix_binding_mismatch"
        assert {entry["path"] for entry in report} == {f"messages.{i}.content.0" for i in (1, 3, 5) if i >= at}
        assert fake.requests[-1].dropped == len(report)

        onward = {**request, "messages": follow(request["messages"], dropped)}
        assert (await post(fake, "/v1/messages", {**onward, **DROP}, BINDING)).status == 200
        assert (await post(fake, "/v1/messages", onward, BINDING)).status == 400


async def test_all_thinking_of_an_earlier_turn_may_go_but_not_one_of_several() -> None:
    script: list[Reply | str] = [Reply(calls=[Call("bash")]), "done", "more", "yes", "yes"]
    async with StrictFake(script) as fake:
        turns = await talk(fake, 3)
        whole = [bare(turn) for turn in turns[:4]] + turns[4:]
        assert (await ask(fake, whole)).status == 200
        assert (await ask(fake, [*turns[:3], bare(turns[3]), *turns[4:]])).status == 400


async def test_thinking_is_shown_only_where_the_request_asks_for_it() -> None:
    async with StrictFake(["a", "b", "c", "d"], repeat_identical=False) as fake:
        silent = await ask(fake, [user("x")])
        shown = await ask(fake, [user("x")], thinking={"type": "adaptive", "display": "summarized"})
        none = await ask(fake, [user("x")], model=HAIKU)
        some = await ask(fake, [user("x")], BINDING, model=HAIKU, thinking={"type": "adaptive"})
    assert [(block["thinking"], bool(block["signature"])) for block in thinking(silent)] == [("", True)]
    assert thinking(shown)[0]["thinking"] == "Considering what to do next."
    assert shown.body["usage"]["output_tokens_details"]["thinking_tokens"] > 0
    assert thinking(none) == []
    assert len(thinking(some)) == 1
    assert some.body["input_transformations"] == []
    assert "input_transformations" not in silent.body


async def test_a_changed_block_is_refused_and_a_foreign_one_dropped() -> None:
    async with StrictFake(steps(6)) as fake:
        turns = await talk(fake, 1, thinking={"type": "adaptive", "display": "summarized"})
        bad = copy.deepcopy(turns)
        bad[1]["content"][0]["thinking"] += "!"
        assert "Invalid `signature` in `thinking` block" in (await ask(fake, bad)).message
        other = await ask(fake, turns, BINDING, model=HAIKU)
        assert other.body["input_transformations"][0]["reason"] == "model_binding_mismatch"
        assert (await ask(fake, turns, model="claude-opus-4-6")).status == 200
        of_haiku = await talk(fake, 1, model=HAIKU, thinking={"type": "adaptive"})
        readable = await ask(fake, of_haiku, BINDING)
        assert readable.body["input_transformations"] == []
        of_haiku[0] = user("changed")
        assert (await ask(fake, of_haiku)).status == 400


async def test_the_servers_summary_keeps_later_thinking_valid_and_a_clients_own_does_not() -> None:
    summarize = {"compaction": {"type": "summarize"}}
    async with StrictFake(steps(9)) as fake:
        turns = await talk(fake, 4)
        head, tail = turns[:5], turns[5:]
        torn = await ask(fake, turns[:4], COMPACTING, **summarize)
        assert torn.body["error"]["details"]["error_code"] == "compaction_incomplete_turn"
        answer = await ask(fake, head, COMPACTING, **summarize)
        assert (answer.status, answer.body["stop_reason"]) == (200, "compaction")
        assert fake.requests[-1].kind == "summary"
        block = answer.body["content"][0]
        assert block["content"].startswith("BENCH-SUMMARY")

        summary = assistant([block])
        following = await ask(fake, [summary, *tail], COMPACTING)
        assert following.status == 200
        now = follow([summary, *tail], following)
        second = await ask(fake, now[:3], COMPACTING, **summarize)
        assert (await ask(fake, [assistant(second.body["content"]), *now[3:]], COMPACTING)).status == 200

        assert (await ask(fake, now)).status == 400
        assert MISMATCH in (await ask(fake, [user(block["content"]), *tail])).message
        assert MISMATCH in (await ask(fake, [summary, *tail], COMPACTING, system="other")).message

        async def code(*said: Json) -> str:
            return str((await ask(fake, list(said), COMPACTING)).body["error"]["details"]["error_code"])

        assert await code(assistant([{**block, "content": "edited"}]), *tail) == "compaction_content_mismatch"
        assert await code(assistant([{**block, "signature": "xx"}]), *tail) == "compaction_signature_invalid"
        assert await code(user("x"), summary, *tail) == "compaction_block_misplaced"
        assert await code(summary, summary, *tail) == "compaction_block_ambiguous"
        alone = await ask(fake, [summary], COMPACTING, **summarize)
        assert alone.body["error"]["details"]["error_code"] == "compaction_nothing_to_summarize"
