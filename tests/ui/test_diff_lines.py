"""A unified diff as rows: signs, numbers, marked words."""

import difflib

from hypothesis import given
from hypothesis import strategies as st

from openclaw_tui.constants import DIFF_MAX_LINES
from openclaw_tui.ui.textual.rendering.diff_lines import diff_counts, diff_rows, parse_diff, with_marks
from tests.ui.plain_palette import PLAIN, text_of, texts_of

DIFF = """--- a/x.py
+++ b/x.py
@@ -9,4 +9,4 @@ def f():
 keep
-old name = 1
+new name = 1
--- looks like a header
+plus
 end
"""


def test_numbers_signs_and_text() -> None:
    assert texts_of(diff_rows(DIFF.replace("-9,4 +9,4", "-9,4 +9,4"), 40, PLAIN)) == [
        " ⋯  def f():",
        " 9   keep",
        "10 - old name = 1",
        "10 + new name = 1",
        "11 - -- looks like a header",
        "11 + plus",
        "12   end",
    ]


def test_changed_words_are_marked_and_unlike_lines_are_not() -> None:
    lines = with_marks(parse_diff(DIFF))
    marked = {line.text: [line.text[start:end] for start, end in line.marks] for line in lines if line.marks}
    assert marked == {"old name = 1": ["old"], "new name = 1": ["new"]}


def test_several_files_are_named_and_one_is_not() -> None:
    two = DIFF + DIFF.replace("x.py", "y.py")
    assert [line.text for line in parse_diff(two) if line.sign == "="] == ["x.py", "y.py"]
    assert [line for line in parse_diff(DIFF) if line.sign == "="] == []


def test_a_copy_takes_sign_and_text_without_the_numbers() -> None:
    rows = diff_rows("@@ -1,1 +1,1 @@\n-a\n+b\n", 30, PLAIN)
    assert [(row.lead_copy, text_of(row)[row.lead :].rstrip()) for row in rows[1:]] == [("-", "a"), ("+", "b")]


def test_a_huge_diff_is_bounded_and_says_so() -> None:
    huge = "@@ -0,0 +1,5000 @@\n" + "".join(f"+line {number}\n" for number in range(5000))
    rows = diff_rows(huge, 40, PLAIN)
    assert len(rows) == DIFF_MAX_LINES + 1
    assert text_of(rows[-1]) == f"… {5001 - DIFF_MAX_LINES} more lines of the diff"


LINES = st.lists(st.sampled_from(["a", "b = 1", "-- x", "++ y", "", "@@ -1 +1 @@", "\\ z"]), max_size=12)


@given(LINES, LINES)
def test_counts_agree_with_difflib(old: list[str], new: list[str]) -> None:
    diff = list(difflib.unified_diff(old, new, "a/f", "b/f", lineterm=""))
    body = [line for line in diff[2:] if not line.startswith("@@")] if diff else []
    expected = (sum(line.startswith("+") for line in body), sum(line.startswith("-") for line in body))
    assert diff_counts("\n".join(diff)) == expected
