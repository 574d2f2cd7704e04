"""Locks on files and folders that never hang the program and are no condition for it.

A lock is waited for only so long: its holder may be a stopped process or a machine that is gone. Some network file
systems know no locks at all; there each append is still one write at the end of the file, so the work goes on without.
"""

import contextlib
import errno
import fcntl
import time
from collections.abc import Iterator

from openclaw_tui.constants import FILE_LOCK_POLL_SECONDS, FILE_LOCK_WAIT_SECONDS

_NO_LOCKS_HERE = frozenset({errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL})
_TAKEN = frozenset({errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES})


@contextlib.contextmanager
def exclusive(descriptor: int) -> Iterator[None]:
    """Hold the lock of an open file. Raises OSError where somebody else does not give it back in time."""
    held = _take(descriptor)
    try:
        yield
    finally:
        if held:
            with contextlib.suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_UN)


def _take(descriptor: int) -> bool:
    """True when the lock is ours, False where the file system has none."""
    until = time.monotonic() + FILE_LOCK_WAIT_SECONDS
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except OSError as error:
            if error.errno in _NO_LOCKS_HERE:
                return False
            if error.errno not in _TAKEN:
                raise
        if time.monotonic() > until:
            raise OSError(None, f"another program has held its lock for {FILE_LOCK_WAIT_SECONDS:g} seconds")
        time.sleep(FILE_LOCK_POLL_SECONDS)
