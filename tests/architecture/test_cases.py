"""The lists of cases and of checks are whole, and the tests they name exist."""

import ast
import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PARTS = {2, 3, 4, 5}
AREAS = {"guard", "compaction", "transcript", "session", "tools", "tui", "provider", "security"}
_COLLECTED = """
1 4 5 7 9 10 11 13 15 16 17 19 21 22 23 24 25 27 28 30 31 33 34 36 37 38 42 43 45 46 47 49 51 52 54 55 56 57
59 60 61 63 65 66 67 70 71 72 74 76 77 79 80 81 83 84 85 88 89 91 93 94 96 97 98 101 102 103 104 105 106 110
111 113 114 115 116 118 119 121 122 125 127 128 129 130 131 134 135 136 137 138 140 141 144 145 146 147 150
151 152 153 156 157 158 159 161 162 163 167 168 169 170 172 173 175 176 177 178 180 182 183 186 187 188 189
191 192 194 195 196 199 201 202 203 204 206 208 209 210 212 214 215 216 219 220 221 223 224 225 227 229 230
232 234 235 236 239 240
"""
NUMBERS = [int(number) for number in _COLLECTED.split()]
"""The numbers under which the cases were collected; the gaps are intended."""

LIST: list[dict[str, Any]] = tomllib.loads((ROOT / "tests" / "cases.toml").read_text(encoding="utf-8"))["case"]
CHECKS: list[dict[str, Any]] = tomllib.loads((ROOT / "tests" / "checks.toml").read_text(encoding="utf-8"))["check"]


@lru_cache
def functions_in(path: str) -> frozenset[str]:
    """Names of the test functions of a file, those in classes as `Class::test`."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    names = [node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    for group in tree.body:
        if isinstance(group, ast.ClassDef):
            functions = (node for node in group.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
            names += [f"{group.name}::{node.name}" for node in functions]
    return frozenset(name for name in names if name.split("::")[-1].startswith("test_"))


def assert_exists(named: str) -> None:
    path, _, test = named.partition("::")
    assert (ROOT / path).is_file(), f"{named}: there is no such file"
    assert test in functions_in(path), f"{named}: there is no such test"


def test_every_case_is_listed_once_and_in_order() -> None:
    assert [case["number"] for case in LIST] == NUMBERS


@pytest.mark.parametrize("case", LIST, ids=lambda case: str(case["number"]))
def test_a_case_has_its_tests_or_its_part(case: dict[str, Any]) -> None:
    assert case["title"].strip()
    assert case["area"] in AREAS
    assert ("tests" in case) != ("part" in case), "either the tests that cover it, or the part that will bring them"
    if "part" in case:
        assert case["part"] in PARTS
        return
    assert case["tests"]
    for named in case["tests"]:
        assert_exists(named)


def test_every_check_is_listed_once_and_in_order() -> None:
    assert [check["number"] for check in CHECKS] == list(range(1, 31))


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: str(check["number"]))
def test_a_check_has_its_tests(check: dict[str, Any]) -> None:
    assert check["title"].strip()
    assert check["tests"]
    for named in check["tests"]:
        assert_exists(named)
