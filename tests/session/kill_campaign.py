"""Kill a writing process at random instants and check what is left: `python -m tests.session.kill_campaign 1000`.

A child appends to one session and reports each entry after it is stored. It is killed; every reported entry must be in
the reopened file, the file must be valid and must take new entries. A session goes on through
many kills.
"""

import argparse
import random
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from openclaw_tui.messages import user_text
from openclaw_tui.session.manager import SessionManager
from tests.session.format_validator import assert_valid

_ROOT = Path(__file__).parents[2]
_KILLS_A_SESSION = 5
_CHILD = """
import sys
from pathlib import Path
from openclaw_tui.messages import user_text
from openclaw_tui.session.manager import SessionManager
from tests.session.talk import answer, result
path, seed = Path(sys.argv[1]), int(sys.argv[2])
session = SessionManager.open(path)
print("ready", flush=True)
n = 0
while True:
    n += 1
    text = f"{seed}-{n} " + "x" * (n * 7919 % 5000)
    for message in (user_text(text), answer(text, ("c", "read")), result("c", text)):
        print(session.append_message(message).id, flush=True)
    if n % 5 == 0:
        kept = session.branch()[-1].id
        print(session.append_compaction(summary=text, first_kept_entry_id=kept, tokens_before=n).id, flush=True)
    if n % 7 == 0:
        session.branch_to(session.branch()[-2].id)
"""


@dataclass(slots=True)
class Report:
    kills: int = 0
    stored_before_kill: int = 0
    damaged: int = 0
    taken_over: int = 0


def run(folder: Path, *, kills: int, chance: random.Random, longest: float = 0.05) -> Report:
    """`longest` is the most a child may write before it is killed, in seconds. A new session begins now and then."""
    report = Report()
    for begun in range(0, kills, _KILLS_A_SESSION):
        path, known = _begun(folder, f"campaign-{begun}")
        for number in range(begun, min(kills, begun + _KILLS_A_SESSION)):
            known |= _one_kill(path, number, chance.uniform(0, longest))
            _check(path, known, report)
            report.kills += 1
        report.stored_before_kill += len(known)
    return report


def _begun(folder: Path, session_id: str) -> tuple[Path, set[str]]:
    session = SessionManager.create(folder, cwd=folder, session_id=session_id)
    known = {session.append_message(user_text("begin")).id}
    session.close()
    return folder / f"{session_id}.jsonl", known


def _one_kill(path: Path, number: int, seconds: float) -> set[str]:
    command = [sys.executable, "-c", _CHILD, str(path), str(number)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=_ROOT)
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    time.sleep(seconds)
    child.send_signal(signal.SIGKILL)
    said, _ = child.communicate()
    return {line.strip() for line in said.splitlines(keepends=True) if line.endswith("\n")}


def _check(path: Path, known: set[str], report: Report) -> None:
    session = SessionManager.open(path)
    report.damaged += session.damage is not None
    report.taken_over += any("taken over" in notice for notice in session.notices)
    missing = known - set(session.records.loaded.tree.ids)
    assert not missing, f"{len(missing)} entries that were reported as stored are gone"
    session.project()
    known.add(session.append_message(user_text("after the kill")).id)
    session.close()
    assert_valid(path)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("kills", type=int)
    arguments.add_argument("--seed", type=int, default=1)
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print(run(Path(folder), kills=given.kills, chance=random.Random(given.seed)))


if __name__ == "__main__":
    main()
