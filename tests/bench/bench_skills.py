"""What an index of many skills costs: warm discovery and listing beside a bare scandir and stat of the same files.

    python -m tests.bench.bench_skills [--skills 1000] [--rounds 15]

Prints the median of each and the ratio; the goal is at most 3.
"""

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from openclaw_tui.skills.cache import HeadCache
from openclaw_tui.skills.discovery import SkillSet, discover
from openclaw_tui.skills.index import list_skills
from openclaw_tui.skills.places import SkillRoot

GOAL = 3.0


def make_skills(root: Path, count: int) -> None:
    past = time.time() - 3600
    for number in range(count):
        folder = root / f"skill-{number:04}"
        folder.mkdir(parents=True)
        file = folder / "SKILL.md"
        file.write_text(
            f"---\nname: skill-{number:04}\ndescription: Does thing {number} when it is asked for, and says so.\n---\n"
            + "A line of the text that nobody needs for the index.\n" * 40,
            encoding="utf-8",
        )
        os.utime(file, (past, past))


def bare(root: Path) -> int:
    """The baseline: every child looked at, every SKILL.md's status asked for."""
    size = 0
    with os.scandir(root) as entries:
        for entry in entries:
            if entry.is_dir():
                size += os.stat(f"{entry.path}/SKILL.md").st_size
    return size


def warm(root: Path, cache: Path) -> SkillSet:
    return discover([SkillRoot(str(root), "project")], cache=HeadCache(cache))


def median_ms(work: Callable[[], object], rounds: int) -> float:
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return statistics.median(times) * 1000


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--skills", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=15)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root, cache = Path(folder) / "skills", Path(folder) / "cache" / "skills.msgpack"
        make_skills(root, given.skills)
        started = time.perf_counter()
        found = warm(root, cache)
        cold = (time.perf_counter() - started) * 1000
        assert len(found.active) == given.skills
        baseline = median_ms(lambda: bare(root), given.rounds)
        indexed = median_ms(lambda: warm(root, cache), given.rounds)
        listed = median_ms(lambda: list_skills(found.active), given.rounds)
        again = median_ms(lambda: bare(root), given.rounds)
    base = (baseline + again) / 2
    verdict = "met" if indexed <= GOAL * base else "missed"
    print(f"{given.skills} skills: scandir+stat {base:.2f} ms, warm index {indexed:.2f} ms ({indexed / base:.2f} x),")
    print(f"listing {listed:.2f} ms, first time {cold:.0f} ms; goal {GOAL:g} x: {verdict}")


if __name__ == "__main__":
    main()
