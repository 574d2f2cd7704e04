"""Facts about a project, read off its manifests and README: what it is, what it is written in, how its tests run."""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from openclaw_tui.providers.offline_guide.test_commands import TestCommand, from_makefile, from_prose

_LANGUAGES = {
    "pyproject.toml": "Python",
    "setup.py": "Python",
    "setup.cfg": "Python",
    "package.json": "JavaScript or TypeScript",
    "Cargo.toml": "Rust",
    "go.mod": "Go",
    "pom.xml": "Java",
    "build.gradle": "Java or Kotlin",
    "build.gradle.kts": "Kotlin",
    "CMakeLists.txt": "C or C++",
    "Gemfile": "Ruby",
    "composer.json": "PHP",
    "mix.exs": "Elixir",
    "Package.swift": "Swift",
}
MANIFESTS = (*_LANGUAGES, "tox.ini", "noxfile.py", "Makefile", "justfile")
_FIXED = {
    "Cargo.toml": "cargo test",
    "go.mod": "go test ./...",
    "tox.ini": "tox",
    "noxfile.py": "nox",
    "pom.xml": "mvn test",
    "mix.exs": "mix test",
    "Package.swift": "swift test",
}
_TEST_FOLDERS = ("tests/", "test/", "testing/", "spec/", "__tests__/")
_ABOUT = re.compile(r"^#{1,4}\s+(?:what (?:it|this) is|what is .*|about|overview|introduction)\s*\??$", re.I | re.M)
_NOISE = ("#", "[!", "![", "<", "|", "=", "---", "..", ":", "[![", "- ", "* ", ">", "+", "~~~", "***", "{")


@dataclass(slots=True)
class ProjectFacts:
    """Each test command with the file it was found in; `test_needs` says how to install what the tests need."""

    name: str = ""
    description: str = ""
    intro: str = ""
    languages: list[str] = field(default_factory=list)
    test_commands: list[TestCommand] = field(default_factory=list)
    test_needs: str = ""
    folders: list[str] = field(default_factory=list)
    has_test_folder: bool = False


def top_entries(listing: str) -> list[str]:
    """Names at the top of the project, folders with their slash, links by their own name."""
    return [line.strip().split(" -> ")[0] for line in listing.splitlines() if line.strip()]


def files_to_read(listing: str) -> list[str]:
    """README, CONTRIBUTING and manifests that stand in the listing, in this order."""
    names = top_entries(listing)
    papers = [_first(names, "readme"), _first(names, "contributing")]
    return [name for name in papers if name] + [name for name in MANIFESTS if name in names][:5]


def gather_facts(listing: str, files: Mapping[str, str]) -> ProjectFacts:
    """`listing` is the top folder's entries, one a line; `files` maps names of read files to their text."""
    entries = top_entries(listing)
    facts = ProjectFacts(folders=[entry for entry in entries if entry.endswith("/") and not entry.startswith(".")])
    facts.has_test_folder = any(entry.lower() in _TEST_FOLDERS for entry in entries)
    for name, text in files.items():
        if name.lower().startswith("readme"):
            _from_readme(facts, name, text)
        elif name.lower().startswith("contributing"):
            _add(facts, *from_prose(name, text))
    for name, text in files.items():
        if name in MANIFESTS:
            _from_manifest(facts, name, text)
    facts.languages = list(dict.fromkeys(_LANGUAGES[entry] for entry in entries if entry in _LANGUAGES))
    _guess(facts, entries)
    return facts


def _first(names: Sequence[str], start: str) -> str:
    """The plainest of the files that begin so: `README.md` before `README.zh-CN.md`."""
    found = [name for name in names if name.lower().startswith(start) and not name.endswith("/")]
    return min(found, key=lambda name: (name.count("."), not name.endswith((".md", ".rst")), name), default="")


def _from_readme(facts: ProjectFacts, name: str, text: str) -> None:
    title = re.search(r"^#\s+(.+)$|^(\S.*)\n={3,}\s*$", text, re.M)
    if title and not facts.name:
        facts.name = _plain(title[1] or title[2])
    about = _ABOUT.search(text)
    facts.intro = (_first_paragraph(text[about.end() :]) if about else "") or _first_paragraph(text)
    _add(facts, *from_prose(name, text))


def _first_paragraph(text: str) -> str:
    """The first paragraph of prose: no heading, badge, picture, table, list, code, or row of links."""
    paragraph: list[str] = []
    for line in [*re.sub(r"^[ \t]*(```|~~~).*?^[ \t]*\1[^\n]*$", "", text, flags=re.M | re.S).splitlines(), ""]:
        plain = line.strip()
        if plain and not line.startswith(("  ", "\t")) and not plain.startswith(_NOISE):
            paragraph.append(plain)
            continue
        said = "" if _is_links(" ".join(paragraph)) else _plain(" ".join(paragraph))
        if len(said) > 40 and not said.endswith((":", "：")):
            return said if len(said) <= 500 else (said[:500].rpartition(". ")[0] or said[:500]) + "."
        paragraph = []
    return ""


