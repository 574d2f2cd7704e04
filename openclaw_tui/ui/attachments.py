"""What a typed message brings along: lines of a file (`@path:10-20`) and pictures (`@picture.png`).

A plain `@path` stays a mention: the model reads the file itself where it needs it, and pays for what it reads. Lines
and pictures are the user's choice and travel with the message, each in a block of its own behind the text.
"""

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from openclaw_tui.constants import ATTACHED_FILE_MAX_BYTES, ATTACHED_LINES_MAX_CHARS, READ_MAX_IMAGE_BYTES
from openclaw_tui.errors import ToolError
from openclaw_tui.messages import ImageBlock, TextBlock, UserContent

if TYPE_CHECKING:
    from openclaw_tui.app.compose import App

_MENTION = re.compile(r"(?:^|(?<=\s))@(?:\"([^\"\n]+)\"|([^\s\":]+))(?::(\d+)(?:-(\d+))?)?")
_HEAD = re.compile(r"\[attached: (.+), lines? (\d+(?:-\d+)?) of \d+\]\n")
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp")
_PROSE = ".,;!?)"


class Attached(msgspec.Struct, frozen=True):
    """The content to send, and a line for each thing that could not be attached."""

    content: tuple[UserContent, ...]
    problems: tuple[str, ...] = ()


def attach(text: str, root: Path, refusal: Callable[[Path], str] | None = None, *, pictures: bool = True) -> Attached:
    """The message with what its mentions name. `refusal` says why a file may not be read, or nothing."""
    blocks: list[UserContent] = []
    problems: list[str] = []
    for match in _MENTION.finditer(text):
        name, first, last = match[1] or match[2].rstrip(_PROSE), match[3], match[4]
        is_picture = name.lower().endswith(_PICTURES)
        path = Path(os.path.realpath(root / os.path.expanduser(name)))
        if not (first or is_picture) or not os.path.isfile(path):
            continue
        why = (refusal(path) if refusal else "") or (
            "" if pictures or not is_picture else "this model sees no pictures"
        )
        try:
            if why:
                raise ToolError(f"@{name} is not attached: {why}")
            blocks.append(_picture(path, name) if is_picture else _lines(path, name, int(first), int(last or first)))
        except (ToolError, OSError) as error:
            problems.append(str(error))
    return Attached((TextBlock(text), *blocks), tuple(problems))


def message_content(app: "App", text: str) -> tuple[str | tuple[UserContent, ...], tuple[str, ...]]:
    """What is sent of a typed text, by every face: the text, or the text with what it names; and what cannot come."""
    from openclaw_tui.safety.permissions import Act

    def refusal(path: Path) -> str:
        verdict = app.permissions.judge(Act("read", "read", (path,)))
        return "; ".join(verdict.reasons) if verdict.decision == "deny" else ""

    if "@" not in text:
        return text, ()
    attached = attach(text, app.paths.project, refusal, pictures=app.session.model.images)
    return (attached.content if len(attached.content) > 1 else text), attached.problems


def parted(content: Sequence[object]) -> tuple[str, tuple[str, ...]]:
    """What was typed, and the words on the chips of the lines that came with it."""
    said: list[str] = []
    chips: list[str] = []
    for block in content:
        if isinstance(block, TextBlock):
            head = _HEAD.match(block.text)
            if head:
                chips.append(f"{head[1]}:{head[2]}")
            else:
                said.append(block.text)
    return "\n".join(said), tuple(chips)


def _picture(path: Path, name: str) -> ImageBlock:
    from openclaw_tui.tools.read_image import image_block, image_kind

    if path.stat().st_size > 4 * READ_MAX_IMAGE_BYTES:
        raise ToolError(f"@{name} is not attached: it is too large a picture")
    data = path.read_bytes()
    kind = image_kind(data[:16])
    if kind is None:
        raise ToolError(f"@{name} is not attached: it is no PNG, JPEG, GIF or WebP picture")
    return image_block(data, kind, name)[0]


def _lines(path: Path, name: str, first: int, last: int) -> TextBlock:
    if path.stat().st_size > ATTACHED_FILE_MAX_BYTES:
        raise ToolError(f"@{name}:{first} is not attached: a file of {path.stat().st_size:,} bytes; `grep` it instead")
    data = path.read_bytes()
    if b"\0" in data:
        raise ToolError(f"@{name}:{first} is not attached: it is no text")
    lines = data.decode("utf-8", errors="replace").splitlines()
    first, last = max(1, min(first, last)), min(max(first, last), len(lines))
    if first > len(lines):
        raise ToolError(f"@{name}:{first} is not attached: the file has {len(lines)} lines")
    body = "\n".join(f"{number:>6}\t{line}" for number, line in enumerate(lines[first - 1 : last], first))
    if len(body) > ATTACHED_LINES_MAX_CHARS:
        raise ToolError(
            f"@{name}:{first}-{last} is not attached: {len(body):,} characters, limit {ATTACHED_LINES_MAX_CHARS:,}"
        )
    where = f"line {first}" if first == last else f"lines {first}-{last}"
    return TextBlock(f"[attached: {name}, {where} of {len(lines)}]\n{body}")
