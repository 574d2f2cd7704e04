"""Both OpenAI protocols against the strict fake: long sessions, other providers' histories, local servers' ways."""

from typing import Any

import msgspec
import pytest

from openclaw_tui.errors import OpenClawError, ProviderContextOverflow, ProviderUnavailable
from openclaw_tui.messages import Message, TextBlock, UserContent, user_text
from tests.providers.openai_sessions import PICTURE, Session, at
from tests.strict_fake import Call, Fault, Reply, StrictFake
from tests.strict_fake import scenarios as fake_scenarios

READ = Call("read", {"path": "a.py"})
WORK = [
    Reply("I look at two files.", "First I read.", calls=[READ, Call("read", {"path": "b.png"})]),
    Reply("And I search.", "Then I search.", calls=[Call("grep", {"pattern": "x"})]),
    Reply("Done.", "All clear."),
]


def mixed(at_message: int) -> tuple[UserContent, ...]:
    return (TextBlock("text \ud83d of the file\n" * 20), *((PICTURE,) if at_message % 2 else ()))


@pytest.mark.parametrize(
    ("reference", "api"),
    [
        ("openai/gpt-6.2-sol", "openai-responses"),
        ("openai/gpt-5.4", "openai-responses"),
        ("openai/gpt-5.4", "openai-chat"),
    ],
)
async def test_sixty_calls_in_four_turns_without_one_refusal(reference: str, api: str) -> None:
    scenario = fake_scenarios.build("s2", 7)
    async with StrictFake("s2") as fake:
        session = Session(at(fake, reference, api=api))
        for prompt in scenario.prompts:
            await session.turn(prompt)
        await session.close()
    assert fake.refused == []
    assert session.calls == 60
    assert sum(record.dropped for record in fake.main) == 0
    assert all(ended.dropped_thinking == 0 for ended in session.ended)
    read, total = session.usage.cache_read, session.usage.prompt_tokens
    assert read / total > 0.85
    assert all(record.first_diff is None or record.first_diff["lost_tokens"] == 0 for record in fake.main)


ORIGINS = ("anthropic/claude-opus-5-5", "google/gemini-4-argon", "openai/gpt-6.2-sol", "gate/gpt-5.4")
TARGETS = ("openai/gpt-6.2-sol", "openai/gpt-6.1-sol", "gate/gpt-5.4")


async def _history(origin: str) -> list[Message]:
    """A worked turn of another model: thinking, parallel calls, pictures."""
    async with StrictFake(list(WORK)) as fake:
        session = Session(_named(fake, origin))
        await session.turn("look around", mixed)
        await session.close()
    assert fake.refused == []
    return session.history


def _named(fake: StrictFake, reference: str) -> Any:
    if not reference.startswith("gate/"):
        return at(fake, reference)
    record = {"api": "openai-chat", "models": [{"id": reference.removeprefix("gate/"), "images": True}]}
    return at(fake, reference, **record)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("origin", ORIGINS)
async def test_a_session_of_any_provider_goes_on_here(origin: str, target: str) -> None:
    history = await _history(origin)
    async with StrictFake([*WORK, *WORK]) as fake:
        session = Session(_named(fake, target), history)
        assert await session.turn("go on", mixed) == "Done."
        assert await session.turn("and on", mixed) == "Done."
        await session.close()
    assert fake.refused == []
    assert "private" not in "".join(str(record.body) for record in fake.requests)


async def test_a_switch_away_and_back_is_accepted_and_keeps_what_can_be_kept() -> None:
    async with StrictFake(WORK * 4) as fake:
        here, there = _named(fake, "openai/gpt-6.2-sol"), _named(fake, "gate/gpt-5.4")
        history: list[Message] = []
        for model in (here, there, here):
            session = Session(model, history)
            await session.turn("go on", mixed)
            await session.close()
            history = session.history
    assert fake.refused == []


# ── Local servers ─────────────────────────────────────────────────────────────────────────────────────────────────


def _local(fake: StrictFake, kind: str, **fields: Any) -> Any:
    return msgspec.structs.replace(at(fake, f"{kind}/model", api="openai-chat"), **fields)


