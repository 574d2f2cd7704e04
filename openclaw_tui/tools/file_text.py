"""Bytes of a file as text, and back to the same bytes: encodings, byte-order marks, line ends. Their one home.

A wrong guess must never cost a byte, so a guess is only used where it gives back the whole file byte for byte. Order:
byte-order mark, UTF-16 by its zero bytes, UTF-8, UTF-8 with a few broken bytes (kept as they are), Shift-JIS and GBK
where the text looks like Japanese or Chinese, Windows-1252, Latin-1.
"""

import codecs
from pathlib import Path

import msgspec

from openclaw_tui.constants import BINARY_CONTROL_SHARE, FILE_SAMPLE_BYTES
from openclaw_tui.errors import ToolError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8", "UTF-8 with byte-order mark"),
    (codecs.BOM_UTF32_LE, "utf-32-le", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32-be", "UTF-32"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16 little-endian"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16 big-endian"),
)
_KINDS = (
    (b"SQLite format 3\x00", "SQLite database"),
    (b"\x7fELF", "ELF program"),
    (b"\xcf\xfa\xed\xfe", "Mach-O program"),
    (b"PK\x03\x04", "zip archive (also docx, xlsx, jar, wheel)"),
    (b"\x1f\x8b", "gzip archive"),
    (b"BZh", "bzip2 archive"),
    (b"\xfd7zXZ\x00", "xz archive"),
    (b"\x28\xb5\x2f\xfd", "zstd archive"),
    (b"%PDF-", "PDF document"),
    (b"\x00asm", "WebAssembly module"),
    (b"OggS", "Ogg media"),
    (b"ID3", "MP3 audio"),
    (b"\xca\xfe\xba\xbe", "Java class or universal program"),
)
_PLAIN_CONTROLS = frozenset(b"\t\n\r\f\b\x1b")


class TextFormat(msgspec.Struct, frozen=True):
    """How a file stores its text. `label` names it for people; it is empty for plain UTF-8."""

    encoding: str = "utf-8"
    errors: str = "strict"
    mark: bytes = b""
    label: str = ""

    @property
    def is_wide(self) -> bool:
        """True where a line end is more than one byte."""
        return self.encoding.startswith(("utf-16", "utf-32"))

    def decode(self, data: bytes) -> str:
        """The text without its byte-order mark. Raises UnicodeDecodeError."""
        return data.removeprefix(self.mark).decode(self.encoding, self.errors)

    def encode(self, text: str) -> bytes:
        """The bytes with the byte-order mark. Raises UnicodeEncodeError."""
        return self.mark + text.encode(self.encoding, self.errors)


class FileText(msgspec.Struct, frozen=True):
    """A whole file as text, line ends as they are in the file. `format.encode(text)` is the file byte for byte."""

    text: str
    format: TextFormat

    @property
    def line_end(self) -> str:
        """The line end most lines use; `\\n` where there is none."""
        crlf = self.text.count("\r\n")
        lone = self.text.count("\n") - crlf
        if crlf == lone == 0:
            return "\r" if "\r" in self.text else "\n"
        return "\r\n" if crlf > lone else "\n"


def load_text(data: bytes, name: str) -> FileText:
    """Decode a whole file for changing it. Raises ToolError where it is no text or would not come back unchanged."""
    if is_binary(data):
        raise ToolError(f"{name} is binary ({describe_binary(data)}, {len(data):,} bytes); it cannot be edited as text")
    found = detect_format(data, whole=True)
    text = found.decode(data)
    if found.encode(text) != data:
        raise ToolError(f"{name} cannot be written back byte for byte as {found.label or found.encoding}; not changed")
    return FileText(text, found)


def encode_text(text: str, target: TextFormat, name: str) -> bytes:
    """Encode changed text in the file's own encoding. Raises ToolError naming a foreign character."""
    try:
        return target.encode(text)
    except UnicodeEncodeError as error:
        char = text[error.start]
        label = target.label or target.encoding
        raise ToolError(
            f"{name} is stored as {label}, which has no {char!r} (U+{ord(char):04X}); the file was not changed"
        ) from error


def detect_format(data: bytes, *, whole: bool = False) -> TextFormat:
    """The format of a file from its bytes or (`whole` false) from its beginning, whose end may split a character."""
    for mark, encoding, label in _MARKS:
        if data.startswith(mark):
            return _marked(data, mark, encoding, label, whole)
    wide = _wide_without_mark(data)
    if wide is not None:
        return wide
    sample = data if whole else _without_split_end(data)
    try:
        sample.decode("utf-8")
        return TextFormat()
    except UnicodeDecodeError:
        pass
    if _is_damaged_utf8(sample):
        return TextFormat("utf-8", "surrogateescape", label="UTF-8 with invalid bytes")
    return _legacy(data, whole)


