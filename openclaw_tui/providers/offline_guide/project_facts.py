"""Facts about a project, read off its manifests and README: what it is, what it is written in, how its tests run."""

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field

MANIFESTS = (
    "pyproject.toml",
    "package.json",
    "Cargo.toml",
    "go.mod",
    "setup.cfg",
    "setup.py",
    "tox.ini",
    "noxfile.py",
    "Makefile",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "CMakeLists.txt",
    "Gemfile",
    "composer.json",
    "mix.exs",
)
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
}
_README_TEST = re.compile(
    r"^\s*(?:\$\s*)?((?:\S+/)?(?:python\d? -m )?(?:pytest|tox|nox|unittest|npm (?:run )?test|yarn test|pnpm test|cargo test|go test|make (?:test|check)|mvn test|gradle test|ctest|mix test|bundle exec)\b[^\n`]*)",
    re.M,
)


@dataclass(slots=True)
class ProjectFacts:
    """Each fact with the file it was found in."""

    name: str = ""
    description: str = ""
    intro: str = ""
    languages: list[str] = field(default_factory=list)
    test_commands: list[tuple[str, str]] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)

    @property
    def test_command(self) -> str:
        return self.test_commands[0][0] if self.test_commands else ""


def gather_facts(listing: str, files: Mapping[str, str]) -> ProjectFacts:
    """`listing` is the top folder's entries, one a line; `files` maps names of read files to their text."""
    facts = ProjectFacts()
    entries = [line.strip().split("  ")[0] for line in listing.splitlines() if line.strip()]
    facts.folders = [entry for entry in entries if entry.endswith("/") and not entry.startswith(".")]
    for name, text in files.items():
        base = name.rsplit("/", 1)[-1]
        if base.lower().startswith("readme"):
            _from_readme(facts, name, text)
        else:
            _from_manifest(facts, base, text)
    for entry in entries:
        language = _LANGUAGES.get(entry)
        if language and language not in facts.languages:
            facts.languages.append(language)
    _guess_tests(facts, entries)
    return facts


def _from_readme(facts: ProjectFacts, name: str, text: str) -> None:
    title = re.search(r"^#\s+(.+)$", text, re.M)
    if title and not facts.name:
        facts.name = re.sub(r"[*_`]|\[!\[.*", "", title[1]).strip()
    facts.intro = _first_paragraph(text)
    for command in _README_TEST.findall(text):
        _add(facts, command.strip(), name)


def _first_paragraph(text: str) -> str:
    """The first paragraph of prose: no heading, badge, picture, table, list or code."""
    fenced = False
    paragraph: list[str] = []
    for line in text.splitlines():
        if line.lstrip().startswith("```"):
            fenced = not fenced
            continue
        plain = line.strip()
        noise = (
            fenced
            or not plain
            or plain.startswith(("#", "[!", "![", "<", "|", "=", "---", "..", ":", "[![", "- ", "* ", ">"))
        )
        if noise:
            if len(" ".join(paragraph)) > 40:
                break
            paragraph = []
        else:
            paragraph.append(plain)
    return re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", " ".join(paragraph))[:500]


def _from_manifest(facts: ProjectFacts, name: str, text: str) -> None:
    match name:
        case "pyproject.toml":
            _from_pyproject(facts, text)
        case "package.json" | "composer.json":
            _from_package_json(facts, name, text)
        case "Cargo.toml":
            _from_table(facts, text, "package")
            _add(facts, "cargo test", name)
        case "go.mod":
            _add(facts, "go test ./...", name)
        case "tox.ini":
            _add(facts, "tox", name)
        case "noxfile.py":
            _add(facts, "nox", name)
        case "Makefile":
            target = re.search(r"^(test|tests|check):", text, re.M)
            if target:
                _add(facts, f"make {target[1]}", name)
        case "pom.xml":
            _add(facts, "mvn test", name)
        case "mix.exs":
            _add(facts, "mix test", name)
        case "setup.cfg":
            if "[tool:pytest]" in text:
                _add(facts, "python -m pytest", name)
        case _:
            return


def _from_pyproject(facts: ProjectFacts, text: str) -> None:
    _from_table(facts, text, "project")
    if "pytest" in text:
        _add(facts, "python -m pytest", "pyproject.toml")


def _from_table(facts: ProjectFacts, text: str, table: str) -> None:
    try:
        data = tomllib.loads(text).get(table, {})
    except tomllib.TOMLDecodeError:
        return
    facts.name = str(data.get("name") or facts.name)
    facts.description = str(data.get("description") or facts.description)


def _from_package_json(facts: ProjectFacts, name: str, text: str) -> None:
    try:
        data = json.loads(text)
    except json.JSONDecodeError:
        return
    if not isinstance(data, dict):
        return
    facts.name = str(data.get("name") or facts.name)
    facts.description = str(data.get("description") or facts.description)
    scripts = data.get("scripts")
    if isinstance(scripts, dict) and "test" in scripts and "no test specified" not in str(scripts["test"]):
        _add(facts, "npm test" if name == "package.json" else "composer test", name)


def _guess_tests(facts: ProjectFacts, entries: list[str]) -> None:
    if facts.test_commands:
        return
    has_tests = any(entry in ("tests/", "test/") or re.match(r"test_.*\.py$", entry) for entry in entries)
    if has_tests and ("Python" in facts.languages or any(entry.endswith(".py") for entry in entries)):
        if "Python" not in facts.languages:
            facts.languages.append("Python")
        _add(facts, "python -m pytest", "the tests folder")


def _add(facts: ProjectFacts, command: str, source: str) -> None:
    if command and all(command != known for known, _ in facts.test_commands):
        facts.test_commands.append((command, source))
