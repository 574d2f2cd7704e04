"""Acts on one thing in the context by hand: clear, put back, look, open; and the price sheet before what costs."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from openclaw_tui.commands.help_command import all_commands
from openclaw_tui.commands.registry import CommandOutput
from openclaw_tui.constants import COMPACTED_PLACEHOLDER
from openclaw_tui.messages import Usage, text_of
from openclaw_tui.providers.scripted import Step
from tests.agent.harness import NO_FLUSH, SCRIPTED, Agent, agent

CACHED = replace(SCRIPTED, caches_prefix=True, cache_breakpoints=True)
WARM = Usage(input=100, cache_read=7_000, cache_write=3_000, output=50)
KEEP = "agents.defaults.compaction.keepRecentTokens=20000"


async def typed(it: Agent, line: str) -> CommandOutput:
    parsed = all_commands().parse(line)
    assert parsed is not None
    assert parsed.command is not None, parsed.problem
    return await parsed.command.run(it.app, parsed.argument)


def sent(it: Agent) -> list[str]:
    return [text_of(message.content) for message in it.provider.requests[-1].messages]


def big_file(project: Path, lines: int = 400) -> None:
    project.mkdir(exist_ok=True, parents=True)
    (project / "big.txt").write_text("number 12345 of many\n" * lines, encoding="utf-8")


READ = Step(calls=[("read", {"path": "big.txt"})])
WARM_READ = Step(calls=READ.calls, usage=WARM)


async def read_it(it: Agent) -> None:
    await it.turn("read the big file")


async def test_clearing_sends_the_placeholder_and_recall_puts_it_back_at_the_end(tmp_path: Path) -> None:
    project = tmp_path / "p"
    big_file(project)
    async with agent(project, [READ, "done"], forever="ok") as it:
        await read_it(it)
        before = it.session.deps.requests.context_size().tokens
        out = await typed(it, "/context clear t1 now")
        assert not out.is_error, out.text
        after = it.session.deps.requests.context_size()
        assert after.tokens < before - 1_000, "the figure follows at once"
        assert after.is_estimate
        await it.turn("and now?")
        assert any(text.startswith(COMPACTED_PLACEHOLDER) and "t1 read" in text for text in sent(it))
        assert "number 12345" in text_of(it.results[0].content), "the file keeps the whole"
        row = it.app.ledger.last("guard", "cleared")
        assert row is not None
        assert row.way_back == "/context recall t1"
        prefix = sent(it)
        out = await typed(it, "/context recall t1")
        assert "put back at the end" in out.text
        await it.turn("look again")
        assert sent(it)[: len(prefix)] == prefix, "the cached prefix stays"
        assert any("number 12345" in text for text in sent(it)[len(prefix) :])
    async with agent(project, forever="yes", continue_last=True) as again:
        await again.turn("still?")
        assert sent(again)[: len(prefix)] == prefix, "the decision is remembered"


async def test_what_cannot_be_cleared_is_told_in_one_line(tmp_path: Path) -> None:
    project = tmp_path / "p"
    big_file(project)
    async with agent(project, [READ, "done"], forever="ok") as it:
        await read_it(it)
        assert "is no tool result" in (await typed(it, "/context clear t9 now")).text
        await typed(it, "/context clear t1 now")
        assert "cleared already" in (await typed(it, "/context clear t1 now")).text
        assert (await typed(it, "/context clear")).is_error


async def test_an_early_result_has_a_price_and_may_wait_for_the_compaction(tmp_path: Path) -> None:
    project = tmp_path / "p"
    big_file(project)
    long = Step("word " * 3_000, usage=WARM)
    script = [WARM_READ, long, long]
    async with agent(project, script, forever=Step("ok", usage=WARM), model=CACHED, config=(NO_FLUSH, KEEP)) as it:
        await read_it(it)
        await it.turn("on")
        out = await typed(it, "/context clear t1")
        assert out.action == "price"
        assert out.sheet is not None
        assert out.sheet.default == "later"
        assert out.sheet.tokens > 1_000
        assert out.sheet.usd is not None
        assert "at the next compaction" in out.text
        assert not it.session.deps.requests.memory.guard_decisions, "nothing is done before the answer"
        assert "with the next compaction" in (await typed(it, "/context clear t1 later")).text
        it.provider.forever = "## Decisions\nNone."
        for number in range(6):
            await it.turn(f"turn {number} " + "word " * 3_000)
        await it.session.compact()
        assert it.session.deps.requests.memory.wanted == set()


async def test_a_warm_session_shows_the_price_of_another_model_and_a_cold_one_switches(tmp_path: Path) -> None:
    async with agent(tmp_path / "p", [Step("one", usage=WARM)], forever="ok", model=CACHED) as it:
        assert (await typed(it, "/model offline/guide")).action == ""
        it.session.deps.requests.use_model(CACHED)
        await it.turn("hello")
        out = await typed(it, "/model offline/guide")
        assert out.action == "price"
        assert out.payload == "/model offline/guide"
        assert "sent anew" in out.text
        assert it.session.model.ref == CACHED.ref
        assert "model is now" in (await typed(it, "/model offline/guide now")).text
        assert it.session.model.ref == "offline/guide"


async def test_the_list_and_the_tree_add_up_to_the_total(tmp_path: Path) -> None:
    project = tmp_path / "p"
    big_file(project)
    (project / "AGENTS.md").write_text("Keep it simple. " * 50, encoding="utf-8")
    async with agent(project, [READ, "done"], forever="ok") as it:
        await read_it(it)
        tree = json.loads((await typed(it, "/context tree json")).text)
        total = it.session.deps.requests.context_size().tokens
        assert sum(node["tokens"] for node in tree) == total
        for node in tree:
            below = node.get("children", [])
            assert not below or sum(child["tokens"] for child in below) == node["tokens"]
        names = [child["name"] for node in tree for child in node.get("children", [])]
        assert "t1 read big.txt" in names
        assert any(name.endswith("AGENTS.md") for name in names)
        table = (await typed(it, "/context items")).text.splitlines()
        assert "t1" in table[1]
        assert "number 12345" in (await typed(it, "/context look t1")).text
        assert (await typed(it, "/context open t1")).text == str(project / "big.txt")
        assert (await typed(it, "/context open t9")).is_error


async def test_events_are_exported_into_a_new_file(tmp_path: Path) -> None:
    project = tmp_path / "p"
    big_file(project)
    async with agent(project, [READ, "done"], forever="ok") as it:
        await read_it(it)
        await typed(it, "/context clear t1 now")
        assert "events written" in (await typed(it, "/events export out.jsonl")).text
        rows = [json.loads(line) for line in (project / "out.jsonl").read_text(encoding="utf-8").splitlines()]
        assert [row["layer"] for row in rows] == [row.layer for row in it.app.ledger.rows]
        assert (await typed(it, "/events export out.jsonl")).is_error, "nothing is overwritten"


@pytest.mark.parametrize("line", ["/reload now", "/reload later", "/engine retry"])
async def test_without_anything_warm_no_sheet_is_in_the_way(tmp_path: Path, line: str) -> None:
    async with agent(tmp_path / "p", forever="ok") as it:
        assert (await typed(it, line)).action != "price"
