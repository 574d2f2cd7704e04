"""One thing that `doctor` found."""

from typing import Literal, TypeAlias

import msgspec

State: TypeAlias = Literal["ok", "note", "bad"]


class Finding(msgspec.Struct, frozen=True):
    """`note` is worth knowing, `bad` is in the way; each of both has a cure."""

    state: State
    subject: str
    text: str
    cure: str = ""
