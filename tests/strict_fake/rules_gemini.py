"""What Gemini refuses: roles, empty parts, function turns out of order or number, thought signatures of the current
turn."""

import base64
import binascii
import json
import re
from typing import Any

from tests.strict_fake import models_today, seals
from tests.strict_fake.exchange import Exchange
from tests.strict_fake.refusal import Json, Refused
from tests.strict_fake.words import words

_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}")
_DUMMIES = ("skip_thought_signature_validator", "context_engineering_is_the_way_to_go")
_DATA = frozenset(
    words("""text inlineData functionCall functionResponse fileData executableCode codeExecutionResult thought""")
)
_COUNT_RULE = (
    "Please ensure that the number of function response parts is equal to the number of function call parts of the "
    "function call turn."
)


def check_gemini(exchange: Exchange) -> None:
    """Raise `Refused` for the first thing that the real API would not take."""
    headers = exchange.headers
    if not (headers.get("x-goog-api-key") or exchange.query.get("key") or headers.get("authorization")):
        raise Refused(
            "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or "
            "other "
            "form of API consumer identity to call this API.",
            403,
        )
    contents = exchange.body.get("contents")
    if not contents:
        raise Refused("* GenerateContentRequest.contents: contents is not specified\n")
    _check_declarations(exchange.body)
    walk = _Walk(exchange, contents)
    for i, content in enumerate(contents):
        walk.content(i, content)
    walk.end()


def call_signature(call: Json, uid: str) -> str:
    """The thought signature of a function call that this fake made."""
    return seals.pack({"g": uid}, _call_text(call))


def declarations(body: Json) -> list[Json]:
    found: list[Json] = []
    for tool in body.get("tools") or []:
        found += tool.get("functionDeclarations") or []
    return found


def _check_declarations(body: Json) -> None:
    seen: set[str] = set()
    for function in declarations(body):
        name = str(function.get("name"))
        if not _NAME.fullmatch(name):
            raise Refused(
                "* GenerateContentRequest.tools[0].function_declarations[0].name: Invalid function name. Must start "
                "with a "
                "letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.), colons "
                "(:), or "
                "dashes (-), with a maximum length of 64.\n"
            )
        if name in seen:
            raise Refused(f"Duplicate function declaration found: {name}")
        seen.add(name)


class _Walk:
    """One pass over the contents. `open_calls` are the function calls of the content before."""

    def __init__(self, exchange: Exchange, contents: list[Json]) -> None:
        self.exchange, self.contents = exchange, contents
        self.signs = models_today.gemini_signs(exchange.model)
        self.open_calls: list[Json] = []
        self.turn_start = max((i for i, content in enumerate(contents) if _is_user_text(content)), default=-1)

    def content(self, i: int, content: Json) -> None:
        role, parts = content.get("role"), content.get("parts")
        if role not in ("user", "model", None):
            raise Refused("Please use a valid role: user, model.")
        if i == 0 and role == "model":
            raise Refused("Please ensure that multiturn requests start with a user turn.")
        if not parts:
            raise Refused(f"* GenerateContentRequest.contents[{i}].parts: contents.parts must not be empty.\n")
        for j, part in enumerate(parts):
            _check_part(part, f"* GenerateContentRequest.contents[{i}].parts[{j}].data")
        calls = [part for part in parts if "functionCall" in part]
        self._responses([part["functionResponse"] for part in parts if "functionResponse" in part])
        if calls:
            self._calls(i, calls, role)
        self.open_calls = [part["functionCall"] for part in calls]

    def end(self) -> None:
        if self.open_calls:
            raise Refused(_COUNT_RULE)
        if self.contents[-1].get("role") == "model":
            self.exchange.warn("the last content is a model turn")

    def _responses(self, responses: list[Json]) -> None:
        if responses and not self.open_calls:
            raise Refused("Please ensure that function response turn comes immediately after a function call turn.")
        if len(responses) != len(self.open_calls):
            raise Refused(_COUNT_RULE)
        for call, response in zip(self.open_calls, responses, strict=True):
            if call.get("id") and response.get("id") and call["id"] != response["id"]:
                raise Refused(
                    f"Function response id `{response['id']}` does not match function call id `{call['id']}`."
                )
            if call.get("name") != response.get("name"):
                raise Refused(
                    "Please ensure that function response parts come in the order of the function call parts: expected "
                    f"`{call.get('name')}`, found `{response.get('name')}`."
                )

    def _calls(self, i: int, calls: list[Json], role: Any) -> None:
        if i == 0 or self.contents[i - 1].get("role") == "model" or role != "model":
            raise Refused(
                "Please ensure that function call turn comes immediately after a user turn or after a function "
                "response turn."
            )
        if not self.signs or i <= self.turn_start:
            return
        if not _signature(calls[0]):
            name = calls[0]["functionCall"].get("name")
            raise Refused(
                "Function call is missing a thought_signature in functionCall parts. This is required for tools to "
                "work "
                "correctly, and missing thought_signature may lead to degraded model performance. Additional data, "
                "function "
                f"call `default_api:{name}` , position {i}."
            )
        for part in calls:
            if _signature(part):
                _check_signature(_signature(part), part["functionCall"], i)


def _check_part(part: Json, where: str) -> None:
    if not any(key in part for key in _DATA) or (part.get("text") == "" and not _signature(part)):
        raise Refused(f"{where}: required oneof field 'data' must have one initialized field\n")
    call = part.get("functionCall")
    if call is not None and not isinstance(call.get("args", {}), dict):
        raise Refused(f"Invalid value at '{where[2:]}.function_call.args' (type.googleapis.com/google.protobuf.Struct)")
    response = part.get("functionResponse")
    if response is not None and not isinstance(response.get("response"), dict):
        raise Refused(
            f"Invalid value at '{where[2:]}.function_response.response' (type.googleapis.com/google.protobuf.Struct)"
        )


def _is_user_text(content: Json) -> bool:
    parts = content.get("parts") or []
    return (
        content.get("role") != "model"
        and any("text" in part for part in parts)
        and not any("functionResponse" in part for part in parts)
    )


def _signature(part: Json) -> Any:
    return part.get("thoughtSignature")


def _check_signature(signature: Any, call: Json, i: int) -> None:
    text = str(signature).replace("-", "+").replace("_", "/")
    text += "=" * (-len(text) % 4)
    if signature in _DUMMIES or _decoded(text) in _DUMMIES:
        return
    if seals.unpack(text) is None:
        raise Refused("Corrupted thought signature.")
    if seals.open_seal(text, _call_text(call)) is None:
        raise Refused(
            f"Invalid thought signature. Function call `default_api:{call.get('name')}` , position {i}, is not the "
            "one that "
            "the signature was given for."
        )


def _decoded(text: str) -> str:
    try:
        return base64.b64decode(text).decode("utf-8", "replace")
    except binascii.Error:
        return ""


def _call_text(call: Json) -> str:
    return json.dumps([call.get("name"), call.get("args") or {}], sort_keys=True, ensure_ascii=False)
