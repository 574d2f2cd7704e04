"""Server-sent events from bytes, one frame at a time. Pure and incremental.

The OpenAI SDK's own reader hides what matters here: whether `[DONE]` came, and what a server said that answered with
something else than a stream. Only the `data` of a frame is kept; comments (keep-alives) yield nothing, so they can
never pass for content. A frame that is still open when the bytes end is no frame.
"""

from collections.abc import Iterator


class FrameReader:
    """Feed bytes as they come, get the data text of each finished frame. UTF-8 and line ends may be cut anywhere."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._data: list[str] = []

    def feed(self, chunk: bytes) -> Iterator[str]:
        """The frames that `chunk` completes."""
        if b"\n" not in chunk:
            self._pieces.append(chunk)
            return
        lines = b"".join((*self._pieces, chunk)).split(b"\n")
        self._pieces = [lines.pop()]
        for line in lines:
            if (frame := self._line(line.removesuffix(b"\r"))) is not None:
                yield frame

    def _line(self, line: bytes) -> str | None:
        """Take in one line; the frame's data if it was the empty line that ends one."""
        if not line:
            frame = "\n".join(self._data) if self._data else None
            self._data.clear()
            return frame
        name, _, value = line.partition(b":")
        if name == b"data":
            self._data.append(value.removeprefix(b" ").decode("utf-8", "replace"))
        return None
