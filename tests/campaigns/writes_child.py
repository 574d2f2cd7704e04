"""The process that writes a session, in fair and foul weather, until it is killed.

It notes each entry after the session manager took it as stored. Weathers: `fair`; `limit` (no file may grow, by
RLIMIT_FSIZE); `short` (a writer that writes half and says ENOSPC); `dev-full` (the file is /dev/full for a while).
"""

import contextlib
import errno
import os
import random
import resource
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

from openclaw_tui.errors import SessionWriteFailed
from openclaw_tui.messages import user_text
from openclaw_tui.session.manager import SessionManager
from tests.session.talk import answer, result

WEATHERS = ("fair", "limit", "short", *(("dev-full",) if Path("/dev/full").exists() else ()))


def work(path: Path, number: int, weather: str, said: Path) -> None:
    """The child: entry after entry until it is killed."""
    chance = random.Random(number)
    session = SessionManager.open(path)
    out = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.write(out, b"ready\n")
    at = 0
    while True:
        at += 1
        with _weather(weather, session, chance) if chance.random() < 0.3 else contextlib.nullcontext():
            waiting = _some(session, number, at, chance)
        with contextlib.suppress(SessionWriteFailed):
            session.flush()
        assert not session.pending, "the disk has room and entries still wait"
        os.write(out, b"".join(f"{entry}\n".encode() for entry in waiting))
        if at % 6 == 0:
            session.branch_to(session.branch()[-2].id)


def _some(session: SessionManager, number: int, at: int, chance: random.Random) -> list[str]:
    """Ids of the entries of one step; what the disk refused counts only after the flush that follows."""
    before = len(session.entries())
    text = f"{number}-{at} " + "x" * chance.choice((0, 10, 500, 9_000))
    for message in (user_text(text), answer(text, (f"c{at}", "read")), result(f"c{at}", text)):
        with contextlib.suppress(SessionWriteFailed):
            session.append_message(message)
    with contextlib.suppress(SessionWriteFailed):
        if at % 4 == 0 and (kept := session.leaf_id) is not None:
            session.append_compaction(summary=text, first_kept_entry_id=kept, tokens_before=at)
    return [entry.id for entry in session.entries()[before:]]


@contextlib.contextmanager
def _weather(weather: str, session: SessionManager, chance: random.Random) -> Iterator[None]:
    journal = session.records.journal
    assert journal is not None
    if weather == "limit":
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        room = chance.choice((0, 1, 100, 2_000))
        resource.setrlimit(resource.RLIMIT_FSIZE, (journal.path.stat().st_size + room, hard))
        yield
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    elif weather == "short":
        real = os.write

        def writes_half(descriptor: int, data: bytes) -> int:
            if descriptor == journal.descriptor and chance.random() < 0.7:
                real(descriptor, data[: len(data) // 2])
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return real(descriptor, data)

        with mock.patch.object(os, "write", writes_half):
            yield
    elif weather == "dev-full":
        kept, full = os.dup(journal.descriptor), os.open("/dev/full", os.O_RDWR)
        os.dup2(full, journal.descriptor)
        yield
        os.dup2(kept, journal.descriptor)
        os.close(kept)
        os.close(full)
    else:
        yield
