"""Cutting one text: within the budget, at whole characters, honest numbers, once and for all."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_tui.constants import MIDDLE_OMITTED_MARKER, TRUNCATED_NOTICE
from openclaw_tui.context.trimming import has_important_tail, trim_text

FAMILY = "👨\u200d👩\u200d👧"
PIECES = (FAMILY, "中文", "e\u0301", "🇩🇪", "👍🏽", "line\n", "\r\n", "x", "error\n", "\ud83d")
mixed = st.lists(st.sampled_from(PIECES), max_size=60).map("".join)


@given(mixed, st.integers(0, 40), st.sampled_from(["", 'recall("t1")']))
def test_tiny_budgets_are_kept_and_no_character_is_torn(text: str, budget: int, hint: str) -> None:
    cut = trim_text(text, budget, hint=hint)
    assert len(cut) <= budget
    assert cut == text or budget == 0 or cut.endswith("…")
    assert trim_text(cut, budget, hint=hint) == cut
    assert (cut == "") == (text == "" or budget == 0)
    kept = cut.removesuffix("…")
    assert text.startswith(kept)
    rest = text[len(kept) :]
    assert not (rest and cut != text) or not rest.startswith(("\u200d", "\u0301", "🏽"))


@given(st.lists(st.sampled_from(PIECES), min_size=100, max_size=900).map("".join), st.integers(150, 900))
def test_every_budget_holds_with_its_marker_and_the_numbers_are_true(text: str, budget: int) -> None:
    cut = trim_text(text, budget, hint='recall("t9")')
    assert len(cut) <= budget or cut == text
    assert trim_text(cut, budget, hint='recall("t9")') == cut
    found = re.search(r"(\d+) of (\d+) characters left out", cut)
    if cut != text and found:
        assert int(found[2]) == len(text)
        marker_line = next(line for line in cut.split("\n") if "characters left out" in line)
        head, _, tail = cut.partition(marker_line)
        shown = len(head.removesuffix("\n")) + len(tail.removeprefix("\n"))
        assert 0 <= len(text) - int(found[1]) - shown <= 1


@pytest.mark.parametrize("change", range(-3, 4))
def test_around_the_limit_only_longer_texts_change(change: int) -> None:
    text = "ab\n" * 1000
    cut = trim_text(text, len(text) + change)
    assert (cut == text) == (change >= 0)
    assert len(cut) <= len(text) + change


def test_the_last_line_with_the_failure_survives() -> None:
    log = "".join(f"test {n} ok\n" for n in range(4000)) + "3 failed, 97 passed"
    cut = trim_text(log, 5_000)
    assert cut.startswith("test 0 ok\n")
    assert cut.endswith("3 failed, 97 passed")
    assert MIDDLE_OMITTED_MARKER in cut


def test_without_a_telling_end_only_the_head_stays() -> None:
    cut = trim_text("plain words go here\n" * 1000, 5_000)
    assert cut.startswith("plain words")
    assert cut.rsplit("\n", 1)[1].startswith(TRUNCATED_NOTICE)


def test_the_marker_says_how_much_is_missing_and_how_to_get_it() -> None:
    cut = trim_text("word " * 100_000, 20_000, hint='recall("t3") shows the rest')
    assert "of 500000 characters left out; the same call gives the same cut; recall(" in cut


def test_the_line_that_says_where_to_read_on_survives_a_cut_and_still_agrees() -> None:
    page = (
        "".join(f"{n:6} some code\n" for n in range(1, 2001))
        + "[Showing lines 1-2000 of 9000. Use offset=2001 to continue.]"
    )
    for budget in (400, 1_000, 8_000):
        cut = trim_text(page, budget)
        assert cut.endswith("[Showing lines 1-2000 of 9000. Use offset=2001 to continue.]")
    assert "  2000 some code\n[Showing" in trim_text(page, 1_000)


def test_a_text_that_holds_a_marker_already_is_cut_like_any_other() -> None:
    once = trim_text("line\n" * 5_000 + "error: 1", 10_000)
    assert trim_text(once, 10_000) == once
    twice = trim_text(once, 3_000)
    assert len(twice) <= 3_000
    assert twice.endswith("error: 1")


@pytest.mark.parametrize(
    ("text", "important"),
    [
        ("all fine", False),
        ("Traceback (most recent call last)", True),
        ("exit code 1", True),
        ('{"a": 1}\n', True),
        ("3 tests failed, 47 passed", True),
        ("Total: 12", True),
        ("error" + " x" * 2000, False),
        ("errors of mine", False),
    ],
)
def test_what_counts_as_an_important_tail(text: str, important: bool) -> None:
    assert has_important_tail(text) is important