def looks_binary(sample: bytes) -> bool:
    """True for bytes that are no text in an encoding without zero bytes: NULs, or many control characters."""
    if not sample:
        return False
    if b"\x00" in sample:
        return True
    controls = sum(1 for byte in sample[:4096] if byte < 0x20 and byte not in _PLAIN_CONTROLS)
    return controls > BINARY_CONTROL_SHARE * min(len(sample), 4096)


def is_binary(data: bytes) -> bool:
    """True when a file is no text in any encoding known here."""
    sample = data[:FILE_SAMPLE_BYTES]
    if any(sample.startswith(magic) for magic, _ in _KINDS):
        return True
    if any(sample.startswith(mark) for mark, _, _ in _MARKS) or _wide_without_mark(sample) is not None:
        return False
    return looks_binary(sample) or b"\x00" in data


def describe_binary(data: bytes) -> str:
    """A name for what the bytes are, from their first ones."""
    return next((kind for magic, kind in _KINDS if data.startswith(magic)), "unknown kind")


def read_sample(path: Path) -> bytes:
    with path.open("rb") as handle:
        return handle.read(FILE_SAMPLE_BYTES)


def _marked(data: bytes, mark: bytes, encoding: str, label: str, whole: bool) -> TextFormat:
    for errors in ("strict", "surrogateescape" if encoding == "utf-8" else "surrogatepass"):
        candidate = TextFormat(encoding, errors, mark, label)
        try:
            candidate.decode(data if whole else _without_split_end(data))
            return candidate
        except UnicodeDecodeError:
            continue
    return TextFormat(encoding, "replace", mark, label)


def _wide_without_mark(data: bytes) -> TextFormat | None:
    """UTF-16 without a mark: text of Western languages has a zero in nearly every second byte, on one side only."""
    sample = data[:4096]
    if len(sample) < 4 or len(data) % 2 or b"\x00" not in sample:
        return None
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    half = len(sample) // 2
    for zeros, others, encoding in ((odd, even, "utf-16-le"), (even, odd, "utf-16-be")):
        if zeros > half * 0.6 and others == 0:
            text = sample.decode(encoding, "replace")
            if not any(ord(char) < 0x20 and ord(char) not in _PLAIN_CONTROLS for char in text):
                return TextFormat(encoding, "surrogatepass", label=f"UTF-16 without byte-order mark ({encoding[-2:]})")
    return None


def _without_split_end(sample: bytes) -> bytes:
    """A beginning of a file without the character its end may have cut."""
    for back in range(1, min(4, len(sample)) + 1):
        byte = sample[-back]
        if byte < 0x80:
            return sample
        if byte >= 0xC0:
            return sample[:-back]
    return sample


def _is_damaged_utf8(sample: bytes) -> bool:
    text = sample.decode("utf-8", "surrogateescape")
    broken = sum(1 for char in text if "\udc80" <= char <= "\udcff")
    return sum(1 for char in text if char >= "\x80") - broken >= broken


def _legacy(data: bytes, whole: bool) -> TextFormat:
    for encoding, label, plausible in (
        ("cp932", "Shift-JIS", _reads_as_japanese),
        ("gbk", "GBK", _reads_as_chinese),
        ("cp1252", "Windows-1252", None),
    ):
        text = _strictly(data, encoding, whole)
        if text is not None and (plausible is None or plausible(text)):
            return TextFormat(encoding, label=label)
    return TextFormat("latin-1", label="Latin-1")


def _strictly(data: bytes, encoding: str, whole: bool) -> str | None:
    """The text where it decodes and encodes back to the same bytes; a cut sample may lose its last byte."""
    for candidate in (data,) if whole else (data, data[:-1]):
        try:
            text = candidate.decode(encoding)
            if text.encode(encoding) == candidate:
                return text
        except UnicodeError:
            continue
    return None


def _reads_as_japanese(text: str) -> bool:
    foreign = [char for char in text if char >= "\x80"][:4096]
    kana = sum(1 for char in foreign if "\u3041" <= char <= "\u30ff")
    half_width = sum(1 for char in foreign if "\uff61" <= char <= "\uff9f")
    return kana > 0.2 * len(foreign) and half_width < 0.2 * len(foreign)


def _reads_as_chinese(text: str) -> bool:
    """The everyday characters of GB2312 (rows A1-A3, B0-D7): Western text read as GBK gives rare ones."""
    foreign = [char.encode("gbk") for char in text if char >= "\x80"][:4096]
    common = sum(1 for lead, trail in foreign if trail >= 0xA1 and (0xA1 <= lead <= 0xA3 or 0xB0 <= lead <= 0xD7))
    return common > 0.9 * len(foreign)
