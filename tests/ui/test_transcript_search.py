"""Searching the talk: hits are counted, marked and jumped to, also in folded cards and before a compaction."""

from pathlib import Path

import pytest
from textual.widgets import Input

from openclaw_tui.providers.scripted import Step
from openclaw_tui.ui.textual.screens.pager import PagerScreen
from openclaw_tui.ui.textual.widgets.search_bar import SearchBar
from openclaw_tui.ui.textual.widgets.transcript import Transcript
from openclaw_tui.ui.textual.widgets.transcript_items import AssistantItem, ToolItem, UserItem
from openclaw_tui.ui.textual.widgets.transcript_search import find_hits
from tests.ui.screen_app import app_of, make_screen, send, settled, shown, transcript_text, type_text, until
from tests.ui.transcript_app import screen_text

LONG = [
    f"Answer {number}. " + ("The needle lies here. " if number in (3, 20) else "Nothing. ") * 4 for number in range(30)
]


def history() -> list[UserItem | AssistantItem | ToolItem]:
    items: list[UserItem | AssistantItem | ToolItem] = []
    for number, text in enumerate(LONG):
        items += [UserItem(id=f"u{number}", text=f"Question {number}"), AssistantItem.whole(f"a{number}", text)]
    card = ToolItem(id="t", name="exec", summary="make", state="done")
    card.set_output("one\nthe hidden thing\nthree")
    return [*items[:20], card, *items[20:]]


async def test_ctrl_f_counts_marks_and_jumps_and_esc_stays_there(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p")
    async with app.run_test(size=(80, 24)) as pilot:
        app.main.transcript.load_history(history())
        await shown(pilot)
        await pilot.press("ctrl+f")
        await type_text(pilot, "needle")
        await until(pilot, lambda: "of 8" in app.main.transcript.found_words)
        first = app.main.transcript.found_words
        assert "The needle lies here" in transcript_text(pilot)
        seen = {first}
        for _ in range(8):
            await pilot.press("enter")
            await pilot.pause()
            seen.add(app.main.transcript.found_words)
            assert "needle" in transcript_text(pilot)
        assert len(seen) > 1
        await pilot.press("up")
        await pilot.press("escape")
        await shown(pilot)
        assert not app.main.search.display
        assert "needle" in transcript_text(pilot)
        assert app.focused is app.main.prompt.area
        assert app.main.transcript.found_words == ""
    await app.close()


async def test_what_is_hidden_in_a_folded_card_is_unfolded(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p")
    async with app.run_test(size=(80, 24)) as pilot:
        app.main.transcript.load_history(history())
        await shown(pilot)
        assert "the hidden thing" not in transcript_text(pilot)
        await send(pilot, "/find hidden thing")
        await until(pilot, lambda: app.main.transcript.found_words == "1 of 1")
        await shown(pilot)
        assert "the hidden thing" in transcript_text(pilot)
    await app.close()


async def test_nothing_found_says_so_and_moves_nothing(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p")
    async with app.run_test(size=(80, 24)) as pilot:
        app.main.transcript.load_history(history())
        await shown(pilot)
        before = transcript_text(pilot)
        await pilot.press("ctrl+f")
        await type_text(pilot, "zebra")
        await until(pilot, lambda: app.main.transcript.found_words == "not found")
        await pilot.press("enter", "up")
        await pilot.press("escape")
        await shown(pilot)
        assert transcript_text(pilot).split() == before.split()
    await app.close()


async def test_keys_in_the_talk_search_and_copy(tmp_path: Path) -> None:
    code = "Look:\n\n```python\nx = 1\ny = 2\n```\n\nThat is all about needles."
    app, _ = make_screen(tmp_path / "p", [code])
    async with app.run_test(size=(80, 24)) as pilot:
        await send(pilot, "a needle?")
        await settled(pilot)
        app.main.transcript.focus()
        await pilot.press("c")
        await until(pilot, lambda: app.clipboard == "x = 1\ny = 2")
        await pilot.press("y")
        await until(pilot, lambda: app.clipboard == code)
        await pilot.press("slash")
        await until(pilot, lambda: isinstance(app.focused, Input))
        await type_text(pilot, "needle")
        await until(pilot, lambda: "of 2" in app.main.transcript.found_words)
        here = app.main.transcript.found_words
        app.main.transcript.focus()
        await pilot.press("n")
        assert app.main.transcript.found_words != here
        await pilot.press("N")
        assert app.main.transcript.found_words == here
    await app.close()


async def test_the_pager_shows_everything_unfolded_searches_and_goes_back(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "calc.py").write_text("def add():\n    return 1\n", encoding="utf-8")
    app, _ = make_screen(tmp_path / "p", [Step(calls=[("read", {"path": "calc.py"})]), "It adds."])
    async with app.run_test(size=(80, 24)) as pilot:
        await send(pilot, "what is it?")
        await settled(pilot)
        assert "return 1" not in transcript_text(pilot)
        await pilot.press("f5")
        await until(pilot, lambda: isinstance(app.screen, PagerScreen))
        pager = app.screen
        assert isinstance(pager, PagerScreen)
        await until(pilot, lambda: "return 1" in screen_text(pager.transcript))
        await pilot.press("slash")
        await type_text(pilot, "adds")
        await until(pilot, lambda: pager.transcript.found_words == "1 of 1")
        await pilot.press("escape")
        await pilot.press("y")
        await until(pilot, lambda: app.clipboard != "")
        await pilot.press("q")
        await until(pilot, lambda: app.screen is app.main)
        await send(pilot, "/transcript adds")
        await until(pilot, lambda: isinstance(app.screen, PagerScreen) and app.screen.transcript.found_words != "")
    await app.close()


async def test_turns_before_a_compaction_can_be_scrolled_to_and_found_after_a_resume(tmp_path: Path) -> None:
    filler = "plain words about nothing much at all. " * 60
    app, _ = make_screen(tmp_path / "p", [f"the earliest answer. {filler}", filler, filler, "a summary", "after"])
    async with app.run_test(size=(80, 24)) as pilot:
        for text in ("the earliest question", "second", "third"):
            await send(pilot, text)
            await settled(pilot)
        await send(pilot, "/compact")
        await settled(pilot)
        await until(pilot, lambda: app.talk.session.deps.manager.project().compaction is not None)
    session = app.talk.session.session_id
    await app.close()
    again, _ = make_screen(tmp_path / "p", resume=session)
    async with again.run_test(size=(80, 24)) as pilot:
        await shown(pilot)
        await pilot.press("ctrl+home")
        await shown(pilot)
        assert "the earliest question" in transcript_text(pilot)
        await pilot.press("ctrl+end", "ctrl+f")
        await type_text(pilot, "earliest")
        await until(pilot, lambda: "of 2" in again.main.transcript.found_words)
        assert "earliest" in transcript_text(pilot)
    await again.close()


@pytest.mark.parametrize(
    ("words", "total"), [("NEEDLE", 0), ("needle", 8), ("Needle", 0), (" ", 0), ("Question 1", 11)]
)
def test_case_counts_only_with_capitals(words: str, total: int) -> None:
    transcript = Transcript()
    transcript.load_history(history())
    assert find_hits(transcript._plan.entries, words).total == total


async def test_typing_in_the_search_goes_nowhere_else(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p")
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.press("ctrl+f")
        await type_text(pilot, "?abc")
        assert app_of(pilot).main.prompt.text == ""
        assert app.main.query_one(SearchBar).query_one(Input).value == "?abc"
    await app.close()
