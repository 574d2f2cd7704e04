"""What a request wants: a turn of the conversation, a summary, a title, JSON by schema, or only a count.

Recognised by wording, since the wire does not say. A list or callable script serves everything that is not clearly a
summary;
a scenario also knows side requests (titles) by the absence of tools it could use.
"""

import re

from tests.strict_fake.exchange import Exchange, Wish, text_of
from tests.strict_fake.refusal import Json
from tests.strict_fake.rules_gemini import declarations
from tests.strict_fake.tool_map import ToolMap

_ASKS_SUMMARY = re.compile(
    r"(create|provide|write|generate|produce|prepare|make|output|give)\b[^.\n]{0,80}\b(summary|handoff|hand-off|snapshot)"
    r"|summari[sz]e (the|this|our|all|everything)|checkpoint compaction|compress(ing|ion)? (the|this)",
    re.IGNORECASE,
)
_HOLDS_SUMMARY = re.compile(
    r"BENCH-SUMMARY|BENCH-TURN-|session is being continued|Another language model started", re.IGNORECASE
)
_SUMMARY_WORDS = ("summar", "checkpoint", "handoff", "compact")


def read_wish(exchange: Exchange) -> Wish:
    readers = {"anthropic": _anthropic, "chat": _chat, "responses": _responses, "gemini": _gemini}
    return readers[exchange.record.protocol](exchange)


def kind_of(exchange: Exchange, wish: Wish, tools: ToolMap, scripted: bool, summaries: bool) -> str:
    """One of count, summary, json, side, main. `scripted`: not a scenario; `summaries`: they are told apart."""
    if exchange.counting:
        return "count"
    if exchange.record.protocol == "anthropic" and isinstance(exchange.body.get("compaction"), dict):
        return "summary"
    if summaries and not is_memory_flush(wish) and _is_summary_request(wish, tools):
        return "summary"
    if scripted:
        return "main"
    if is_memory_flush(wish):
        return "side"
    if wish.schema is not None and not tools.usable:
        return "json"
    if tools.usable:
        return "main"
    return "summary" if exchange.record.tokens > 4000 else "side"


def is_memory_flush(wish: Wish) -> bool:
    """A hidden turn behind the talk: it has the session's tools and must not take a step of the scenario."""
    return "[Memory flush:" in wish.last_user


def _is_summary_request(wish: Wish, tools: ToolMap) -> bool:
    if _ASKS_SUMMARY.search(wish.last_user[-20_000:]) and not (tools.usable and _HOLDS_SUMMARY.search(wish.last_user)):
        return not (wish.schema is not None and not tools.usable)
    if tools.usable or wish.tools or wish.schema is not None:
        return False
    head = (wish.system[:3000] + "\n" + wish.last_user[:2000] + "\n" + wish.last_user[-4000:]).lower()
    return any(word in wish.system[:3000].lower() for word in _SUMMARY_WORDS) and "title" not in head[:3000]


# ------------------------------------------------------------------ by protocol


def _tool(name: object, schema: object, kind: str = "function") -> Json:
    return {"name": str(name or ""), "schema": schema if isinstance(schema, dict) else {}, "kind": kind}


def _last_text(messages: list[Json], field: str = "content", roles: tuple[str, ...] = ("user",)) -> str:
    for message in reversed(messages):
        if message.get("role") in roles and text_of(message.get(field)):
            return text_of(message[field])
    return ""


def _anthropic(exchange: Exchange) -> Wish:
    body = exchange.body
    tools = [_tool(tool.get("name"), tool.get("input_schema")) for tool in body.get("tools") or []]
    format_ = (body.get("output_config") or {}).get("format") or body.get("output_format") or {}
    return Wish(tools, _last_text(body["messages"]), format_.get("schema"), text_of(body.get("system")))


def _chat(exchange: Exchange) -> Wish:
    body = exchange.body
    functions = [tool.get("function") or {} for tool in body.get("tools") or []]
    tools = [_tool(function.get("name"), function.get("parameters")) for function in functions]
    schema = ((body.get("response_format") or {}).get("json_schema") or {}).get("schema")
    system = [text_of(m.get("content")) for m in body["messages"] if m.get("role") in ("system", "developer")]
    return Wish(tools, _last_text(body["messages"]), schema, "\n".join(system))


def _responses(exchange: Exchange) -> Wish:
    body, tools = exchange.body, []
    for tool in body.get("tools") or []:
        if tool.get("type") == "function":
            tools.append(_tool(tool.get("name"), tool.get("parameters")))
        elif tool.get("type") == "local_shell":
            tools.append(_tool("local_shell", {}, "local_shell"))
    schema = ((body.get("text") or {}).get("format") or {}).get("schema")
    system = [text_of(item.get("content")) for item in exchange.items if item.get("role") in ("system", "developer")]
    return Wish(tools, _last_text(exchange.items), schema, "\n".join([str(body.get("instructions") or ""), *system]))


def _gemini(exchange: Exchange) -> Wish:
    body = exchange.body
    tools = [
        _tool(function.get("name"), function.get("parametersJsonSchema") or function.get("parameters"))
        for function in declarations(body)
    ]
    config = body.get("generationConfig") or {}
    schema = config.get("responseJsonSchema") or config.get("responseSchema")
    system = body.get("systemInstruction") or ""
    system_text = system if isinstance(system, str) else text_of(system.get("parts"))
    messages = [dict(content, role=content.get("role") or "user") for content in body["contents"]]
    return Wish(tools, _last_text(messages, "parts"), schema, system_text)
