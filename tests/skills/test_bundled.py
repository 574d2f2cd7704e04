"""The bundled skills are whole, short, and do not crowd the prompt."""

import re
from pathlib import Path

import pytest

from openclaw_tui.config.paths import data_dir
from openclaw_tui.skills.index import list_skills
from tests.skills.support import look

FOUND = look(data_dir("skills"))
NAMES = [
    "code-review",
    "commit",
    "context-hygiene",
    "debugging",
    "explaining-a-codebase",
    "making-a-skill",
    "refactoring",
    "writing-agents-md",
    "writing-tests",
]


def test_all_are_found_without_a_remark() -> None:
    assert [skill.name for skill in FOUND.active] == NAMES
    assert FOUND.left_out == ()
    assert [skill.head.notes for skill in FOUND.active] == [()] * len(NAMES)


def test_their_listing_costs_less_than_a_thousand_tokens() -> None:
    listing = list_skills(FOUND.active)
    assert listing.steps == ()
    assert len(listing.text) < 4_000


@pytest.mark.parametrize("name", NAMES)
def test_each_is_short_and_says_when_it_applies(name: str) -> None:
    skill = FOUND.find(name)
    assert skill is not None
    text = Path(skill.path).read_text(encoding="utf-8")
    assert text.count("\n") <= 120
    assert 40 <= len(skill.head.description) <= 160
    assert len(re.findall(r"^## ", text, re.MULTILINE)) >= 3
