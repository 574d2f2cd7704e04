"""Entries and messages ⇄ JSON lines. With `message_codec.py` the only place that knows the key names on disk.

The layout is the family's (pi, OpenClaw), version 3. What a message of ours knows beyond it stands in extra keys,
which those programs pass over. Reading is forgiving, since other programs wrote the file: a missing or odd field gets
a harmless value, an odd body makes an `UnknownEntry`. Writing is strict: one line, UTF-8, lone surrogates replaced.
"""

import contextlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec

from openclaw_tui.constants import MAX_STORED_JSON_DEPTH
from openclaw_tui.session.entries import (
    BranchSummaryEntry,
    CompactionEntry,
    CustomEntry,
    CustomMessageEntry,
    Entry,
    Header,
    LabelEntry,
    MessageEntry,
    ModelChangeEntry,
    SessionInfoEntry,
    ThinkingLevelChangeEntry,
    UnknownEntry,
)
from openclaw_tui.session.message_codec import (
    Record,
    count_of_key,
    decode_message,
    decode_user_content,
    encode_block,
    encode_message,
    given,
    mapping_of_key,
    optional_text,
    text_of_key,
)

_MAKER: Final = "openclaw_tui"


class Head(msgspec.Struct, gc=False, rename={"parent_id": "parentId"}):
    """The part of a line that the index needs; the body is decoded when somebody asks for it."""

    type: str
    id: str | None = None
    parent_id: str | None = None


_head_decoder = msgspec.json.Decoder(Head)
_record_decoder = msgspec.json.Decoder(Record)


def decode_head(line: bytes) -> Head:
    """Type and links of a line; raises ValueError where it is no JSON object with a string `type`."""
    return _head_decoder.decode(line)


def head_of(record: Mapping[str, Any]) -> Head:
    """The head of a record that is parsed already; an id that is no text counts as missing."""
    return Head(text_of_key(record, "type"), optional_text(record, "id"), optional_text(record, "parentId"))


def decode_record(line: bytes) -> Record:
    """A whole line as a dict, lone surrogate escapes replaced; raises ValueError where it is no JSON object."""
    try:
        return _record_decoder.decode(line)
    except ValueError:
        record = scrub(json.loads(line))
    if not isinstance(record, dict):
        raise ValueError("not a JSON object")
    return record


def encode_record(record: Mapping[str, Any]) -> tuple[bytes, bool]:
    """One line without its end, and whether something had to be replaced (then decode it for what is on disk)."""
    try:
        return msgspec.json.encode(record, enc_hook=_plain), False
    except (UnicodeEncodeError, OverflowError, TypeError, RecursionError):
        return msgspec.json.encode(scrub(record), enc_hook=_plain), True


