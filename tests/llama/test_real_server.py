"""The whole loop against a real llama.cpp server with a real, tiny model: what is cached, what breaks, what overflows.

Structure is asserted, never words: the model is too small to say anything to rely on, and it cannot call tools at all.
"""

from itertools import pairwise
from pathlib import Path

import pytest

from openclaw_tui.events import CompactionEnded
from tests.agent.harness import Agent
from tests.llama.server import LlamaServer
from tests.llama.talk import agent_at, odd_letters, prose, rows, say

pytestmark = [pytest.mark.llama, pytest.mark.timeout(900)]


def _rules(number: int) -> str:
    return f"# House rules, edition {number}\n\n{prose(number, 40)}\n"


async def test_cached_tokens_grow_from_request_to_request_and_a_resume_reads_them(
    server: LlamaServer, tmp_path: Path
) -> None:
    async with agent_at(server, tmp_path) as it:
        for number in range(3):
            assert (await say(it, prose(number, 3))).outcome == "done"
        before = rows(it)
        assert len(before) == 3
        assert all(row.reported and not row.verdict for row in before)
        assert all(after.cache_read >= row.prompt_tokens > row.cache_read for row, after in pairwise(before))

    async with agent_at(server, tmp_path, continue_last=True) as again:
        assert (await say(again, "And now?")).outcome == "done"
        *kept, first = rows(again)
        assert kept == before
        assert first.cache_read >= before[-1].prompt_tokens > 0
        assert (first.kept, first.stable) == (len(before) * 2 - 1, before[-1].stable)
        assert first.verdict == ""


async def test_what_the_server_tells_of_itself_holds(server: LlamaServer, tmp_path: Path) -> None:
    """The window of its slot, under whatever name the model is asked for, and that tools would not reach the model."""
    async with agent_at(server, tmp_path) as it:
        assert (await say(it, "Hello.")).outcome == "done"
        requests = it.session.deps.requests
        assert (requests.budget.window_tokens, requests.budget.source) == (server.context, "server")
        assert requests.last is not None
        assert requests.last.tools == ()
        assert [text for text in it.notices if "leaves tool definitions out" in text]
        assert not [text for text in it.notices if "cut" in text]
        assert rows(it)[0].prompt_tokens == pytest.approx(requests.fixed_tokens(), rel=0.35)


async def test_a_changed_prompt_is_a_break_with_its_cause(server: LlamaServer, tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text(_rules(1), encoding="utf-8")
    async with agent_at(server, tmp_path) as it:
        await say(it, "Hello.")
        await say(it, "And again.")
        (tmp_path / "AGENTS.md").write_text(_rules(2), encoding="utf-8")
        await say(it, "Once more.")
        assert not any(row.verdict for row in rows(it))
        assert [text for text in it.notices if "AGENTS.md changed" in text and "/reload" in text]

        assert it.session.deps.requests.reload_prompt() == ["AGENTS.md"]
        await say(it, "What now?")
        warm, broken = rows(it)[-2:]
        assert broken.verdict == "break"
        assert broken.cause.startswith("system prompt changed")
        assert "AGENTS.md" in broken.cause
        assert broken.lost_tokens == warm.cache_read - broken.cache_read > 1_000
        (act,) = [row for row in it.app.ledger.of_layer("cache") if row.verb == "break"]
        assert act.data["changes"] == ["systemPrompt"]
        assert (act.data["spot"]["before"], act.data["spot"]["after"]) == (
            "# House rules, edition 1",
            "# House rules, edition 2",
        )

        await say(it, "Good.")
        assert rows(it)[-1].cache_read >= broken.prompt_tokens
        assert rows(it)[-1].verdict == ""


async def test_a_prompt_that_the_server_refuses_leads_to_compaction_and_the_turn_ends(
    small_server: LlamaServer, tmp_path: Path
) -> None:
    async with agent_at(small_server, tmp_path) as it:
        for number in range(3):
            await say(it, prose(number, 8))
        assert not it.seen(CompactionEnded)

        assert (await say(it, odd_letters(400))).outcome == "done"
        refused = [act for act in it.app.ledger.of_layer("guard") if act.verb == "overflow"]
        assert len(refused) == 1
        assert (refused[0].tokens_before or 0) > small_server.context
        (compaction,) = it.seen(CompactionEnded)
        assert compaction.ok
        assert [act.data["trigger"] for act in it.app.ledger.of_layer("compaction") if act.verb == "done"] == [
            "overflow_provider"
        ]
        last = rows(it)[-1]
        assert last.compaction
        assert last.prompt_tokens < small_server.context
        assert it.prompts[0].origin == "compaction_summary"
        _answered_after_the_summary(it)

        assert (await say(it, "Thank you.")).outcome == "done"
        assert rows(it)[-1].cache_read >= last.prompt_tokens


def _answered_after_the_summary(it: Agent) -> None:
    last = it.answers[-1]
    assert last.stop_reason in ("stop", "length")
    assert last.usage.output > 0
