"""A pseudo-terminal around a measured process: reads its screen, its processor time and its memory."""

import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios
import time
from collections.abc import Mapping, Sequence

ROWS, COLUMNS = 40, 120
_QUERIES = ((rb"\x1b\[\?(\d+)\$p", b"\x1b[?2026;2$y"), (rb"\x1b\[0?c", b"\x1b[?62;22c"))
_CONTROL = re.compile(rb"\x1b\[[0-9;?]*[a-zA-Z]")


class Terminal:
    """Answers the queries that would otherwise delay the child. `arguments` follow the interpreter's name."""

    def __init__(self, arguments: Sequence[str], *, env: Mapping[str, str] | None = None, cwd: str = ".") -> None:
        self.started = time.monotonic()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(cwd)
            os.environ.update(TERM="xterm-256color", COLORTERM="truecolor", **(env or {}))
            os.execv(sys.executable, [sys.executable, *arguments])
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self._seen = b""

    def read(self, seconds: float) -> bytes:
        """What came within the time; empty when nothing did."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return b""
        data = os.read(self.fd, 1 << 20)
        for pattern, answer in _QUERIES:
            if re.search(pattern, data):
                os.write(self.fd, answer)
        return data

    def wait_for(self, text: str, seconds: float = 30.0) -> float:
        """Seconds since the start when the text, drawn without a break, was seen. Raises TimeoutError."""
        wanted = text.encode()
        while time.monotonic() - self.started < seconds:
            self._seen = self._seen[-4096:] + self.read(0.02)
            if wanted in _CONTROL.sub(b"", self._seen):
                self._seen = b""
                return time.monotonic() - self.started
        raise TimeoutError(f"{text!r} did not appear within {seconds} s")

    def idle(self, seconds: float) -> float:
        """Share of one core in percent while nothing happens."""
        began, used = time.monotonic(), self.cpu_seconds()
        while time.monotonic() - began < seconds:
            self.read(0.2)
        return (self.cpu_seconds() - used) / seconds * 100

    def cpu_seconds(self) -> float:
        """Processor time of the child so far."""
        with open(f"/proc/{self.pid}/stat", encoding="ascii") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory_mb(self) -> float:
        """Proportional set size."""
        with open(f"/proc/{self.pid}/smaps_rollup", encoding="ascii") as file:
            return sum(int(kilobytes) for kilobytes in re.findall(r"^Pss:\s+(\d+)", file.read(), re.M)) / 1024

    def close(self) -> None:
        os.kill(self.pid, 9)
        os.waitpid(self.pid, 0)
        os.close(self.fd)
