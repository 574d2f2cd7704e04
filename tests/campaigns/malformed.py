"""Damaged files of every kind: `python -m tests.campaigns.malformed --count 500 --seed 1`.

Each trial damages one file of a valid project or state directory and runs the program in it: print mode with the
offline guide, all settings read, skills and files of the prompt loaded, the session continued. It must neither crash
nor print a traceback or a raw control character; what it says about the file is one line that names it.
"""

import argparse
import contextlib
import io
import os
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from openclaw_tui.cli import main as program
from openclaw_tui.messages import AssistantMessage, TextBlock, user_text
from openclaw_tui.session.manager import SessionManager
from openclaw_tui.ui.textual.theme_files import own_themes

_SKILL = "---\nname: sums\ndescription: adds numbers\nallowed-tools: read, grep\n---\n# Sums\n\nAdd them.\n"
_AGENT = "---\nname: looker\ndescription: looks\ntools: read, grep\nmodel: offline/guide\n---\nLook.\n"
_COMMAND = "---\ndescription: ship it\nargument-hint: WHAT\n---\nShip $ARGUMENTS.\n"
_SETTINGS = (
    '[agents.defaults]\ncontextTokens = 100000\nthinking = "low"\n\n[permissions]\nallow = ["exec(ls:*)"]\n'
    'deny = ["read(secret.txt)"]\n\n[ui]\ntheme = "openclaw-dark"\n\n[ui.keys]\nhelp = "f8"\n'
)
_THEME = 'dark = true\nprimary = "#7aa2f7"\nforeground = "#d9dce3"\nbackground = "#14161b"\n'
_PROSE = "# Rules\n\nUse tabs.\n\n@notes.md\n"
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

KINDS: Mapping[str, tuple[str, str]] = {
    "skill": ("project", "skills/sums/SKILL.md"),
    "own skill": ("state", "skills/sums/SKILL.md"),
    "agent": ("project", ".agents/agents/looker.md"),
    "command": ("project", ".claude/commands/ship.md"),
    "settings": ("state", "tui.toml"),
    "project settings": ("project", ".openclaw/tui.toml"),
    "AGENTS.md": ("project", "AGENTS.md"),
    "MEMORY.md": ("project", "MEMORY.md"),
    "SOUL.md": ("project", "SOUL.md"),
    "imported": ("project", "notes.md"),
    "session": ("state", "session"),
    "theme": ("state", "themes/mine.toml"),
    "trust": ("state", "trust.json"),
    "servers": ("state", "local-servers.json"),
    "note of a command": ("state", "running/m.json"),
    "note of a crash": ("state", "crashes/last.json"),
}
"""Where each kind of file lies."""

CONTENTS: Mapping[str, str] = {
    "skill": _SKILL,
    "own skill": _SKILL,
    "agent": _AGENT,
    "command": _COMMAND,
    "settings": _SETTINGS,
    "project settings": _SETTINGS,
    "AGENTS.md": _PROSE,
    "MEMORY.md": "# Memory\n\n- The port is 8080.\n",
    "SOUL.md": "Be brief.\n",
    "imported": "More rules.\n\n@AGENTS.md\n",
    "theme": _THEME,
    "trust": '{"version": 1, "folders": {}}',
    "servers": '{"ollama": {"accepted": true, "model": "ollama/x"}}',
    "note of a command": '{"pid": 1, "began": "1", "mark": "m", "command": "x", "owner": 4194000, "owner_began": "1"}',
    "note of a crash": '{"report": "r.txt", "project": "/", "session_id": "x"}',
}

Damage = Callable[[random.Random, bytes], bytes]


def _at(rng: random.Random, data: bytes) -> int:
    return rng.randrange(len(data) + 1)


def _insert(rng: random.Random, data: bytes, what: bytes) -> bytes:
    at = _at(rng, data)
    return data[:at] + what + data[at:]


def _lines(rng: random.Random, data: bytes, change: Callable[[list[bytes], int], None]) -> bytes:
    lines = data.split(b"\n")
    change(lines, rng.randrange(len(lines)))
    return b"\n".join(lines)


def _drop(lines: list[bytes], at: int) -> None:
    del lines[at]


def _value(rng: random.Random, data: bytes) -> bytes:
    """Another value where one stands: behind a colon or an equals sign."""
    places = [match.end() for match in re.finditer(rb"[:=] ?", data)] or [0]
    at = rng.choice(places)
    end = data.find(b"\n", at)
    wrong = rng.choice([b"[", b"{", b"true", b"-1e999", b'"', b"null", b"[[[]]]", b"\x1b[31mred", b"9" * 400, b"'''"])
    return data[:at] + wrong + data[end if end >= 0 else len(data) :]


DAMAGES: Mapping[str, Damage] = {
    "cut short": lambda rng, data: data[: _at(rng, data)],
    "empty": lambda _rng, _data: b"",
    "bad utf-8": lambda rng, data: _insert(rng, data, rng.choice([b"\xff\xfe", b"\xc3", b"\xed\xa0\x80"])),
    "nul": lambda rng, data: _insert(rng, data, b"\0" * rng.randint(1, 40)),
    "byte order mark": lambda _rng, data: b"\xef\xbb\xbf" + data,
    "utf-16": lambda _rng, data: data.decode().encode("utf-16"),
    "crlf": lambda _rng, data: data.replace(b"\n", b"\r\n"),
    "huge line": lambda rng, data: _insert(rng, data, b"x" * 300_000),
    "escape sequences": lambda rng, data: _insert(rng, data, b"\x1b]52;c;QUJD\x07\x1b[2J\x9b31m"),
    "hidden characters": lambda rng, data: _insert(rng, data, "\u202eevil\u2066\u200b".encode()),
    "line twice": lambda rng, data: _lines(rng, data, lambda lines, at: lines.insert(at, lines[at])),
    "line gone": lambda rng, data: _lines(rng, data, _drop),
    "wrong value": _value,
    "deep nesting": lambda rng, data: _insert(rng, data, rng.choice([b"[", b"{", b"- ", b"a.b."]) * 3_000),
    "noise": lambda rng, data: _insert(rng, data, rng.randbytes(200)),
}
"""How a file is damaged. Beside these: a folder in its place, a link to itself, no right to read it."""

