"""What a folder would bring along once it is trusted, and what of it the user's answer lets in.

Looked at: settings of the project, agent and command files, skills; entries of hooks and servers are named, though
nothing runs them. Deny rules and the text of files are no matter of trust: they hold and are read in any folder.
"""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from openclaw_tui.agent.agent_files import agent_folders, read_agent_files
from openclaw_tui.config.load import waiting_settings
from openclaw_tui.config.paths import Paths, data_dir, git_root, project_bases
from openclaw_tui.constants import SKILL_FILES_LOOKED_AT, TRUST_TEXT_CHARS
from openclaw_tui.prompt.bootstrap_files import BOOTSTRAP
from openclaw_tui.safety.trust import FolderTrust, Thing, ThingKind, TrustStore, print_of
from openclaw_tui.skills.cache import HeadCache
from openclaw_tui.skills.discovery import Skill, discover
from openclaw_tui.skills.frontmatter import Broken, parse_front_matter
from openclaw_tui.skills.places import SkillRoot, skill_roots
from openclaw_tui.skills.scripts import bytes_of, files_of, scripts_of
from openclaw_tui.visible_text import show_controls, show_hidden

COMMAND_FOLDER = Path(".claude") / "commands"
NOT_AS_TRUSTED = "is new or changed since this folder was trusted; /trust shows it"
_HOOK_FILES = (".claude/settings.json", ".claude/settings.local.json")
_SERVER_FILES = (".mcp.json", *_HOOK_FILES)


def look_at_folder(paths: Paths) -> FolderTrust:
    """What stands in the project now beside what the user answered about it."""
    store = TrustStore(paths.trust)
    answer, _ = store.answer(paths.project)
    things = [*_settings(paths), *_agents(paths), *_commands(paths)]
    skills = [(skill, scripts_of(os.path.dirname(skill.path))) for skill in _skills(paths)]
    waits = bool(things) or any(scripts for _, scripts in skills)
    if waits or answer == "trusted":
        things += [_of_skill(paths, skill, scripts) for skill, scripts in skills]
        things += [*_listed(paths, "hook", _HOOK_FILES, "hooks"), *_listed(paths, "mcp", _SERVER_FILES, "mcpServers")]
    return store.look(paths.project, things)


def is_trusted(paths: Paths) -> bool:
    """Whether the user said yes to the folder, without a look at what changed since."""
    return TrustStore(paths.trust).answer(paths.project)[0] == "trusted"


def lets_in(paths: Paths, kind: ThingKind, path: Path) -> bool:
    """Whether this file, as it is now, is one of those the user trusted."""
    answer, granted = TrustStore(paths.trust).answer(paths.project)
    try:
        return answer == "trusted" and granted.get(f"{kind} {_name(paths, path)}") == print_of(path.read_bytes())
    except OSError:
        return False


def ritual_refused(paths: Paths, trust: FolderTrust, path: Path) -> str:
    """Why the first-run ritual of a project is not begun; empty where `init` wrote it and nothing is left out here."""
    if path != paths.project / BOOTSTRAP:
        return ""
    if trust.state not in ("nothing", "trusted"):
        return "is left out: this folder is not trusted"
    return "" if TrustStore(paths.trust).wrote(path) else "is left out: it is not the one that `init` wrote here"


def left_out_line(trust: FolderTrust) -> str:
    """One line about what is left out, empty where nothing is."""
    if trust.state not in ("unasked", "never", "changed"):
        return trust.problem
    if trust.state == "changed":
        named = ", ".join(f"{thing.kind} {thing.name}" for thing in trust.changed[:4])
        more = f" and {len(trust.changed) - 4} more" if len(trust.changed) > 4 else ""
        why = f"this folder changed since you trusted it ({named}{more}), so nothing of its own is in force"
    else:
        why = f"this folder is not trusted, so these are left out: {_counted(trust)}"
    return f"{why}; its deny rules hold · /trust shows what it would do"


def trust_text(trust: FolderTrust) -> str:
    """All things of a folder and what each would do, for the question."""
    lines: list[str] = []
    for thing in trust.things:
        new = trust.answer == "trusted" and thing in trust.changed
        mark = "" if not new else " (changed)" if thing.key in trust.granted else " (new)"
        lines.append(f"{thing.kind} {_visible(thing.name)}{mark}")
        lines += [f"    {_visible(line)}" for line in thing.does]
    gone = [key for key in trust.granted if key not in trust.prints]
    return "\n".join([*lines, *(f"{_visible(key)} (gone)" for key in gone)])


def _counted(trust: FolderTrust) -> str:
    counts: dict[str, list[str]] = {}
    for thing in trust.things:
        if thing.waits:
            counts.setdefault(thing.kind, []).append(_visible(thing.name))
    names = {"settings": "settings", "agent": "agents", "command": "commands", "skill": "skills with scripts"}
    shown = [(names[kind], ", ".join(found[:3]) + (" …" if len(found) > 3 else "")) for kind, found in counts.items()]
    return "; ".join(f"{kind} ({found})" for kind, found in shown)


