"""Vi keys over a plain text: each row is a text with `|` at the cursor, the keys, and the text afterwards."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_tui.ui.textual.widgets.vi_keys import ViKeys


@dataclass
class Plain:
    """A text with a cursor and an undo list."""

    text: str = ""
    cursor_index: int = 0
    before: list[tuple[str, int]] = field(default_factory=list)
    left: list[int] = field(default_factory=list)

    def put_between(self, start: int, end: int, text: str) -> None:
        assert 0 <= start <= end <= len(self.text)
        self.before.append((self.text, self.cursor_index))
        self.text = self.text[:start] + text + self.text[end:]
        self.cursor_index = start + len(text)

    def go(self, index: int) -> None:
        assert 0 <= index <= len(self.text)
        self.cursor_index = index

    def undo(self) -> None:
        if self.before:
            self.text, self.cursor_index = self.before.pop()

    def redo(self) -> None:
        pass

    def leave_line(self, step: int) -> None:
        self.left.append(step)


def typed(shown: str, keys: str) -> tuple[Plain, ViKeys]:
    """Type keys in normal mode; `<` is Esc. In insert mode the rest is typed as text."""
    area = Plain(shown.replace("|", "", 1), shown.index("|"))
    vi = ViKeys(area, lambda _mode: None, normal=True)
    for char in keys:
        if not vi.press("escape" if char == "<" else char, None if char == "<" else char):
            area.put_between(area.cursor_index, area.cursor_index, char)
    return area, vi


@pytest.mark.parametrize(
    ("shown", "keys", "expected"),
    [
        ("one |two three", "x", "one |wo three"),
        ("one |two three", "3x", "one | three"),
        ("one two|", "hx", "one t|w"),
        ("one |two three", "dw", "one |three"),
        ("one |two three", "cwX<", "one |X three"),
        ("one |two three", "2dw", "one| "),
        ("one |two three", "d2w", "one| "),
        ("one |two three", "D", "one| "),
        ("one |two three", "CX<", "one |X"),
        ("one t|wo three", "db", "one |wo three"),
        ("one t|wo three", "d0", "|wo three"),
        ("one |two three", "d$", "one| "),
        ("one |two three", "de", "one | three"),
        ("one |two three", "dfe", "one |e"),
        ("one |two three", "dte", "one |ee"),
        ("a\n|b\nc", "dd", "a\n|c"),
        ("a\nb\n|c", "dd", "a\n|b"),
        ("|a\nb\nc", "2dd", "|c"),
        ("|a\nb", "ddp", "b\n|a"),
        ("|a\nb", "yyp", "a\n|a\nb"),
        ("|a\nb", "yyP", "|a\na\nb"),
        ("|ab", "xp", "b|a"),
        ("|one", "yw$p", "oneon|e"),
        ("one |two", "ccX<", "|X"),
        ("o|ne\ntwo", "onew<", "one\nne|w\ntwo"),
        ("one\nt|wo", "Onew<", "one\nne|w\ntwo"),
        ("  o|ne", "Ix<", "  |xone"),
        ("o|ne", "Ax<", "one|x"),
        ("o|ne", "ax<", "on|xe"),
        ("o|ne", "ix<", "o|xne"),
        ("|one", "rX", "|Xne"),
        ("|one", "xu", "|one"),
        ("|aaaa", "x..", "|a"),
        ("|one two three", "dw.", "|three"),
        ("|one two", "cwX<w.", "X |X"),
        ("|a b c", "w", "a |b c"),
        ("a |b c", "b", "|a b c"),
        ("|one two", "e", "on|e two"),
        ("one |two", "0", "|one two"),
        ("|one two", "$", "one tw|o"),
        ("a\nb|", "gg", "|a\nb"),
        ("|a\nb", "G", "a\n|b"),
        ("|a\nb\nc", "2G", "a\n|b\nc"),
        ("|你好", "x", "|好"),
        ("|ab", "~", "A|b"),
        ("|a\nb", "J", "a |b"),
        ("|one", "sX<", "|Xne"),
        ("one|", "dz", "one|"),
    ],
)
def test_keys(shown: str, keys: str, expected: str) -> None:
    area, _ = typed(shown, keys)
    assert f"{area.text[: area.cursor_index]}|{area.text[area.cursor_index :]}" == expected


def test_up_and_down_go_on_into_the_history() -> None:
    area, _ = typed("|a", "jk")
    assert area.left == [1, -1]


def test_esc_in_normal_mode_is_left_to_the_screen_unless_a_command_was_begun() -> None:
    _, vi = typed("|a", "d")
    assert vi.press("escape", None)
    assert not vi.press("escape", None)


def test_enter_and_control_keys_are_not_taken() -> None:
    _, vi = typed("|a", "")
    assert not vi.press("enter", "\r")
    assert not vi.press("ctrl+c", "\x03")


@given(st.text("ab 好\n.", max_size=30), st.text("hjklwbe0$gGxXdDcCyYpPoOiIaAsSur.~J19<ft", max_size=25))
def test_no_keys_lead_out_of_the_text(text: str, keys: str) -> None:
    typed(f"|{text}", keys)
