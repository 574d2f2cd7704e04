"""A provider-neutral request → the JSON body of Gemini's generateContent.

Pure, and already in wire form: the SDK's own models would walk the whole history at every step. All results of a step
stand in one content, in the order of their calls; thought signatures return in the very part they came in, byte for
byte, and a call that another model made carries the placeholder that Google documents for it.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import msgspec

from openclaw_tui.constants import SYSTEM_PROMPT_CACHE_BOUNDARY, THINKING_BUDGET_TOKENS
from openclaw_tui.messages import (
    AssistantContent,
    AssistantMessage,
    ImageBlock,
    Message,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolDefinition,
    ToolResultMessage,
    UserContent,
    UserMessage,
    text_of,
)
from openclaw_tui.providers.base import ProviderRequest
from openclaw_tui.providers.thinking_levels import nearest_level
from openclaw_tui.providers.wire_cache import Block, clean_json
from openclaw_tui.providers.wire_fold import WireFold


class Variant(msgspec.Struct, frozen=True):
    """What the contents depend on: whether calls are signed (Gemini 3 and later), and whether pictures are taken."""

    signs: bool
    images: bool


Fold: TypeAlias = WireFold[Variant]

FOREIGN_CALL_SIGNATURE = "skip_thought_signature_validator"
_OWN_APIS = frozenset({"", "google", "google-generative-ai"})
_VERSION = re.compile(r"gemini-(\d+)")
_FIRST_SIGNING_VERSION = 3
_NO_PICTURES = "[a picture was left out: this model takes no pictures]"


def new_fold() -> Fold:
    return WireFold(_add)


def build_body(request: ProviderRequest, fold: Fold) -> dict[str, Any]:
    """The whole body. Signatures and pictures inside results are for models that know them (Gemini 3 and later)."""
    variant = Variant(signs_calls(request.model.id), request.model.images)
    body: dict[str, Any] = {"contents": fold.turns(request.messages, variant)}
    if system := _system(request):
        body["systemInstruction"] = {"parts": [{"text": system}]}
    if request.tools:
        body["tools"] = [{"functionDeclarations": [_declaration(tool) for tool in request.tools]}]
    body["generationConfig"] = {"maxOutputTokens": request.max_output_tokens, **_thinking(request)}
    return clean_json(body) if _has_halves(system, request.tools) else body


def signs_calls(model_id: str) -> bool:
    """Whether the model demands thought signatures on its calls; an unknown name is taken for a new one."""
    match = _VERSION.search(model_id)
    return match is None or int(match.group(1)) >= _FIRST_SIGNING_VERSION


def _system(request: ProviderRequest) -> str:
    parts = (request.system_stable.rstrip(), request.system_dynamic.lstrip())
    joined = "\n\n".join(part for part in parts if part.strip())
    return joined.replace(SYSTEM_PROMPT_CACHE_BOUNDARY, "\n")


def _declaration(tool: ToolDefinition) -> Block:
    return {"name": tool.name, "description": tool.description, "parametersJsonSchema": dict(tool.parameters)}


def _has_halves(system: str, tools: Iterable[ToolDefinition]) -> bool:
    """Whether text outside the messages (those are clean already) holds a half of a surrogate pair."""
    text = system + "".join(tool.description for tool in tools)
    return any("\ud800" <= character <= "\udfff" for character in text)


# ── Contents ──────────────────────────────────────────────────────────────────────────────────────────────────────


def _add(contents: list[Block], message: Message, variant: Variant) -> None:
    """Add a message; results of one batch come together in one content, everything else stands for itself."""
    parts = _convert(message)
    if not variant.images:
        parts = [_without_images(part) for part in parts]
    if not parts:
        return
    if isinstance(message, AssistantMessage):
        contents.append({"role": "model", "parts": _signed(parts) if variant.signs else parts})
        return
    if isinstance(message, ToolResultMessage):
        parts = parts if variant.signs else _pictures_beside(parts)
        if contents and contents[-1]["role"] == "user" and "functionResponse" in contents[-1]["parts"][0]:
            contents[-1] = {"role": "user", "parts": _responses_first([*contents[-1]["parts"], *parts])}
            return
    contents.append({"role": "user", "parts": parts})


def _convert(message: Message) -> list[Block]:
    match message:
        case UserMessage(content=content):
            return [clean_json(part) for part in _user_parts(content)]
        case ToolResultMessage():
            return [clean_json(_function_response(message))]
        case AssistantMessage():
            own = message.api in _OWN_APIS
            parts = (_model_part(block, own=own) for block in message.content)
            return [clean_json(part) for part in parts if part is not None]


def _user_parts(content: Iterable[UserContent]) -> list[Block]:
    return [
        _inline(block) if isinstance(block, ImageBlock) else {"text": block.text}
        for block in content
        if isinstance(block, ImageBlock) or block.text.strip()
    ]


def _inline(block: ImageBlock) -> Block:
    return {"inlineData": {"mimeType": block.mime_type, "data": block.data}}


def _function_response(message: ToolResultMessage) -> Block:
    key = "error" if message.is_error else "output"
    response: Block = {
        "id": message.tool_call_id,
        "name": message.tool_name,
        "response": {key: text_of(message.content)},
    }
    if pictures := [_inline(block) for block in message.content if isinstance(block, ImageBlock)]:
        response["parts"] = pictures
    return {"functionResponse": response}


def _model_part(block: AssistantContent, *, own: bool) -> Block | None:
    match block:
        case TextBlock(text=text, signature=signature):
            signature = signature if own else None
            return _with_signature({"text": text}, signature) if text.strip() or signature else None
        case ThinkingBlock(thinking=thinking, signature=signature):
            return {"text": thinking, "thought": True, "thoughtSignature": signature} if signature and own else None
        case ToolCallBlock(id=call_id, name=name, arguments=arguments, thought_signature=signature):
            call = {"functionCall": {"id": call_id, "name": name, "args": dict(arguments)}}
            return _with_signature(call, signature if own else None)


def _with_signature(part: Block, signature: str | None) -> Block:
    return {**part, "thoughtSignature": signature} if signature else part


def _signed(parts: list[Block]) -> list[Block]:
    """The first call of a content must carry a signature; the others of a parallel batch need none."""
    first = next((index for index, part in enumerate(parts) if "functionCall" in part), None)
    if first is None or "thoughtSignature" in parts[first]:
        return parts
    marked = {**parts[first], "thoughtSignature": FOREIGN_CALL_SIGNATURE}
    return [*parts[:first], marked, *parts[first + 1 :]]


def _responses_first(parts: list[Block]) -> list[Block]:
    return sorted(parts, key=lambda part: "functionResponse" not in part) if len(parts) > 1 else parts


def _pictures_beside(parts: Iterable[Block]) -> list[Block]:
    """Older models take no pictures inside a response: they stand beside it."""
    moved: list[Block] = []
    for part in parts:
        response: Mapping[str, Any] = part.get("functionResponse", {})
        moved.append({"functionResponse": {k: v for k, v in response.items() if k != "parts"}} if response else part)
        moved.extend(response.get("parts", ()))
    return moved


def _without_images(part: Block) -> Block:
    if "inlineData" in part:
        return {"text": _NO_PICTURES}
    response = part.get("functionResponse", {})
    if "parts" not in response:
        return part
    (key, text), *_ = response["response"].items()
    kept = {name: value for name, value in response.items() if name != "parts"}
    return {"functionResponse": {**kept, "response": {key: f"{text}\n{_NO_PICTURES}".lstrip()}}}


# ── Thinking ──────────────────────────────────────────────────────────────────────────────────────────────────────


def _thinking(request: ProviderRequest) -> dict[str, Any]:
    """How the model is told to think: a level it offers (it cannot be turned off), or a budget for the older ones."""
    level, model = request.thinking, request.model
    if model.thinking == "budget":
        budget = 0 if level == "off" else THINKING_BUDGET_TOKENS[level]
        return {"thinkingConfig": {"thinkingBudget": budget, "includeThoughts": level != "off"}}
    if model.thinking != "level":
        return {}
    wanted = nearest_level(
        "minimal" if level == "off" else level, tuple(x for x in model.thinking_levels if x != "off")
    )
    return {"thinkingConfig": {"thinkingLevel": wanted.upper(), "includeThoughts": level != "off"}}