@pytest.mark.parametrize("dialect", ["llamacpp", "ollama", "lmstudio", "vllm"])
@pytest.mark.parametrize("quirk", ["no_id", "index_zero", "args_object", "one_chunk", "stop_with_calls", "all"])
async def test_parallel_calls_survive_every_quirk(dialect: str, quirk: str) -> None:
    quirks = ("no_id", "index_zero", "args_object", "one_chunk", "stop_with_calls") if quirk == "all" else (quirk,)
    async with StrictFake(list(WORK), dialect=dialect, quirks=quirks, alternate=True) as fake:
        session = Session(_local(fake, dialect))
        assert await session.turn("look around") == "Done."
        await session.close()
    assert fake.refused == []
    assert session.calls == 3
    answered = [call for message in session.history for call in getattr(message, "tool_calls", ())]
    assert [dict(call.arguments) for call in answered] == [{"path": "a.py"}, {"path": "b.png"}, {"pattern": "x"}]
    assert len({call.id for call in answered}) == 3


async def _fails(fault: Fault, *, prompt: str = "hello", **fields: Any) -> OpenClawError:
    async with StrictFake([Reply("hello", fault=fault)], dialect="lmstudio") as fake:
        session = Session(_local(fake, "lmstudio", **fields))
        session.history.append(user_text(prompt))
        with pytest.raises(OpenClawError) as caught:
            await session.ask()
        await session.close()
    return caught.value


async def test_an_overflow_told_with_status_200_is_an_overflow() -> None:
    message = "Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with 4096"
    assert isinstance(await _fails(Fault.error_200(message=message)), ProviderContextOverflow)


async def test_an_empty_answer_to_a_long_prompt_is_a_suspected_overflow() -> None:
    error = await _fails(Fault.zero_deltas(), prompt="word " * 20_000, context_window=16_000)
    assert isinstance(error, ProviderContextOverflow)


async def test_a_silently_cut_prompt_is_told() -> None:
    async with StrictFake([Reply("hello", fault=Fault.truncate(1_000))], dialect="ollama") as fake:
        session = Session(_local(fake, "ollama"))
        session.history.append(user_text("word after word " * 3_000))
        await session.ask()
        await session.close()
    assert "may have cut the prompt" in session.ended[0].detail
    assert session.ended[0].diagnostics["prompt_estimated"] > session.ended[0].diagnostics["prompt_counted"]


@pytest.mark.parametrize("fault", [Fault.cut(), Fault.malformed(), Fault.html(), Fault.drop(), Fault.mid_error()])
@pytest.mark.parametrize("api", ["openai-responses", "openai-chat"])
async def test_no_half_answer_is_taken_for_whole(fault: Fault, api: str) -> None:
    async with StrictFake([Reply("a long answer in several pieces " * 20, fault=fault)]) as fake:
        session = Session(at(fake, "openai/gpt-5.4", api=api))
        session.history.append(user_text("hello"))
        with pytest.raises(OpenClawError) as caught:
            await session.ask()
        await session.close()
    assert session.ended == []
    assert getattr(caught.value, "retryable", False) or "page" in str(caught.value)


async def test_an_overflow_of_the_real_window_is_an_overflow() -> None:
    async with StrictFake([Reply("hello")], window=2_000) as fake:
        for api in ("openai-responses", "openai-chat"):
            session = Session(at(fake, "openai/gpt-5.4", api=api))
            session.history.append(user_text("word " * 9_000))
            with pytest.raises(ProviderContextOverflow):
                await session.ask()
            await session.close()


async def test_the_cache_is_diagnosed_against_the_last_answer() -> None:
    async with StrictFake(["one", "two"]) as fake:
        session = Session(at(fake, "openai/gpt-6.2-sol"))
        await session.turn("first")
        await session.turn("second")
        await session.close()
    compared = fake.main[1].body["prompt_cache_options"]["comparison_response_id"]
    assert compared == session.ended[0].response_id
    assert fake.main[1].cache_read > 0


async def test_a_stopped_server_is_unavailable() -> None:
    async with StrictFake(["one"]) as fake:
        session = Session(at(fake, "openai/gpt-6.2-sol"))
    session.history.append(user_text("hello"))
    with pytest.raises(ProviderUnavailable):
        await session.ask()
    await session.close()
