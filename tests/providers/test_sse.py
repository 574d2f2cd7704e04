"""Frames come out the same however the bytes were cut on the way."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from openclaw_tui.providers.sse import FrameReader


def read(*chunks: bytes) -> list[str]:
    reader = FrameReader()
    return [frame for chunk in chunks for frame in reader.feed(chunk)]


@given(
    texts=st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1), max_size=6),
    ending=st.sampled_from(["\n", "\r\n"]),
    cuts=st.lists(st.integers(0, 400), max_size=8),
)
def test_where_the_bytes_are_cut_does_not_matter(texts: list[str], ending: str, cuts: list[int]) -> None:
    stream = "".join(f": comment{ending}event: x{ending}data: {text}{ending}{ending}" for text in texts).encode()
    places = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    pieces = [stream[start:end] for start, end in pairwise(places)]
    assert read(*pieces) == texts


def test_a_frame_may_have_several_lines_of_data_and_no_space() -> None:
    assert read(b"data:one\ndata: two\n\n") == ["one\ntwo"]


def test_comments_and_frames_without_data_yield_nothing() -> None:
    assert read(b": keep-alive\n\n", b"event: ping\n\n", b"\n\n") == []


def test_an_unfinished_frame_is_no_frame() -> None:
    assert read(b"data: whole\n\ndata: half\n") == ["whole"]


def test_bytes_that_are_no_text_do_not_stop_the_stream() -> None:
    assert read(b"data: \xff\n\n", b"data: on\n\n") == ["\ufffd", "on"]
