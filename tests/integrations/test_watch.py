"""Changed files are noticed soon, whatever way they were written, and nothing else is looked at."""

import asyncio
import os
import shutil
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from openclaw_tui.integrations.watch import FileWatch, Watched


class Seen:
    """What a watch told so far."""

    def __init__(self) -> None:
        self.changes: list[frozenset[Path]] = []

    async def until(self, path: Path) -> None:
        async with asyncio.timeout(10):
            while not any(path in change for change in self.changes):
                await asyncio.sleep(0.01)
        self.changes.clear()


@asynccontextmanager
async def watching(
    files: list[Path], roots: tuple[Path, ...] = (), known: Callable[[], dict[Path, tuple[int, int]]] = dict
) -> AsyncIterator[Seen]:
    seen, others = Seen(), set(threading.enumerate())
    watch = FileWatch(Watched(frozenset(files), roots, known=known), seen.changes.append)
    watch.start()
    try:
        yield seen
    finally:
        await watch.close()
    assert not [thread for thread in set(threading.enumerate()) - others if thread.name == "file watch"]


async def test_a_file_is_noticed_when_it_comes_changes_is_replaced_and_goes(tmp_path: Path) -> None:
    file = tmp_path / "AGENTS.md"
    async with watching([file]) as seen:
        file.write_text("one", encoding="utf-8")
        await seen.until(file)
        file.write_text("two!", encoding="utf-8")
        await seen.until(file)
        (tmp_path / "new").write_text("three", encoding="utf-8")
        os.replace(tmp_path / "new", file)
        await seen.until(file)
        file.unlink()
        await seen.until(file)


async def test_a_file_in_a_folder_that_does_not_exist_yet_is_noticed(tmp_path: Path) -> None:
    file = tmp_path / ".openclaw" / "deep" / "tui.toml"
    async with watching([file]) as seen:
        file.parent.mkdir(parents=True)
        file.write_text("[ui]", encoding="utf-8")
        await seen.until(file)
        shutil.rmtree(tmp_path / ".openclaw")
        await seen.until(file)
        file.parent.mkdir(parents=True)
        file.write_text("[ui]", encoding="utf-8")
        await seen.until(file)


async def test_skills_are_noticed_one_level_below_their_root_and_no_deeper(tmp_path: Path) -> None:
    root = tmp_path / "skills"
    (root / "old").mkdir(parents=True)
    (root / "old" / "SKILL.md").write_text("a", encoding="utf-8")
    async with watching([], (root,)) as seen:
        (root / "old" / "SKILL.md").write_text("ab", encoding="utf-8")
        await seen.until(root / "old" / "SKILL.md")
        (root / "new").mkdir()
        (root / "new" / "SKILL.md").write_text("c", encoding="utf-8")
        await seen.until(root / "new" / "SKILL.md")
        (root / "new" / "notes.md").write_text("x", encoding="utf-8")
        deep = root / "new" / "deep"
        deep.mkdir()
        (deep / "SKILL.md").write_text("x", encoding="utf-8")
        (root / "old" / "SKILL.md").write_text("abc", encoding="utf-8")
        await seen.until(root / "old" / "SKILL.md")
        assert not any(path.name == "notes.md" or path.parent == deep for change in seen.changes for path in change)


def test_no_folder_below_the_named_places_is_watched(tmp_path: Path) -> None:
    project = tmp_path / "project"
    for folder in ("src/a/b", "skills/one/deep", ".git/objects"):
        (project / folder).mkdir(parents=True)
    watched = Watched(frozenset({project / "AGENTS.md"}), (project / "skills", project / ".agents" / "skills"))
    assert watched.folders() == {str(project), str(project / "skills"), str(project / "skills" / "one")}


async def test_a_known_file_is_told_when_it_is_no_longer_what_is_known_of_it(tmp_path: Path) -> None:
    file, read = tmp_path / "AGENTS.md", tmp_path / "src" / "a.py"
    read.parent.mkdir()
    read.write_text("x = 1", encoding="utf-8")
    known: dict[Path, tuple[int, int]] = {}
    async with watching([file], known=lambda: dict(known)) as seen:
        known[read] = (read.stat().st_size, read.stat().st_mtime_ns)
        file.write_text("wake up", encoding="utf-8")
        await seen.until(file)
        assert not any(read in change for change in seen.changes)
        read.write_text("x = 22", encoding="utf-8")
        await seen.until(read)
        file.write_text("wake up again", encoding="utf-8")
        await seen.until(file)
        assert not any(read in change for change in seen.changes)


async def test_where_the_system_cannot_watch_it_looks_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*given: object) -> None:
        raise OSError(28, "no space left for watches")

    monkeypatch.setattr("watchfiles._rust_notify.RustNotify", refuse)
    monkeypatch.setattr("openclaw_tui.integrations.watch.WATCH_LOOK_MS", 50)
    file = tmp_path / "AGENTS.md"
    async with watching([file]) as seen:
        file.write_text("one", encoding="utf-8")
        await seen.until(file)


async def test_closing_what_was_never_started_and_twice_is_fine(tmp_path: Path) -> None:
    watch = FileWatch(Watched(frozenset({tmp_path / "a"})), lambda _: None)
    await watch.close()
    watch.start()
    await watch.close()
    await watch.close()
