"""Agent definitions: Markdown files whose head names a kind of sub-agent and whose body is its instructions.

Read from the folders handed in, nearest first; the first of two with one name counts. Folders of a project are among
them only where the project is trusted. What cannot be used is told with its reason, never dropped.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from openclaw_tui.constants import AGENT_DESCRIPTION_CHARS, AGENT_FILE_MAX_BYTES, AGENT_FILES_NAMED
from openclaw_tui.skills.frontmatter import Broken, parse_front_matter, words_of

AGENT_FOLDERS = (".agents/agents", ".claude/agents")


class AgentDefinition(msgspec.Struct, frozen=True):
    """`tools` None means all that the parent has; `model` empty means the parent's."""

    name: str
    description: str
    path: Path
    instructions: str = ""
    tools: tuple[str, ...] | None = None
    model: str = ""


class AgentSet(msgspec.Struct, frozen=True):
    """Definitions in order of nearness, and a line about each file that is left out."""

    agents: tuple[AgentDefinition, ...] = ()
    problems: tuple[str, ...] = ()

    def find(self, name: str) -> AgentDefinition | None:
        return next((agent for agent in self.agents if agent.name == name.strip().lower()), None)

    @property
    def names(self) -> str:
        return ", ".join(agent.name for agent in self.agents)


def agent_folders(bases: Iterable[Path]) -> list[Path]:
    """The folders that may hold definitions, for each base in turn."""
    return [base / folder for base in bases for folder in AGENT_FOLDERS]


def read_agent_files(folders: Sequence[Path], refused: Callable[[Path], str] = lambda path: "") -> AgentSet:
    """The definitions in these folders. `refused` may give a reason to leave a file out before its name counts."""
    agents: dict[str, AgentDefinition] = {}
    problems: list[str] = []
    for path in (path for folder in folders for path in _files(folder)):
        found = refused(path) or _read(path)
        if isinstance(found, str):
            problems.append(f"{path}: {found}")
        elif found.name in agents:
            problems.append(f"{path}: {found.name} is defined nearer, in {agents[found.name].path}")
        else:
            agents[found.name] = found
    return AgentSet(tuple(agents.values()), tuple(problems))


def agents_index(agents: Sequence[AgentDefinition]) -> str:
    """What the prompt holds of them: one line each, the farthest left out beyond a number."""
    named = sorted(agents[:AGENT_FILES_NAMED], key=lambda agent: agent.name)
    return "\n".join(f"- {agent.name}: {_short(agent.description)}" for agent in named)


def _files(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.suffix == ".md" and path.is_file())
    except OSError:
        return []


def _read(path: Path) -> AgentDefinition | str:
    """The definition, or why there is none."""
    try:
        if path.stat().st_size > AGENT_FILE_MAX_BYTES:
            return f"is larger than {AGENT_FILE_MAX_BYTES // 1024} KiB"
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        return "is not UTF-8 text"
    except OSError as error:
        return f"cannot be read ({error.strerror})"
    head = parse_front_matter(text)
    if isinstance(head, Broken):
        return f"line {head.line}: {head.reason}"
    name = str(head.fields.get("name") or path.stem).strip().lower()
    description = " ".join(str(head.fields.get("description") or "").split())
    if not description:
        return "has no description"
    return AgentDefinition(name, description, path, head.body.strip(), _tools(head.fields), _model(head.fields))


def _tools(fields: Any) -> tuple[str, ...] | None:
    given = words_of(fields.get("tools"))
    return None if not given or given == ("*",) else given


def _model(fields: Any) -> str:
    model = str(fields.get("model") or "").strip()
    return "" if model.lower() in ("inherit", "default") else model


def _short(text: str) -> str:
    return text if len(text) <= AGENT_DESCRIPTION_CHARS else f"{text[: AGENT_DESCRIPTION_CHARS - 1]}…"
