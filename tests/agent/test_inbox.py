"""Messages typed while the agent works: they steer, wait, or are taken back; none is lost or sent twice."""

import asyncio
from pathlib import Path

from openclaw_tui.events import MessageStarted, QueueChanged, TextDelta, TurnEnded, TurnStarted, UserMessageAdded
from openclaw_tui.messages import text_of
from openclaw_tui.providers.base import ProviderRequest
from openclaw_tui.providers.scripted import Step
from tests.agent.harness import Agent, agent


def _said(it: Agent) -> list[str]:
    return [text_of(prompt.content) for prompt in it.prompts]


async def test_steering_enters_after_the_step_and_before_the_next_request(tmp_path: Path) -> None:
    async with agent(tmp_path) as it:

        def steer(_: ProviderRequest) -> Step:
            assert it.session.prompt("Use tabs.") is False
            return Step(calls=[("ls", {})])

        it.provider.steps = [steer, "With tabs, then."]
        await it.turn("Go.")
        roles = [type(message).__name__ for message in it.messages]
        assert roles == ["UserMessage", "AssistantMessage", "ToolResultMessage", "UserMessage", "AssistantMessage"]
        assert _said(it) == ["Go.", "Use tabs."]
        assert len(it.seen(UserMessageAdded)) == 1
        assert len(it.seen(TurnEnded)) == 1


async def test_steering_during_the_last_answer_makes_one_more_step(tmp_path: Path) -> None:
    async with agent(tmp_path) as it:

        def steer(_: ProviderRequest) -> Step:
            it.session.prompt("And the tests?")
            return Step("Done.")

        it.provider.steps = [steer, "The tests too."]
        ended = await it.turn("Go.")
        assert ended.steps == 2
        assert len(it.provider.requests) == 2


async def test_follow_up_waits_for_the_end_and_has_a_turn_of_its_own(tmp_path: Path) -> None:
    async with agent(tmp_path) as it:

        def queue(_: ProviderRequest) -> Step:
            it.session.prompt("Then this.", while_busy="follow_up")
            it.session.prompt("And this.", while_busy="follow_up")
            return Step(calls=[("ls", {})])

        it.provider.steps = [queue, "First.", "Second.", "Third."]
        await it.turn("Go.")
        assert _said(it) == ["Go.", "Then this.", "And this."]
        assert [text_of(start.message.content) for start in it.seen(TurnStarted)] == _said(it)
        assert it.seen(QueueChanged)[-1].follow_up == ()


async def test_message_taken_back_is_never_sent(tmp_path: Path) -> None:
    async with agent(tmp_path) as it:

        def regret(_: ProviderRequest) -> Step:
            it.session.prompt("Delete it all.")
            taken = it.session.take_back()
            assert taken is not None
            assert taken.text == "Delete it all."
            assert it.session.take_back() is None
            return Step(calls=[("ls", {})])

        it.provider.steps = [regret, "Done."]
        await it.turn("Go.")
        assert _said(it) == ["Go."]


async def test_two_messages_at_once_both_arrive_in_order(tmp_path: Path) -> None:
    async with agent(tmp_path, ["One.", "Two."]) as it:
        assert it.session.prompt("First.") is True
        assert it.session.prompt("Second.") is False
        await it.rest()
        assert _said(it) == ["First.", "Second."]


async def test_message_sent_at_the_instant_a_turn_ends_is_answered(tmp_path: Path) -> None:
    async with agent(tmp_path, ["One.", "Two."]) as it:
        it.session.prompt("First.")
        await it.until_seen(TurnEnded)
        it.session.prompt("Second.")
        await it.rest()
        assert [text_of(answer.content) for answer in it.answers] == ["One.", "Two."]


async def test_queued_message_goes_out_after_an_abort(tmp_path: Path) -> None:
    async with agent(tmp_path, [Step("A long", hangs=True), "Here."]) as it:
        it.session.prompt("First.")
        await it.until_seen(TextDelta)
        it.session.prompt("Rather this.")
        await it.session.abort()
        await it.rest()
        assert _said(it) == ["First.", "Rather this."]
        assert [answer.stop_reason for answer in it.answers] == ["aborted", "stop"]


async def test_closing_sends_nothing_that_waits(tmp_path: Path) -> None:
    async with agent(tmp_path, [Step("A", hangs=True)]) as it:
        it.session.prompt("First.")
        await it.until_seen(MessageStarted)
        it.session.prompt("Later.", while_busy="follow_up")
        await it.session.close()
        await asyncio.sleep(0)
        assert len(it.provider.requests) == 1