# ── what there is ──────────────────────────────────────────────────────────────────────────────────────────────────
def _settings(paths: Paths) -> Iterator[Thing]:
    """The print covers what would be set, so a comment or a deny rule asks nothing again."""
    for path in (paths.project_config, paths.local_config):
        found = waiting_settings(path)
        if found:
            does = [line for key, value in found for line in _setting_lines(key, value)]
            plain = json.dumps(sorted(found, key=lambda item: item[0]), default=str)
            yield Thing("settings", path.name, path, print_of(plain.encode("utf-8")), tuple(does))


def _setting_lines(key: str, value: Any) -> list[str]:
    if isinstance(value, list) and key.startswith("permissions."):
        return [f"{key}: {item}" for item in value]
    return [f"{key} = {json.dumps(value, ensure_ascii=False, default=str)}"]


def _agents(paths: Paths) -> Iterator[Thing]:
    for agent in read_agent_files(agent_folders(project_bases(paths.project))).agents:
        tools = f"tools: {', '.join(agent.tools)}" if agent.tools is not None else "tools: all that the agent has"
        does = (agent.description, tools, *([f"model: {agent.model}"] if agent.model else []))
        yield from _of_file(paths, "agent", agent.path, does)


def _commands(paths: Paths) -> Iterator[Thing]:
    for path in command_files(project_bases(paths.project)):
        yield from _of_file(paths, "command", path, _command_lines(path))


def command_files(bases: list[Path]) -> list[Path]:
    """The command files below these folders, those of the first one first."""
    found = []
    for base in bases:
        try:
            found += sorted(path for path in (base / COMMAND_FOLDER).glob("*.md") if path.is_file())
        except OSError:
            continue
    return found


def _command_lines(path: Path) -> tuple[str, ...]:
    text = _text(path)
    head = parse_front_matter(text)
    body = text if isinstance(head, Broken) else head.body
    summary = "" if isinstance(head, Broken) else str(head.fields.get("description") or "")
    first = summary or next((line for line in body.splitlines() if line.strip()), "")
    runs = [line.strip() for line in body.splitlines() if line.lstrip().startswith("!")]
    return (
        f"/{path.stem.lower()}: {first.strip('# ')}",
        *(f"asks the model to run {line[1:].strip()}" for line in runs),
    )


def _skills(paths: Paths) -> tuple[Skill, ...]:
    roots = skill_roots(
        paths.project,
        git_root=git_root(paths.project),
        home=Path.home(),
        state=paths.state,
        bundled=data_dir("skills"),
        trusted=True,
    )
    theirs = [SkillRoot(root.path, "project") for root in roots if root.owner == "project" and os.path.isdir(root.path)]
    if not theirs:
        return ()
    return discover(theirs, cache=HeadCache(paths.state / "cache" / "skills.msgpack", writes=False)).active


def _of_skill(paths: Paths, skill: Skill, scripts: tuple[str, ...]) -> Thing:
    folder = os.path.dirname(skill.path)
    does = [skill.head.description]
    if scripts:
        does.append(f"has scripts the agent may ask to run: {', '.join(scripts)}")
    if sum(1 for _ in files_of(folder)) >= SKILL_FILES_LOOKED_AT:
        does.append(f"only its first {SKILL_FILES_LOOKED_AT} files are looked at")
    return Thing(
        "skill", _name(paths, Path(folder)), Path(folder), print_of(*bytes_of(folder)), tuple(does), waits=bool(scripts)
    )


def _listed(paths: Paths, kind: ThingKind, files: tuple[str, ...], table: str) -> Iterator[Thing]:
    for name in files:
        path = paths.project / name
        try:
            entries = json.loads(path.read_bytes()).get(table) if path.is_file() else None
        except (OSError, ValueError, AttributeError):
            continue
        if isinstance(entries, Mapping) and entries:
            does = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in entries.items()]
            does.append("this version never runs it")
            yield Thing(kind, name, path, print_of(path.read_bytes()), tuple(does), waits=False)


def _of_file(paths: Paths, kind: ThingKind, path: Path, does: tuple[str, ...]) -> Iterator[Thing]:
    try:
        yield Thing(kind, _name(paths, path), path, print_of(path.read_bytes()), does)
    except OSError:
        return


def _name(paths: Paths, path: Path) -> str:
    return os.path.relpath(path, paths.project)


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig", "replace")
    except OSError:
        return ""


def _visible(text: str) -> str:
    """One line nobody can hide anything in; a very long one says how much is missing."""
    line = " ".join(show_hidden(show_controls(text)).text.split())
    left = len(line) - TRUST_TEXT_CHARS
    return line if left <= 0 else f"{line[:TRUST_TEXT_CHARS]}… ({left:,} more characters)"