def scrub(value: Any, depth: int = 0) -> Any:
    """The value with every lone surrogate replaced by U+FFFD, every key a string, and no nesting beyond all reading."""
    if depth > MAX_STORED_JSON_DEPTH:
        return "[nested too deeply]"
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, Mapping):
        return {scrub(str(key)): scrub(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [scrub(item, depth + 1) for item in value]
    return value


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else str(value)


# ── header ────────────────────────────────────────────────────────────────────────────────────────────────────────
def is_header(record: Mapping[str, Any]) -> bool:
    return record.get("type") == "session" and isinstance(record.get("id"), str) and bool(record["id"])


def is_whole_entry(record: Mapping[str, Any]) -> bool:
    """Whether a record found inside a broken line is an entry, and not a content block or a piece of one."""
    linked = isinstance(record.get("parentId", 0), str | None) and isinstance(record.get("timestamp"), str)
    return isinstance(record.get("type"), str) and isinstance(record.get("id"), str) and linked


def decode_header(record: Mapping[str, Any]) -> Header:
    version = record.get("version", 1)
    return Header(
        id=record["id"],
        timestamp=text_of_key(record, "timestamp"),
        cwd=text_of_key(record, "cwd"),
        version=version if isinstance(version, int) else 1,
        parent_session=optional_text(record, "parentSession"),
        ours=record.get("createdBy") == _MAKER,
    )


def encode_header(header: Header) -> bytes:
    record: Record = {"type": "session", "version": header.version, "id": header.id}
    record |= {"timestamp": header.timestamp, "cwd": header.cwd}
    record |= given(parentSession=header.parent_session, createdBy=_MAKER if header.ours else None)
    return encode_record(record)[0]


# ── entries ───────────────────────────────────────────────────────────────────────────────────────────────────────
def encode_entry(entry: Entry) -> tuple[bytes, bool]:
    """See `encode_record`. An unknown entry gives back its own record."""
    if isinstance(entry, UnknownEntry):
        return encode_record(entry.record)
    head: Record = {"type": entry.type, "id": entry.id, "parentId": entry.parent_id, "timestamp": entry.timestamp}
    return encode_record(head | _body(entry))


def _body(entry: Entry) -> Record:
    match entry:
        case MessageEntry(message=message):
            return {"message": None if message is None else encode_message(message)}
        case CompactionEntry(summary=summary, first_kept_entry_id=kept, tokens_before=tokens, details=details):
            body = {"summary": summary, "firstKeptEntryId": kept, "tokensBefore": tokens}
            return body | given(details=details)
        case BranchSummaryEntry(from_id=from_id, summary=summary, details=details):
            return {"fromId": from_id, "summary": summary} | given(details=details)
        case ModelChangeEntry(provider=provider, model_id=model_id):
            return {"provider": provider, "modelId": model_id}
        case ThinkingLevelChangeEntry(level=level):
            return {"thinkingLevel": level}
        case LabelEntry(target_id=target, label=label):
            return {"targetId": target} | given(label=label)
        case SessionInfoEntry(name=name):
            return {"name": name}
        case CustomEntry(custom_type=custom_type, data=data):
            return {"customType": custom_type} | given(data=data)
        case CustomMessageEntry(custom_type=custom_type, content=content, display=display, details=details):
            blocks = [encode_block(block) for block in content]
            return {"customType": custom_type, "content": blocks, "display": display} | given(details=details)
    return {}


def decode_entry(line: bytes, *, entry_id: str, parent_id: str | None) -> Entry:
    """The entry of a line. Id and parent come from the index, which may have had to mend them."""
    record = decode_record(line)
    kind, stamp = text_of_key(record, "type"), text_of_key(record, "timestamp")
    decode = _BODIES.get(kind)
    if decode is None:
        return UnknownEntry(entry_id, parent_id, stamp, kind, record)
    try:
        return decode(entry_id, parent_id, stamp, record)
    except (KeyError, TypeError, ValueError, AttributeError):
        return UnknownEntry(entry_id, parent_id, stamp, kind, record)


_BODIES: dict[str, Callable[[str, str | None, str, Record], Entry]] = {
    "message": lambda i, p, t, r: MessageEntry(i, p, t, decode_message(r["message"], i)),
    "compaction": lambda i, p, t, r: CompactionEntry(
        i,
        p,
        t,
        text_of_key(r, "summary"),
        text_of_key(r, "firstKeptEntryId"),
        count_of_key(r, "tokensBefore"),
        mapping_of_key(r, "details"),
    ),
    "branch_summary": lambda i, p, t, r: BranchSummaryEntry(
        i, p, t, text_of_key(r, "fromId"), text_of_key(r, "summary"), mapping_of_key(r, "details")
    ),
    "model_change": lambda i, p, t, r: ModelChangeEntry(i, p, t, r["provider"], r["modelId"]),
    "thinking_level_change": lambda i, p, t, r: ThinkingLevelChangeEntry(i, p, t, r["thinkingLevel"]),
    "label": lambda i, p, t, r: LabelEntry(i, p, t, r["targetId"], optional_text(r, "label") or None),
    "session_info": lambda i, p, t, r: SessionInfoEntry(i, p, t, text_of_key(r, "name")),
    "custom": lambda i, p, t, r: CustomEntry(i, p, t, r["customType"], r.get("data")),
    "custom_message": lambda i, p, t, r: CustomMessageEntry(
        i,
        p,
        t,
        r["customType"],
        decode_user_content(r.get("content")),
        r.get("display") is True,
        mapping_of_key(r, "details"),
    ),
}


_PROMPT = re.compile(rb'"role":\s*"user".{0,200}?"(?:text|content)":\s*("(?:[^"\\]|\\.){1,2000})', re.DOTALL)


def partial_prompt(cut_line: bytes) -> str | None:
    """The beginning of what the user wrote, from the beginning of a line that is too long to be read whole."""
    found = _PROMPT.search(cut_line)
    if found is None:
        return None
    text = found.group(1).decode("utf-8", "ignore")
    with contextlib.suppress(ValueError):
        return str(scrub(json.loads(text + '"', strict=False)))
    return None


# ── links ─────────────────────────────────────────────────────────────────────────────────────────────────────────
_PARENT, _KEPT, _TARGET = "parentId", "firstKeptEntryId", "targetId"


def parent_of(record: Mapping[str, Any]) -> str | None:
    return optional_text(record, _PARENT)


def with_parent(line: bytes, parent_id: str | None) -> bytes:
    """The line under another parent, everything else word for word."""
    return _with_link(line, _PARENT, parent_id)


def with_kept_start(line: bytes, entry_id: str) -> bytes:
    """A compaction's line with another first kept entry."""
    return _with_link(line, _KEPT, entry_id)


def with_target(line: bytes, entry_id: str) -> bytes:
    """A label's line with another target."""
    return _with_link(line, _TARGET, entry_id)


def _with_link(line: bytes, key: str, value: str | None) -> bytes:
    """Splice one top-level value where that can be done without touching a byte beside it, else encode anew."""
    record = decode_record(line)
    wanted = record | {key: value}
    old = b'"%s":%s' % (key.encode(), msgspec.json.encode(record.get(key)))
    new = b'"%s":%s' % (key.encode(), msgspec.json.encode(value))
    spliced = line.replace(old, new, 1)
    if decode_record(spliced) == wanted:
        return spliced
    return encode_record(wanted)[0]


def upgraded(record: Record, *, entry_id: str, parent_id: str | None, earlier: Sequence[str]) -> Record:
    """An entry of version 1 or 2 (or one without an id) as version 3. `earlier` are the ids before it, in file order.

    Version 1 had no ids and named the first kept entry by its line, the header being line 0.
    """
    links = {"type": record.get("type"), "id": entry_id, _PARENT: parent_id}
    made = links | {key: value for key, value in record.items() if key not in links and key != "firstKeptEntryIndex"}
    index = record.get("firstKeptEntryIndex")
    if isinstance(index, int) and 0 < index <= len(earlier):
        made[_KEPT] = earlier[index - 1]
    message = made.get("message")
    if isinstance(message, dict) and message.get("role") == "hookMessage":
        made["message"] = message | {"role": "custom"}
    return made
