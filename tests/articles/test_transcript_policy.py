"""The second article's `TranscriptPolicy`: six named fields, one record per provider.

Departure: thinking is not dropped as a whole anywhere; signed reasoning goes back to the family that made it.
"""

import pytest
from msgspec.structs import fields

from openclaw_tui.messages import AssistantMessage, TextBlock, ToolCallBlock, ToolResultMessage, user_text
from openclaw_tui.models import ApiName
from openclaw_tui.transcript.policy import TranscriptPolicy, transcript_policy
from tests.transcript.legality import check_legal
from tests.transcript.preparing import prepare
from tests.transcript.strategies import APIS, model_for


def test_it_has_the_articles_fields_and_is_a_plain_value() -> None:
    names = {field.name for field in fields(TranscriptPolicy)}
    assert names >= {
        "sanitize_mode",
        "sanitize_tool_call_ids",
        "validate_anthropic_turns",
        "validate_gemini_turns",
        "repair_tool_use_result_pairing",
        "drop_thinking_blocks",
    }
    policy = transcript_policy(model_for("anthropic"))
    assert {policy: 1}[transcript_policy(model_for("anthropic"))] == 1


@pytest.mark.parametrize(
    ("api", "mode", "anthropic_turns", "gemini_turns", "id_chars"),
    [
        ("anthropic", "default", True, False, 64),
        ("openai-responses", "default", False, False, 64),
        ("openai-chat", "default", False, False, 40),
        ("google", "google", False, True, 64),
    ],
)
def test_each_provider_has_its_own(
    api: ApiName, mode: str, anthropic_turns: bool, gemini_turns: bool, id_chars: int
) -> None:
    policy = transcript_policy(model_for(api))
    assert (policy.sanitize_mode, policy.validate_anthropic_turns, policy.validate_gemini_turns) == (
        mode,
        anthropic_turns,
        gemini_turns,
    )
    assert policy.sanitize_tool_call_ids
    assert policy.repair_tool_use_result_pairing
    assert policy.tool_id_max_chars == id_chars


@pytest.mark.parametrize("api", APIS)
def test_upper_layers_need_not_know_the_provider(api: ApiName) -> None:
    call = ToolCallBlock("functions.read:0", "functions.read", {})
    history = (user_text("a"), AssistantMessage((call,)), user_text("b"), AssistantMessage((TextBlock("c"),)))
    late = ToolResultMessage(call.id, call.name, (TextBlock("out"),))
    prepared, _ = prepare((*history, late), model_for(api))
    check_legal(prepared, model_for(api))