PLACES = ("folder", "link to itself", "unreadable")


@dataclass(slots=True)
class Result:
    trials: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)
    codes: Counter[int] = field(default_factory=Counter)

    def fault(self, kind: str, words: str) -> None:
        self.faults[kind] += 1
        self.examples.setdefault(kind, words)


class Ground:
    """A valid project and state directory; `damage` spoils one file of it."""

    def __init__(self, root: Path, rng: random.Random) -> None:
        self.roots = {"project": root / "project", "state": root / "state"}
        self.rng = rng
        for kind, text in CONTENTS.items():
            path = self.path(kind)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        sessions = self.roots["state"] / "agents" / "main" / "sessions"
        sessions.mkdir(parents=True)
        manager = SessionManager.create(sessions, cwd=self.roots["project"])
        for number in range(3):
            manager.append_message(user_text(f"question {number}"))
            manager.append_message(AssistantMessage((TextBlock(f"answer {number}"),)))
        manager.close()
        assert manager.path is not None
        self.session = manager.path

    def path(self, kind: str) -> Path:
        root, name = KINDS[kind]
        return self.session if kind == "session" else self.roots[root] / name

    def damage(self, kind: str, how: str) -> Path:
        path = self.path(kind)
        if how in PLACES:
            if how == "unreadable":
                path.chmod(0)
                return path
            path.unlink()
            path.mkdir() if how == "folder" else path.symlink_to(path)
            return path
        path.write_bytes(DAMAGES[how](self.rng, path.read_bytes()))
        return path


def trial(result: Result, root: Path, rng: random.Random, kind: str, how: str) -> None:
    ground = Ground(root, rng)
    path = ground.damage(kind, how)
    os.environ["OPENCLAW_STATE_DIR"] = str(ground.roots["state"])
    arguments = ["--cwd", str(ground.roots["project"]), "-m", "offline/guide", "-p", "list the files"]
    out, err = io.StringIO(), io.StringIO()
    where = f"{kind}, {how}"
    stdin = sys.stdin
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), Path(os.devnull).open() as nothing:
            sys.stdin = nothing
            code = program([*arguments, *(["-c"] if kind == "session" else [])])
            if kind == "theme":
                _themes, problems = own_themes(path.parent)
                err.write("".join(f"openclaw-tui: {problem}\n" for problem in problems))
    except (Exception, SystemExit) as error:
        result.fault("raised", f"{where}: {type(error).__name__}: {error}")
        return
    finally:
        sys.stdin = stdin
    result.trials += 1
    result.codes[code] += 1
    said = err.getvalue()
    if "Traceback" in said + out.getvalue():
        result.fault("traceback", f"{where}: {said[-300:]}")
    if "a defect" in said or list(ground.roots["state"].glob("crashes/crash-*")):
        result.fault("defect", f"{where}: {said[-300:]}")
    if _CONTROL.search(said):
        result.fault("control characters", f"{where}: {said!r}"[:400])
    if code not in (0, 1, 2, 3):
        result.fault("exit code", f"{where}: {code}")
    lines = [line for line in said.splitlines() if "offline/guide" not in line]
    if code and not lines:
        result.fault("silent failure", where)
    for line in lines:
        if len(line) > 2_000:
            result.fault("long line", f"{where}: {line[:200]}")
        if not line.startswith("openclaw-tui: "):
            result.fault("more than a line", f"{where}: {line[:200]}")
        elif code and "no earlier session" not in line and not names(line, path, ground.session):
            result.fault("file not named", f"{where}: {line[:300]}")


def names(line: str, path: Path, session: Path) -> bool:
    """Whether a line says which file it is about."""
    return path.name in line or session.name in line or session.stem[-8:] in line or session.stem[:8] in line


def campaign(count: int, seed: int, *, progress: bool = False) -> Result:
    """Every kind with every damage in turn, each time at another place."""
    rng = random.Random(seed)
    pairs = [(kind, how) for how in (*DAMAGES, *PLACES) for kind in KINDS]
    rng.shuffle(pairs)
    result = Result()
    before = os.environ.get("OPENCLAW_STATE_DIR")
    try:
        for number in range(count):
            kind, how = pairs[number % len(pairs)]
            with tempfile.TemporaryDirectory() as folder:
                trial(result, Path(folder), rng, kind, how)
                for path in Path(folder).rglob("*"):
                    if not path.is_symlink():
                        path.chmod(0o700)
            if progress and (number + 1) % 50 == 0:
                print(f"{number + 1} of {count}: {dict(result.faults) or 'no faults'}", file=sys.stderr, flush=True)
    finally:
        if before is not None:
            os.environ["OPENCLAW_STATE_DIR"] = before
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    os.environ["OPENCLAW_TUI_NO_LOCAL_PROBE"] = "1"
    result = campaign(options.count, options.seed, progress=True)
    print(f"{result.trials} runs, exit codes {dict(sorted(result.codes.items()))}, seed {options.seed}")
    print(f"faults: {dict(result.faults) or 'none'}")
    for kind, example in result.examples.items():
        print(f"  {kind}: {example}")
    return 1 if result.faults else 0


if __name__ == "__main__":
    sys.exit(main())
