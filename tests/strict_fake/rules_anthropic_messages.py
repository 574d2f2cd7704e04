"""What the Messages API refuses in a conversation: roles, order, pairing of tools, text, thinking, final turn."""

import re
from typing import Any

from tests.strict_fake import models_today, seals
from tests.strict_fake.exchange import Exchange
from tests.strict_fake.refusal import Json, Refused
from tests.strict_fake.words import words

_CALL_ID = re.compile(r"[a-zA-Z0-9_-]+")
_CALL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,200}")
_THINKING = ("thinking", "redacted_thinking")
_OTHER_BLOCKS = frozenset(
    words("""image document search_result server_tool_use web_search_tool_result mcp_tool_use mcp_tool_result
    container_upload tool_reference compaction""")
)
_PAIR_RULE = "Each `tool_use` block must have a corresponding `tool_result` block in the next message."


def walk_messages(exchange: Exchange) -> bool:
    """Check every message; says whether tool blocks occur."""
    messages = exchange.body.get("messages")
    if not isinstance(messages, list):
        raise Refused("messages: Field required")
    if not messages:
        raise Refused("messages: at least one message is required")
    if len(messages) > 100_000:
        raise Refused("messages: at most 100000 messages are allowed")
    walk = _Walk(exchange, messages)
    for i in range(len(messages)):
        walk.message(i)
    walk.end()
    return walk.any_tool


def check_text(text: Any, where: str) -> None:
    field = "messages" if where.startswith("messages") else "system"
    if not isinstance(text, str):
        raise Refused(f"{where}.text.text: Field required")
    if text == "":
        raise Refused(f"{field}: text content blocks must be non-empty")
    if not text.strip():
        raise Refused(f"{field}: text content blocks must contain non-whitespace text")


def signature_fits(block: Json) -> bool:
    """The signature belongs to this text (whatever came before it)."""
    text = block.get("thinking", "")
    signature = block.get("signature")
    return signature == seals.plain_signature(text) or seals.open_seal(signature, text) is not None


