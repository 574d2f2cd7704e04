"""What streaming costs: 20,000 tokens of Markdown at 1,000 tokens a second, in a real pseudo-terminal.

    python -m tests.bench.bench_stream [--tokens 20000] [--tps 1000] [--history 0,5000] [--no-baseline]

Prints, for the transcript in an empty and in a long session, and for a plain line widget that renders finished blocks
with rich (the baseline): CPU share of one core, key echo, and how far the screen is behind at the end.
"""

import argparse
import fcntl
import io
import os
import pty
import random
import re
import select
import statistics
import struct
import sys
import termios
import time
from collections.abc import Iterator
from typing import Any

ROWS, COLUMNS = 40, 120
END = "BENCH-END-1"
_WORDS = ["anchor", "policy", "journal", "lease", "vector", "router", "budget", "prefix", "cache", "token", "stream"]
_QUERIES = ((rb"\x1b\[\?(\d+)\$p", b"\x1b[?2026;2$y"), (rb"\x1b\[0?c", b"\x1b[?62;22c"))


def markdown_text(tokens: int) -> str:
    """Headings, prose, lists, code and tables; about four characters a token."""
    rng = random.Random(5)

    def words(count: int) -> str:
        return " ".join(rng.choice(_WORDS) for _ in range(count))

    parts: list[str] = []
    size = 0
    while size < tokens * 4:
        table = "".join(f"| {words(2)} | `{words(1)}` | {rng.randrange(999)} |\n" for _ in range(5))
        code = "".join(
            f"    {rng.choice(_WORDS)} = {rng.choice(_WORDS)}({rng.randrange(99)})  # {words(3)}\n" for _ in range(12)
        )
        parts.append(
            f"## {words(4).title()}\n\n{words(60)}. **{words(3)}** and `{words(1)}`: {words(50)}.\n\n"
            f"- {words(14)}\n- {words(30)}\n- *{words(9)}*\n\n```python\ndef {rng.choice(_WORDS)}():\n{code}```\n\n"
            f"| Name | Code | Count |\n|---|---|---:|\n{table}\n"
        )
        size += len(parts[-1])
    return "".join(parts) + f"\n{END}\n"


# ── the program in the terminal ────────────────────────────────────────────────────────────────────────────────────
def run_child(mode: str, tokens: int, tps: float) -> None:
    import asyncio

    from textual.app import App, ComposeResult
    from textual.widgets import Input

    from openclaw_tui.ui.textual.widgets.transcript import Transcript
    from openclaw_tui.ui.textual.widgets.transcript_items import AssistantItem, Item, ToolItem, UserItem

    text = markdown_text(tokens)
    own = mode != "baseline"

    def history(count: int) -> Iterator[Item]:
        for number in range(0, count, 4):
            yield UserItem(id=f"u{number}", text=f"Question {number}: what about the lease?")
            yield AssistantItem.whole(f"a{number}", text[number * 7 % 20_000 :][:1500])
            yield ToolItem(id=f"t{number}", name="read", summary="src/x.py", state="done", seconds=0.1, size=900)
            yield AssistantItem.whole(f"b{number}", "Done. " * 40)

    class Bench(App[None]):
        CSS = "Input { dock: bottom; } Transcript, Lines { height: 1fr; }"

        def compose(self) -> ComposeResult:
            yield Transcript() if own else _baseline()
            yield Input()

        def on_mount(self) -> None:
            self.query_one(Input).focus()
            if mode.isdigit() and int(mode):
                started = time.monotonic()
                self.query_one(Transcript).load_history(history(int(mode)))
                self.loaded = time.monotonic() - started

        def on_input_submitted(self) -> None:
            self.pump = asyncio.create_task(self.stream())

        async def stream(self) -> None:
            target: Any = self.query("Transcript, Lines").first()
            if own:
                target.start_assistant("answer")
            started, sent = time.monotonic(), 0
            while sent < len(text):
                due = min(len(text), int((time.monotonic() - started) * tps * 4))
                if due > sent:
                    if own:
                        target.append_text("answer", text[sent:due])
                    else:
                        target.add(text[sent:due])
                    sent = due
                await asyncio.sleep(0.005)
            if own:
                target.finish_assistant("answer")
            else:
                target.add("", last=True)

    Bench().run()


