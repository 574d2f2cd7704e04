"""Ends the commands of a program that was killed: a shell that waits at a pipe only we hold.

It is told of every command that starts and ends. When the pipe closes, however we ended, it kills the process groups
of those that still run. It lives in a session of its own, so that no key and no hang-up reaches it.
"""

import subprocess
from contextlib import suppress

_SCRIPT = """
live=
while read -r sign pid; do
  if [ "$sign" = + ]; then
    live="$live $pid"
  else
    rest=
    for one in $live; do [ "$one" = "$pid" ] || rest="$rest $one"; done
    live=$rest
  fi
done
for one in $live; do kill -9 "-$one"; done
"""


class Watchdog:
    """Started with the first command; without a shell there is none, and nothing else changes."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._refused = False

    def began(self, group: int) -> None:
        if self._process is None and not self._refused:
            try:
                self._process = subprocess.Popen(
                    ["/bin/sh", "-c", _SCRIPT],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    cwd="/",
                    start_new_session=True,
                )
            except OSError:
                self._refused = True
        self._tell(f"+ {group}\n")

    def ended(self, group: int) -> None:
        self._tell(f"- {group}\n")

    def close(self) -> None:
        """Let it go; what it was not told the end of is killed."""
        process, self._process = self._process, None
        if process is not None and process.stdin is not None:
            with suppress(OSError):
                process.stdin.close()
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=5)

    def _tell(self, line: str) -> None:
        if self._process is not None and self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.write(line.encode())
                self._process.stdin.flush()
