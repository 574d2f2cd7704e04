"""A picture file as a block a model can see, made smaller where it must be.

The kind comes from the first bytes, never from the name. Scaling needs the `images` extra; without it a picture that
is too large is refused with the reason.
"""

import base64
import importlib.util
import io
import warnings

from openclaw_tui.constants import IMAGE_MAX_SIDE_PIXELS, READ_MAX_IMAGE_BYTES
from openclaw_tui.errors import ToolError
from openclaw_tui.messages import ImageBlock
from openclaw_tui.tokens import image_size_of_bytes

_KINDS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


def image_kind(head: bytes) -> str | None:
    """The media type of a picture every provider takes; None for anything else."""
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for magic, kind in _KINDS if head.startswith(magic)), None)


def image_block(data: bytes, kind: str, name: str) -> tuple[ImageBlock, str]:
    """The block and one line about it. Raises ToolError where it cannot be sent."""
    size = image_size_of_bytes(data[:65536])
    if size is None:
        raise ToolError(f"{name} begins like {kind} but its size cannot be read; the file may be damaged")
    fits = len(data) <= READ_MAX_IMAGE_BYTES and max(size) <= IMAGE_MAX_SIDE_PIXELS
    if not fits:
        smaller = _scaled(data, name)
        return _block(smaller, "image/png" if smaller.startswith(b"\x89PNG") else "image/jpeg"), (
            f"Read image file {name} [{kind}], {size[0]}x{size[1]} pixels, made smaller to at most"
            f" {IMAGE_MAX_SIDE_PIXELS} on a side"
        )
    return _block(data, kind), f"Read image file {name} [{kind}], {size[0]}x{size[1]} pixels"


def _block(data: bytes, kind: str) -> ImageBlock:
    return ImageBlock(base64.b64encode(data).decode("ascii"), kind)


def _scaled(data: bytes, name: str) -> bytes:
    if importlib.util.find_spec("PIL") is None:
        raise ToolError(
            f"{name} is too large a picture ({len(data):,} bytes; limit {READ_MAX_IMAGE_BYTES:,} bytes and"
            f" {IMAGE_MAX_SIDE_PIXELS} pixels a side); install openclaw-tui[images] to have it made smaller"
        )
    from PIL import Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            picture: Image.Image = Image.open(io.BytesIO(data))
            picture.thumbnail((IMAGE_MAX_SIDE_PIXELS, IMAGE_MAX_SIDE_PIXELS))
    except (OSError, ValueError, Image.DecompressionBombWarning, Image.DecompressionBombError) as error:
        raise ToolError(f"{name} cannot be made smaller: {error}") from error
    for kind, mode in (("PNG", "RGBA"), ("JPEG", "RGB")):
        out = io.BytesIO()
        picture.convert(mode).save(out, format=kind)
        if out.tell() <= READ_MAX_IMAGE_BYTES:
            return out.getvalue()
    raise ToolError(f"{name} is still above {READ_MAX_IMAGE_BYTES:,} bytes after it was made smaller")
