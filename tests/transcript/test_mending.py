"""The check before the send: what a provider would refuse is seen and mended, what it takes passes untouched."""

import dataclasses
import math
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from msgspec.structs import replace

from openclaw_tui.messages import (
    AssistantContent,
    AssistantMessage,
    ImageBlock,
    Message,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResultMessage,
    UserMessage,
)
from openclaw_tui.models import ApiName
from openclaw_tui.transcript.block_rules import faulty_blocks
from openclaw_tui.transcript.legality import find_faults
from openclaw_tui.transcript.mending import legal_request
from openclaw_tui.transcript.policy import ImageRules, transcript_policy
from tests.transcript.legality import check_legal
from tests.transcript.preparing import prepare
from tests.transcript.strategies import APIS, SMALL_PNG, histories, model_for

ASK = UserMessage((TextBlock("go"),), entry_id="u")
every_api = pytest.mark.parametrize("api", APIS)


def says(*content: AssistantContent, api: str = "anthropic") -> AssistantMessage:
    return AssistantMessage(content, api=api, provider="p", model="m")


def call(call_id: str = "c1", name: str = "read", **arguments: object) -> ToolCallBlock:
    return ToolCallBlock(call_id, name, arguments)


def result(call_id: str = "c1", name: str = "read") -> ToolResultMessage:
    return ToolResultMessage(call_id, name, (TextBlock("fine"),))


_DEFECTS: dict[str, tuple[Message, ...]] = {
    "half a character": (UserMessage((TextBlock("cut \ud83d here"),)),),
    "blank text": (UserMessage((TextBlock("  "),)),),
    "empty message": (ASK, says()),
    "foreign reasoning": (ASK, says(ThinkingBlock("hm", "sig"), TextBlock("yes")), ASK),
    "id of other characters": (ASK, says(call("a.b")), result("a.b")),
    "id too long": (ASK, says(call("i" * 99)), result("i" * 99)),
    "tool name": (ASK, says(call(name="no name")), result(name="no name")),
    "infinite argument": (ASK, says(call(n=math.inf)), result()),
    "argument that is no JSON": (ASK, says(call(n=object())), result()),
    "orphaned result": (ASK, result()),
    "open call": (ASK, says(call())),
    "call id twice": (ASK, says(call()), result(), says(call()), result()),
    "results in another order": (ASK, says(call("c1"), call("c2")), result("c2"), result("c1")),
    "picture type": (UserMessage((ImageBlock(SMALL_PNG, "image/bmp"),)),),
    "picture without data": (UserMessage((ImageBlock("", "image/png"),)),),
}


@every_api
@pytest.mark.parametrize("defect", _DEFECTS)
def test_what_would_be_refused_is_found_and_mended(api: ApiName, defect: str) -> None:
    model = model_for(api)
    policy = transcript_policy(model)
    mended, faults = legal_request(_DEFECTS[defect], policy, model)
    assert faults
    assert find_faults(mended, policy, model) == ()
    check_legal(mended, model)


@every_api
@settings(max_examples=60, deadline=None)
@given(history=histories())
def test_anything_at_all_becomes_a_request_that_may_be_sent(api: ApiName, history: tuple[Message, ...]) -> None:
    """Straight from a damaged file, as if every step before had been left out."""
    model = model_for(api)
    policy = transcript_policy(model)
    mended, _ = legal_request(history, policy, model)
    assert find_faults(mended, policy, model) == ()
    check_legal(mended, model)


@every_api
@settings(max_examples=60, deadline=None)
@given(history=histories())
def test_what_the_pipeline_made_passes_as_the_same_objects(api: ApiName, history: tuple[Message, ...]) -> None:
    model = model_for(api)
    prepared, _ = prepare(history, model)
    sent, faults = legal_request(prepared, transcript_policy(model), model)
    assert faults == ()
    assert sent is prepared


def test_oldest_pictures_beyond_the_limit_stay_out_several_at_once() -> None:
    model = model_for("anthropic")
    policy = replace(transcript_policy(model), images=ImageRules(most=30))
    picture = ImageBlock(SMALL_PNG, "image/png")
    mended, faults = legal_request((UserMessage((picture,) * 33),), policy, model)
    kinds = [isinstance(block, ImageBlock) for block in mended[0].content]
    assert kinds == [False] * 20 + [True] * 13
    assert {fault.what for fault in faults} == {"more than 30 pictures"}


def test_only_what_is_new_is_looked_at_when_a_history_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[Message] = []

    def counted(message: Message, *more: Any) -> Iterator[tuple[int, str]]:
        looked.append(message)
        return faulty_blocks(message, *more)

    monkeypatch.setattr("openclaw_tui.transcript.legality.faulty_blocks", counted)
    model = model_for("anthropic")
    first = (dataclasses.replace(ASK, entry_id="x"), says(call()), result())
    find_faults(first, transcript_policy(model), model)
    looked.clear()
    assert find_faults((*first, says(TextBlock("done")), ASK), transcript_policy(model), model) == ()
    assert len(looked) == 2
