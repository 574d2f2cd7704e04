"""A plain HTTP client for the fake: hand-made bodies, no SDK between."""

from dataclasses import dataclass
from typing import Any

import httpx2

from tests.strict_fake import StrictFake
from tests.strict_fake.models_today import BINDING_BETA, COMPACT_BETA

Json = dict[str, Any]

ANTHROPIC = {"authorization": "Bearer k", "anthropic-version": "2026-10-21"}
OLD_ANTHROPIC = {"x-api-key": "k", "anthropic-version": "2023-06-01"}
BINDING = {**ANTHROPIC, "anthropic-beta": f"other-2026-01-01,{BINDING_BETA}"}
COMPACTING = {**ANTHROPIC, "anthropic-beta": COMPACT_BETA}
OPENAI = {"authorization": "Bearer k"}
GEMINI = {"x-goog-api-key": "k"}

OBJECT: Json = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}
TOOLS: list[Json] = [{"name": "bash", "input_schema": OBJECT}, {"name": "read", "input_schema": OBJECT}]
CHAT_TOOLS: list[Json] = [{"type": "function", "function": {"name": "bash", "parameters": OBJECT}}]
RESPONSE_TOOLS: list[Json] = [{"type": "function", "name": "bash", "parameters": OBJECT}]
GEMINI_TOOLS: list[Json] = [{"functionDeclarations": [{"name": "bash", "parametersJsonSchema": OBJECT}]}]


@dataclass(frozen=True)
class Answered:
    status: int
    body: Json
    text: str
    headers: httpx2.Headers

    @property
    def message(self) -> str:
        return str(self.body["error"]["message"])


async def post(fake: StrictFake, path: str, body: Any, headers: dict[str, str]) -> Answered:
    """One request; a body of bytes is sent as it is."""
    async with httpx2.AsyncClient(trust_env=False, verify=False, timeout=20) as client:
        if isinstance(body, bytes):
            response = await client.post(fake.url + path, content=body, headers=headers)
        else:
            response = await client.post(fake.url + path, json=body, headers=headers)
    is_json = response.headers.get("content-type", "").startswith("application/json")
    return Answered(response.status_code, response.json() if is_json else {}, response.text, response.headers)


async def get(fake: StrictFake, path: str, headers: dict[str, str] | None = None) -> Answered:
    async with httpx2.AsyncClient(trust_env=False, verify=False, timeout=20) as client:
        response = await client.get(fake.url + path, headers=headers)
    is_json = response.headers.get("content-type", "").startswith("application/json")
    return Answered(response.status_code, response.json() if is_json else {}, response.text, response.headers)


# ------------------------------------------------------------------ Anthropic


def user(content: Any) -> Json:
    return {"role": "user", "content": content}


def assistant(content: Any) -> Json:
    return {"role": "assistant", "content": content}


def text(words: str, **more: Any) -> Json:
    return {"type": "text", "text": words, **more}


def tool_use(call_id: str, **more: Any) -> Json:
    return {"type": "tool_use", "id": call_id, "name": "bash", "input": {}, **more}


def tool_result(call_id: str, **more: Any) -> Json:
    return {"type": "tool_result", "tool_use_id": call_id, "content": "x", **more}


def messages(*turns: Json, **more: Any) -> Json:
    return {"model": "claude-x", "max_tokens": 100, "messages": list(turns), **more}


# ------------------------------------------------------------------ the others


def chat_call(call_id: str, **more: Any) -> Json:
    call = {"id": call_id, "type": "function", "function": {"name": "bash", "arguments": "{}"}, **more}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def chat_result(call_id: str, **more: Any) -> Json:
    return {"role": "tool", "tool_call_id": call_id, "content": "x", **more}


def function_call(call_id: str, **more: Any) -> Json:
    return {"type": "function_call", "id": "fc_1", "call_id": call_id, "name": "bash", "arguments": "{}", **more}


def function_output(call_id: str, **more: Any) -> Json:
    return {"type": "function_call_output", "call_id": call_id, "output": "x", **more}


def parts(role: str, *content: Json) -> Json:
    return {"role": role, "parts": list(content)}


def called(name: str = "bash", signature: str | None = None, **args: Any) -> Json:
    part: Json = {"functionCall": {"name": name, "args": args}}
    return part if signature is None else {**part, "thoughtSignature": signature}


def responded(name: str = "bash") -> Json:
    return {"functionResponse": {"name": name, "response": {"output": "x"}}}
