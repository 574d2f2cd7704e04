"""Nasty random histories for property tests: orphans, duplicates, foreign ids, thinking, pictures, surrogates, aborts.

`histories()` gives anything a damaged file could hold; `tidy_histories()` gives what a healthy session holds. Other
packages' tests use them too.
"""

import base64
import json
import struct
import zlib
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

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
    UserMessage,
    UserOrigin,
)
from openclaw_tui.models import ApiName, ModelInfo

APIS: tuple[ApiName, ...] = ("anthropic", "openai-responses", "openai-chat", "google")
_PROVIDERS: dict[str, tuple[str, str]] = {
    "anthropic": ("anthropic", "claude-opus-5"),
    "openai-responses": ("openai", "gpt-6.1-sol"),
    "openai-chat": ("local", "qwen"),
    "google": ("google", "gemini-4-argon"),
}


def model_for(api: ApiName, *, images: bool = True, prefix_bound: bool = False, window: int = 200_000) -> ModelInfo:
    """A model of the given protocol; its provider and id match what `histories()` writes into answers."""
    provider, name = _PROVIDERS.get(api, (api, api))
    return ModelInfo(provider, name, api, window, 8_000, images=images, prefix_bound=prefix_bound)


def png(width: int, height: int) -> str:
    """A real one-colour PNG as base64."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = zlib.compress((b"\0" + b"\x7f" * (3 * width)) * height)
    parts = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    return base64.b64encode(parts).decode("ascii")


SMALL_PNG = png(4, 3)
IMAGES = (
    ImageBlock(SMALL_PNG, "image/png"),
    ImageBlock(SMALL_PNG, "image/jpeg"),
    ImageBlock("", "image/png"),
    ImageBlock("not base64!", "image/png"),
    ImageBlock(base64.b64encode(b"GIF89a\x01\x00\x01\x00").decode(), "image/gif"),
    ImageBlock(base64.b64encode(b"BM" + bytes(40)).decode(), "image/png"),
)

texts = st.one_of(
    st.sampled_from(["", " ", "\n\t", "ok", "cut \ud83d here", "\udc80", "中文", "👩\u200d💻", "x" * 300]),
    st.text(st.characters(codec="utf-8"), max_size=20),
)
ids = st.one_of(
    st.sampled_from(
        ["call_0", "call_1", "toolu_01", "call_a|fc_b", "call_a|fc_c", "a.b", "a:b", "", "i" * 90, "i" * 41]
    ),
    st.text(st.characters(codec="utf-8"), max_size=6),
)
names = st.sampled_from(["read", "exec", "functions.read", "", "1st", "日本"])
arguments = st.dictionaries(
    st.sampled_from(["path", "k\ud800"]), st.one_of(st.integers(), texts, st.lists(texts)), max_size=2
)
origins: st.SearchStrategy[UserOrigin] = st.sampled_from(["user", "user", "compaction_summary", "custom", "bash"])
stops: st.SearchStrategy[StopReason] = st.sampled_from(["stop", "tool_use", "length", "aborted", "error"])
user_content = st.lists(st.one_of(texts.map(TextBlock), st.sampled_from(IMAGES)), max_size=3).map(tuple)


def reasoning_item(number: int) -> str:
    return json.dumps({"type": "reasoning", "id": f"rs_{number}", "summary": [], "encrypted_content": f"gAAA{number}"})


def _thinking(api: str) -> st.SearchStrategy[ThinkingBlock]:
    signature = st.integers(0, 9).map(reasoning_item if api == "openai-responses" else lambda n: f"sig{n}")
    return st.builds(ThinkingBlock, texts, st.one_of(st.none(), signature))


def _blocks(api: str) -> st.SearchStrategy[AssistantContent]:
    signed = st.one_of(st.none(), st.just("tsig"))
    calls = st.builds(ToolCallBlock, ids, names, arguments, signed, st.sampled_from([None, None, None, '{"pa']))
    return st.one_of(st.builds(TextBlock, texts, signed), _thinking(api), calls)


def answers() -> st.SearchStrategy[AssistantMessage]:
    """Answers of any of the four protocols, whole or cut off."""

    def of(api: str) -> st.SearchStrategy[AssistantMessage]:
        provider, name = _PROVIDERS[api]
        return st.builds(
            AssistantMessage,
            content=st.lists(_blocks(api), max_size=4).map(tuple),
            api=st.just(api),
            provider=st.just(provider),
            model=st.sampled_from([name, f"{name}-20260801", "other"]),
            stop_reason=stops,
        )

    return st.sampled_from(APIS).flatmap(of)


def results() -> st.SearchStrategy[ToolResultMessage]:
    details = st.sampled_from([None, {"diff": "secret"}, {"synthetic": True}])
    return st.builds(ToolResultMessage, ids, names, user_content, st.booleans(), details)


def users() -> st.SearchStrategy[UserMessage]:
    return st.builds(UserMessage, content=user_content, origin=origins)


def _numbered(messages: list[Message]) -> tuple[Message, ...]:
    from dataclasses import replace

    return tuple(replace(message, entry_id=f"e{index}", timestamp=index) for index, message in enumerate(messages))


@st.composite
def _answered(draw: Callable[[st.SearchStrategy[Any]], Any]) -> list[Message]:
    """An answer with results for some of its calls: missing, doubled, late or strange ones happen."""
    answer: AssistantMessage = draw(answers())
    found: list[Message] = []
    for call in answer.tool_calls:
        for _ in range(draw(st.sampled_from([0, 1, 1, 1, 2]))):
            base: ToolResultMessage = draw(results())
            found.append(ToolResultMessage(call.id, call.name, base.content, base.is_error, base.details))
    if draw(st.booleans()) and found:
        found.insert(draw(st.integers(0, len(found))), draw(users()))
    return [answer, *found]


def histories(max_groups: int = 6) -> st.SearchStrategy[tuple[Message, ...]]:
    """Anything: every kind of damage at any place. Each message has an `entry_id` and a rising time."""
    single = st.one_of(users(), answers(), results()).map(lambda message: [message])
    groups = st.lists(st.one_of(_answered(), single, users().map(lambda message: [message])), max_size=max_groups)
    return groups.map(lambda found: _numbered([message for group in found for message in group]))


@st.composite
def tidy_histories(draw: Callable[[st.SearchStrategy[Any]], Any], max_turns: int = 4) -> tuple[Message, ...]:
    """A healthy session: user, answers with calls and their results, a last answer without calls."""
    found: list[Message] = []
    number = 0
    for turn in range(draw(st.integers(1, max_turns))):
        found.append(UserMessage(content=(TextBlock(f"question {turn}"),)))
        for _ in range(draw(st.integers(0, 3))):
            calls = []
            for _ in range(draw(st.integers(1, 3))):
                number += 1
                calls.append(ToolCallBlock(f"call_{number}", "read", {"path": f"file{number}"}))
            found.append(AssistantMessage(content=tuple(calls), stop_reason="tool_use"))
            sizes = st.sampled_from([0, 10, 500, 5_000, 40_000])
            found.extend(
                ToolResultMessage(call.id, "read", (TextBlock("line of text\n" * (draw(sizes) // 13)),))
                for call in calls
            )
        found.append(AssistantMessage(content=(TextBlock(f"answer {turn}"),)))
    return _numbered(found)
