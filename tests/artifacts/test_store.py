"""Outputs are stored whole, once, privately, and within the quota."""

import os
import random
import stat
import tempfile
import tracemalloc
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from openclaw_tui.artifacts.store import ArtifactStore


def test_an_output_comes_back_byte_for_byte_after_a_restart(tmp_path: Path) -> None:
    data = b"line\n" * 1_000 + b"\xff\x00end"
    kept = ArtifactStore(tmp_path / "a").put("t1", data, tool="exec", title="make", at=5)
    store = ArtifactStore(tmp_path / "a")
    found = store.find("t1")
    assert found == kept
    assert found is not None
    assert b"".join(store.chunks(found)) == data
    assert (found.size, found.lines, found.tool, found.title) == (len(data), 1_001, "exec", "make")
    assert store.find("t2") is None


def test_everything_is_private_from_its_first_byte(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        ArtifactStore(tmp_path / "a").put("t1", b"x", tool="exec")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "a").iterdir()} == {0o600}


def test_the_same_output_is_stored_once_and_compressed(tmp_path: Path) -> None:
    store = ArtifactStore(tmp_path)
    source = tmp_path / "source"
    source.write_bytes(b"same line\n" * 100_000)
    store.put("t1", source, tool="exec")
    store.put("t2", source.read_bytes(), tool="exec")
    (stored,) = tmp_path.glob("*.z")
    assert stored.stat().st_size < 20_000
    assert [artifact.id for artifact in store.artifacts()] == ["t1", "t2"]


def test_the_quota_takes_the_oldest_but_never_what_is_named(tmp_path: Path) -> None:
    noise = random.Random(3)
    store = ArtifactStore(tmp_path, quota_bytes=25_000)
    for number in range(1, 5):
        store.put(f"t{number}", noise.randbytes(10_000), tool="exec", live={"t1"})
    kept = [artifact.id for artifact in store.artifacts() if store.is_kept(artifact)]
    assert kept == ["t1", "t4"]
    assert len(store) == 4


def test_a_torn_index_line_costs_only_its_own_output(tmp_path: Path) -> None:
    ArtifactStore(tmp_path).put("t1", b"one", tool="exec")
    with (tmp_path / "index.jsonl").open("ab") as handle:
        handle.write(b'{"id":"t2","dig')
    assert [artifact.id for artifact in ArtifactStore(tmp_path).artifacts()] == ["t1"]


def test_a_large_output_passes_through_a_small_memory(tmp_path: Path) -> None:
    source = tmp_path / "source"
    with source.open("wb") as handle:
        for number in range(50):
            handle.write((b"%d " % number) * 300_000)
    store = ArtifactStore(tmp_path / "a")
    tracemalloc.start()
    artifact = store.put("t1", source, tool="exec")
    longest = max(len(text) for _, text in store.lines(artifact))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert artifact.size == source.stat().st_size
    assert longest < 3 << 20
    assert peak < 16 << 20


@given(st.lists(st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"])), min_size=1, max_size=30))
def test_lines_are_numbered_as_in_the_output(lines: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = ArtifactStore(Path(folder))
        artifact = store.put("t1", "\n".join([*lines, "last"]).encode(), tool="read")
        assert list(store.lines(artifact)) == list(enumerate([*lines, "last"], start=1))
