"""Who answers what: lists, callables and scenarios; summaries told apart; the fake as a process."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.strict_fake import Intent, Record, Reply, StrictFake, scenarios
from tests.strict_fake.log import summarise
from tests.strict_fake.process import strict_fake_process
from tests.strict_fake.scenario_repo import make_repo
from tests.strict_fake.tool_map import ToolMap
from tests.strict_fake_rules.client import (
    ANTHROPIC,
    TOOLS,
    Answered,
    Json,
    assistant,
    messages,
    post,
    text,
    tool_result,
    user,
)

PATH = "/v1/messages"
SUMMARY = "Please write a detailed summary of the conversation."
HEADINGS = "Create a structured summary with these headings:\n## Decisions\n## Open TODOs\n## Exact identifiers"


async def say(fake: StrictFake, words: str, **more: Any) -> Answered:
    return await post(fake, PATH, messages(user(words), **{"tools": TOOLS, "max_tokens": 9000, **more}), ANTHROPIC)


def said(answer: Answered) -> str:
    return "".join(block.get("text", "") for block in answer.body["content"])


async def test_a_list_gives_one_reply_a_request_and_refuses_when_it_ends() -> None:
    async with StrictFake(["a", lambda record: Reply(f"you said {record.last_user}")]) as fake:
        assert said(await say(fake, "1")) == "a"
        assert said(await say(fake, "2")) == "you said 2"
        ended = await say(fake, "3")
        fake.add("more")
        assert (ended.status, "no reply is left for main request 3" in ended.message) == (400, True)
        assert fake.requests[-1].what == "script"
    async with StrictFake(["a"], exhausted="repeat") as fake:
        assert [said(await say(fake, words)) for words in "12"] == ["a", "a"]


async def test_a_callable_answers_everything() -> None:
    async def answer(record: Record) -> Reply:
        return Reply(f"{record.main_n}: {record.last_user}")

    async with StrictFake(answer) as fake:
        assert [said(await say(fake, words)) for words in ("x", "y")] == ["1: x", "2: y"]


async def test_an_intent_becomes_whichever_tool_is_offered() -> None:
    shell = [{"name": "run_shell", "input_schema": {"type": "object", "properties": {}}}]
    async with StrictFake([Reply(calls=[Intent("exec", command="ls")])], repo="/nowhere") as fake:
        block = (await say(fake, "x")).body["content"][0]
    assert (block["name"], block["input"]) == ("bash", {"command": "ls"})
    assert not ToolMap([{"name": "run_shell", "schema": shell[0]["input_schema"]}], ".").usable


@pytest.mark.parametrize(
    ("mode", "found"),
    [("faithful", True), ("bland", False), ("my own words", False), (lambda record: f"n={record.n}", False)],
)
async def test_summaries_are_told_apart_and_carry_what_the_request_holds(mode: Any, found: bool) -> None:
    async with StrictFake(["turn"], summary=mode, needles=["NEEDLE-1", "NEEDLE-2"]) as fake:
        turns = [user("remember NEEDLE-1"), assistant("ok"), user(HEADINGS)]
        answer = await post(fake, PATH, messages(*turns, max_tokens=9000), ANTHROPIC)
        assert said(await say(fake, "go on")) == "turn"
    summary = said(answer)
    assert ("NEEDLE-1" in summary) is found
    assert "NEEDLE-2" not in summary
    if mode in ("faithful", "bland"):
        assert [line for line in summary.split("\n") if line.startswith("## ")] == HEADINGS.split("\n")[1:]
    assert [record.kind for record in fake.requests] == ["summary", "main"]
    assert fake.summaries[0].needles == ["n:0"]


async def test_summarisers_fail_in_every_way() -> None:
    async with StrictFake(summary="fail:529") as fake:
        assert (await say(fake, SUMMARY)).status == 529
    async with StrictFake(summary="empty") as fake:
        assert (await say(fake, SUMMARY)).body["content"] == []
    async with StrictFake(summary="toolcall") as fake:
        assert (await say(fake, SUMMARY)).body["stop_reason"] == "tool_use"
    async with StrictFake(["from the script"], summary="script") as fake:
        assert said(await say(fake, SUMMARY)) == "from the script"
        assert fake.requests[0].kind == "main"


async def test_a_scenario_tells_titles_summaries_and_turns_apart() -> None:
    async with StrictFake("s2") as fake:
        await say(fake, "Write a title for this chat: hello", tools=None)
        await say(fake, "<conversation>short</conversation>", tools=None, system="You are a summarization assistant.")
        await say(fake, "BENCH-TURN-1: go")
        await say(fake, SUMMARY)
        again = [await say(fake, "BENCH-TURN-1: go on") for _ in range(2)]
    assert [record.kind for record in fake.requests] == ["side", "summary", "main", "summary", "main", "main"]
    blocks = [[(block["type"], block.get("input")) for block in answer.body["content"]] for answer in again]
    assert blocks[0] == blocks[1]
    assert [record.figures["step"] for record in fake.main] == [0, 1, 1]


async def test_a_scenario_goes_on_with_the_next_turn_when_one_was_given_up() -> None:
    async with StrictFake("s2") as fake:
        await say(fake, "BENCH-TURN-1: go")
        await say(fake, "BENCH-TURN-3: go")
        scenario = fake.scenario
    assert scenario is not None
    assert scenario.steps[int(fake.main[1].figures["step"])].turn == 3


def test_scenarios_are_the_same_for_the_same_seed_and_fit_their_repository(tmp_path: Path) -> None:
    one, same, other = (scenarios.build("s2", seed) for seed in (7, 7, 8))
    assert one == same != other
    assert (len(one.prompts), sum(len(step.calls) for step in one.steps)) == (4, 60)
    assert sum(len(step.calls) for step in scenarios.build("s3").steps) == 400
    make_repo(tmp_path, 7, one.needles)
    tools = [{"name": "Bash", "schema": {"properties": {"command": {"type": "array"}}, "required": ["command"]}}]
    for step in one.steps:
        for wish in step.calls:
            assert ToolMap(tools, str(tmp_path)).call(wish)[1]["command"][:2] == ["bash", "-lc"]
    edit = next(wish for step in one.steps for wish in step.calls if wish["intent"] == "edit")
    assert edit["old"] in (tmp_path / edit["path"]).read_text(encoding="utf-8")
    planted = json.loads((tmp_path / "tools" / "planted.json").read_text(encoding="utf-8"))
    ident = next(key for key, values in planted.items() if "tail" in values)
    run = subprocess.run(
        [sys.executable, str(tmp_path / "tools" / "emit.py"), "9000", "1", ident],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, planted[ident]["tail"] in run.stdout) == (3, True)
    assert 9000 <= len(run.stdout) < 9500


@pytest.mark.parametrize(
    ("tool", "expected"),
    [
        (
            {"file_path": {}, "old_string": {}, "new_string": {}},
            {"file_path": "/r/a", "old_string": "o", "new_string": "n"},
        ),
        (
            {
                "path": {},
                "edits": {"type": "array", "items": {"properties": {"oldText": {}, "newText": {}}}},
            },
            {"path": "/r/a", "edits": [{"oldText": "o", "newText": "n"}]},
        ),
    ],
)
def test_an_edit_finds_the_words_of_any_schema(tool: Json, expected: Json) -> None:
    tools = ToolMap([{"name": "edit", "schema": {"properties": tool}}], "/r")
    assert tools.call({"intent": "edit", "path": "a", "old": "o", "new": "n"}) == ("edit", expected, "function")


async def test_pacing_and_delay_still_send_everything() -> None:
    async with StrictFake([Reply("word " * 40, tps=5000, delay=0.01)]) as fake:
        answer = await say(fake, "x", stream=True)
    assert answer.text.count("text_delta") == 10
    assert "message_stop" in answer.text


def test_the_fake_runs_as_a_process_and_its_log_can_be_summed_up(tmp_path: Path) -> None:
    import httpx2

    mark = {"cache_control": {"type": "ephemeral"}}
    spec = {
        "steps": [
            {"calls": [{"intent": "exec", "command": "ls"}, {"name": "bash", "args": {"command": "pwd"}}]},
            {"text": "done BENCH-DONE-1"},
        ]
    }
    scenario, log = tmp_path / "mine.json", tmp_path / "log.jsonl"
    scenario.write_text(json.dumps(spec), encoding="utf-8")
    with strict_fake_process(str(scenario), log, "--fault", "529@1", "--window", "50000") as fake:
        client = httpx2.Client(trust_env=False, verify=False, base_url=fake.url_anthropic, headers=ANTHROPIC)
        first = messages(user([text("w " * 9000, **mark)]), tools=TOOLS)
        assert client.post(PATH, json=first).status_code == 529
        calls = client.post(PATH, json=first).json()["content"]
        results = user([tool_result(calls[0]["id"]), tool_result(calls[1]["id"], **mark)])
        second = {**first, "messages": [*first["messages"], assistant(calls), results]}
        assert client.post(PATH, json=second).json()["content"][0]["text"] == "done BENCH-DONE-1"
        assert client.post(PATH, json={**second, "messages": []}).status_code == 400
        assert client.get("/bench/state").json()["refused"] == 1
        client.close()
        assert [line["what"] for line in fake.records()] == ["fault", "ok", "ok", "invalid", "ok"]
    totals = summarise(log)
    assert (totals["refused"], totals["faults"], totals["breaks"]) == (1, 1, 0)
    assert 0.45 < totals["cached_share"] < 0.5
    assert 0.99 < totals["cost_ratio"] < 1.01
