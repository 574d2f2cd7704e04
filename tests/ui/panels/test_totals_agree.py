"""The totals of every panel, `/context`, `/cache`, the tree, the toolbar and the provider's report are the same.

Against the strict server, through the public seams, from the first prompt over compaction, its undo and redo, an edited
summary, a result cleared by hand, another model and a resume.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from openclaw_tui.commands.help_command import all_commands
from openclaw_tui.messages import AssistantMessage
from openclaw_tui.models import ApiName
from openclaw_tui.providers.credentials import ApiKey, Credentials
from openclaw_tui.providers.registry import create_provider
from openclaw_tui.ui.context_line import ContextView, context_view, toolbar_text
from openclaw_tui.ui.textual.panels.budget import budget_lines
from openclaw_tui.ui.textual.panels.lines import plain
from openclaw_tui.ui.textual.panels.strip import strip_lines
from tests.agent.harness import APIS, Agent, agent_on, served
from tests.agent.test_compaction_on_apis import files, replies
from tests.strict_fake import StrictFake

ESTIMATE_MAY_BE_OFF = 0.35
"""Share by which an estimate right after a jump may differ from what the server then counts."""


async def typed(it: Agent, line: str) -> str:
    parsed = all_commands().parse(line)
    assert parsed is not None
    assert parsed.command is not None, parsed.problem
    return (await parsed.command.run(it.app, parsed.argument)).text


async def check(it: Agent) -> ContextView:
    """Every face of the figures says the same."""
    view, requests = context_view(it.app), it.session.deps.requests
    budget, total = view.budget, requests.context_size().tokens
    context: dict[str, Any] = json.loads(await typed(it, "/context json"))
    assert budget.total == total == context["total"]["tokens"]
    assert sum(part.tokens for part in budget.parts) == sum(part["tokens"] for part in context["parts"]) == total
    assert sum(part.tokens for part in budget.bar) == max(budget.window, budget.next_tokens)
    tree = json.loads(await typed(it, "/context tree json"))
    assert sum(node["tokens"] for node in tree) == total
    panel = "\n".join(plain(line) for line in budget_lines(budget, 44, zoomed=True))
    assert f"{budget.parts[-1].kind}" in panel
    assert f"{budget.percent}%" in toolbar_text(view)
    assert budget.total_text in plain(strip_lines(view, 100, 0.0)[0])
    assert f"{total:,} tokens" in await typed(it, "/context")
    cache: dict[str, Any] = json.loads(await typed(it, "/cache json"))
    rows = requests.cache.calls.rows
    assert [column.prompt for column in view.cache.columns] == [row.prompt_tokens for row in rows]
    assert len(cache["calls"]) == view.cache.calls == len(rows)
    assert cache["session"]["hit_share"] == pytest.approx(view.cache.session_share)
    assert cache["lost_tokens"] == view.cache.lost_tokens
    events = json.loads(await typed(it, "/events 10000 json"))
    assert len(events) == len(it.app.ledger.rows)
    assert view.as_data()["budget"]["total_tokens"] == total
    return view


def check_against_report(it: Agent, view: ContextView) -> None:
    """Right after an answer everything but nothing new is what the server counted."""
    last = it.answers[-1]
    assert isinstance(last, AssistantMessage)
    assert (view.budget.measured, view.budget.estimated) == (last.usage.context_tokens, 0)
    assert view.budget.last_call == last.usage.prompt_tokens


async def turn(it: Agent, text: str) -> None:
    """A turn, after which the figures are the server's; the one before was near to what the server then counted."""
    before = context_view(it.app).budget
    await it.turn(text)
    first = it.session.deps.requests.cache.calls.rows[-2:][0]
    if before.is_estimate and before.estimate_calls:
        assert before.total == pytest.approx(first.prompt_tokens, rel=ESTIMATE_MAY_BE_OFF)
    check_against_report(it, await check(it))


@pytest.mark.parametrize("api", ["anthropic", "openai-responses", "openai-chat", "google"])
async def test_every_total_is_one_figure_whatever_happens_to_the_talk(tmp_path: Path, api: ApiName) -> None:
    files(tmp_path, 20)
    other = replace(APIS[api], id=f"{APIS[api].id}-other")
    async with StrictFake(replies(30)) as fake:
        async with agent_on(fake, APIS[api], tmp_path) as it:
            await check(it)
            for number in range(4):
                await turn(it, f"Read number {number}.")
            assert (await typed(it, "/context clear t2 now")).startswith("t2 read cleared")
            assert (await check(it)).budget.measured == 0, "the report from before is of another request"
            await turn(it, "And now?")
            await typed(it, "/context recall t2")
            assert (await check(it)).budget.estimated > 0
            await turn(it, "And again?")
            whole = (await check(it)).budget.total
            assert (await it.session.compact()).startswith("Compacted")
            small = (await check(it)).budget.total
            assert small < whole
            await turn(it, "Go on.")
            await typed(it, "/compact undo keep")
            undone = (await check(it)).budget
            assert undone.total > small
            assert undone.measured == 0, "a report from below the summary is no measure of the whole"
            await turn(it, "Still there?")
            grown = (await check(it)).budget.total
            await typed(it, "/compact redo")
            assert (await check(it)).budget.total < grown
            await turn(it, "And after the redo?")
            await typed(it, "/compact edit ## Decisions\nNothing of it is left.")
            assert "Nothing of it is left." in str(it.messages[0].content)
            await check(it)
            await turn(it, "After the edit?")
            it.use(served(other, fake), lambda wanted: create_provider(wanted, Credentials(ApiKey("test-key"))))
            assert (await check(it)).budget.measured == 0
            await turn(it, "With the other one?")
            last = await check(it)
        async with agent_on(fake, other, tmp_path, continue_last=True) as again:
            resumed = await check(again)
            assert resumed.budget.total == last.budget.total
            assert resumed.cache.calls == last.cache.calls
            assert [row.verb for row in resumed.events.rows] == [row.verb for row in last.events.rows]
        assert [record.error for record in fake.refused] == []
