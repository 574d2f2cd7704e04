"""Where typed lines come from: what both readers share. One keeps a live prompt at the bottom, one is plain."""

from collections.abc import Callable
from typing import Literal, Protocol, TypeAlias

import msgspec

LineKind: TypeAlias = Literal["send", "follow_up"]


class TypedLine(msgspec.Struct, frozen=True):
    """What was typed, and whether it should wait for the end of the running turn."""

    text: str
    kind: LineKind = "send"


class Hooks(msgspec.Struct, frozen=True):
    """What a reader asks of the talk. `interrupt` is Ctrl+C; `take_back` gives the latest queued text.

    `toolbar` is given the draft.
    """

    label: Callable[[], str]
    toolbar: Callable[[str], str]
    is_busy: Callable[[], bool]
    is_asking: Callable[[], bool]
    interrupt: Callable[[], None]
    take_back: Callable[[], str]


class Reader(Protocol):
    """`read` raises EOFError at the end of the input and after `leave`."""

    @property
    def is_live(self) -> bool:
        """Whether somebody sits there: a pipe is read line by line, each line when the one before is answered."""
        ...

    async def read(self) -> TypedLine: ...

    def write(self, text: str) -> None: ...

    def refresh(self) -> None:
        """The talk's state changed: a question came, a turn ended, numbers moved."""
        ...

    def put_draft(self, text: str) -> None:
        """Text for the prompt that was not sent, or came back."""
        ...

    def remember(self, text: str) -> None:
        """A text that was sent, for going back to it in this run."""
        ...

    def leave(self) -> None: ...

    def close(self) -> None: ...