def _is_links(line: str) -> bool:
    return line.count("•") > 1 or line.count(" · ") > 2 or line.count("](") > 3


def _plain(text: str) -> str:
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)
    text = re.sub(r"`([^`<]+?)\s*<[^>`]+>`_{1,2}", r"\1", text)
    text = re.sub(r"(?<![*\w])\*(\w[^*]*)\*(?!\*)", r"\1", text)
    text = re.sub(r"\[([^\]]+)\](?:\([^)]+\)|\[[^\]]*\])?", r"\1", text)
    text = re.sub(r"``([^`]+)``|:\w+:`([^`<]+)(?: <[^>]*>)?`", lambda m: f"`{m[1] or m[2]}`", text)
    text = re.sub(r"<[^>]+>|\*\*|__(?=\w)|(?<=\w)__", "", text)
    return re.sub(r"\\([^a-zA-Z0-9\s])", r"\1", text).strip(" _*")


def _from_manifest(facts: ProjectFacts, name: str, text: str) -> None:
    match name:
        case "pyproject.toml":
            _from_pyproject(facts, text)
        case "package.json" | "composer.json":
            _from_package_json(facts, name, text)
        case "Makefile" | "justfile":
            command = from_makefile(text, "just" if name == "justfile" else "make")
            _add(facts, *([TestCommand(command, name)] if command else []))
        case "setup.cfg":
            _add(facts, *([TestCommand("python3 -m pytest", name)] if "[tool:pytest]" in text else []))
        case "Cargo.toml":
            _describe(facts, _toml(text).get("package", {}))
            _add(facts, TestCommand(_FIXED[name], name))
        case _ if name in _FIXED:
            _add(facts, TestCommand(_FIXED[name], name))
        case _:
            return


def _from_pyproject(facts: ProjectFacts, text: str) -> None:
    data = _toml(text)
    project, tools = _table(data, "project"), _table(data, "tool")
    _describe(facts, project or _table(tools, "poetry"))
    extras = [name for name in _table(project, "optional-dependencies") if name in ("test", "tests", "testing", "dev")]
    groups = [name for name in _table(data, "dependency-groups") if name in ("test", "tests", "testing", "dev")]
    if extras:
        facts.test_needs = f"`pip install -e '.[{_preferred(extras)}]'`"
    elif groups:
        facts.test_needs = f"`pip install -e . --group {_preferred(groups)}`"
    if "pytest" in text:
        _add(facts, TestCommand("python3 -m pytest", "pyproject.toml"))
    if "tox" in tools:
        _add(facts, TestCommand("tox", "pyproject.toml"))


def _preferred(names: Sequence[str]) -> str:
    return min(names, key=lambda name: (not name.startswith("test"), name))


def _from_package_json(facts: ProjectFacts, name: str, text: str) -> None:
    try:
        data = json.loads(text)
    except json.JSONDecodeError:
        return
    if not isinstance(data, dict):
        return
    _describe(facts, data)
    script = str(_table(data, "scripts").get("test", ""))
    if script and "no test specified" not in script:
        _add(facts, TestCommand("npm test" if name == "package.json" else "composer test", name))
        facts.test_needs = facts.test_needs or ("`npm install`" if name == "package.json" else "`composer install`")


def _describe(facts: ProjectFacts, table: Mapping[str, Any]) -> None:
    facts.name = str(table.get("name") or facts.name)
    facts.description = str(table.get("description") or facts.description)


def _toml(text: str) -> dict[str, Any]:
    """The tables of a file, or those before the place where it is broken or was cut; empty when there are none."""
    ends = [len(text), *reversed([match.start() for match in re.finditer(r"^\[", text, re.M)])]
    for end in ends:
        try:
            return tomllib.loads(text[:end])
        except (tomllib.TOMLDecodeError, RecursionError):
            continue
    return {}


def _table(data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = data.get(name)
    return found if isinstance(found, dict) else {}


def _guess(facts: ProjectFacts, entries: Sequence[str]) -> None:
    """Python without a word about its tests: by the folder alone."""
    python = "Python" in facts.languages or any(entry.endswith(".py") for entry in entries)
    if python and "Python" not in facts.languages:
        facts.languages.append("Python")
    loose = any(re.match(r"test_.*\.py$|.*_test\.py$", entry) for entry in entries)
    if python and not facts.test_commands and (facts.has_test_folder or loose):
        source = "a guess: there are tests here"
        _add(facts, TestCommand("python3 -m pytest", source), TestCommand("python3 -m unittest discover", source))


def _add(facts: ProjectFacts, *commands: TestCommand) -> None:
    known = {test.command for test in facts.test_commands}
    facts.test_commands += [command for command in commands if command.command not in known]
