"""A local server that did not read the whole prompt is found out; one that did is left alone."""

from typing import Any

import pytest
from msgspec.structs import replace

from openclaw_tui.errors import ProviderContextOverflow
from openclaw_tui.messages import ToolDefinition, Usage, user_text
from openclaw_tui.models import ModelInfo
from openclaw_tui.providers.base import ProviderRequest
from openclaw_tui.providers.catalog import find_model
from openclaw_tui.providers.chat_dialects import chat_dialect
from openclaw_tui.providers.prompt_fit import check_fit, doubt_about, estimated_prompt_tokens, notice_of

ASSUMED = find_model("ollama/m")
TOLD = replace(ASSUMED, context_window=4096, window_source="server")
GATE = find_model("gate/m", {"gate": {"baseUrl": "https://gate.example/v1"}})
LONG = "word after word goes on and on. " * 2000


def asked(model: ModelInfo, text: str = LONG) -> ProviderRequest:
    return ProviderRequest(model, "", "", (user_text(text),))


def check(model: ModelInfo, text: str = LONG, *, empty: bool = False, finish: str = "stop", **usage: Any) -> None:
    check_fit(asked(model, text), chat_dialect(model), Usage(**usage), finish=finish, empty=empty)


def test_an_empty_answer_to_a_long_prompt_is_an_overflow() -> None:
    with pytest.raises(ProviderContextOverflow, match="OLLAMA_CONTEXT_LENGTH") as caught:
        check(TOLD, empty=True)
    assert caught.value.tokens == estimated_prompt_tokens(asked(TOLD))


def test_an_empty_answer_to_a_short_prompt_is_not() -> None:
    check(ASSUMED, "hello", empty=True)


def test_a_cut_prompt_is_an_overflow_where_the_window_is_known() -> None:
    with pytest.raises(ProviderContextOverflow, match=r"read only 4,000 of about") as caught:
        check(TOLD, input=4000, output=50)
    assert caught.value.limit == 4096


def test_a_cut_prompt_is_a_notice_where_the_window_is_only_assumed() -> None:
    check(ASSUMED, input=4000, output=50)
    doubt = doubt_about(asked(ASSUMED), chat_dialect(ASSUMED), Usage(input=4000))
    assert doubt is not None
    assert "4,000 prompt tokens" in notice_of(doubt, chat_dialect(ASSUMED))


def test_a_prompt_that_was_read_is_not_suspected() -> None:
    whole = estimated_prompt_tokens(asked(TOLD))
    check(replace(TOLD, context_window=2 * whole), input=whole - 500, cache_read=100)
    assert doubt_about(asked(TOLD), chat_dialect(TOLD), Usage(input=int(whole * 0.7))) is None


def test_a_count_that_is_not_told_is_no_sign() -> None:
    check(TOLD, output=5)


def test_short_prompts_and_servers_elsewhere_are_never_suspected() -> None:
    assert doubt_about(asked(TOLD, "hi " * 50), chat_dialect(TOLD), Usage(input=1)) is None
    assert doubt_about(asked(GATE), chat_dialect(GATE), Usage(input=1)) is None
    check(GATE, empty=True)


def test_tools_that_are_not_sent_do_not_count() -> None:
    tools = (ToolDefinition("read", "Reads a file. " * 200, {"type": "object"}),)
    bare = asked(replace(TOLD, tools=False), "hello")
    assert estimated_prompt_tokens(replace(bare, tools=tools)) == estimated_prompt_tokens(bare)
    assert estimated_prompt_tokens(replace(bare, tools=tools, model=TOLD)) > estimated_prompt_tokens(bare)
