"""The program in a real terminal: first frame, hand-over, and the terminal given back on every way out."""

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
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.terminal_screen import Screen

PATIENCE = 60.0
"""Seconds after which a screen that does not come is a failure; says nothing about speed."""

MUST_BE_OFF = ("?1000l", "?1003l", "?1006l", "?2004l", "?1004l", "?1049l")


@dataclass
class Terminal:
    """A child on a pseudo-terminal; answers the questions a terminal is asked, and keeps what was written."""

    process: subprocess.Popen[bytes]
    fd: int
    answers: bool = True
    written: bytes = b""
    screen: Screen = field(default_factory=lambda: Screen(80, 24))

    def type(self, text: str) -> None:
        os.write(self.fd, text.encode())

    def read(self, seconds: float = 0.05) -> bool:
        """Take what there is. False at the end."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self.fd, 65_536)
        except OSError:
            return False
        if self.answers and b"\x1b]11;?" in data:
            os.write(self.fd, b"\x1b]11;rgb:fdfd/fdfd/fdfd\x1b\\\x1b[?62;22c")
        self.written += data
        self.screen.feed(data)
        return bool(data)

    def until(self, condition: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, self.text()
            assert self.read() or condition(), f"the program ended: {self.text()}"

    def until_shown(self, text: str) -> None:
        self.until(lambda: text in self.text())

    def finish(self) -> int:
        """Read to the end; the exit code."""
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None or self.read(0.1) is True:
            if not self.read():
                break
            assert time.monotonic() < end, self.text()
        return self.process.wait(timeout=PATIENCE)

    def text(self) -> str:
        return "\n".join(row.rstrip() for row in self.screen.display)

    def modes(self) -> int:
        return int(termios.tcgetattr(self.fd)[3])


@contextmanager
def terminal(
    tmp_path: Path, *arguments: str, code: str = "", answers: bool = True, **environment: str
) -> Iterator[Terminal]:
    """`code` runs before the program starts, to break something on purpose."""
    project = tmp_path / "project"
    project.mkdir(exist_ok=True)
    (project / "README.md").write_text("# Demo\n", encoding="utf-8")
    main, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    start = f"{code}\nimport sys\nfrom openclaw_tui.cli import main\nsys.exit(main(sys.argv[1:]))"
    process = subprocess.Popen(
        [sys.executable, "-c", start, "--cwd", str(project), *arguments],
        stdin=child,
        stdout=child,
        stderr=child,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        env={**os.environ, "TERM": "xterm-256color", **environment},
    )
    os.close(child)
    found = Terminal(process, main, answers)
    try:
        yield found
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        os.close(main)


def assert_restored(child: Terminal, modes_before: int) -> None:
    """Every mode the program set is off again, last of all writes, and the line discipline is as it was."""
    written = child.written.decode("utf-8", "replace")
    for mode in MUST_BE_OFF:
        on = written.rfind(f"\x1b[{mode[:-1]}h")
        assert written.rfind(f"\x1b[{mode}") > on, mode
    assert written.rfind("\x1b[?25h") > written.rfind("\x1b[?25l")
    assert child.modes() == modes_before


def test_what_is_typed_before_the_screen_stands_is_not_lost(tmp_path: Path) -> None:
    with terminal(tmp_path) as child:
        before = child.modes()
        child.until_shown("starting…")
        child.type("list the fi\x7files\r")
        child.type("second 你好 tex")
        for char in "t, typed while it loads":
            child.type(char)
            child.read(0.02)
        child.until_shown("Offline guide")
        child.until_shown("› second 你好 text, typed while it loads")
        assert "▌ list the files" in child.text()
        child.type("\x03")
        child.until(lambda: "second" not in child.text())
        child.type("\x04")
        assert child.finish() == 0
        assert_restored(child, before)
        assert "go on with: openclaw-tui -r " in child.text()


def test_pastes_go_over_whole_and_send_nothing(tmp_path: Path) -> None:
    with terminal(tmp_path) as child:
        child.until_shown("starting…")
        child.type("\x1b[200~one\r\ntwo\x1b[31m\r\n\x03three\x1b[201~")
        child.until_shown("ready")
        child.type("\x1b[200~ four\r\nfive\x1b[201~")
        child.until_shown("five")
        assert "▌" not in child.text()
        assert "two␛[31m" in child.text()
        assert "␃three four" in child.text()
        child.type("\x03")
        child.until(lambda: "five" not in child.text())
        child.type("\x04")
        assert child.finish() == 0


def test_the_theme_follows_the_ground_of_the_terminal(tmp_path: Path) -> None:
    with terminal(tmp_path) as child:
        child.until_shown("ready")
        assert b"48;2;251;251;250" in child.written or b"48;5;231" in child.written or b"48;5;15" in child.written
        child.type("\x04")
        assert child.finish() == 0


@pytest.mark.parametrize("how", ["config", "dumb"])
def test_the_first_frame_can_be_switched_off(tmp_path: Path, how: str) -> None:
    arguments = ("--config", "ui.firstFrame=false") if how == "config" else ()
    with terminal(tmp_path, *arguments, TERM="dumb" if how == "dumb" else "xterm-256color") as child:
        before = child.modes()
        child.until_shown("ready")
        assert "starting…".encode() not in child.written
        child.type("\x04")
        assert child.finish() == 0
        assert_restored(child, before)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
@pytest.mark.parametrize("moment", ["starting…", "ready"])
def test_signals_end_it_in_order(tmp_path: Path, number: signal.Signals, code: int, moment: str) -> None:
    with terminal(tmp_path, answers=moment == "ready") as child:
        before = child.modes()
        child.until_shown(moment)
        child.process.send_signal(number)
        assert child.finish() == code
        assert_restored(child, before)
        assert "Traceback" not in child.text()


BREAKS = {
    "in a render": "from openclaw_tui.ui.textual.widgets.status_bar import StatusBar\n"
    "StatusBar.render = lambda self: 1 / 0",
    "in a worker": "from openclaw_tui.ui.textual.acts import ScreenActs\n"
    "async def broken(self): raise ValueError('broken [b')\nScreenActs._pick_session = broken",
}


@pytest.mark.parametrize("where", list(BREAKS))
def test_a_defect_of_the_screen_costs_one_line_and_the_terminal_is_back(tmp_path: Path, where: str) -> None:
    with terminal(tmp_path, "-r", code=BREAKS[where]) as child:
        before = child.modes()
        assert child.finish() == 1
        assert_restored(child, before)
        assert "openclaw-tui: the screen failed" in child.text()
        assert "Traceback" not in child.text()


def test_what_cannot_be_opened_is_one_line_on_a_restored_terminal(tmp_path: Path) -> None:
    with terminal(tmp_path, "-r", "nosuchsession") as child:
        before = child.modes()
        assert child.finish() == 2
        assert_restored(child, before)
        assert "There is no session 'nosuchsession'" in child.text().replace("\n", "")
        assert "Traceback" not in child.text()


def test_ctrl_z_gives_the_terminal_back_and_the_screen_returns_whole(tmp_path: Path) -> None:
    with terminal(tmp_path) as child:
        before = child.modes()
        child.until_shown("ready")
        child.type("half a draft")
        child.until_shown("half a draft")
        child.type("\x1a")
        child.until(lambda: child.written.rfind(b"\x1b[?1049l") > child.written.rfind(b"\x1b[?1049h"))
        child.until(lambda: os.waitpid(child.process.pid, os.WUNTRACED | os.WNOHANG)[0] != 0)  # it sleeps now
        assert child.modes() == before
        child.screen.feed(b"\x1b[2J")
        child.process.send_signal(signal.SIGCONT)
        child.until_shown("› half a draft")
        child.until_shown("ready")
        child.type("\x03")
        child.until(lambda: "half" not in child.text())
        child.type("\x04")
        assert child.finish() == 0


def test_ctrl_c_in_the_first_frame_clears_and_then_leaves(tmp_path: Path) -> None:
    slow = "import openclaw_tui.app.compose as c\nimport time\nb = c.build_app\n" + (
        "c.build_app = lambda *a, **k: (time.sleep(1.5), b(*a, **k))[1]"
    )
    with terminal(tmp_path, code=slow) as child:
        before = child.modes()
        child.until_shown("starting…")
        child.type("draft")
        child.until_shown("› draft")
        child.type("\x03")
        child.until(lambda: "draft" not in child.text())
        child.type("\x03")
        assert child.finish() == 0
        assert_restored(child, before)
