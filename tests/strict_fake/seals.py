"""Signatures that only this fake can make: thinking, compaction, reasoning and thought signatures.

A seal carries a small record in the clear and a keyed digest over record and text, so that a changed text, a changed
record and an invented seal are all told apart from a genuine one.
"""

import base64
import binascii
import hashlib
import hmac
import json
from typing import Any

from tests.strict_fake.refusal import Json

_SECRET = b"strict-fake-signature"


def plain_signature(text: str) -> str:
    """The signature of an older model's thinking: it depends on the text alone."""
    return "Eo" + hmac.new(_SECRET, text.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest() * 3


def pack(record: Json, text: str) -> str:
    """A seal (base64) over this record and text."""
    sealed = dict(record, m=_digest(record, text))
    return base64.b64encode(json.dumps(sealed, sort_keys=True).encode()).decode()


def unpack(seal: Any) -> Json | None:
    """The record of something that looks like a seal, whatever text it belongs to."""
    if not isinstance(seal, str):
        return None
    try:
        record = json.loads(base64.b64decode(seal, validate=True))
    except (ValueError, binascii.Error):
        return None
    return record if isinstance(record, dict) and "m" in record else None


def open_seal(seal: Any, text: str) -> Json | None:
    """The record, if the seal was made for exactly this text."""
    record = unpack(seal)
    if record is None:
        return None
    bare = {key: value for key, value in record.items() if key != "m"}
    return record if hmac.compare_digest(_digest(bare, text), str(record["m"])) else None


def text_digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def chain(previous: str, *what: Any) -> str:
    """The state of a conversation after `what` was added to `previous`."""
    data = json.dumps(what, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(previous.encode() + data, digest_size=12).hexdigest()


def canonical(value: Any, top: bool = True) -> Any:
    """Key order, cache markers and empty optional fields do not count; everything else does."""
    if isinstance(value, dict):
        kept: Json = {}
        for key in sorted(value):
            item = value[key]
            if key in ("cache_control", "prompt_cache_breakpoint"):
                continue
            if top and (item is None or (key == "is_error" and item is False)):
                continue
            kept[key] = canonical(item, key == "content" and top)
        return kept
    if isinstance(value, list):
        return [canonical(item, top) for item in value]
    return value


def _digest(record: Json, text: str) -> str:
    data = json.dumps(record, sort_keys=True) + "|" + text
    return hmac.new(_SECRET, data.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[:24]
