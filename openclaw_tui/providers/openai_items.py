"""What the two OpenAI wire protocols share: call ids, pictures and the opaque parts of the family's form.

Ids: a Responses call has two ids, kept together as `call_id|item_id`; only the first part pairs call and result.
Signatures of text are a message item's id, or JSON `{"v":1,"id":…,"phase":…}`; of reasoning the whole item as JSON.
Pure functions; all of them are total, because a history may come from any provider or from a damaged file.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from openclaw_tui.constants import OPENAI_RESPONSES_ID_MAX_CHARS, SYSTEM_PROMPT_CACHE_BOUNDARY
from openclaw_tui.messages import ImageBlock, TextBlock, UserContent
from openclaw_tui.providers.wire_cache import encode_json, parse_arguments

ORIGINAL_ARGUMENTS = "openai-arguments:"
"""Opens the opaque part of a call whose argument text differs from the JSON we would write for the same object."""

_NO_PICTURES = "[a picture was left out: this model takes no pictures]"


def compact(value: Any) -> str:
    """JSON as OpenAI's models write it: no blanks, real characters, insertion order."""
    return encode_json(value).decode("utf-8")


def call_id(raw: str, longest: int) -> str:
    """The id that pairs a call with its result, at most `longest` characters; the same for the same raw id, always."""
    first = raw.partition("|")[0] or "call"
    if len(first) <= longest:
        return first
    digest = hashlib.sha256(first.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{first[: longest - 17]}_{digest}"


def item_id(raw: str, prefix: str) -> str | None:
    """The id of the Responses item itself, if the raw id carries one of the right kind."""
    second = raw.partition("|")[2]
    return second if second.startswith(prefix) and len(second) <= OPENAI_RESPONSES_ID_MAX_CHARS else None


def data_url(image: ImageBlock) -> str:
    return f"data:{image.mime_type};base64,{image.data}"


def without_images(content: tuple[UserContent, ...]) -> tuple[UserContent, ...]:
    """The content for a model that takes text only: a note in the place of each picture."""
    return tuple(TextBlock(_NO_PICTURES) if isinstance(block, ImageBlock) else block for block in content)


def system_text(text: str) -> str:
    """A part of the system prompt as it is sent: the marker of the cache boundary never reaches a model."""
    return text.replace(SYSTEM_PROMPT_CACHE_BOUNDARY, "\n").strip("\n") if text.strip() else ""


def reasoning_item(signature: str | None) -> Mapping[str, Any] | None:
    """The reasoning item that a signature holds; None for a foreign or damaged one."""
    item = _json_object(signature)
    if item is None or item.get("type") != "reasoning" or not str(item.get("id", "")).startswith("rs"):
        return None
    return item


def text_signature(signature: str | None) -> tuple[str | None, str | None]:
    """Id and phase of the message item that a text came in."""
    if signature is None:
        return None, None
    if signature.startswith("msg"):
        return signature, None
    parsed = _json_object(signature) or {}
    found, phase = parsed.get("id"), parsed.get("phase")
    return (
        found if isinstance(found, str) and found.startswith("msg") else None,
        phase if phase in ("commentary", "final_answer") else None,
    )


def make_text_signature(message_id: str, phase: str | None) -> str | None:
    if not message_id:
        return None
    return message_id if phase is None else compact({"v": 1, "id": message_id, "phase": phase})


def keep_arguments(raw: str, arguments: Mapping[str, Any]) -> str | None:
    """What to remember of the argument text, so that it can go back byte for byte: reasoning is bound to it."""
    return None if raw == compact(dict(arguments)) else ORIGINAL_ARGUMENTS + raw


def argument_text(arguments: Mapping[str, Any], kept: str | None) -> str:
    """The argument text to send: the original where it was kept and still means the same object."""
    if kept is not None and kept.startswith(ORIGINAL_ARGUMENTS):
        raw = kept.removeprefix(ORIGINAL_ARGUMENTS)
        if parse_arguments(raw) == (dict(arguments), None):
            return raw
    return compact(dict(arguments))


def _json_object(text: str | None) -> dict[str, Any] | None:
    if not text or text[:1] != "{":
        return None
    try:
        parsed = json.loads(text)
    except ValueError:
        return None
    return parsed if isinstance(parsed, dict) else None
