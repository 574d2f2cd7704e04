"""What the user answered about a folder, kept outside of it: trusted with these very contents, or never to be asked.

A yes is bound to the folder's real path and to a print of each thing that would act. Whatever is new or other than
what was shown makes the answer void until the user sees it; what is gone does not. A damaged file trusts nothing.
"""

import contextlib
import fcntl
import hashlib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from openclaw_tui.atomic_write import atomic_write_bytes, make_private_dir

ThingKind: TypeAlias = Literal["settings", "agent", "command", "skill", "hook", "mcp"]
TrustState: TypeAlias = Literal["nothing", "trusted", "never", "unasked", "changed"]
Prints: TypeAlias = Mapping[str, str]
_NEVER_RUN = frozenset({"hook", "mcp"})


class Thing(msgspec.Struct, frozen=True):
    """Something of a folder that would act. `does` says what, in lines for the user; `print` stands for its bytes.

    `waits` tells whether it is left out until the folder is trusted. Hooks and servers are never run: they are shown.
    """

    kind: ThingKind
    name: str
    path: Path
    print: str
    does: tuple[str, ...] = ()
    waits: bool = True

    @property
    def key(self) -> str:
        return f"{self.kind} {self.name}"


class _Record(msgspec.Struct, omit_defaults=True):
    answer: Literal["trusted", "never"]
    at: int = 0
    things: dict[str, str] = {}


class _File(msgspec.Struct):
    version: int = 1
    folders: dict[str, _Record] = {}
    written: dict[str, str] = {}


class FolderTrust(msgspec.Struct, frozen=True):
    """What stands in a folder beside what the user said of it. `granted` is empty where there is no yes."""

    folder: str = ""
    things: tuple[Thing, ...] = ()
    answer: Literal["", "trusted", "never"] = ""
    granted: Prints = msgspec.field(default_factory=dict)
    problem: str = ""

    @property
    def state(self) -> TrustState:
        if self.answer == "trusted":
            return "changed" if self.changed else "trusted"
        if not any(thing.waits for thing in self.things):
            return "nothing"
        return "never" if self.answer == "never" else "unasked"

    @property
    def is_trusted(self) -> bool:
        return self.state == "trusted"

    @property
    def asks(self) -> bool:
        """Whether there is a question to put: something waits, and the user has not answered about this state."""
        return self.state in ("unasked", "changed")

    @property
    def changed(self) -> tuple[Thing, ...]:
        """Things that are new or other than what was trusted."""
        acting = (thing for thing in self.things if thing.kind not in _NEVER_RUN)
        return tuple(thing for thing in acting if self.granted.get(thing.key) != thing.print)

    @property
    def prints(self) -> dict[str, str]:
        return {thing.key: thing.print for thing in self.things}


class TrustStore(msgspec.Struct, frozen=True):
    """The file of answers. Writers take turns; a reader sees one whole state."""

    path: Path

    def look(self, folder: Path, things: Iterable[Thing]) -> FolderTrust:
        """The state of a folder whose things are these."""
        real = os.path.realpath(folder)
        file, problem = self._read()
        record = file.folders.get(real)
        if record is None:
            return FolderTrust(real, tuple(things), problem=problem)
        granted = record.things if record.answer == "trusted" else {}
        return FolderTrust(real, tuple(things), record.answer, granted, problem)

    def answer(self, folder: Path) -> tuple[Literal["", "trusted", "never"], Prints]:
        """What was said of a folder, without looking at what stands in it."""
        record = self._read()[0].folders.get(os.path.realpath(folder))
        return (record.answer, record.things) if record is not None else ("", {})

    def grant(self, shown: FolderTrust) -> None:
        """Trust the folder with exactly what was shown. Raises OSError."""
        record = _Record("trusted", int(time.time()), shown.prints)
        self._change(lambda folders: folders.update({shown.folder: record}))

    def never_ask(self, folder: Path) -> None:
        """Leave the folder's things out and do not ask about it. Raises OSError."""
        record = _Record("never", int(time.time()))
        self._change(lambda folders: folders.update({os.path.realpath(folder): record}))

    def forget(self, folder: Path) -> bool:
        """Take an answer back; False where there was none. Raises OSError."""
        real = os.path.realpath(folder)
        had = real in self._read()[0].folders
        self._change(lambda folders: folders.pop(real, None))
        return had

    def note_written(self, path: Path, data: bytes) -> None:
        """Remember that this program wrote this file, at the user's word. Raises OSError."""
        self._change_file(lambda file: file.written.update({os.path.realpath(path): print_of(data)}))

    def wrote(self, path: Path) -> bool:
        """Whether a file is still the one this program wrote there; one that came with the folder is not."""
        try:
            return self._read()[0].written.get(os.path.realpath(path)) == print_of(path.read_bytes())
        except OSError:
            return False

    def _read(self) -> tuple[_File, str]:
        try:
            return msgspec.json.decode(self.path.read_bytes(), type=_File), ""
        except FileNotFoundError:
            return _File(), ""
        except (OSError, UnicodeDecodeError, msgspec.MsgspecError) as error:
            return _File(), f"{self.path} cannot be read ({error}): no folder counts as trusted"

    def _change(self, change: Callable[[dict[str, _Record]], object]) -> None:
        self._change_file(lambda file: change(file.folders))

    def _change_file(self, change: Callable[[_File], object]) -> None:
        make_private_dir(self.path.parent)
        with _turn(self.path.parent):
            file, problem = self._read()
            if problem:  # what cannot be read is kept for its owner to look at
                os.replace(self.path, self.path.with_name(f"{self.path.name}.damaged"))
            change(file)
            atomic_write_bytes(self.path, msgspec.json.format(msgspec.json.encode(file), indent=1))


def print_of(*parts: bytes) -> str:
    """The print of some bytes: SHA-256 over all parts with their lengths, so that none can run into the next."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()


@contextlib.contextmanager
def _turn(folder: Path) -> Iterator[None]:
    """One writer at a time, also between programs; a lock on the folder leaves no file behind."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
