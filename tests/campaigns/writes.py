"""Kill a writing process at random instants: `python -m tests.campaigns.writes --count 5000`.

A child writes one session and notes each entry that was taken as stored, in fair weather and on disks that are full.
It gets SIGKILL at a random instant; now and then its file's tail is spoilt after that as a crash of the machine would.
Then the session must open, hold every noted entry, be valid, and take a new one.
"""

import argparse
import contextlib
import json
import multiprocessing
import random
import tempfile
import time
from collections import Counter
from multiprocessing.context import ForkServerContext
from pathlib import Path

from openclaw_tui.messages import user_text
from openclaw_tui.session.manager import SessionManager
from tests.campaigns.writes_child import WEATHERS, work
from tests.session.format_validator import assert_valid

_KILLS_A_SESSION = 8
_LONGEST_SECONDS = 0.03
_SPOILT_SHARE = 0.25


def run(folder: Path, *, count: int, seed: int) -> Counter[str]:
    """What was done and found."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.campaigns.writes_child"])
    seen: Counter[str] = Counter()
    for begun in range(0, count, _KILLS_A_SESSION):
        path, known = _begun(folder, f"writes-{begun}")
        for number in range(begun, min(count, begun + _KILLS_A_SESSION)):
            chance = random.Random(f"{seed}/{number}")
            weather = chance.choice(WEATHERS)
            known += _killed(context, path, number, weather, chance, folder / f"said-{number}")
            gone = _spoil(path, chance, seen) if chance.random() < _SPOILT_SHARE else set[str]()
            known = [entry for entry in known if entry not in gone]
            seen += _reopened(path, known, f"kill {number} of seed {seed} ({weather})")
            seen[f"weather {weather}"] += 1
        seen["acknowledged entries"] += len(known)
        for left in folder.glob(f"writes-{begun}*"):
            left.unlink()
    return seen


def _begun(folder: Path, session_id: str) -> tuple[Path, list[str]]:
    session = SessionManager.create(folder, cwd=folder, session_id=session_id)
    first = session.append_message(user_text("begin")).id
    session.close()
    return folder / f"{session_id}.jsonl", [first]


def _killed(
    context: ForkServerContext, path: Path, number: int, weather: str, chance: random.Random, said: Path
) -> list[str]:
    """Ids of the entries that the child had taken as stored."""
    child = context.Process(target=work, args=(path, number, weather, said))
    child.start()
    deadline = time.monotonic() + 60
    while not said.exists() or not said.stat().st_size:
        assert child.is_alive(), f"the child ended with {child.exitcode} before it worked"
        assert time.monotonic() < deadline, "the child does not begin"
        time.sleep(0.0005)
    time.sleep(chance.uniform(0, _LONGEST_SECONDS))
    child.kill()
    child.join()
    assert child.exitcode == -9, f"the child ended by itself with {child.exitcode}"
    lines = said.read_bytes().split(b"\n")[:-1]
    said.unlink()
    return [line.decode() for line in lines if line != b"ready"]


def _spoil(path: Path, chance: random.Random, seen: Counter[str]) -> set[str]:
    """Damage the tail as a power cut does; the ids of entries whose line that destroyed."""
    data = path.read_bytes()
    lines = data.splitlines(keepends=True)
    how = chance.choice(("torn", "doubled", "zeroes", "cut"))
    seen[f"tail {how}"] += 1
    if how == "torn":
        path.write_bytes(data + lines[-1][: chance.randrange(len(lines[-1]))])
    elif how == "doubled":
        path.write_bytes(data + b"".join(lines[-chance.randint(1, min(4, len(lines) - 1)) :]))
    elif how == "zeroes":
        path.write_bytes(data + b"\x00" * chance.randint(1, 4096))
    elif len(lines) > 2 and lines[-1].endswith(b"\n"):
        path.write_bytes(data[: -chance.randint(2, len(lines[-1]))])
        return _ids(data) - _ids(path.read_bytes())
    return set()


def _ids(data: bytes) -> set[str]:
    """Ids of the entries whose line is whole."""
    found: set[str] = set()
    for line in data.split(b"\n"):
        with contextlib.suppress(ValueError):
            found.add(str(json.loads(line)["id"]))
    return found


def _reopened(path: Path, known: list[str], name: str) -> Counter[str]:
    session = SessionManager.open(path)
    seen = Counter(kills=1, opened=1, mended=int(session.damage is not None))
    missing = set(known) - set(session.records.loaded.tree.ids)
    assert not missing, f"{name}: {len(missing)} acknowledged entries are gone"
    session.project()
    known.append(session.append_message(user_text("after the kill")).id)
    session.close()
    assert_valid(path)
    return seen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        seen = run(Path(folder), count=given.count, seed=given.seed)
    print(dict(sorted(seen.items())), f"{time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    main()
