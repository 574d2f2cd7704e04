"""What Chat Completions refuses: shapes, lengths, names, and tool messages that do not answer their calls."""

import re
from typing import Any

from tests.strict_fake import models_today
from tests.strict_fake.exchange import Exchange
from tests.strict_fake.refusal import Json, Refused, empty_array, missing, too_long

MOST_CHARS = 10_485_760
"""Longest string that OpenAI takes."""
NAME = re.compile(r"[a-zA-Z0-9_-]+")
_ROLES = ("system", "assistant", "user", "function", "tool", "developer")
_NO_CALL = "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
_NOT_ANSWERED = (
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "
    "The following tool_call_ids did not have response messages: "
)


def check_chat(exchange: Exchange) -> None:
    """Raise `Refused` for the first thing that the real API would not take."""
    check_bearer(exchange)
    body = exchange.body
    if not isinstance(body.get("model"), str):
        raise Refused("you must provide a model parameter")
    messages = body.get("messages")
    if not isinstance(messages, list):
        raise missing("messages")
    if not messages:
        raise empty_array("messages")
    _check_tools(body)
    walk = _Walk(exchange, messages)
    for i, message in enumerate(messages):
        walk.message(i, message)
    walk.close_calls(len(messages))
    _check_model_parameters(body)


def check_alternation(exchange: Exchange) -> None:
    """Many local chat templates want system first and user/assistant turns."""
    before = None
    for i, message in enumerate(exchange.body["messages"]):
        role = message["role"]
        if role in ("system", "developer"):
            if i:
                raise Refused("System message must be at the beginning.", 500)
            continue
        if role == before == "user" or (before is None and role != "user"):
            raise Refused("Conversation roles must alternate user/assistant/user/assistant/...", 500)
        before = role


def check_bearer(exchange: Exchange) -> None:
    if not exchange.keyless and not (exchange.headers.get("authorization") or exchange.headers.get("api-key")):
        raise Refused(
            "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer "
            "auth "
            "(i.e. Authorization: Bearer YOUR_KEY).",
            401,
        )


def check_function(function: Any, where: str) -> None:
    """A function tool of either OpenAI API."""
    name = function.get("name") if isinstance(function, dict) else None
    if not isinstance(name, str):
        raise missing(f"{where}.name")
    check_name(name, f"{where}.name")
    if len(name) > 64:
        raise too_long(f"{where}.name", 64, len(name))
    schema = function.get("parameters")
    if isinstance(schema, dict) and schema and schema.get("type") != "object":
        raise Refused(
            f"Invalid schema for function '{name}': schema must be a JSON Schema of 'type: \"object\"', got 'type: "
            f'"{schema.get("type")}"\'.',
            code="invalid_function_parameters",
            param=f"{where}.parameters",
        )


def check_name(name: str, where: str) -> None:
    if not NAME.fullmatch(name):
        raise Refused(
            f"Invalid '{where}': string does not match pattern. Expected a string that matches the pattern "
            "'^[a-zA-Z0-9_-]+$'.",
            code="invalid_value",
            param=where,
        )


def check_length(text: Any, where: str) -> None:
    if isinstance(text, str) and len(text) > MOST_CHARS:
        raise too_long(where, MOST_CHARS, len(text))


def _check_tools(body: Json) -> None:
    tools = body.get("tools")
    if tools is None:
        if body.get("tool_choice") is not None:
            text = "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified."
            raise Refused(text, param="tool_choice")
        return
    if tools == []:
        raise empty_array("tools")
    if len(tools) > 128:
        raise Refused(
            f"Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length "
            f"{len(tools)} instead.",
            code="array_above_max_length",
            param="tools",
        )
    for i, tool in enumerate(tools):
        if tool.get("type") == "function":
            check_function(tool.get("function"), f"tools[{i}].function")


