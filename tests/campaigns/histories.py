"""Random but repeatable histories of every kind of damage: what weeks of use, other programs and bad luck leave behind.

Orphans, doubles, foreign ids, reasoning of other models, pictures that are none, halves of characters, empty and
cut-off answers, arguments no JSON has words for. Reasoning of the target's own model carries a seal that the strict
fake takes for genuine.
"""

import base64
import json
import math
import random
from collections.abc import Sequence
from typing import Any

from openclaw_tui.messages import (
    AssistantContent,
    AssistantMessage,
    ImageBlock,
    Message,
    StopReason,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResultMessage,
    UserContent,
    UserMessage,
    UserOrigin,
)
from openclaw_tui.models import ModelInfo
from tests.strict_fake import seals
from tests.strict_fake.rules_gemini import call_signature
from tests.transcript.strategies import IMAGES, png

_TEXTS = (
    "",
    " ",
    "\n\t",
    "ok",
    "cut \ud83d here",
    "\udc80",
    "中文",
    "👩\u200d💻",
    "x" * 300,
    "\x00\x1b[31m",
    "\ufeffBOM",
)
_IDS = ("call_0", "call_1", "toolu_01", "call_a|fc_b", "call_a|fc_c", "call_b|rs_1", "a.b", "a:b", "", " ", "i" * 90)
_NAMES = ("read", "exec", "functions.read", "", "1st", "日本", "read file", "r" * 90, "mcp__server__tool")
_BIG = ImageBlock(base64.b64encode(base64.b64decode(png(9_000, 2))).decode(), "image/png")
_HUGE = ImageBlock(png(2, 2)[:-8] + "A" * 6_000_000, "image/png")
_ORIGINS: tuple[UserOrigin, ...] = ("user", "user", "user", "compaction_summary", "custom", "bash", "subagent")
_STOPS: tuple[StopReason, ...] = ("stop", "stop", "tool_use", "tool_use", "length", "aborted", "error", "refusal")


class Histories:
    """Makes one history after another; `models` are those answers may come from, the target among them."""

    def __init__(self, chance: random.Random, models: Sequence[ModelInfo]) -> None:
        self._chance = chance
        self._models = models
        self._number = 0

    def history(self) -> list[Message]:
        found: list[Message] = []
        for _ in range(self._chance.randint(0, 9)):
            kind = self._chance.random()
            if kind < 0.5:
                found += self._step()
            elif kind < 0.85:
                found.append(self._user())
            elif kind < 0.95:
                found.append(self._answer())
            else:
                found.append(self._result(self._id(), self._pick(_NAMES)))
        if self._chance.random() < 0.1:
            self._chance.shuffle(found)
        if self._chance.random() < 0.1 and found:
            found.insert(self._chance.randrange(len(found)), self._pick(found))
        if self._chance.random() < 0.7 or not found:
            found.append(self._user())
        return found

    def _step(self) -> list[Message]:
        """An answer with results for some of its calls: missing, doubled, misplaced ones happen."""
        answer = self._answer()
        found: list[Message] = [answer]
        for call in answer.tool_calls:
            for _ in range(self._pick((0, 1, 1, 1, 1, 1, 2))):
                found.append(self._result(call.id, call.name if self._chance.random() < 0.9 else self._pick(_NAMES)))
        if self._chance.random() < 0.15:
            found.insert(self._chance.randint(0, len(found)), self._user())
        return found

    def _user(self) -> UserMessage:
        return UserMessage(self._given(), origin=self._pick(_ORIGINS))

    def _result(self, call_id: str, name: str) -> ToolResultMessage:
        details: Any = self._pick((None, None, {"diff": "x"}, {"synthetic": True}))
        return ToolResultMessage(call_id, name, self._given(), self._chance.random() < 0.2, details)

    def _given(self) -> tuple[UserContent, ...]:
        return tuple(self._given_block() for _ in range(self._pick((0, 1, 1, 1, 2, 3))))

    def _given_block(self) -> UserContent:
        kind = self._chance.random()
        if kind < 0.01:
            return self._pick((_BIG, _HUGE))
        return self._pick(IMAGES) if kind < 0.2 else TextBlock(self._text(), self._pick((None, None, None, "sig")))

    def _answer(self) -> AssistantMessage:
        model = self._pick(self._models)
        blocks = tuple(self._block(model) for _ in range(self._pick((0, 1, 1, 2, 3, 4))))
        name = self._pick((model.id, model.id, f"{model.id}-20260801", "other-model"))
        api = self._pick((model.api, model.api, model.api, ""))
        return AssistantMessage(blocks, api, model.provider, name, stop_reason=self._pick(_STOPS))

    def _block(self, model: ModelInfo) -> AssistantContent:
        kind = self._chance.random()
        if kind < 0.35:
            return TextBlock(self._text(), self._pick((None, None, '{"v":1,"id":"msg_1"}', "tsig")))
        if kind < 0.55:
            return self._thinking(model)
        return self._call(model)

    def _thinking(self, model: ModelInfo) -> ThinkingBlock:
        self._number += 1
        text = f"thought {self._number}"
        match model.api:
            case "anthropic":
                signature = seals.plain_signature(text)
            case "openai-responses":
                item = {"type": "reasoning", "id": f"rs_{self._number}", "summary": [], "encrypted_content": "gAAAx"}
                signature = json.dumps(item)
            case "openai-chat":
                signature = "reasoning_content"
            case _:
                signature = call_signature({"name": "none"}, str(self._number))
        return ThinkingBlock(text, signature if self._chance.random() < 0.85 else None)

    def _call(self, model: ModelInfo) -> ToolCallBlock:
        name, arguments = self._pick(_NAMES), self._arguments()
        signature, broken = None, self._pick((None, None, None, None, '{"pa'))
        if model.api == "google" and name in ("read", "exec") and arguments == {"path": "a"}:
            signature = call_signature({"name": name, "args": arguments}, "u") if self._chance.random() < 0.7 else None
        elif model.api != "google" and self._chance.random() < 0.2:
            signature = "other-signature"
        if broken:
            arguments, signature = {}, None
        return ToolCallBlock(self._id(), name, arguments, signature, broken)

    def _arguments(self) -> dict[str, Any]:
        kind = self._chance.random()
        if kind < 0.6:
            return {"path": "a"}
        if kind < 0.63:
            return {"n": self._pick((math.inf, -math.inf, math.nan, 10**40))}
        if kind < 0.65:
            return _nested(self._pick((50, 400, 900)))
        return {
            self._pick(("path", "k\ud800", "")): self._pick((1, None, True, [self._text()], {"d": self._text()}, ""))
        }

    def _id(self) -> str:
        if self._chance.random() < 0.5:
            self._number += 1
            return f"call_{self._number:x}"
        return self._pick(_IDS)

    def _text(self) -> str:
        return self._pick(_TEXTS) if self._chance.random() < 0.5 else "word " * self._pick((1, 5, 40, 900))

    def _pick(self, choices: Sequence[Any]) -> Any:
        return self._chance.choice(choices)


def _nested(depth: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for _ in range(depth):
        found = {"in": found}
    return found
