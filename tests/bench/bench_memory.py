"""What a search over many notes costs: the whole search beside the same query by sqlite3 alone.

    python -m tests.bench.bench_memory [--files 400] [--rounds 15]

Prints the number of pieces, the median of each and the ratio; the goal is at most 2.
"""

import argparse
import os
import random
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

from openclaw_tui.memory.index import FIND
from openclaw_tui.memory.places import MemoryPlaces
from openclaw_tui.memory.search import MemorySearch

GOAL = 2.0
QUERY = "which retry budget did the gateway get"
MATCH = '"retry" OR "budget" OR "gateway" OR "get"'


def make_notes(root: Path, files: int) -> None:
    """Each file gives about 25 pieces of 1,600 characters, of words with the skew of real text."""
    rng = random.Random(7)
    words = [
        f"{a}{b}" for a in ("ret", "gate", "cache", "bud", "lease", "key") for b in ("ry", "way", "get", "er", "on")
    ]
    words += [f"word{n}" for n in range(3000)]
    weights = [1 / (n + 3) for n in range(len(words))]
    past = time.time() - 3600
    (root / "memory").mkdir(parents=True)
    for number in range(files):
        lines = (" ".join(rng.choices(words, weights, k=14)) for _ in range(330))
        file = root / "memory" / f"{date(2020, 1, 1) + timedelta(days=number)}.md"
        file.write_text("\n".join(f"- {line}" for line in lines), encoding="utf-8")
        os.utime(file, (past, past))


def median_ms(work: Callable[[], object], rounds: int) -> float:
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return statistics.median(times) * 1000


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--files", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=15)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root, index = Path(folder) / "notes", Path(folder) / "index.sqlite"
        make_notes(root, given.files)
        search = MemorySearch(MemoryPlaces(root, in_project=True, index=index))
        started = time.perf_counter()
        assert len(search.search(QUERY).hits) == 6
        first = time.perf_counter() - started
        base = sqlite3.connect(index)
        pieces = base.execute("select count(*) from chunks").fetchone()[0]
        before = median_ms(lambda: base.execute(FIND["words"], (MATCH, 24)).fetchall(), given.rounds)
        whole = median_ms(lambda: search.search(QUERY), given.rounds)
        after = median_ms(lambda: base.execute(FIND["words"], (MATCH, 24)).fetchall(), given.rounds)
        base.close()
        search.close()
    alone = (before + after) / 2
    verdict = "met" if whole <= GOAL * alone else "missed"
    print(f"{pieces} pieces in {given.files} files: sqlite3 alone {alone:.2f} ms, search {whole:.2f} ms", end="")
    print(f" ({whole / alone:.2f} x), first time {first:.2f} s; goal {GOAL:g} x: {verdict}")


if __name__ == "__main__":
    main()
