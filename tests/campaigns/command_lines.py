"""Command lines that hide something, judged: `python -m tests.campaigns.command_lines --count 5000 --seed 1`.

Every line is given to the permission machinery, never to a shell. A line is missed where it would run without the
question: in the default mode, where edits are accepted, and beside plausible allow rules. Also counts ordinary looking
commands that are asked about though they need not be.
"""

import argparse
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from openclaw_tui.safety.permissions import Act, PermissionMode, Permissions, PermissionSettings, RuleLine
from openclaw_tui.tools.workspace import Workspace
from tests.campaigns.ordinary_lines import ORDINARY
from tests.campaigns.shell_grammar import Line, make_line
from tests.safety.evasions import EVERY_CLASS

_RULES = ("exec(npm test:*)", "exec(pytest:*)", "exec(cargo build:*)")
_LOOKING_RULES = ("exec(ls:*)", "exec(echo:*)", "exec(cat:*)", *_RULES)
_GIT_RULES = ("exec(git:*)", *_RULES)
_NEVER_A_PROJECTS = ("destructive", "reads outside", "writes outside")


@dataclass(slots=True)
class Outcome:
    judged: int = 0
    missed: list[tuple[str, Line]] = field(default_factory=list)
    asked_for_nothing: list[str] = field(default_factory=list)

    def by_class(self) -> Counter[str]:
        return Counter(line.kind for _, line in self.missed)


def run(folder: Path, *, count: int, seed: int) -> Outcome:
    """Judge `count` generated lines and the whole fixed list in each setting."""
    project = _project(folder)
    found = Outcome()
    settings = list(settings_of(project))
    for number in range(count):
        line = make_line(random.Random(f"{seed}/{number}"), str(folder / "outside"))
        judge(line, settings, found)
    for kind, lines in EVERY_CLASS.items():
        for text in lines:
            judge(Line(text, kind, text, "fixed list"), settings, found)
    plain = settings[0][1]
    found.asked_for_nothing = [text for text in ORDINARY if plain.judge(_act(text, project)).decision != "allow"]
    return found


def judge(line: Line, settings: list[tuple[str, Permissions]], found: Outcome) -> None:
    for name, permissions in settings:
        if "git" in name and line.payload.startswith("git "):
            continue  # a rule for all of git is the user's word on these
        if "all of exec" in name and line.kind not in _NEVER_A_PROJECTS:
            continue  # a trusted project may allow these
        found.judged += 1
        if permissions.judge(_act(line.text, permissions.places.root)).decision == "allow":
            found.missed.append((name, line))


def settings_of(project: Path) -> Iterator[tuple[str, Permissions]]:
    def made(mode: PermissionMode, rules: tuple[str, ...], place: str) -> Permissions:
        lines = tuple(RuleLine(text, place) for text in rules)
        return Permissions(PermissionSettings(mode, allow=lines), Workspace(project))

    yield "default", made("default", (), "user")
    yield "acceptEdits", made("acceptEdits", (), "user")
    yield "default + rules of the user", made("default", _RULES, "user")
    yield "acceptEdits + rules of the project", made("acceptEdits", _LOOKING_RULES, "project")
    yield "default + all of exec by the project", made("default", ("exec", "network", "read", "edit"), "project")
    yield "default + git rule of the user", made("default", _GIT_RULES, "user")


def _act(text: str, project: Path) -> Act:
    return Act("exec", "execute", (project,), command=text)


def _project(folder: Path) -> Path:
    project, outside = folder / "project", folder / "outside"
    (project / "src").mkdir(parents=True)
    (project / "build").mkdir()
    outside.mkdir()
    (outside / "secret.txt").write_text("s", encoding="utf-8")
    for name in ("a", "notes.txt", "evil.sh", "src/b.py", "README.md", "pyproject.toml"):
        (project / name).write_text("x\n", encoding="utf-8")
    (project / "link").symlink_to(outside)
    return project.resolve()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = run(Path(folder).resolve(), count=given.count, seed=given.seed)
    fixed = sum(len(lines) for lines in EVERY_CLASS.values())
    print(f"{given.count} generated and {fixed} fixed lines, {found.judged} verdicts, seed {given.seed}")
    print(f"would run without the question: {len(found.missed)} {dict(found.by_class()) or ''}")
    for name, line in found.missed[:40]:
        print(f"  [{name}] {line.kind}: {line.text!r}   ({line.way})")
    print(f"ordinary lines asked about: {len(found.asked_for_nothing)} of {len(ORDINARY)}")
    for text in found.asked_for_nothing:
        print(f"  {text}")
    return 1 if found.missed or found.asked_for_nothing else 0


if __name__ == "__main__":
    sys.exit(main())
