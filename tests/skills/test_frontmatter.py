"""Front matter is read as it was meant, and what cannot be read is told with its line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_tui.skills.frontmatter import Broken, FrontMatter, parse_front_matter, truth_of, words_of


def read(text: str) -> FrontMatter:
    parsed = parse_front_matter(text)
    assert isinstance(parsed, FrontMatter), parsed
    return parsed


def test_an_unquoted_colon_is_no_obstacle() -> None:
    parsed = read("---\nname: review\ndescription: Review: find bugs\nallowed-tools: [read, grep]\n---\nBody.\n")
    assert parsed.fields["description"] == "Review: find bugs"
    assert parsed.fields["allowed-tools"] == ["read", "grep"]
    assert "line 3" in parsed.notes[0]
    assert parsed.body == "Body.\n"


@pytest.mark.parametrize(
    "text",
    ["\ufeff---\nname: a\n---\nBody", "---\r\nname: a\r\n---\r\nBody", "---  \nname: a\n...\nBody"],
    ids=["byte order mark", "CRLF", "blanks and dots"],
)
def test_other_ways_to_write_the_fence(text: str) -> None:
    parsed = read(text)
    assert (parsed.fields, parsed.body, parsed.notes) == ({"name": "a"}, "Body", ())


def test_keys_in_other_spellings_are_the_same() -> None:
    assert read("---\nUser_Invocable: false\n---\n").fields == {"user-invocable": False}


def test_indented_lines_belong_to_the_key_above_also_when_read_line_by_line() -> None:
    text = "---\ndescription: one: two\n  three\nmetadata:\n  openclaw:\n    os: [linux]\ntools:\n- a\n- 'b'\n---\n"
    fields = read(text).fields
    assert fields["description"] == "one: two three"
    assert fields["metadata"] == {"openclaw": {"os": ["linux"]}}
    assert fields["tools"] == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("# A title\n", 1),
        ("", 1),
        ("---\nname: a\n", 1),
        ("---\nname: a: b\n%%% nonsense\n---\n", 3),
        ("---\n- a\n- b\n---\n", 2),
        ("---\n{{ name }}\n---\n", 2),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(text: str, line: int) -> None:
    parsed = parse_front_matter(text)
    assert isinstance(parsed, Broken)
    assert parsed.line == line
    assert parsed.reason


def test_dates_that_do_not_exist_and_deep_nesting_stop_nothing() -> None:
    assert read("---\nname: a\ndate: 2026-13-45\n---\n").fields["date"] == "2026-13-45"
    parse_front_matter("---\nname: " + "[" * 50_000 + "\n---\n")


@given(st.text(alphabet=st.sampled_from("-:ab \n\t#[]{}&*!|>'\"%@"), max_size=60))
def test_any_text_gives_an_answer(text: str) -> None:
    parsed = parse_front_matter("---\n" + text)
    assert isinstance(parsed, Broken | FrontMatter)


def test_words_and_truth() -> None:
    assert words_of("Bash(git log:*), Read Edit") == ("Bash(git log:*)", "Read", "Edit")
    assert words_of(["a", 1, None, " b "]) == ("a", "1", "b")
    assert words_of({"a": 1}) == ()
    assert [truth_of(value, True) for value in ("no", False, "maybe", None)] == [False, False, True, True]
