"""What the Messages API refuses before it looks at the conversation: headers, limits, tools, system, thinking, cache
marks."""

import re
from collections.abc import Iterator
from itertools import pairwise

from tests.strict_fake import models_today
from tests.strict_fake.exchange import Exchange
from tests.strict_fake.refusal import Json, Refused
from tests.strict_fake.rules_anthropic_messages import check_text, walk_messages
from tests.strict_fake.rules_anthropic_models import check_model_parameters
from tests.strict_fake.words import words

_TOP_LEVEL = frozenset(
    words("""model messages max_tokens system tools tool_choice thinking temperature top_p top_k stop_sequences stream
    metadata service_tier mcp_servers container context_management output_config output_format cache_control betas speed
    inference_geo compaction diagnostics thread""")
)
_TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")


def check_anthropic(exchange: Exchange, max_output: int) -> None:
    """Raise `Refused` for the first thing that the real API would not take."""
    body, headers = exchange.body, exchange.headers
    if not exchange.keyless and not (headers.get("x-api-key") or headers.get("authorization")):
        raise Refused("x-api-key header is required", 401)
    if not headers.get("anthropic-version"):
        raise Refused("anthropic-version: header is required")
    if not isinstance(body.get("model"), str):
        raise Refused("model: Field required")
    check_model_parameters(exchange)
    if not exchange.counting:
        _check_max_tokens(body, models_today.claude_max_output(body["model"], max_output))
    for key in body:
        if key not in _TOP_LEVEL:
            exchange.warn(f"unknown field {key}")
    _check_tools(body)
    _check_system(body)
    _check_thinking_budget(body, exchange.counting)
    uses_tools = walk_messages(exchange)
    if uses_tools and not body.get("tools"):
        raise Refused("Requests which include `tool_use` or `tool_result` blocks must define tools")
    check_cache_marks(body)


def _check_max_tokens(body: Json, limit: int) -> None:
    wanted = body.get("max_tokens")
    if wanted is None:
        raise Refused("max_tokens: Field required")
    if not isinstance(wanted, int) or isinstance(wanted, bool):
        raise Refused("max_tokens: Input should be a valid integer")
    if wanted < 1:
        raise Refused("max_tokens: must be greater than or equal to 1")
    if wanted > limit:
        name = body["model"]
        raise Refused(
            f"max_tokens: {wanted} > {limit}, which is the maximum allowed number of output tokens for {name}"
        )


def _check_tools(body: Json) -> None:
    tools = body.get("tools")
    if tools is not None and not isinstance(tools, list):
        raise Refused("tools: Input should be a valid list")
    names: set[str] = set()
    for i, tool in enumerate(tools or []):
        name = tool.get("name")
        if not isinstance(name, str):
            raise Refused(f"tools.{i}.custom.name: Field required")
        if not _TOOL_NAME.fullmatch(name):
            raise Refused(f"tools.{i}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'")
        if name in names:
            raise Refused("tools: Tool names must be unique.")
        names.add(name)
        if tool.get("type") in (None, "custom"):
            _check_input_schema(tool.get("input_schema"), f"tools.{i}.custom.input_schema")
    choice = body.get("tool_choice")
    if choice and not tools:
        raise Refused("tool_choice: tool_choice may only be specified while providing tools.")
    if choice and choice.get("type") == "tool" and choice.get("name") not in names:
        raise Refused(f"tool_choice: Tool '{choice.get('name')}' not found in provided tools")


def _check_input_schema(schema: object, where: str) -> None:
    if not isinstance(schema, dict):
        raise Refused(f"{where}: Field required")
    if "type" not in schema:
        raise Refused(f"{where}.type: Field required")
    if schema["type"] != "object":
        raise Refused(f"{where}.type: Input should be 'object'")
    if any(key in schema for key in ("oneOf", "anyOf", "allOf")):
        raise Refused(f"{where}: input_schema does not support oneOf, allOf, or anyOf at the top level")


def _check_system(body: Json) -> None:
    system = body.get("system")
    if isinstance(system, list):
        for i, block in enumerate(system):
            check_text(block.get("text"), f"system.{i}")
    elif system is not None and not isinstance(system, str):
        raise Refused("system: Input should be a valid list")


def _check_thinking_budget(body: Json, counting: bool) -> None:
    thinking = body.get("thinking") or {}
    kind = thinking.get("type")
    if kind in ("enabled", "adaptive") and (body.get("tool_choice") or {}).get("type") in ("any", "tool"):
        raise Refused("Thinking may not be enabled when tool_choice forces tool use.")
    if kind != "enabled":
        return
    budget = thinking.get("budget_tokens")
    if not isinstance(budget, int):
        raise Refused("thinking.enabled.budget_tokens: Field required")
    if budget < 1024:
        raise Refused("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024")
    if not counting and budget >= body["max_tokens"]:
        raise Refused(
            "`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation "
            "on extended thinking."
        )
    if body.get("temperature") not in (None, 1, 1.0):
        raise Refused("`temperature` may only be set to 1 when thinking is enabled.")


# ------------------------------------------------------------------ cache marks


def _marked_blocks(body: Json) -> Iterator[tuple[Json, str]]:
    """Every block that may carry a cache mark, in the order in which the prompt is rendered."""
    for i, tool in enumerate(body.get("tools") or []):
        yield tool, f"tools.{i}"
    system = body.get("system")
    for i, block in enumerate(system if isinstance(system, list) else []):
        yield block, f"system.{i}"
    for i, message in enumerate(body.get("messages") or []):
        content = message.get("content")
        for j, block in enumerate(content if isinstance(content, list) else []):
            yield block, f"messages.{i}.content.{j}"


def check_cache_marks(body: Json) -> None:
    """At most four marks (the automatic one counts), of known kinds, the long-lived before the short-lived."""
    lives = [_life(block, where) for block, where in _marked_blocks(body) if block.get("cache_control") is not None]
    automatic = body.get("cache_control")
    if automatic is not None:
        life = _life(body, "cache_control")
        last = _last_block(body)
        if last is not None and last.get("cache_control") is not None and _life(last, "messages") != life:
            raise Refused("cache_control: the last block already has a cache_control with another ttl")
        lives.append(life)
    if len(lives) > 4:
        raise Refused(f"A maximum of 4 blocks with cache_control may be provided. Found {len(lives)}.")
    if any(earlier == "5m" and later == "1h" for earlier, later in pairwise(lives)):
        raise Refused(
            "cache_control: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block"
        )


def _last_block(body: Json) -> Json | None:
    blocks = [block for block, _ in _marked_blocks(body)]
    return blocks[-1] if blocks else None


def _life(block: Json, where: str) -> str:
    mark = block["cache_control"]
    prefix = "" if where == "cache_control" else where + "."
    if not isinstance(mark, dict) or mark.get("type") != "ephemeral":
        raise Refused(f"{prefix}cache_control.type: Input should be 'ephemeral'")
    if mark.get("ttl") not in (None, "5m", "1h"):
        raise Refused(f"{prefix}cache_control.ttl: Input should be '5m' or '1h'")
    return str(mark.get("ttl") or "5m")
