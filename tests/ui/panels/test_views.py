"""The views of real sessions: their totals are those of `/context`, the ledger and the provider's report."""

from pathlib import Path
from typing import get_args

import pytest

from openclaw_tui.agent.breakdown import Part, brought_to, context_breakdown
from openclaw_tui.events import ContextLayer
from openclaw_tui.ledger.ledger import LedgerRow
from openclaw_tui.messages import Usage
from openclaw_tui.models import ModelInfo, Price
from openclaw_tui.providers.scripted import Step
from openclaw_tui.ui.cache_view import cache_view
from openclaw_tui.ui.context_line import context_view, toolbar_text
from openclaw_tui.ui.context_view import budget_view
from openclaw_tui.ui.events_view import BADGES, events_view, view_of_rows
from tests.agent.harness import SCRIPTED, Agent, agent
from tests.ui.panels.views import FULL, NOTHING_YET, NOW, ROWS, UNTOLD, VIEW

LONG = "The cause is in the walk of the branch, which stops too early. " * 60


def check_agreement(it: Agent) -> None:
    """Panel, `/context`, its parts and the meter of the status line are one figure."""
    requests = it.session.deps.requests
    view, breakdown = context_view(it.app), context_breakdown(requests, it.app.prompt_source.files)
    budget = view.budget
    assert budget.total == breakdown.total_tokens == requests.context_size().tokens
    assert sum(part.tokens for part in breakdown.parts) == breakdown.total_tokens
    assert sum(part.tokens for part in budget.parts) == budget.total
    assert budget.is_estimate == breakdown.total_is_estimate
    assert (budget.window, budget.usable) == (requests.budget.window_tokens, requests.budget.usable_tokens)
    assert sum(part.tokens for part in budget.bar) == max(budget.window, budget.next_tokens)
    assert f"{budget.percent} %" in breakdown.as_text()
    assert f"{budget.percent}%" in toolbar_text(view)
    rows = requests.cache.calls.rows
    assert view.cache.calls == len(rows)
    assert [column.prompt for column in view.cache.columns] == [row.prompt_tokens for row in rows]
    assert budget.last_call == (rows[-1].prompt_tokens if rows else None)
    assert len(view.events.rows) <= len(it.app.ledger.rows)
    if view.spent_usd is not None:
        assert view.spent_usd == it.session.deps.spent_usd


async def test_totals_agree_from_the_first_prompt_over_compaction_undo_and_another_model(tmp_path: Path) -> None:
    project = tmp_path / "p"
    read = Step(calls=[("read", {"path": "notes.txt"})])
    async with agent(project, [read, LONG, LONG, LONG], forever="A summary: notes were read.\n" * 5) as it:
        (project / "notes.txt").write_text("a line of notes\n" * 300, encoding="utf-8")
        check_agreement(it)
        for text in ("read the notes", "go on", "and on", "and further"):
            await it.turn(text)
            check_agreement(it)
        before = budget_view(it.app)
        assert cache_view(it.app).state == "untimed"
        assert (await it.session.compact()).startswith("Compacted")
        check_agreement(it)
        after = budget_view(it.app)
        assert after.total < before.total
        assert after.turns_left is not None
        assert cache_view(it.app).state == "rewritten"
        it.use(ModelInfo("other", "model", "scripted", context_window=64_000, max_output=4_000), lambda _: it.provider)
        check_agreement(it)
        assert cache_view(it.app).state == "other model"
        await it.turn("once more")
        check_agreement(it)
    async with agent(project, forever="yes", continue_last=True) as again:
        check_agreement(again)
        assert cache_view(again.app).calls == cache_view(it.app).calls
        assert events_view(again.app).rows == events_view(it.app).rows


async def test_what_the_server_reports_is_measured_and_what_came_since_is_estimated(tmp_path: Path) -> None:
    usage = Usage(input=100, cache_read=7_000, cache_write=900, output=50)
    async with agent(tmp_path / "p", [Step("fine", usage=usage)], forever="more") as it:
        assert budget_view(it.app).measured == 0
        assert budget_view(it.app).total_text.startswith("~")
        await it.turn("hello")
        budget = budget_view(it.app)
        assert (budget.measured, budget.estimated, budget.last_call) == (8_050, 0, 8_000)
        assert budget.total_text == "8.1k"
        typed = budget_view(it.app, "words that are being typed " * 40)
        assert typed.draft > 100
        assert typed.total == budget.total
        assert typed.total_text.startswith("~")
        assert budget_view(it.app, "  \n ").draft == 0


