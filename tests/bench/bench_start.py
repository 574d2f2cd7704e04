"""What starting costs, each figure beside its baseline from the same run.

    python -m tests.bench.bench_start [--runs 7] [--idle 20] [--messages 5000]

Prints: the full screen until its prompt takes a key, against a bare Textual app with Markdown and TextArea; idle
processor share and memory of both; resuming a long session against an empty start, and the memory of each message.
"""

import argparse
import os
import statistics
import tempfile
from pathlib import Path

from tests.bench.terminal import Terminal

READY = "bare-ready"
LAST = "the-last-answer"
_PROMPT_HINT = "opening…"


def run_bare() -> None:
    """The baseline: what any Textual program with the same two kinds of widget pays."""
    from textual.app import App, ComposeResult
    from textual.widgets import Markdown, TextArea

    class Bare(App[None]):
        def compose(self) -> ComposeResult:
            yield Markdown(f"{READY}\n\nSome *text*.")
            yield TextArea()

        def on_mount(self) -> None:
            self.query_one(TextArea).focus()

    Bare().run()


def long_session(state: Path, project: Path, messages: int) -> str:
    """A session of that many messages on disk; returns its id."""
    from openclaw_tui.messages import AssistantMessage, TextBlock, user_text
    from openclaw_tui.session.manager import SessionManager

    folder = state / "agents" / "main" / "sessions"
    folder.mkdir(parents=True)
    manager = SessionManager.create(folder, cwd=project)
    for number in range(messages // 2 - 1):
        manager.append_message(user_text(f"Question {number}: what about the lease of {number % 97}?"))
        manager.append_message(AssistantMessage((TextBlock(f"Answer {number}. " + "It holds. " * 40),)))
    manager.append_message(user_text("And the last one?"))
    manager.append_message(AssistantMessage((TextBlock(LAST),)))
    manager.close()
    return manager.session_id


def start(arguments: list[str], marker: str, state: Path, cwd: Path) -> tuple[float, float, Terminal]:
    """(seconds, processor seconds) until the marker stands on the screen."""
    terminal = Terminal(arguments, env={"OPENCLAW_STATE_DIR": str(state), "PYTHONPATH": os.getcwd()}, cwd=str(cwd))
    seconds = terminal.wait_for(marker)
    return seconds, terminal.cpu_seconds(), terminal


def repeat(name: str, runs: int, arguments: list[str], marker: str, state: Path, cwd: Path) -> tuple[float, float]:
    walls, cpus = [], []
    for _ in range(runs):
        seconds, cpu, terminal = start(arguments, marker, state, cwd)
        walls.append(seconds)
        cpus.append(cpu)
        terminal.close()
    wall, cpu = statistics.median(walls), statistics.median(cpus)
    print(f"{name:<34} ready {wall * 1000:6.0f} ms   processor {cpu * 1000:6.0f} ms", flush=True)
    return wall, cpu


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--idle", type=float, default=20.0)
    parser.add_argument("--messages", type=int, default=5000)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        run_bare()
        return
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        state, project = root / "state", root / "project"
        project.mkdir()
        bare = ["-m", "tests.bench.bench_start", "--child"]
        own = ["-m", "openclaw_tui", "-m", "offline/guide"]
        session = long_session(state, project, options.messages)
        base = repeat("bare Textual app", options.runs, bare, READY, state, project)
        empty = repeat("openclaw-tui, prompt stands", options.runs, own, _PROMPT_HINT, state, project)
        full = repeat("openclaw-tui, session stands", options.runs, own, "offline/guide", state, project)
        resumed = repeat(
            f"resume of {options.messages} messages", options.runs, [*own, "-r", session], LAST, state, project
        )
        print(f"prompt / bare {empty[0] / base[0]:.2f} (processor {empty[1] / base[1]:.2f})")
        print(f"session / bare {full[0] / base[0]:.2f} (processor {full[1] / base[1]:.2f})")
        print(f"resume / empty {resumed[0] / full[0]:.2f}")
        memory: dict[str, float] = {}
        for name, arguments, marker in (
            ("bare", bare, READY),
            ("empty", own, "offline/guide"),
            ("long", [*own, "-r", session], LAST),
        ):
            _, _, terminal = start(arguments, marker, state, project)
            terminal.idle(3)
            share = terminal.idle(options.idle)
            memory[name] = terminal.memory_mb()
            print(f"{name:<6} idle {share:.2f} % of a core, {memory[name]:.0f} MB", flush=True)
            terminal.close()
        print(f"{(memory['long'] - memory['empty']) * 1024 / options.messages:.1f} KB a message")


if __name__ == "__main__":
    main()
