"""The full screen as a person uses it: the real program in a terminal, a strict server on loopback."""

import asyncio
import fcntl
import json
import signal
import struct
import termios
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import pytest

from tests.strict_fake import Call, Record, Reply, StrictFake
from tests.terminal_screen import Screen
from tests.ui.test_start import Terminal, assert_restored, terminal

MODEL = ("-m", "anthropic/claude-sonnet-5-5")
HEADINGS = ("Decisions", "Open TODOs", "Constraints/Rules", "Pending user asks", "Exact identifiers")
T = TypeVar("T")


async def beside(fake: StrictFake, use: Callable[[dict[str, str]], T]) -> T:
    """Run what blocks in a thread while the server answers."""
    keys = {"ANTHROPIC_API_KEY": "test-key", "ANTHROPIC_BASE_URL": fake.url_anthropic}
    return await asyncio.to_thread(use, keys)


@contextmanager
def full_screen(tmp_path: Path, keys: dict[str, str], *arguments: str) -> Iterator[Terminal]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in keys.items():
            patch.setenv(name, value)
        with terminal(tmp_path, *MODEL, *arguments) as child:
            yield child


def resize(child: Terminal, rows: int, columns: int) -> None:
    child.screen = Screen(columns, rows)
    fcntl.ioctl(child.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    child.process.send_signal(signal.SIGWINCH)


def writes_then_tells(record: Record) -> Reply | str:
    sent = json.dumps(record.body)
    if "tool_result" in sent:
        return "It is written."
    return Reply(calls=[Call("write", {"path": "made.txt", "content": "made\n"})])


async def test_ask_approve_answer_and_leave(tmp_path: Path) -> None:
    def use(keys: dict[str, str]) -> None:
        with full_screen(tmp_path, keys) as child:
            before = child.modes()
            child.until_shown("ready")
            child.type("make a file\r")
            child.until_shown("Make this change?")
            child.until_shown("or the key · Esc no")
            assert not (tmp_path / "project" / "made.txt").exists()
            child.type("y")
            child.until_shown("It is written.")
            assert (tmp_path / "project" / "made.txt").read_text(encoding="utf-8") == "made\n"
            child.type("\x03\x03")
            assert child.finish() == 0
            assert_restored(child, before)

    async with StrictFake(writes_then_tells) as fake:
        await beside(fake, use)


async def test_esc_stops_an_answer_and_what_came_of_it_stays(tmp_path: Path) -> None:
    def use(keys: dict[str, str]) -> None:
        with full_screen(tmp_path, keys) as child:
            child.until_shown("ready")
            child.type("tell me much\r")
            child.until_shown("word 3 ")
            child.type("\x1b")
            child.until_shown("interrupted")
            child.type("and now?\r")
            child.until_shown("Now this.")

    words = " ".join(f"word {number} " for number in range(3_000))

    def answer(record: Record) -> Reply | str:
        return "Now this." if "and now?" in json.dumps(record.body) else Reply(words, tps=60)

    async with StrictFake(answer) as fake:
        await beside(fake, use)


async def test_a_killed_program_goes_on_where_it_was_with_its_draft(tmp_path: Path) -> None:
    def use(keys: dict[str, str]) -> None:
        with full_screen(tmp_path, keys) as child:
            child.until_shown("ready")
            child.type("the first question\r")
            child.until_shown("The first answer.")
            child.type("half a thought")
            child.until(lambda: any("half a thought" in path.read_text() for path in tmp_path.rglob("*.draft")))
            child.process.kill()
            child.process.wait()
        with full_screen(tmp_path, keys, "-c") as child:
            child.until_shown("The first answer.")
            child.until_shown("half a thought")
            child.type(" and more\r")
            child.until_shown("The second answer.")

    async with StrictFake(["The first answer.", "The second answer."]) as fake:
        await beside(fake, use)
        assert "half a thought and more" in json.dumps(fake.main[-1].body)


async def test_a_small_terminal_and_one_that_changes_while_it_streams(tmp_path: Path) -> None:
    def use(keys: dict[str, str]) -> None:
        with full_screen(tmp_path, keys) as child:
            resize(child, 15, 60)
            child.until_shown("ready")
            child.type("go\r")
            child.until_shown("line 2")
            for rows, columns in ((40, 140), (10, 30), (24, 80)):
                resize(child, rows, columns)
                child.until_shown("line")
            child.until_shown("line 39")
            child.until_shown("ready")

    text = "\n\n".join(f"This is line {number} of the answer." for number in range(40))
    async with StrictFake([Reply(text, tps=250)]) as fake:
        await beside(fake, use)


async def test_a_large_paste_is_one_chip_and_goes_out_whole(tmp_path: Path) -> None:
    pasted = "".join(f"row {number} of what was pasted\n" for number in range(4_000))

    def use(keys: dict[str, str]) -> None:
        with full_screen(tmp_path, keys) as child:
            child.until_shown("ready")
            text = f"\x1b[200~{pasted}\x1b[201~"
            for start in range(0, len(text), 2_000):
                child.type(text[start : start + 2_000])
                child.read(0)
            child.until_shown("lines")
            assert "row 3999" not in child.text()
            child.type(" what is it?\r")
            child.until_shown("Rows.")

    async with StrictFake(["Rows."]) as fake:
        await beside(fake, use)
        sent = json.dumps(fake.main[-1].body)
        assert "row 0 of" in sent
        assert "row 3999 of" in sent
        assert "what is it?" in sent


async def test_compact_and_its_undo(tmp_path: Path) -> None:
    def use(keys: dict[str, str]) -> None:
        with full_screen(tmp_path, keys) as child:
            child.until_shown("ready")
            for number in (1, 2, 3):
                child.type(f"question {number}\r")
                child.until_shown(f"Answer {number}.")
            child.type("/compact\r")
            child.until_shown("compacted")
            child.type("/compact undo\r")
            child.until_shown("undone")

    asked = iter(range(1, 4))

    def answer(record: Record) -> Reply | str:
        if record.kind == "summary":
            return "\n\n".join(f"## {head}\nNone." for head in HEADINGS)
        return "Some words about it. " * 300 + f"Answer {next(asked)}."

    async with StrictFake(answer) as fake:
        await beside(fake, use)