class _Walk:
    """One pass over the messages. `open_ids` are the calls of the message before."""

    def __init__(self, exchange: Exchange, messages: list[Json]) -> None:
        self.exchange, self.messages = exchange, messages
        self.enabled = (exchange.body.get("thinking") or {}).get("type") == "enabled"
        self.compacting = isinstance(exchange.body.get("compaction"), dict)
        self.seen_ids: set[str] = set()
        self.open_ids: list[str] = []
        self.any_tool = False

    def message(self, i: int) -> None:
        message = self.messages[i]
        role, content = message.get("role"), message.get("content")
        if role == "system":
            self._system_message(i)
            return
        if role not in ("user", "assistant"):
            raise Refused(f"messages.{i}.role: Input should be 'user' or 'assistant'")
        if i == 0 and role != "user" and not _starts_compacted(content):
            raise Refused('messages: first message must use the "user" role')
        last = i == len(self.messages) - 1
        if content is None:
            raise Refused(f"messages.{i}.content: Field required")
        if content in ("", []) and not (last and role == "assistant"):
            raise Refused(
                f"messages.{i}: all messages must have non-empty content except for the optional final assistant "
                "message"
            )
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if not isinstance(blocks, list):
            raise Refused(f"messages.{i}.content: Input should be a valid list")
        ids = self._blocks(i, role, blocks, empty=content in ("", []))
        if any(block.get("type") in _THINKING for block in blocks) and blocks[0].get("type") not in _THINKING:
            raise Refused(
                f"messages.{i}.content.0: If an assistant message contains any thinking blocks, the first block must "
                "be "
                f"`thinking` or `redacted_thinking`. Found `{blocks[0].get('type')}`."
            )
        if last and role == "assistant" and not self.compacting:
            self._final_assistant(blocks)
        self.open_ids = ids

    def end(self) -> None:
        i = len(self.messages) - 1
        if self.open_ids and self.compacting:
            raise Refused(
                f"messages.{i}: the messages to compact end in a turn with an open tool call: "
                f"{', '.join(self.open_ids)}",
                details={"error_code": "compaction_incomplete_turn"},
            )
        if self.open_ids:
            raise _without_result(i, ", ".join(self.open_ids))
        self._leading_thinking()

    # -------------------------------------------------------------- one message

    def _system_message(self, i: int) -> None:
        allowed = models_today.takes_system_messages(self.exchange.model)
        if allowed is None:
            raise Refused(
                'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, '
                'not "system" as an input message role.'
            )
        if not allowed:
            raise Refused("role 'system' is not supported on this model")
        before = self.messages[i - 1].get("role") if i else None
        after = self.messages[i + 1].get("role") if i + 1 < len(self.messages) else "assistant"
        if before != "user" or after != "assistant":
            raise Refused(
                f"messages.{i}: a `system` message must follow a `user` message and be last or be followed by an "
                "`assistant` message"
            )
        content = self.messages[i].get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if not isinstance(blocks, list) or any(block.get("type") != "text" for block in blocks):
            raise Refused(f"messages.{i}.content: `system` messages can only hold text")
        for j, block in enumerate(blocks):
            check_text(block.get("text"), f"messages.{i}.content.{j}")

    def _blocks(self, i: int, role: str, blocks: list[Json], empty: bool) -> list[str]:
        ids: list[str] = []
        results: list[str] = []
        seen_other = False
        for j, block in enumerate(blocks):
            where, kind = f"messages.{i}.content.{j}", block.get("type")
            if kind == "text":
                if not empty:
                    _check_text_block(block, where)
                seen_other = True
            elif kind in _THINKING:
                self._thinking(i, role, block, where, final=j == len(blocks) - 1)
            elif kind == "tool_use":
                ids.append(self._tool_use(i, role, block, where))
            elif kind == "tool_result":
                results.append(self._tool_result(i, role, block, where, results, seen_other))
            elif kind in _OTHER_BLOCKS:
                seen_other = True
            else:
                raise Refused(f"{where}: Input tag '{kind}' found using 'type' does not match any of the expected tags")
        unanswered = [call_id for call_id in self.open_ids if call_id not in results]
        if unanswered:
            raise _without_result(i - 1, ", ".join(unanswered))
        return ids

    def _thinking(self, i: int, role: str, block: Json, where: str, final: bool) -> None:
        kind = block["type"]
        if role != "assistant":
            raise Refused(f"messages.{i}: `thinking` blocks can only be in `assistant` messages")
        if "cache_control" in block:
            raise Refused(f"{where}.{kind}.cache_control: Extra inputs are not permitted")
        if kind == "thinking":
            if "signature" not in block:
                raise Refused(f"{where}.thinking.signature: Field required")
            if not signature_fits(block):
                raise Refused(f"{where}: Invalid `signature` in `thinking` block")
        if final and i < len(self.messages) - 1:
            raise Refused(f"messages.{i}: The final block in an assistant message cannot be `thinking`.")

    def _tool_use(self, i: int, role: str, block: Json, where: str) -> str:
        self.any_tool = True
        if role != "assistant":
            raise Refused(f"messages.{i}: `tool_use` blocks can only be in `assistant` messages")
        call_id = block.get("id")
        if not isinstance(call_id, str):
            raise Refused(f"{where}.tool_use.id: Field required")
        if not _CALL_ID.fullmatch(call_id):
            raise Refused(f"{where}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'")
        if call_id in self.seen_ids:
            raise Refused(f"{where}: `tool_use` ids must be unique")
        if not _CALL_NAME.fullmatch(str(block.get("name", ""))):
            raise Refused(f"{where}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{{1,200}}$'")
        if not isinstance(block.get("input"), dict):
            raise Refused(f"{where}.tool_use.input: Input should be a valid dictionary")
        self.seen_ids.add(call_id)
        return call_id

    def _tool_result(self, i: int, role: str, block: Json, where: str, results: list[str], seen_other: bool) -> str:
        self.any_tool = True
        if role != "user":
            raise Refused(f"messages.{i}: `tool_result` blocks can only be in `user` messages")
        call_id = block.get("tool_use_id")
        if not isinstance(call_id, str):
            raise Refused(f"{where}.tool_result.tool_use_id: Field required")
        if call_id not in self.open_ids:
            raise Refused(
                f"{where}: unexpected `tool_use_id` found in `tool_result` blocks: {call_id}. Each `tool_result` block "
                "must have a corresponding `tool_use` block in the previous message."
            )
        if call_id in results:
            raise Refused(
                f"{where}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: "
                f"{call_id}"
            )
        if seen_other:
            raise _without_result(i - 1, call_id)
        content = block.get("content")
        for part in content if isinstance(content, list) else []:
            if part.get("type") == "text" and not part.get("text"):
                raise Refused("messages: text content blocks must be non-empty")
        return call_id

    def _final_assistant(self, blocks: list[Json]) -> None:
        if models_today.refuses_prefill(self.exchange.model):
            raise Refused(
                "This model does not support assistant message prefill. The conversation must end with a user message."
            )
        if self.enabled:
            raise Refused("messages: the final message may not be an assistant prefill when thinking is enabled")
        if blocks and blocks[-1].get("type") == "text":
            text = str(blocks[-1].get("text", ""))
            if text.rstrip() != text:
                raise Refused("messages: final assistant content cannot end with trailing whitespace")

    def _leading_thinking(self) -> None:
        """Old models with thinking on want the block that they wrote before the calls now answered.

        The server insists only where it did send one, which it knows by the call's id.
        """
        content = self.messages[-1].get("content")
        answers = isinstance(content, list) and any(block.get("type") == "tool_result" for block in content)
        if not self.enabled or not answers:
            return
        at = len(self.messages) - 2
        calls = self.messages[at].get("content")
        if not isinstance(calls, list) or calls[0].get("type") in _THINKING:
            return
        if any(block.get("id") in self.exchange.memory.thought_calls for block in calls):
            raise Refused(
                f"messages.{at}.content.0.type: Expected `thinking` or `redacted_thinking`, but found "
                f"`{calls[0].get('type')}`. When `thinking` is enabled, a final `assistant` message must start with a "
                "thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks). We recommend you "
                "include thinking blocks from previous turns. To avoid this requirement, disable `thinking`."
            )
        self.exchange.warn("tool loop without a leading thinking block")


def _check_text_block(block: Json, where: str) -> None:
    if block.get("text") == "" and block.get("cache_control"):
        raise Refused(f"{where}.text: cache_control cannot be set for empty text blocks")
    check_text(block.get("text"), where)


def _starts_compacted(content: Any) -> bool:
    return (
        isinstance(content, list)
        and bool(content)
        and isinstance(content[0], dict)
        and content[0].get("type") == "compaction"
    )


def _without_result(i: int, ids: str) -> Refused:
    return Refused(
        f"messages.{i}: `tool_use` ids were found without `tool_result` blocks immediately after: {ids}. {_PAIR_RULE}"
    )