class _Walk:
    """One pass over the messages. `open_ids` are the calls that still want their tool messages."""

    def __init__(self, exchange: Exchange, messages: list[Json]) -> None:
        self.exchange, self.messages = exchange, messages
        self.open_ids: list[str] = []
        self.answered: set[str] = set()

    def message(self, i: int, message: Json) -> None:
        role, content = message.get("role"), message.get("content")
        if role not in _ROLES:
            raise Refused(
                f"Invalid value: '{role}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', "
                "and "
                "'developer'.",
                code="invalid_value",
                param=f"messages[{i}].role",
            )
        self._content(i, message)
        if role == "tool":
            self._tool(i, message)
            return
        self.close_calls(i)
        if role == "assistant":
            self._calls(i, message)
            if not message.get("tool_calls") and content is None and not message.get("refusal"):
                raise _no_content(i)
        elif content is None:
            raise _no_content(i)

    def close_calls(self, i: int) -> None:
        unanswered = [call_id for call_id in self.open_ids if call_id not in self.answered]
        if unanswered:
            raise Refused(_NOT_ANSWERED + ", ".join(unanswered), param=f"messages.[{i}].role")
        self.open_ids, self.answered = [], set()

    def _content(self, i: int, message: Json) -> None:
        content, where = message.get("content"), f"messages[{i}].content"
        check_length(content, where)
        if not isinstance(content, list):
            return
        if not content and message.get("tool_calls"):
            self.exchange.warn("empty content array beside tool_calls")
        elif not content:
            raise empty_array(where)
        for j, part in enumerate(content):
            check_length(part.get("text"), f"{where}[{j}].text")

    def _tool(self, i: int, message: Json) -> None:
        call_id = message.get("tool_call_id")
        if not isinstance(call_id, str):
            raise missing(f"messages[{i}].tool_call_id")
        if call_id not in self.open_ids:
            raise Refused(_NO_CALL, param=f"messages.[{i}].role")
        if message.get("content") is None:
            raise _no_content(i)
        self.answered.add(call_id)

    def _calls(self, i: int, message: Json) -> None:
        calls = message.get("tool_calls")
        if calls == []:
            raise empty_array(f"messages[{i}].tool_calls")
        for j, call in enumerate(calls or []):
            where = f"messages[{i}].tool_calls[{j}]"
            call_id = call.get("id")
            if not isinstance(call_id, str):
                raise missing(f"{where}.id")
            if len(call_id) > 40:
                raise too_long(f"{where}.id", 40, len(call_id))
            function = call.get("function") or {}
            if not isinstance(function.get("arguments"), str):
                raise missing(f"{where}.function.arguments")
            check_name(str(function.get("name", "")), f"{where}.function.name")
            if call_id in self.open_ids:
                raise Refused(f"Duplicate value for 'tool_call_id' of '{call_id}'", param=where)
            self.open_ids.append(call_id)


def _no_content(i: int) -> Refused:
    return Refused("Invalid value for 'content': expected a string, got null.", param=f"messages.[{i}].content")


# ------------------------------------------------------------------ today's models


def _check_model_parameters(body: Json) -> None:
    model, effort = str(body["model"]), body.get("reasoning_effort")
    if models_today.gpt_version(model) < (5, 6):
        return
    check_gpt_parameters(body, effort, "reasoning_effort")
    if body.get("max_tokens") is not None:
        raise Refused(
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' "
            "instead.",
            code="unsupported_parameter",
            param="max_tokens",
        )
    if effort != "none" and any(tool.get("type") == "function" for tool in body.get("tools") or []):
        raise Refused(
            f"Function tools with reasoning_effort are not supported for {model} in /v1/chat/completions. To use "
            "function "
            "tools, use /v1/responses or set reasoning_effort to 'none'.",
            param="reasoning_effort",
        )


def check_gpt_parameters(body: Json, effort: Any, name: str) -> None:
    """What gpt-5.6 and later refuse in either API."""
    model = str(body["model"])
    if effort in ("none", "minimal") and models_today.needs_effort(model):
        raise Refused(
            f"Unsupported value: '{name}' does not support '{effort}' with this model. Supported values are: 'low', "
            "'medium', 'high', and 'xhigh'.",
            code="unsupported_value",
            param=name,
        )
    if models_today.gpt_version(model) < (6, 0):
        return
    for key in ("temperature", "top_p", "logprobs", "top_logprobs"):
        if body.get(key) is not None:
            raise Refused(
                f"Unsupported parameter: '{key}' is not supported with this model.",
                code="unsupported_parameter",
                param=key,
            )
