"""What bootstrap files cost: finding, reading and cutting 150,000 characters beside reading the same files.

    python -m tests.bench.bench_bootstrap [--rounds 25]

Prints the median of each and the ratio; the goal is at most 3.
"""

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from openclaw_tui.prompt.bootstrap_files import BootstrapFile, BootstrapLimits, load_bootstrap_files

GOAL = 3.0
NAMES = ("AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "BOOTSTRAP.md", "MEMORY.md", "HEARTBEAT.md")


def median_ms(work: Callable[[], object], rounds: int) -> float:
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return statistics.median(times) * 1000


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=25)
    given = parser.parse_args()
    line = "- A rule of the project, as people write them: short — and with a dash or an é now and then.\n"
    past = time.time() - 3600
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name in NAMES:
            (root / name).write_text(line * (150_000 // len(NAMES) // len(line)), encoding="utf-8")
            os.utime(root / name, (past, past))

        def loaded() -> list[BootstrapFile]:
            return load_bootstrap_files(root, project_root=root, personal=None, limits=BootstrapLimits())

        def read() -> list[str]:
            return [(root / name).read_text(encoding="utf-8") for name in NAMES]

        started = time.perf_counter()
        chars = sum(file.injected_chars for file in loaded())
        first = (time.perf_counter() - started) * 1000
        before, whole, after = (median_ms(work, given.rounds) for work in (read, loaded, read))
    base = (before + after) / 2
    verdict = "met" if whole <= GOAL * base else "missed"
    print(f"{chars:,} characters: reading {base:.2f} ms, loading {whole:.2f} ms ({whole / base:.2f} x),", end="")
    print(f" first time {first:.2f} ms; goal {GOAL:g} x: {verdict}")


if __name__ == "__main__":
    main()
