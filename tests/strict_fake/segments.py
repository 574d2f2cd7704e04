"""A prompt as the caches see it: canonical segments in render order, each with its bytes, tokens and cache mark."""

import json
import math
from dataclasses import dataclass
from typing import Any

from tests.strict_fake.refusal import Json
from tests.strict_fake.words import words

_UNCOUNTED = frozenset(
    words("""type cache_control id signature role status thoughtSignature encrypted_content
    prompt_cache_breakpoint""")
)
_IMAGE_KINDS = ("image", "document", "image_url", "input_image")
_IMAGE_TOKENS = 1500


@dataclass
class Segment:
    """`part` names its place (`tools[3]`, `messages[12].content[1]`); `mark` is the life of a cache mark at its end."""

    part: str
    data: bytes
    tokens: int
    mark: str | None = None


class Estimator:
    """Tokens by UTF-8 bytes; deterministic, and the same for what is counted, billed and cut."""

    def __init__(self, bytes_per_token: float = 3.5) -> None:
        self.bytes_per_token = bytes_per_token

    def text(self, text: str | bytes | None) -> int:
        if not text:
            return 0
        data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
        return math.ceil(len(data) / self.bytes_per_token)

    def block(self, block: Any) -> int:
        """Tokens of a content block or message of any protocol."""
        if isinstance(block, str):
            return self.text(block)
        if isinstance(block, list):
            return sum(self.block(item) for item in block)
        if not isinstance(block, dict):
            return 1
        if block.get("type") in _IMAGE_KINDS or "inlineData" in block:
            return _IMAGE_TOKENS
        counted = (value for key, value in block.items() if key not in _UNCOUNTED)
        return 3 + sum(self.block(value) if isinstance(value, (str, list, dict)) else 1 for value in counted)


def dumps(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def anthropic_segments(body: Json, estimate: Estimator) -> list[Segment]:
    out: list[Segment] = []
    for i, tool in enumerate(body.get("tools") or []):
        data = dumps(_unmarked(tool))
        out.append(Segment(f"tools[{i}]", data, estimate.text(data), _life(tool)))
    system = body.get("system") or []
    if isinstance(system, str):
        system = [{"type": "text", "text": system}]
    for i, block in enumerate(system):
        out.append(Segment(f"system[{i}]", dumps(_unmarked(block)), estimate.block(block), _life(block)))
    salt = dumps({key: body[key] for key in ("tool_choice", "thinking") if body.get(key) is not None})
    for i, message in enumerate(body.get("messages") or []):
        content = message.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else (content or [])
        for j, block in enumerate(blocks):
            data = dumps([message.get("role"), _unmarked(block)])
            data = data if i or j else salt + data  # a changed tool_choice or thinking loses the messages only
            out.append(Segment(f"messages[{i}].content[{j}]", data, estimate.block(block), _life(block)))
    if isinstance(body.get("cache_control"), dict) and out:
        out[-1].mark = out[-1].mark or _life(body)
    return out


def chat_segments(body: Json, estimate: Estimator) -> list[Segment]:
    out = _tool_segments(body.get("tools") or [], estimate)
    for i, message in enumerate(body.get("messages") or []):
        part = "system" if message.get("role") in ("system", "developer") and i == 0 else "messages"
        tokens = estimate.block(message) + 1
        out.append(Segment(f"{part}[{i}]", dumps(_unmarked(message)), tokens, _explicit(message)))
    return out


def responses_segments(
    body: Json, items: list[Any], estimate: Estimator, instructions_last: bool = False
) -> list[Segment]:
    out = _tool_segments(body.get("tools") or [], estimate)
    text = body.get("instructions")
    head = [Segment("system[0]", dumps(text), estimate.text(text))] if text else []
    if not instructions_last:
        out += head
    for i, item in enumerate(items):
        tokens = estimate.block(item)
        if item.get("type") == "reasoning":
            tokens += estimate.text(str(item.get("encrypted_content") or "")[:400])
        out.append(Segment(f"messages[{i}]", dumps(_unmarked(item)), tokens, _explicit(item)))
    return out + (head if instructions_last else [])


def gemini_segments(body: Json, estimate: Estimator) -> list[Segment]:
    tools: list[Json] = []
    for tool in body.get("tools") or []:
        tools += tool.get("functionDeclarations") or [tool]
    out = _tool_segments(tools, estimate)
    system = body.get("systemInstruction") or {}
    if isinstance(system, str):
        system = {"parts": [{"text": system}]}
    for i, part in enumerate(system.get("parts") or []):
        out.append(Segment(f"system[{i}]", dumps(part), estimate.block(part)))
    for i, content in enumerate(body.get("contents") or []):
        for j, part in enumerate(content.get("parts") or []):
            data = dumps([content.get("role"), part])
            out.append(Segment(f"messages[{i}].content[{j}]", data, estimate.block(part)))
    return out


def _tool_segments(tools: list[Json], estimate: Estimator) -> list[Segment]:
    return [Segment(f"tools[{i}]", data, estimate.text(data)) for i, data in enumerate(map(dumps, tools))]


def _unmarked(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: _unmarked(item)
            for key, item in value.items()
            if key not in ("cache_control", "prompt_cache_breakpoint")
        }
    if isinstance(value, list):
        return [_unmarked(item) for item in value]
    return value


def _life(block: Any) -> str | None:
    mark = block.get("cache_control") if isinstance(block, dict) else None
    return str(mark.get("ttl") or "5m") if isinstance(mark, dict) else None


def _explicit(item: Any) -> str | None:
    """An explicit cache breakpoint of OpenAI's, on a content part."""
    parts = item.get("content") if isinstance(item, dict) else None
    marked = isinstance(parts, list) and any(
        isinstance(part, dict) and part.get("prompt_cache_breakpoint") for part in parts
    )
    return "30m" if marked else None
