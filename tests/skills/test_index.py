"""The listing stays within its limits, step by step, and tells each step."""

from xml.etree import ElementTree

from hypothesis import given, settings
from hypothesis import strategies as st

from openclaw_tui.skills.discovery import Skill
from openclaw_tui.skills.index import SkillLimits, list_skills
from openclaw_tui.skills.places import SkillRoot
from openclaw_tui.skills.record import SkillHead

ROOT = SkillRoot("/home/ann/.agents/skills", "user")


def skill(number: int, description: str, *, trusted: bool = True, model: bool = True) -> Skill:
    head = SkillHead(name=f"skill-{number:03}", description=description, model_invocable=model)
    root = ROOT if trusted else SkillRoot("/repo/skills", "project", trusted=False)
    return Skill(head, f"{root.path}/skill-{number:03}/SKILL.md", root)


def parsed(text: str) -> list[dict[str, str]]:
    tree = ElementTree.fromstring(text[text.index("<available_skills>") :])
    return [{part.tag: part.text or "" for part in entry} for entry in tree]


def test_the_form_of_the_listing() -> None:
    listing = list_skills([skill(1, 'Use <this> & "that".')], home="/home/ann")
    assert parsed(listing.text) == [
        {
            "name": "skill-001",
            "description": 'Use <this> & "that".',
            "location": "~/.agents/skills/skill-001/SKILL.md",
        }
    ]
    assert listing.steps == ()


def test_nothing_to_list_is_an_empty_text() -> None:
    assert list_skills([]).text == ""
    assert list_skills([skill(1, "x", model=False)]).text == ""


def test_a_skill_of_an_untrusted_folder_is_marked() -> None:
    assert parsed(list_skills([skill(1, "x", trusted=False)]).text)[0]["source"] == "this folder, not trusted"


def test_descriptions_are_shortened_evenly_before_any_name_goes() -> None:
    skills = [skill(n, "d" * 260) for n in range(120)]
    listing = list_skills(skills, SkillLimits(chars=30_000))
    assert len(listing.text) <= 30_000
    assert len(listing.listed) == 120
    lengths = {len(row["description"]) for row in parsed(listing.text)}
    assert len(lengths) == 1
    assert 80 <= lengths.pop() < 260
    assert "shortened" in listing.steps[0]
    assert listing.steps[0] in listing.text
    assert len(listing.text) > 29_000, "no more is cut than needed"


def test_then_names_and_places_only() -> None:
    listing = list_skills([skill(n, "d" * 260) for n in range(120)], SkillLimits(chars=16_000))
    assert len(listing.text) <= 16_000
    assert len(listing.listed) == 120
    assert not any("description" in row for row in parsed(listing.text))
    assert "left out" in listing.steps[0]


def test_then_the_farthest_are_dropped_and_counted() -> None:
    skills = [skill(n, "d" * 260) for n in range(120)]
    listing = list_skills(skills, SkillLimits(chars=8_000))
    assert len(listing.text) <= 8_000
    assert listing.listed == tuple(skills[: len(listing.listed)])
    assert listing.listed + listing.dropped == tuple(skills)
    assert str(len(listing.dropped)) in listing.steps[-1]


def test_never_more_than_the_number() -> None:
    listing = list_skills([skill(n, "short") for n in range(1000)])
    assert (len(listing.listed), len(listing.dropped)) == (150, 850)
    assert "850 of 1000" in listing.steps[0]


@settings(max_examples=60, deadline=None)
@given(
    lengths=st.lists(st.integers(1, 1024), max_size=200),
    chars=st.integers(600, 40_000),
    text=st.sampled_from(["d", "&", "é", "语"]),
)
def test_the_limits_hold_and_nothing_vanishes_without_a_word(lengths: list[int], chars: int, text: str) -> None:
    skills = [skill(n, text * length) for n, length in enumerate(lengths)]
    listing = list_skills(skills, SkillLimits(chars=chars))
    assert len(listing.text) <= chars
    assert listing.listed + listing.dropped == tuple(skills)
    assert bool(listing.dropped) <= bool(listing.steps)
    if listing.text:
        assert len(parsed(listing.text)) == len(listing.listed)
