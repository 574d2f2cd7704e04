"""A diff applied to the old text gives the new one, and its numbers are true."""

import re

from hypothesis import given
from hypothesis import strategies as st

from openclaw_tui.constants import DIFF_MAX_COMPARED_LINES
from openclaw_tui.tools.diff import diff_texts

_TEXT = st.lists(st.sampled_from(["a", "b", "c", "", "long line"]), max_size=25).map("\n".join)


def applied(old: str, diff: str) -> str:
    """A strict reader of unified diffs: places and contents must fit to the line."""
    before, after, at = old.split("\n"), [], 0
    for line in diff.split("\n")[2:]:
        header = re.fullmatch(r"@@ -(\d+),(\d+) \+(\d+),(\d+) @@", line)
        if header is not None:
            start = int(header[1]) - (1 if int(header[2]) else 0)
            after += before[at:start]
            at = start
            assert len(after) == int(header[3]) - (1 if int(header[4]) else 0)
        elif line.startswith("+"):
            after.append(line[1:])
        elif line.startswith(("-", " ")):
            assert before[at] == line[1:]
            at += 1
            after += [line[1:]] if line[0] == " " else []
    return "\n".join(after + before[at:])


@given(_TEXT, _TEXT)
def test_the_diff_applied_to_the_old_text_gives_the_new(old: str, new: str) -> None:
    diff = diff_texts(old + "\n", new + "\n", "f")
    assert applied(old + "\n", diff.text) == new + "\n"
    assert (diff.first_changed_line == 0) == (old == new)
    assert diff.added - diff.removed == new.count("\n") - old.count("\n")


def test_a_huge_rewrite_is_told_without_comparing_line_by_line() -> None:
    size = DIFF_MAX_COMPARED_LINES + 10
    diff = diff_texts("\n".join(f"a{n}" for n in range(size)), "\n".join(f"b{n}" for n in range(size)), "f")
    assert (diff.added, diff.removed, diff.first_changed_line) == (size, size, 1)
    assert diff.shortened(5).split("\n")[-1] == f"[... {2 * size - 2} more diff lines]"


def test_far_apart_changes_make_two_hunks() -> None:
    lines = [str(n) for n in range(1, 41)]
    changed = [*lines]
    changed[1], changed[38] = "two", "last"
    text = diff_texts("\n".join(lines) + "\n", "\n".join(changed) + "\n", "f").text
    assert [line for line in text.split("\n") if line.startswith("@@")] == ["@@ -1,5 +1,5 @@", "@@ -36,5 +36,5 @@"]
