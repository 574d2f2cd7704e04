"""Pictures in a request: of a type, size and number the provider takes, or a line of text in their place.

The type is found from the bytes, never from a name or a declared media type. The session file keeps every picture as it
was. Scaling needs Pillow, which is optional and imported only when a picture has to shrink.
"""

import base64
import binascii
import io
from typing import TYPE_CHECKING

from openclaw_tui.messages import ImageBlock, TextBlock
from openclaw_tui.tokens import image_size
from openclaw_tui.transcript.policy import ImageRules

if TYPE_CHECKING:
    from PIL.Image import Image

_HEIF_BRANDS = (b"heic", b"heix", b"hevc", b"mif1", b"msf1", b"heif")


def fit_image(image: ImageBlock, rules: ImageRules, *, takes_images: bool, many: bool) -> ImageBlock | TextBlock:
    """The picture as it may travel, or a note that says why it does not. The same object where all is well.

    `many` tells that the request holds more pictures than `rules.many`: then the strict side limit applies.
    """
    if not takes_images:
        return _note("this model takes no pictures")
    try:
        raw = base64.b64decode(image.data, validate=True)
    except (binascii.Error, ValueError):
        return _note("its data is no valid base64")
    if not raw:
        return _note("it holds no data")
    kind = image_type(raw)
    if kind is None:
        return _note(f"its bytes are no known picture format (declared as {image.mime_type or 'nothing'})")
    typed = image if kind == image.mime_type else ImageBlock(image.data, kind)
    trouble = _trouble(typed, rules, many=True)
    if trouble is None:
        return typed
    scaled = _scaled(raw, rules)
    if scaled is not None:
        return scaled
    trouble = _trouble(typed, rules, many=many)
    return typed if trouble is None else _note(trouble)


def image_type(head: bytes) -> str | None:
    """Media type from the first bytes, None where unknown."""
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if head.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if head[:6] in (b"GIF87a", b"GIF89a"):
        return "image/gif"
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    if head[:2] == b"BM":
        return "image/bmp"
    if head[:4] in (b"II*\x00", b"MM\x00*"):
        return "image/tiff"
    if head[4:8] == b"ftyp" and head[8:12] in _HEIF_BRANDS:
        return "image/heic"
    return None


def _note(reason: str) -> TextBlock:
    return TextBlock(f"[image left out: {reason}]")


def _trouble(image: ImageBlock, rules: ImageRules, *, many: bool) -> str | None:
    if image.mime_type not in rules.types:
        return f"this provider does not take {image.mime_type}"
    if len(image.data) > rules.max_base64_chars:
        return f"it is larger than {rules.max_base64_chars * 3 // 4 // 1024} KB"
    size = image_size(image)
    limit = rules.comfortable_side if many else rules.max_side
    if size is not None and max(size) > limit:
        return f"{size[0]}x{size[1]} pixels are more than the {limit} on a side that may be sent"
    return None


def _scaled(raw: bytes, rules: ImageRules) -> ImageBlock | None:
    """The picture as PNG or JPEG within the rules, or None without Pillow or where it cannot read the bytes."""
    try:
        from PIL import Image
    except ImportError:
        return None
    try:
        with Image.open(io.BytesIO(raw)) as opened:
            opened.load()
            picture: Image.Image = opened.convert(
                "RGBA" if "A" in opened.getbands() or "transparency" in opened.info else "RGB"
            )
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None
    side = rules.comfortable_side
    while side > 0:
        picture.thumbnail((side, side))
        for image in _encodings(picture):
            if image.mime_type in rules.types and len(image.data) <= rules.max_base64_chars:
                return image
        side = side * 3 // 4
    return None


def _encodings(picture: "Image") -> list[ImageBlock]:
    """PNG keeps screenshots sharp; JPEG is the way out where that is too large."""
    found = []
    for name, kind in (("PNG", "image/png"), ("JPEG", "image/jpeg")):
        buffer = io.BytesIO()
        (picture if name == "PNG" else picture.convert("RGB")).save(buffer, name)
        found.append(ImageBlock(base64.b64encode(buffer.getvalue()).decode("ascii"), kind))
    return found
