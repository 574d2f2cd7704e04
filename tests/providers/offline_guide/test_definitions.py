"""Definitions in the common languages: found by one pattern, and the one that is meant first."""

import re

import pytest

from openclaw_tui.providers.offline_guide.definitions import (
    Hit,
    definition_pattern,
    hits,
    last_name,
    owner_name,
    ranked,
)

DEFINING = [
    "def press(fruit):",
    "    async def press(self):",
    "class press:",
    "press = 3",
    "press: int = 3",
    "press = lambda x: x",
    "function press(a) {",
    "export default async function press() {",
    "export const press = () => 1;",
    "  press: function () {",
    "  async press(a, b) {",
    "module.press = function press() {",
    "pub fn press<T>(x: T) -> T {",
    "pub(crate) struct press;",
    "func press(x int) error {",
    "func (m *Mill) press(x int) error {",
    "type press struct {",
    "static int press(struct fruit *f)",
    "#define press(x) (x)",
    "public interface press {",
]
NOT_DEFINING = [
    "press(fruit)",
    "x = press(y)",
    "if press == 3:",
    "# press it",
    "from mill import press",
]


@pytest.mark.parametrize("line", DEFINING)
def test_a_line_that_defines_is_found(line: str) -> None:
    assert re.search(definition_pattern("press"), line)


@pytest.mark.parametrize("line", NOT_DEFINING)
def test_a_line_that_uses_is_not(line: str) -> None:
    assert not re.search(definition_pattern("press"), line)


def test_a_name_with_signs_of_its_own_is_searched_as_it_is() -> None:
    assert re.search(definition_pattern("$el"), "const $el = 1")


def test_the_own_thing_goes_before_members_tests_prose_imports_and_stubs() -> None:
    found = [
        Hit("docs/press.md", 3, "def press(x):"),
        Hit("tests/test_press.py", 1, "def press(x):"),
        Hit("src/mill.py", 9, "    def press(self):"),
        Hit("src/mill.js", 2, "const press = require('./press')"),
        Hit("src/press.pyi", 1, "def press(x: int) -> int: ..."),
        Hit("src/press.py", 4, "def press(x):"),
        Hit("src/use.py", 7, "    press=press,"),
        Hit("src/c.js", 1, "return press(x)"),
    ]
    order = [hit.path for hit in ranked("press", found)]
    assert order[:2] == ["src/press.py", "src/press.pyi"]
    assert "docs/press.md" not in order
    assert not {"src/use.py", "src/c.js"} & set(order)
    assert order[-1] == "tests/test_press.py"


def test_what_only_prose_knows_is_still_told() -> None:
    found = [Hit("docs/a.md", 3, "def press(x):")]
    assert ranked("press", found) == found


def test_a_member_is_looked_for_in_its_owner() -> None:
    found = [Hit("src/a.py", 5, "    def press(self):"), Hit("src/b.py", 8, "    def press(self):")]
    owners = [Hit("src/b.py", 2, "class Mill:")]
    assert ranked("Mill.press", found, owners)[0].path == "src/b.py"


@pytest.mark.parametrize(
    ("symbol", "owner", "name"),
    [("press", "", "press"), ("Mill.press", "Mill", "press"), ("a::Mill::press", "Mill", "press"), ("A#b", "A", "b")],
)
def test_names_are_taken_apart(symbol: str, owner: str, name: str) -> None:
    assert (owner_name(symbol), last_name(symbol)) == (owner, name)


def test_lines_of_a_search_become_hits() -> None:
    assert hits("src/a.py:3:     def press(self):\nsrc/a.py-4- context\n\n[2 of 9]") == [
        Hit("src/a.py", 3, "    def press(self):")
    ]