async def test_the_heaviest_things_are_named_with_their_age_and_price(tmp_path: Path) -> None:
    project = tmp_path / "p"
    project.mkdir()
    (project / "AGENTS.md").write_text("Keep it simple. " * 100, encoding="utf-8")
    (project / "big.txt").write_text("number 12345 of many\n" * 400, encoding="utf-8")
    async with agent(project, [Step(calls=[("read", {"path": "big.txt"})]), "read it", "next"], forever="x") as it:
        await it.turn("read the big file")
        await it.turn("and now?")
        items = budget_view(it.app).items
    first = items[0]
    assert first.name == "t1 read big.txt"
    assert (first.age, first.age_text) == (1, "1 turn")
    assert first.usd_per_call == pytest.approx(first.tokens * 1 / 1_000_000)
    guide = next(item for item in items if item.name.endswith("AGENTS.md"))
    assert guide.age_text == "always"
    assert [item.tokens for item in items] == sorted((item.tokens for item in items), reverse=True)


async def test_turns_left_follow_the_median_growth(tmp_path: Path) -> None:
    async with agent(tmp_path / "p", [LONG, LONG, LONG]) as it:
        assert budget_view(it.app).turns_left is None
        assert budget_view(it.app).turns_text == "? turns to compaction"
        for number in range(3):
            await it.turn(f"turn {number}")
        budget = budget_view(it.app)
    assert budget.growth is not None
    assert budget.growth > 500
    assert budget.turns_left == (budget.trigger - budget.next_tokens) // budget.growth
    assert budget.turns_text == f"about {budget.turns_left} turns to compaction"


def test_a_full_context_says_so_in_words() -> None:
    assert FULL.budget.turns_text == "compaction before the next call"
    assert FULL.budget.turns_left == 0
    assert VIEW.budget.turns_text == "about 6 turns to compaction"


def test_parts_are_brought_to_the_total_without_losing_a_token() -> None:
    parts = [Part("a", 1, 10, True), Part("b", 1, 20, False), Part("c", 1, 3, False)]
    assert sum(part.tokens for part in brought_to(parts, 101)) == 101
    assert [part.tokens for part in brought_to([Part("a", 0, 0, True)], 5)] == [0]


def test_shares_that_nobody_reported_are_not_zero() -> None:
    assert UNTOLD.cache.last_share is None
    assert "cache not reported" in toolbar_text(UNTOLD, now=NOW)
    assert "0%" not in UNTOLD.cache.state_text(NOW)


def test_the_clock_runs_out_and_names_the_price() -> None:
    cache = VIEW.cache
    assert cache.state_text(NOW) == "warm 4:12"
    assert cache.state_text(NOW + 300) == "cold: next call writes 84.1k, $0.31 more"
    assert (cache.clock_text(NOW), cache.clock_text(NOW + 300)) == ("4:12", "cold")
    assert not cache.is_warm(NOW + 252)


def test_the_toolbar_says_it_all_in_one_line_and_gives_way_from_the_right() -> None:
    line = toolbar_text(VIEW, now=NOW)
    assert line.startswith("ctx ▓")
    assert "47%~ →6 turns │ cache 97% 4:12 │ $0.31 │ L1 ×1 L2 ×1 L3 ×1" in line
    assert toolbar_text(VIEW, width=40, now=NOW) == "ctx 47%~ →6 turns │ cache 97% 4:12"
    assert all(len(toolbar_text(VIEW, width=width, now=NOW)) <= width for width in range(1, 120))
    assert toolbar_text(NOTHING_YET, now=NOW).endswith("→? turns")


def test_every_layer_has_a_badge() -> None:
    assert set(BADGES) == set(get_args(ContextLayer))


def test_announcements_go_when_their_end_is_told_and_do_not_count() -> None:
    view = view_of_rows(ROWS)
    assert [row.verb for row in view.rows] == [
        *("made", "trimmed", "broke", "compacted", "file cut", "switched", "written")
    ]
    assert view.counts == {"R": 1, "L2": 1, "L1": 1, "L3": 1, "L4": 1, "L5": 1, "M": 1}
    open_row = view_of_rows([LedgerRow(1.0, "compaction", "started", "manual", tokens_before=9)])
    assert [row.verb for row in open_row.rows] == ["compacting"]
    assert open_row.counts_text == ""


def test_only_the_latest_compaction_that_still_holds_can_be_undone() -> None:
    def row(verb: str) -> LedgerRow:
        return LedgerRow(1.0, "compaction", verb)

    assert view_of_rows([row("done"), row("done")]).undoable == 1
    assert view_of_rows([row("done"), row("done"), row("undone")]).undoable == 0
    assert view_of_rows([row("done"), row("undone")]).undoable is None
    assert view_of_rows([row("done"), row("undone"), row("done")]).undoable == 2


def test_views_are_plain_data_as_well() -> None:
    data = VIEW.as_data()
    assert data["budget"]["total_tokens"] == 84_100
    assert data["budget"]["turns_left"] == 6
    assert data["cache"]["hit_share"] == {"last": 0.974, "last_ten": 0.91, "session": 0.843}
    assert data["events"]["counts"]["L3"] == 1


def test_a_model_without_a_price_shows_none() -> None:
    assert SCRIPTED.price == Price(input=10, output=50, cache_read=1, cache_write=12.5)
    assert NOTHING_YET.spent_usd is None
    assert "$" not in toolbar_text(NOTHING_YET, now=NOW)
