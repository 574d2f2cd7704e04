"""The prefix check of the newest Anthropic models: a thinking block fits only behind what it was written behind.

Walks a request whose messages have passed the other rules and raises where a bound block does not fit, or notes the
block as dropped where the request asked for that. Guesses: cache marks, key order, absent optional fields and how
same-role messages are split do not count for the prefix; a block that another model wrote is dropped silently.
"""

import json
from typing import Any

from tests.strict_fake import models_today, seals
from tests.strict_fake.binding_state import Bound
from tests.strict_fake.exchange import Exchange
from tests.strict_fake.refusal import Json, Refused


def bind(exchange: Exchange) -> Bound:
    """Where this conversation stands; raises `Refused` for a block of another conversation."""
    walk = _Binding(exchange)
    for i, message in enumerate(exchange.body["messages"]):
        walk.message(i, message)
    if exchange.body.get("compaction") and walk.compacted and len(exchange.body["messages"]) == 1:
        raise _coded(
            "messages: there is nothing to summarize after the `compaction` block", "compaction_nothing_to_summarize"
        )
    walk.out.state = walk.state
    return walk.out


class _Binding:
    def __init__(self, exchange: Exchange) -> None:
        body = exchange.body
        self.exchange = exchange
        self.family = models_today.bound_family(exchange.model)
        self.betas = models_today.betas(exchange.headers)
        binding = (body.get("thinking") or {}).get("block_binding") or {}
        self.drops = binding.get("prefix_mismatch_behavior") == "drop_block"
        self.compactions = _count_compactions(body)
        self.hashing = bool(self.family or self.compactions or isinstance(body.get("compaction"), dict))
        self.mine: set[str] = set()
        self.kept: set[str] = set()
        self.kept_turns: set[str] = set()
        self.compacted = False
        self.state = ""
        system = body.get("system") or []
        if isinstance(system, str):
            system = [{"type": "text", "text": system}]
        self._step("tools", seals.canonical(body.get("tools") or []))
        self._step("system", seals.canonical(system))
        self.out = Bound(base=self.state, turn=self.state)

    def message(self, i: int, message: Json) -> None:
        role, content = message.get("role"), message.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else (content or [])
        after_dropped = False
        for j, block in enumerate(blocks):
            kind, where = block.get("type"), f"messages.{i}.content.{j}"
            if kind == "compaction" and block.get("signature"):
                self._compaction(block, where, role, first=not i and not j)
            elif kind == "redacted_thinking":
                self.exchange.warn("redacted_thinking is not checked")
            elif kind == "thinking":
                after_dropped = self._thinking(block, (i, j), after_dropped)
            elif self.hashing:
                self._step(where, role, seals.canonical(_plain(block)))
        if role == "user" and not any(block.get("type") == "tool_result" for block in blocks):
            self.out.turn = self.state

    def _step(self, label: str, *what: Any) -> None:
        if not self.hashing:
            return
        state = seals.chain(self.state, *what)
        self.exchange.memory.parents.setdefault(state, (self.state, label))
        self.mine.add(state)
        self.state = state

    def _thinking(self, block: Json, at: tuple[int, int], after_dropped: bool) -> bool:
        """Whether the rest of this message's thinking is dropped with this block."""
        record = seals.open_seal(block.get("signature"), block.get("thinking", ""))
        family = record["f"] if record else None
        if self.family != family and family != models_today.UNIVERSAL_THINKER:
            self.out.dropped.append((*at, "model_binding_mismatch"))
            return after_dropped
        if not self.family or not record:
            return after_dropped
        if after_dropped or record["p"] != self.state or self._one_is_missing(record):
            if not self.drops:
                raise self._mismatch(record, at)
            self.out.dropped.append((*at, "prefix_binding_mismatch"))
            return True
        self.kept.add(record["m"])
        self.kept_turns.add(self.out.turn)
        self.out.last, self.out.last_turn = record["m"], self.out.turn
        return False

    def _one_is_missing(self, record: Json) -> bool:
        """A block between others was left out; all thinking of an earlier turn may go, one of several may not."""
        before = record["q"]
        if not before or before == self.out.last or before in self.kept or (self.compacted and not self.kept):
            return False
        return bool(record["qt"] == self.out.turn or record["qt"] in self.kept_turns)

    def _mismatch(self, record: Json, at: tuple[int, int]) -> Refused:
        change = self._first_change(record["p"]) if record["p"] != self.state else ""
        text = (
            f"messages.{at[0]}.content.{at[1]}: Invalid `signature` in `thinking` block. The block is bound to a "
            "different "
            'conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".'
        )
        if change:
            text += f" The first change is at `{change}`."
        if models_today.BINDING_BETA not in self.betas:
            text += f" This setting needs the `{models_today.BINDING_BETA}` beta header."
        return Refused(text)

    def _first_change(self, wanted: str) -> str:
        label, parents = "", self.exchange.memory.parents
        while wanted and wanted not in self.mine and wanted in parents:
            wanted, label = parents[wanted]
        return label if wanted in self.mine or not wanted else ""

    def _compaction(self, block: Json, where: str, role: Any, first: bool) -> None:
        if models_today.COMPACT_BETA not in self.betas:
            raise Refused(f"{where}: Input tag 'compaction' found using 'type' does not match any of the expected tags")
        if self.compactions > 1:
            raise _coded(f"{where}: more than one signed `compaction` block", "compaction_block_ambiguous")
        if not first:
            raise _coded(
                f"{where}: a signed `compaction` block must be the first block of `messages`",
                "compaction_block_misplaced",
            )
        record = _read_compaction(block, where)
        self.compacted = True
        if role != "assistant":
            self.exchange.warn("compaction block outside an assistant message")
        if record["b"] == self.out.base:
            self.state, self.out.turn = record["p"], record["t"]
            self.mine.add(self.state)
        else:
            self._step(where, "compaction", block.get("content"))


def _read_compaction(block: Json, where: str) -> Json:
    record = seals.open_seal(block.get("signature"), "compaction")
    if record is None or "h" not in record:
        raise _coded(f"{where}: Invalid `signature` in `compaction` block", "compaction_signature_invalid")
    if record["h"] != seals.text_digest(str(block.get("content"))):
        raise _coded(
            f"{where}: the content of the `compaction` block is not what was signed", "compaction_content_mismatch"
        )
    if block.get("tool_changes"):
        raise _coded(
            f"{where}: the tool changes of the `compaction` block are not what was signed",
            "compaction_tool_changes_mismatch",
        )
    return record


def _plain(block: Json) -> Json:
    """The block in the one form in which the prefix is compared."""
    plain = dict(block)
    if plain.get("type") == "tool_result":
        content = plain.get("content")
        if isinstance(content, str):
            plain["content"] = [{"type": "text", "text": content}] if content else []
        elif content is None:
            plain["content"] = []
    if plain.get("type") == "tool_use":
        plain["input"] = {"": json.dumps(plain.get("input"), sort_keys=True)}
    return plain


def _count_compactions(body: Json) -> int:
    contents = (message.get("content") for message in body["messages"])
    blocks = (block for content in contents if isinstance(content, list) for block in content)
    return sum(1 for block in blocks if block.get("type") == "compaction" and block.get("signature"))


def _coded(text: str, code: str) -> Refused:
    return Refused(text, details={"error_code": code})
