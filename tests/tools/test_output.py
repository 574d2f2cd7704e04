"""What a tool brings into the context is bounded, honest about the cut, and whole on disk."""

import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_tui.tools.output import OutputLimits, SpillStore, bound_output, cut_to_bytes
from openclaw_tui.tools.output_stream import OutputCollector

SMALL = OutputLimits(max_bytes=1_000, max_lines=50, max_line_chars=200)


def test_short_output_is_untouched() -> None:
    bounded = bound_output("one\ntwo\n", SMALL)
    assert (bounded.text, bounded.truncated, bounded.full_output) == ("one\ntwo\n", False, None)


def test_a_long_run_keeps_head_and_tail_and_tells_real_numbers(tmp_path: Path) -> None:
    text = "\n".join(f"line {n}" for n in range(20_000))
    bounded = bound_output(text, spill=SpillStore(tmp_path / "spill"), hint="narrow the test selection")
    lines = bounded.text.split("\n")
    marker = next(line for line in lines if line.startswith("[..."))
    assert lines[0] == "line 0"
    assert lines[-1] == "line 19999"
    assert f"{20_000 - (len(lines) - 1):,} of 20,000 lines" in marker
    assert "same cut; narrow the test selection" in marker
    head_share = lines.index(marker) / (len(lines) - 1)
    assert 0.65 < head_share < 0.75


def test_the_whole_output_is_kept_privately_and_its_path_is_told(tmp_path: Path) -> None:
    store = SpillStore(tmp_path / "spill")
    text = "\n".join(f"line {n}" for n in range(20_000))
    bounded = bound_output(text, spill=store)
    assert bounded.full_output is not None
    assert str(bounded.full_output) in bounded.text
    assert bounded.full_output.read_text(encoding="utf-8").split("\n")[9_000] == "line 9000"
    assert stat.S_IMODE(bounded.full_output.stat().st_mode) == 0o600
    assert stat.S_IMODE(bounded.full_output.parent.stat().st_mode) == 0o700
    store.clear()
    assert os.listdir(tmp_path / "spill") == []


def test_a_kept_output_is_capped_in_size(tmp_path: Path) -> None:
    store = SpillStore(tmp_path, max_bytes=100)
    source = tmp_path / "big"
    source.write_bytes(b"x" * 500)
    assert store.save("y" * 500).stat().st_size == store.save(source).stat().st_size == 100


def test_one_huge_line_does_not_pass_a_line_limit() -> None:
    bounded = bound_output("x" * 3_000_000 + "\nend", OutputLimits(max_line_chars=100))
    assert len(bounded.text) < 400
    assert "it has 3,000,000 characters" in bounded.text
    assert "end" in bounded.text
    assert bounded.text.endswith("[1 long line cut.]")


@given(
    st.text(st.characters(exclude_categories=["Cs"]) | st.just("\n"), max_size=4_000),
    st.integers(400, 1_500),
    st.integers(3, 40),
    st.integers(1, 300),
    st.integers(1, 30),
)
def test_the_cut_never_exceeds_its_budget(text: str, size: int, lines: int, line_chars: int, times: int) -> None:
    bounded = bound_output(text * times, OutputLimits(size, lines, line_chars))
    assert len(bounded.text.encode("utf-8")) <= size
    assert len(bounded.text.removesuffix("\n").split("\n")) <= lines


@given(st.text(max_size=50), st.integers(0, 60))
def test_a_byte_cut_never_splits_a_character(text: str, size: int) -> None:
    cut = cut_to_bytes(text.encode("utf-8", "replace").decode("utf-8"), size)
    assert len(cut.encode("utf-8")) <= size
    assert text.encode("utf-8", "replace").decode("utf-8").startswith(cut)


def test_a_stream_is_bounded_in_memory_and_whole_on_disk(tmp_path: Path) -> None:
    store = SpillStore(tmp_path / "spill")
    collector = OutputCollector(store, keep_bytes=10_000)
    whole = b"".join(b"row %d\n" % n for n in range(50_000))
    for start in range(0, len(whole), 4_096):
        collector.feed(whole[start : start + 4_096])
    bounded = collector.finish(SMALL)
    assert bounded.text.startswith("row 0\n")
    assert bounded.text.endswith("row 49999")
    assert bounded.total_lines == 50_000
    assert "of 50,000 lines" in bounded.text
    assert len(bounded.text.encode()) <= SMALL.max_bytes
    assert bounded.full_output is not None
    assert bounded.full_output.read_bytes() == whole


def test_a_stream_cleans_before_it_cuts() -> None:
    with OutputCollector() as collector:
        for percent in range(500):
            collector.feed(b"\x1b[32mDownloading %d%%\x1b[0m\r" % percent)
        collector.feed(b"\ndone\r\n")
        assert collector.finish(SMALL).text == "Downloading 499%\ndone\n"


def test_a_short_binary_stream_becomes_a_note(tmp_path: Path) -> None:
    collector = OutputCollector(SpillStore(tmp_path))
    collector.feed(bytes(range(256)) * 8)
    bounded = collector.finish()
    assert bounded.text.startswith("[binary output, 2,048 bytes; kept in ")
    assert bounded.full_output is not None


def test_an_endless_line_keeps_both_ends(tmp_path: Path) -> None:
    collector = OutputCollector(SpillStore(tmp_path, max_bytes=50_000), keep_bytes=10_000)
    for _ in range(200):
        collector.feed(b"y" * 1_000)
    collector.feed(b"THE END")
    bounded = collector.finish(SMALL)
    assert bounded.text.endswith("THE END")
    assert bounded.total_bytes == 200_007
    assert bounded.full_output is not None
    assert bounded.full_output.stat().st_size == 50_000


@pytest.mark.parametrize("data", [b"caf\xc3\xa9 \xe2\x9c\x93 \xff end\n"])
def test_output_is_read_as_utf8_whatever_the_locale(data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "C")
    collector = OutputCollector()
    collector.feed(data)
    assert collector.finish().text == "café ✓ \ufffd end\n"
