"""The generated repository on which the scenarios act: modules with constants, and a tool with known output.

`tools/emit.py BYTES SEED [ID]` prints lines of a known size; with an ID it plants the values of `tools/planted.json`
in the
middle and near the end, so that a test can ask later whether a value survived.
"""

import json
import random
from pathlib import Path
from typing import TYPE_CHECKING

from tests.strict_fake.words import words

if TYPE_CHECKING:
    from tests.strict_fake.scenarios import Needle

MODULES = 48
CONSTANTS = 40
WORDS = words(
    "buffer ledger socket parser window segment digest planner cursor frame batch replay shard anchor policy journal "
    "lease "
    "vector router budget prefix cache token stream retry guard compact summary boundary session branch kernel signal "
    "widget layout render scroll"
)

_EMIT = '''"""Prints deterministic output: emit.py BYTES SEED [ID]."""
import json, os, random, sys
size, seed = int(sys.argv[1]), int(sys.argv[2])
ident = sys.argv[3] if len(sys.argv) > 3 else ""
planted = {}
if ident:
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "planted.json")) as f:
        planted = json.load(f).get(ident, {})
rng = random.Random(seed)
words = WORDS_HERE
out, n, mid_done, i = [], 0, False, 0
pool = [" ".join(rng.choice(words) for _ in range(rng.randrange(4, 12))) for _ in range(64)]
while n < size:
    i += 1
    if planted.get("mid") and not mid_done and n > size // 2:
        line = f"[{i:06d}] checkpoint {planted['mid']} reached"
        mid_done = True
    else:
        line = f"[{i:06d}] {pool[rng.randrange(64)]} t={rng.randrange(10**6)}"
    out.append(line)
    n += len(line) + 1
    if len(out) > 4096:
        sys.stdout.write("\\n".join(out) + "\\n")
        out = []
if planted.get("path"):
    out.append(f"wrote report to {planted['path']}")
if planted.get("tail"):
    out.append(f"ERROR: job {planted['tail']} failed with exit code 3")
out.append(f"done: {i} lines")
sys.stdout.write("\\n".join(out) + "\\n")
sys.stdout.flush()
sys.exit(3 if planted.get("tail") else 0)
'''


def module_path(i: int) -> str:
    return f"src/pkg{i % 6}/{WORDS[i % len(WORDS)]}_{i:02d}.py"


def constant(seed: int, module: int, number: int, revision: int = 0) -> str:
    value = random.Random(f"{seed}/c/{module}/{number}/{revision}").randrange(10000, 99999)
    return f"LIMIT_{module:02d}_{number:02d} = {value}"


def make_repo(destination: str | Path, seed: int, needles: "list[Needle]") -> None:
    """Write the repository; the same seed gives the same bytes."""
    root = Path(destination)
    rng = random.Random(f"{seed}/repo")
    (root / "tools").mkdir(parents=True, exist_ok=True)
    for i in range(MODULES):
        path = root / module_path(i)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_module(rng, seed, i), encoding="utf-8")
    (root / "tools" / "emit.py").write_text(_EMIT.replace("WORDS_HERE", repr(list(WORDS))), encoding="utf-8")
    planted: dict[str, dict[str, str]] = {}
    for needle in needles:
        if needle.kind.startswith("tool-"):
            planted.setdefault(needle.id.split(":")[1], {})[needle.kind[5:]] = needle.value
    (root / "tools" / "planted.json").write_text(json.dumps(planted, indent=0), encoding="utf-8")
    (root / "README.md").write_text("# bench repo\n\nA generated repository for measurements.\n", encoding="utf-8")
    (root / ".gitignore").write_text("__pycache__/\n", encoding="utf-8")


def _module(rng: random.Random, seed: int, i: int) -> str:
    lines = [f'"""Module {i}: {" ".join(rng.choice(WORDS) for _ in range(9))}."""', "import math", ""]
    lines += [constant(seed, i, j) for j in range(CONSTANTS)] + [""]
    for k in range(rng.randrange(8, 60)):
        a, b, c = (rng.choice(WORDS) for _ in range(3))
        lines += [
            f"def {a}_{b}_{k}({c}: int, n: int = {rng.randrange(99)}) -> int:",
            f'    """Return the {a} of {b}, {rng.choice(WORDS)} first."""',
            f"    total = {c} * {rng.randrange(2, 9)} + n",
            f"    for step in range({rng.randrange(2, 30)}):",
            f"        total += int(math.sqrt(step + {rng.randrange(99)}))  # {rng.choice(WORDS)}",
            "    return total",
            "",
        ]
    return "\n".join(lines)
