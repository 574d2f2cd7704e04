"""What single Anthropic models and API versions refuse: sampling, thinking modes, forced tools, on-demand
compaction."""

from tests.strict_fake import models_today
from tests.strict_fake.exchange import Exchange
from tests.strict_fake.refusal import Json, Refused

_STRICT_VERSION = "2026-10-21"


def check_model_parameters(exchange: Exchange) -> None:
    if exchange.headers.get("anthropic-version", "") >= _STRICT_VERSION:
        _check_version(exchange.body)
    thinking = exchange.body.get("thinking") or {}
    _check_thinking_mode(exchange.model, thinking)
    if models_today.bound_family(exchange.model):
        _check_binding_parameters(exchange, thinking)
    if exchange.body.get("compaction") is not None:
        _check_compaction(exchange)


def _check_version(body: Json) -> None:
    for key in ("temperature", "top_p", "top_k"):
        if key in body:
            raise Refused(f"{key}: Extra inputs are not permitted")
    for i, message in enumerate(body.get("messages") or []):
        content = message.get("content")
        for j, block in enumerate(content if isinstance(content, list) else []):
            where = f"messages.{i}.content.{j}"
            if message.get("role") == "assistant" and block.get("type") == "document":
                raise Refused(f"{where}: `document` blocks are not permitted in `assistant` messages")
            if message.get("role") == "user" and block.get("type") == "text" and block.get("citations"):
                raise Refused(f"{where}.text.citations: Extra inputs are not permitted")


def _check_thinking_mode(model: str, thinking: Json) -> None:
    kind = thinking.get("type")
    if kind == "enabled" and models_today.refuses_budget(model):
        raise Refused(
            '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and '
            '"output_config.effort" to control thinking behavior.'
        )
    if kind == "disabled" and models_today.always_thinks(model):
        raise Refused(
            '"thinking.type.disabled" is not supported for this model. Thinking is always on; use '
            '"thinking.type.adaptive" and "output_config.effort" to control thinking behavior.'
        )


def _check_binding_parameters(exchange: Exchange, thinking: Json) -> None:
    kind = thinking.get("type")
    if kind == "between_tools" and "sonnet" not in exchange.model:
        raise Refused('"thinking.type.between_tools" is not supported for this model.')
    if kind not in (None, "adaptive", "disabled", "between_tools"):
        raise Refused(
            f"thinking: Input tag '{kind}' found using 'type' does not match any of the expected tags: 'adaptive', "
            "'disabled', 'enabled'"
        )
    if thinking.get("display") not in (None, "summarized", "omitted", "updates"):
        raise Refused("thinking.adaptive.display: Input should be 'summarized' or 'omitted'")
    if "block_binding" in thinking and models_today.BINDING_BETA not in models_today.betas(exchange.headers):
        raise Refused("thinking.adaptive.block_binding: Extra inputs are not permitted")
    behaviour = (thinking.get("block_binding") or {}).get("prefix_mismatch_behavior")
    if behaviour not in (None, "error", "drop_block"):
        raise Refused(
            "thinking.adaptive.block_binding.prefix_mismatch_behavior: Input should be 'error' or 'drop_block'"
        )
    choice = (exchange.body.get("tool_choice") or {}).get("type")
    if choice in ("any", "tool"):
        raise Refused(
            f'tool_choice: "{choice}" is not supported for this model. Thinking may not be enabled when tool_choice '
            "forces tool use."
        )


def _check_compaction(exchange: Exchange) -> None:
    body = exchange.body
    if models_today.COMPACT_BETA not in models_today.betas(exchange.headers):
        raise Refused("compaction: Extra inputs are not permitted")
    if not models_today.compacts_on_demand(exchange.model):
        raise Refused("compaction: compaction is not supported on this model")
    if not isinstance(body["compaction"], dict) or body["compaction"].get("type") != "summarize":
        raise Refused("compaction.type: Input should be 'summarize'")
    if body.get("context_management") is not None:
        raise Refused("compaction: cannot be combined with `context_management`")
