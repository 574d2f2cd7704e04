"""Real processes of the program: one to its end with pipes, or one in a terminal whose screen can be read."""

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.terminal_screen import Screen

ROOT = Path(__file__).parents[2]
PATIENCE = 30.0
"""Seconds after which a process that does not come along is a failure; nothing waits this long when all is well."""


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """That of the test, with our package importable from anywhere."""
    return {**os.environ, "PYTHONPATH": str(ROOT), **(extra or {})}


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "openclaw_tui", *arguments]


def run_program(
    *arguments: str, cwd: Path, stdin: bytes = b"", env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run to the end with pipes for all streams."""
    return subprocess.run(
        command(*arguments), cwd=cwd, input=stdin, env=environment(env), capture_output=True, timeout=PATIENCE
    )


def one_line_of(run: subprocess.CompletedProcess[bytes]) -> str:
    """The only line on standard error; anything else than one line fails."""
    lines = run.stderr.decode().splitlines()
    assert len(lines) == 1, run.stderr.decode()
    return lines[0]


class Terminal:
    """A process in a pseudo-terminal; `text` is all of its screen with what has scrolled away."""

    def __init__(
        self, arguments: Sequence[str], *, cwd: Path, env: Mapping[str, str] | None = None, columns: int = 100
    ) -> None:
        self.raw = b""
        self._screen = Screen(columns, 40)
        self._pid, self._descriptor = pty.fork()
        if self._pid == 0:
            os.chdir(cwd)
            os.execvpe(sys.executable, command(*arguments), environment({"TERM": "xterm-256color", **(env or {})}))
        fcntl.ioctl(self._descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_: object) -> None:
        if self._pid:
            os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
        os.close(self._descriptor)

    @property
    def text(self) -> str:
        return "\n".join(line.rstrip() for line in [*self._screen.gone, *self._screen.display])

    def type(self, text: str) -> None:
        os.write(self._descriptor, text.encode())

    def signal(self, number: int) -> None:
        os.kill(self._pid, number)

    def wait_for(self, wanted: str, *, times: int = 1) -> None:
        """Until the screen holds the text so often."""
        end = time.monotonic() + PATIENCE
        while self.text.count(wanted) < times:
            assert time.monotonic() < end, f"{wanted!r} did not come; the screen:\n{self.text.strip()}"
            if not self._read() and self.text.count(wanted) < times:
                raise AssertionError(f"the program ended before {wanted!r}:\n{self.text.strip()}")

    def wait_for_end(self) -> int:
        """The exit code; what was printed until then is in `text`."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            ended, status = os.waitpid(self._pid, os.WNOHANG)
            if ended:
                while self._read():
                    pass
                self._pid = 0
                return os.waitstatus_to_exitcode(status)
            self._read()
        raise AssertionError(f"the program does not end; the screen:\n{self.text.strip()}")

    def _read(self) -> bool:
        """Take what comes within a moment. False when the terminal is closed, or ended without more."""
        if not select.select([self._descriptor], [], [], 0.05)[0]:
            return self._pid != 0 and _is_alive(self._pid)
        try:
            data = os.read(self._descriptor, 65536)
        except OSError:
            return False
        self.raw += data
        if b"\x1b[6n" in data:
            os.write(self._descriptor, b"\x1b[1;1R")
        self._screen.feed(data)
        return bool(data)


def _is_alive(pid: int) -> bool:
    try:
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
    except ChildProcessError:
        return False
