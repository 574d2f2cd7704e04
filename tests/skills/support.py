"""Skills on disk for tests."""

from pathlib import Path

from openclaw_tui.skills.cache import HeadCache
from openclaw_tui.skills.discovery import SkillSet, discover
from openclaw_tui.skills.eligibility import Surroundings
from openclaw_tui.skills.places import SkillRoot, skill_roots


def write_skill(root: Path, name: str, description: str = "Does something.", *, head: str = "", body: str = "") -> Path:
    folder = root / name
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "SKILL.md"
    file.write_text(f"---\nname: {name}\ndescription: {description}\n{head}---\n{body}", encoding="utf-8")
    return file


def look(*roots: Path, cache: Path | None = None, trusted: bool = True, here: Surroundings | None = None) -> SkillSet:
    places = [SkillRoot(str(root), "project", trusted) for root in roots]
    return discover(places, cache=HeadCache(cache), here=here)


def roots_of(tmp_path: Path, *, trusted: bool = False, git: bool = True) -> tuple[SkillRoot, ...]:
    """The places of a project `repo/sub` under `tmp_path`, with home, state and bundled beside it."""
    return skill_roots(
        tmp_path / "repo" / "sub",
        git_root=tmp_path / "repo" if git else None,
        home=tmp_path / "home",
        state=tmp_path / "state",
        bundled=tmp_path / "bundled",
        trusted=trusted,
    )
