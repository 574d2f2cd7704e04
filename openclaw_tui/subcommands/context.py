"""`context`: what the next request would hold. Calls no model, writes nothing; two calls print the same bytes."""

import asyncio
from typing import Any

from openclaw_tui.agent.breakdown import context_breakdown
from openclaw_tui.agent.context_data import context_data
from openclaw_tui.app.compose import App, build_preview
from openclaw_tui.errors import EXIT_DONE
from openclaw_tui.messages import ImageBlock, Message, TextBlock, ThinkingBlock, ToolCallBlock, ToolResultMessage
from openclaw_tui.options import Options
from openclaw_tui.providers.base import ProviderRequest
from openclaw_tui.subcommands.arguments import add_json_flag, command_parser
from openclaw_tui.subcommands.output import print_json


def run(options: Options) -> int:
    parser = command_parser(
        "context",
        "Show what the next request would hold, part by part, without calling a model. "
        "--session ID looks at a session; without it at the newest of this directory, else at an empty one.",
    )
    add_json_flag(parser)
    parser.add_argument("--request", action="store_true", help="print the whole request as JSON")
    given = parser.parse_args(options.arguments)
    app = build_preview(options)
    try:
        if given.request:
            print_json(asyncio.run(_request_data(app)))
        else:
            _print_parts(app, as_json=given.json)
    finally:
        app.session.deps.manager.close()
    return EXIT_DONE


def _print_parts(app: App, *, as_json: bool) -> None:
    requests, files = app.session.deps.requests, app.prompt_source.files
    session = _session_of(app)
    if as_json:
        print_json({"session_id": session, **context_data(requests, files, app.ledger)})
        return
    breakdown = context_breakdown(requests, files)
    print(f"session {session}" if session else "an empty session")
    print(breakdown.as_text().strip())


def _session_of(app: App) -> str | None:
    """The id of a stored session; a new one's would be another one at every call."""
    manager = app.session.deps.manager
    return manager.session_id if manager.entries() else None


async def _request_data(app: App) -> dict[str, Any]:
    session = _session_of(app)
    prepared = await app.session.deps.requests.prepare()
    return {
        "session_id": session,
        **request_data(prepared.request),
        "report": prepared.report.as_data(),
    }


def request_data(request: ProviderRequest) -> dict[str, Any]:
    """The provider-neutral request as plain data; opaque reasoning tokens are told by their length."""
    return {
        "model": request.model.ref,
        "thinking": request.thinking,
        "max_output_tokens": request.max_output_tokens,
        "cache_retention": request.cache_retention,
        "system_stable": request.system_stable,
        "system_dynamic": request.system_dynamic,
        "tools": [
            {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
            for tool in request.tools
        ],
        "messages": [_message_data(message) for message in request.messages],
    }


def _message_data(message: Message) -> dict[str, Any]:
    data: dict[str, Any] = {"role": _role(message), "content": [_block_data(block) for block in message.content]}
    if isinstance(message, ToolResultMessage):
        data |= {"tool_call_id": message.tool_call_id, "tool": message.tool_name, "is_error": message.is_error}
    return data


def _role(message: Message) -> str:
    return {"UserMessage": "user", "AssistantMessage": "assistant"}.get(type(message).__name__, "tool")


def _block_data(block: TextBlock | ThinkingBlock | ImageBlock | ToolCallBlock) -> dict[str, Any]:
    match block:
        case TextBlock(text=text):
            return {"type": "text", "text": text}
        case ThinkingBlock(thinking=thinking, signature=signature):
            return {"type": "thinking", "text": thinking, "signature_chars": len(signature or "")}
        case ImageBlock(mime_type=kind, data=data):
            return {"type": "image", "mime_type": kind, "base64_chars": len(data)}
        case _:
            return {"type": "tool_call", **_call_data(block)}


def _call_data(call: ToolCallBlock) -> dict[str, Any]:
    return {"id": call.id, "name": call.name, "arguments": call.arguments}
