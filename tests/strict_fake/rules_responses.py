"""What the Responses API refuses: item shapes, calls without outputs, reasoning torn from what follows it."""

from typing import Any

from tests.strict_fake import models_today
from tests.strict_fake.exchange import Exchange
from tests.strict_fake.refusal import Json, Refused, missing, too_long
from tests.strict_fake.rules_chat import check_bearer, check_function, check_gpt_parameters, check_length, check_name
from tests.strict_fake.words import words

_CALLS = {"function_call": "fc", "custom_tool_call": "ctc", "local_shell_call": "lsh"}
_OUTPUTS = ("function_call_output", "custom_tool_call_output", "local_shell_call_output")
_PASSED = frozenset(
    words("""item_reference web_search_call compaction compaction_summary ghost_snapshot tool_search_call
    tool_search_output additional_tools configuration_update""")
)
_FOLLOWS_REASONING = ("message", *_CALLS, "reasoning", "web_search_call", None)


def collect_items(exchange: Exchange) -> list[Json]:
    """The conversation that a request stands for: what the server stored, then its own input."""
    body = exchange.body
    given = body.get("input")
    items: list[Json] = [{"role": "user", "content": given}] if isinstance(given, str) else list(given or [])
    previous = body.get("previous_response_id")
    if not previous:
        return items
    if previous not in exchange.memory.stored:
        raise Refused(
            f"Previous response with id '{previous}' not found.",
            code="previous_response_not_found",
            param="previous_response_id",
        )
    return exchange.memory.stored[previous] + items


def check_responses(exchange: Exchange) -> None:
    """Raise `Refused` for the first thing that the real API would not take."""
    check_bearer(exchange)
    body = exchange.body
    if not isinstance(body.get("model"), str):
        raise missing("model")
    if body.get("input") in (None, [], "") and not body.get("previous_response_id"):
        raise missing("input")
    for i, tool in enumerate(body.get("tools") or []):
        if tool.get("type") == "function":
            check_function(tool, f"tools[{i}]")
    _Walk(exchange).check()
    if models_today.gpt_version(exchange.model) >= (5, 6):
        check_gpt_parameters(body, (body.get("reasoning") or {}).get("effort"), "reasoning.effort")


class _Walk:
    """One pass over the items."""

    def __init__(self, exchange: Exchange) -> None:
        self.exchange = exchange
        self.items: list[Any] = list(exchange.items)
        self.calls: dict[str, str] = {}
        self.answered: set[str] = set()
        self.reasoning_ids = {
            item.get("id") for item in self.items if isinstance(item, dict) and item.get("type") == "reasoning"
        }

    def check(self) -> None:
        for i, item in enumerate(self.items):
            if not isinstance(item, dict):
                text = f"Invalid type for 'input[{i}]': expected an input item."
                raise Refused(text, code="invalid_type", param=f"input[{i}]")
            self._item(i, item, item.get("type") or ("message" if "role" in item else None))
        for call_id, kind in self.calls.items():
            if call_id not in self.answered:
                name = "function call" if kind == "function_call" else "custom tool call"
                raise Refused(f"No tool output found for {name} {call_id}.", param="input")
        self._unstored()

    def _item(self, i: int, item: Json, kind: Any) -> None:
        if kind == "message":
            _check_message(i, item)
        elif kind in _CALLS:
            self._call(i, item, kind)
        elif kind in _OUTPUTS:
            self._output(i, item, kind)
        elif kind == "reasoning":
            self._reasoning(i, item)
        elif kind in _PASSED:
            self.exchange.warn(f"item type {kind}")
        else:
            raise Refused(
                f"Invalid value: '{kind}'. Supported values are: 'message', 'reasoning', 'function_call', "
                "'function_call_output' …",
                code="invalid_value",
                param=f"input[{i}]",
            )

    def _call(self, i: int, item: Json, kind: str) -> None:
        call_id, item_id, prefix = item.get("call_id"), item.get("id"), _CALLS[kind]
        if not isinstance(call_id, str) or not call_id:
            raise missing(f"input[{i}].call_id")
        if len(call_id) > 64:
            raise too_long(f"input[{i}].call_id", 64, len(call_id))
        if item_id is not None and not (isinstance(item_id, str) and item_id.startswith(prefix)):
            raise Refused(
                f"Invalid 'input[{i}].id': '{item_id}'. Expected an ID that begins with '{prefix}'.",
                code="invalid_value",
                param=f"input[{i}].id",
            )
        if kind == "function_call":
            check_name(str(item.get("name", "")), f"input[{i}].name")
            if not isinstance(item.get("arguments"), str):
                raise missing(f"input[{i}].arguments")
        needed = self.exchange.memory.reasoning_of.get(str(item_id))
        if needed and needed not in self.reasoning_ids:
            raise Refused(
                f"Item '{item_id}' of type '{kind}' was provided without its required 'reasoning' item: '{needed}'.",
                param="input",
            )
        self.calls[call_id] = kind

    def _output(self, i: int, item: Json, kind: str) -> None:
        call_id = item.get("call_id") or item.get("id")
        if call_id not in self.calls:
            name = kind.replace("_call_output", " call output").replace("_", " ")
            raise Refused(f"No tool call found for {name} with call_id {call_id}.", param="input")
        if item.get("output") is None and kind != "local_shell_call_output":
            raise missing(f"input[{i}].output")
        check_length(item.get("output"), f"input[{i}].output")
        self.answered.add(str(call_id))

    def _reasoning(self, i: int, item: Json) -> None:
        encrypted = item.get("encrypted_content")
        if encrypted is not None and not str(encrypted).startswith("gAAA"):
            text = f"The encrypted content for item {item.get('id')} could not be verified."
            raise Refused(text, code="invalid_encrypted_content")
        after = self.items[i + 1] if i + 1 < len(self.items) else None
        if after is None or after.get("type") not in _FOLLOWS_REASONING or after.get("role") == "user":
            text = f"Item '{item.get('id')}' of type 'reasoning' was provided without its required following item."
            raise Refused(text, param="input")

    def _unstored(self) -> None:
        """Reasoning that was made with `store: false` lives only in its encrypted content."""
        for item in self.items:
            bare = item.get("type") == "reasoning" and not item.get("encrypted_content")
            if bare and item.get("id") in self.exchange.memory.unstored_reasoning:
                raise Refused(
                    f"Item with id '{item['id']}' not found. Items are not persisted when `store` is set to false. "
                    "Try again "
                    "with `store` set to true, or remove this item from your input.",
                    404,
                    param="input",
                )


def _check_message(i: int, item: Json) -> None:
    role, content = item.get("role"), item.get("content")
    if role not in ("user", "assistant", "system", "developer"):
        raise Refused(
            f"Invalid value: '{role}'. Supported values are: 'assistant', 'system', 'developer', and 'user'.",
            code="invalid_value",
            param=f"input[{i}]",
        )
    if content is None:
        raise missing(f"input[{i}].content")
    wanted = ("output_text", "refusal") if role == "assistant" else ("input_text", "input_image", "input_file")
    for j, part in enumerate(content if isinstance(content, list) else []):
        if part.get("type") not in wanted:
            names = " and ".join(f"'{name}'" for name in wanted)
            raise Refused(
                f"Invalid value: '{part.get('type')}'. Supported values are: {names}.",
                code="invalid_value",
                param=f"input[{i}].content[{j}]",
            )
        check_length(part.get("text"), f"input[{i}].content[{j}].text")
