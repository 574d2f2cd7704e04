"""The skills of one composed program: where they are looked for, which are in use, and their listing."""

from dataclasses import dataclass, field
from pathlib import Path

from openclaw_tui.config.load import Config
from openclaw_tui.config.paths import Paths, data_dir, git_root
from openclaw_tui.config.schema import find_setting
from openclaw_tui.routing.bindings import read_agents
from openclaw_tui.skills.cache import HeadCache
from openclaw_tui.skills.discovery import SkillSet, discover
from openclaw_tui.skills.eligibility import Surroundings
from openclaw_tui.skills.index import SkillListing, list_skills
from openclaw_tui.skills.places import SkillRoot, readable_folders, skill_roots
from openclaw_tui.skills.record import SKILL_FILE
from openclaw_tui.tools.skill_scope import SkillLimit


@dataclass(slots=True)
class SkillShelf:
    """`look` reads the places anew; it is cheap where nothing changed. `remember` False writes no cache."""

    roots: tuple[SkillRoot, ...]
    cache: Path
    here: Surroundings
    disabled: tuple[str, ...] = ()
    only: tuple[str, ...] | None = None
    remember: bool = True
    seen: SkillSet = field(default_factory=SkillSet)

    def look(self) -> SkillSet:
        cache = HeadCache(self.cache, writes=self.remember)
        self.seen = discover(self.roots, cache=cache, here=self.here, disabled=self.disabled, only=self.only)
        return self.seen

    def use(self, other: "SkillShelf") -> None:
        """Other places and choices from now on; the folders the model may read in stay those of the start."""
        self.roots, self.disabled, self.only = other.roots, other.disabled, other.only

    def listing(self) -> SkillListing:
        return list_skills(self.look().active)

    def index(self) -> str:
        """What the prompt holds of them."""
        return self.listing().text

    def names(self) -> tuple[str, ...]:
        """Names of the skills in use, as they were seen last."""
        return tuple(skill.name for skill in self.seen.active)

    def limit_at(self, path: Path) -> SkillLimit | None:
        """The skill whose SKILL.md lies there, where it names the tools it works with."""
        if path.name != SKILL_FILE:
            return None
        found = next((skill for skill in self.look().active if Path(skill.path).resolve() == path.resolve()), None)
        if found is None or not found.head.allowed_tools:
            return None
        return SkillLimit(found.name, found.head.allowed_tools, Path(found.path).parent)

    def readable(self) -> tuple[Path, ...]:
        """Folders the model may read skills in, also where they lie outside the project."""
        return readable_folders(self.roots)


def build_shelf(config: Config, paths: Paths, *, remember: bool = True) -> SkillShelf:
    def setting(key: str) -> bool:
        found = find_setting(key)
        return found is not None and bool(config.get(found.key))

    return SkillShelf(
        roots=skill_roots(
            paths.project,
            git_root=git_root(paths.project),
            home=Path.home(),
            state=paths.state,
            bundled=data_dir("skills"),
            extra=tuple(config.get("skills.extraDirs")),
            trusted=config.project_trusted,
        ),
        cache=paths.state / "cache" / "skills.msgpack",
        here=Surroundings(setting),
        disabled=tuple(config.get("skills.disabled")),
        only=_own_list(config, paths),
        remember=remember,
    )


def _own_list(config: Config, paths: Paths) -> tuple[str, ...] | None:
    """The list of skills the agent has in `agents.list`, None where it has none."""
    agents, _ = read_agents(config.get("agents.list"))
    return next((agent.skills for agent in agents if agent.id == paths.agent_id), None)
