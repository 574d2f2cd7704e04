"""How a project's tests are run, as its own papers say: README and CONTRIBUTING first, then manifests, guesses last."""

import re
from collections.abc import Iterable, Sequence

import msgspec

_RUNNERS = (
    r"pytest|py\.test|tox|nox|unittest|npm\s+(?:run\s+)?t(?:est)?(?::\w+)?|yarn\s+(?:run\s+)?test|pnpm\s+(?:run\s+)?test"
    r"|npx\s+(?:jest|vitest|mocha)|bun\s+test|deno\s+test|cargo\s+(?:nextest\s+run|test)|go\s+test|make\s+(?:tests?|check)"
    r"|just\s+test|mvn\s+(?:\S+\s+)?test|(?:\./)?gradlew?\s+test|ctest|mix\s+test|rake\s+(?:test|spec)|rspec|phpunit"
    r"|composer\s+test|dotnet\s+test|swift\s+test|hatch\s+(?:run\s+)?test|prove|zig\s+build\s+test"
)
_PREFIX = (
    r"(?:[A-Z_]+=\S+\s+)*(?:(?:uv|poetry|pdm|pipenv|hatch)\s+run\s+(?:-\S+\s+)*|bundle\s+exec\s+"
    r"|(?:\S*/)?python[\d.]*\s+(?:-\w\s+)*-m\s+|\S*/)?"
)
_COMMAND = re.compile(rf"(?:^|&&\s*|;\s*)\(?{_PREFIX}(?:{_RUNNERS})(?![\w./-])")
_FENCE = re.compile(r"^[ \t]*(```|~~~)[^\n]*\n(.*?)^[ \t]*\1", re.M | re.S)
_INDENTED = re.compile(r"^(?: {3,}|\t)(\S.*)$", re.M)
_INLINE = re.compile(r"`+([^`\n]+)`+")
_PROMPT = re.compile(r"^(?:\$|>|%|#)\s+|^\(\w+\)\s*\$\s*")
_PLACEHOLDER = re.compile(r"<\w|\.\.\.|…|path/to|\s\[[a-z -]+\]|YOUR_|test_name|::")


class TestCommand(msgspec.Struct, frozen=True):
    """A command and the file that says so."""

    __test__ = False
    command: str
    source: str


def from_prose(name: str, text: str) -> list[TestCommand]:
    """Commands in the code blocks of a document, then those in running text; whole lines, as they are written."""
    rest = _FENCE.sub("\n", text)
    blocks = [line for match in _FENCE.finditer(text) for line in match[2].splitlines()]
    lines = [*blocks, *_INDENTED.findall(rest)]
    return _unique(TestCommand(command, name) for command in _commands([*lines, *_INLINE.findall(rest)]))


def from_makefile(text: str, program: str = "make") -> str:
    """`make test` where there is such a target."""
    target = re.search(r"^(tests?|check)\b[^:=\n]*:(?!=)", text, re.M)
    return f"{program} {target[1]}" if target else ""


def runnable(commands: Sequence[TestCommand], entries: Sequence[str]) -> list[str]:
    """What is tried, in order: as written, but by the project's own environment or `python3` where it says `python`.

    `entries` are the names at the top of the project.
    """
    own = next((f"{name}bin/python" for name in (".venv/", "venv/") if name in entries), "")
    tried: list[str] = []
    for known in commands:
        plain = re.sub(r"^python3?(?= )", "python3", known.command)
        bare = re.fullmatch(r"(?:python3 -m )?(pytest|unittest)((?: .*)?)", plain)
        if bare:
            modules = [f"{python} -m {bare[1]}{bare[2]}" for python in (own, "python3") if python]
            tried += modules + ([plain] if plain not in modules else [])
        else:
            tried.append(plain)
    return list(dict.fromkeys(tried))


def _commands(lines: Iterable[str]) -> Iterable[str]:
    for line in lines:
        command = re.sub(r"\s+#\s.*$", "", _PROMPT.sub("", line.strip())).strip()
        if _COMMAND.search(command) and not _PLACEHOLDER.search(command) and len(command) < 300:
            yield command


def _unique(commands: Iterable[TestCommand]) -> list[TestCommand]:
    return list({known.command: known for known in reversed(list(commands))}.values())[::-1]