def _baseline() -> Any:
    from rich.console import Console
    from rich.markdown import Markdown
    from textual.geometry import Size
    from textual.scroll_view import ScrollView
    from textual.strip import Strip

    class Lines(ScrollView):
        can_focus = False

        def on_mount(self) -> None:
            self.done: list[Strip] = []
            self.open_lines: list[Strip] = []
            self.buffer, self.last = "", 0.0
            self.console_out = Console(
                width=COLUMNS - 2, file=io.StringIO(), force_terminal=True, color_system="truecolor"
            )

        def strips(self, text: str) -> list[Strip]:
            options = self.console_out.options
            return [Strip(line) for line in self.console_out.render_lines(Markdown(text), options, pad=False)]

        def add(self, text: str, *, last: bool = False) -> None:
            self.buffer += text
            if time.monotonic() - self.last < 0.05 and not last:
                return
            self.last = time.monotonic()
            cut = position = 0
            fence = False
            while (end := self.buffer.find("\n", position)) >= 0:
                line = self.buffer[position:end]
                fence ^= line.startswith("```")
                position = end + 1
                if not fence and not line.strip():
                    cut = position
            if cut:
                self.done += self.strips(self.buffer[:cut])
                self.buffer = self.buffer[cut:]
            self.open_lines = self.strips(self.buffer)
            count = len(self.done) + len(self.open_lines)
            self.virtual_size = Size(self.size.width - 2, count)
            self.scroll_to(y=max(0, count - self.size.height), animate=False, force=True, immediate=True)
            self.refresh()

        def render_line(self, y: int) -> Strip:
            y += self.scroll_offset.y
            lines = self.done if y < len(self.done) else self.open_lines
            y -= 0 if lines is self.done else len(self.done)
            return (lines[y] if y < len(lines) else Strip.blank(1)).adjust_cell_length(self.size.width)

    return Lines()


# ── the measuring side ─────────────────────────────────────────────────────────────────────────────────────────────
class Terminal:
    """A pseudo-terminal around the child; answers the queries that would otherwise delay it."""

    def __init__(self, arguments: list[str]) -> None:
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="xterm-256color", COLORTERM="truecolor")
            os.execv(sys.executable, [sys.executable, "-m", "tests.bench.bench_stream", *arguments])
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))

    def read(self, seconds: float) -> bytes:
        if not select.select([self.fd], [], [], seconds)[0]:
            return b""
        data = os.read(self.fd, 1 << 20)
        for pattern, answer in _QUERIES:
            if re.search(pattern, data):
                os.write(self.fd, answer)
        return data

    def cpu_seconds(self) -> float:
        with open(f"/proc/{self.pid}/stat", encoding="ascii") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory_mb(self) -> float:
        with open(f"/proc/{self.pid}/smaps_rollup", encoding="ascii") as file:
            return sum(int(kilobytes) for kilobytes in re.findall(r"^Pss:\s+(\d+)", file.read(), re.M)) / 1024

    def close(self) -> None:
        os.kill(self.pid, 9)
        os.waitpid(self.pid, 0)
        os.close(self.fd)


def measure(mode: str, tokens: int, tps: float) -> dict[str, float]:
    terminal = Terminal(["--child", mode, "--tokens", str(tokens), "--tps", str(tps)])
    ready = time.monotonic() + (4 if mode in ("0", "baseline") else 8)
    while time.monotonic() < ready:
        terminal.read(0.05)
    idle_cpu = terminal.cpu_seconds()
    while time.monotonic() < ready + 3:
        terminal.read(0.05)
    idle_share = (terminal.cpu_seconds() - idle_cpu) / 3 * 100
    memory = terminal.memory_mb()
    os.write(terminal.fd, b"\r")
    cpu, started = terminal.cpu_seconds(), time.monotonic()
    echoes: list[float] = []
    waiting: tuple[bytes, float] | None = None
    last, seen, number = started, b"", 0
    while time.monotonic() - started < tokens / tps * 3 + 5:
        now = time.monotonic()
        if waiting is None and now - last > 0.4:
            mark = chr(0x0460 + number % 200).encode()
            number += 1
            os.write(terminal.fd, mark)
            waiting, last = (mark, now), now
        data = terminal.read(0.005)
        if not data:
            continue
        seen = seen[-64:] + data
        if waiting is not None and waiting[0] in seen:
            echoes.append((time.monotonic() - waiting[1]) * 1000)
            waiting = None
        if END.encode() in re.sub(rb"\x1b\[[0-9;?]*[a-zA-Z]", b"", seen):
            break
    wall = time.monotonic() - started
    used = terminal.cpu_seconds() - cpu
    after = terminal.memory_mb()
    terminal.close()
    echoes.sort()
    return {
        "cpu_percent": used / wall * 100,
        "echo_p50_ms": statistics.median(echoes),
        "echo_p95_ms": echoes[int(len(echoes) * 0.95)],
        "echo_max_ms": echoes[-1],
        "behind_ms": (wall - len(markdown_text(tokens)) / tps / 4) * 1000,
        "idle_cpu_percent": idle_share,
        "pss_before_mb": memory,
        "pss_after_mb": after,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokens", type=int, default=20_000)
    parser.add_argument("--tps", type=float, default=1000)
    parser.add_argument("--history", default="0,5000", help="messages before the stream, one run for each number")
    parser.add_argument("--no-baseline", action="store_true")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        run_child(options.child, options.tokens, options.tps)
        return
    modes = ([] if options.no_baseline else ["baseline"]) + options.history.split(",")
    for mode in modes:
        figures = measure(mode, options.tokens, options.tps)
        name = mode if mode == "baseline" else f"transcript after {mode} messages"
        print(f"{name}: " + "  ".join(f"{key} {value:.1f}" for key, value in figures.items()), flush=True)


if __name__ == "__main__":
    main()
