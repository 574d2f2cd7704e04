"""A part that a provider refuses by its place costs one retry, once, and is never sent to it again."""

import base64
from pathlib import Path
from typing import Any

import pytest

from openclaw_tui.context import pipeline
from openclaw_tui.events import ContextAct, Notice
from openclaw_tui.messages import ImageBlock, TextBlock
from openclaw_tui.models import ApiName
from openclaw_tui.report import StepReport
from tests.agent.checking import check_pairs
from tests.agent.harness import APIS, Agent, agent_on
from tests.providers.strict_sessions import PIXEL
from tests.strict_fake import Call, Fault, Reply, StrictFake
from tests.strict_fake.exchange import Record

PICTURE = ImageBlock(PIXEL, "image/png")
_REFUSALS: dict[ApiName, str] = {
    "anthropic": "messages.0.content.1.image.source.base64.data: Could not process image",
    "openai-responses": "Invalid 'input[2].content[1].image_url'. Expected a base64-encoded data URL with an image",
    "openai-chat": "Invalid 'messages[1].content[1].image_url': the image could not be read",
    "google": "* GenerateContentRequest.contents[0].parts[1].data: Unable to process input image.",
}
every_api = pytest.mark.parametrize("api", list(APIS))


def refuses(message: str, marker: str = PIXEL) -> dict[str, Any]:
    """A server that takes anything but requests with this marker in them."""

    def choose(record: Record) -> Fault | None:
        return Fault.http(400, message=message) if marker.encode() in record.raw else None

    return {"faults": choose}


def quarantined(it: Agent) -> list[ContextAct]:
    return [act for act in it.seen(ContextAct) if (act.layer, act.verb) == ("repair", "quarantined")]


@every_api
@pytest.mark.parametrize("with_place", [True, False])
async def test_refused_picture_is_left_out_kept_and_remembered(tmp_path: Path, api: ApiName, with_place: bool) -> None:
    message = _REFUSALS[api] if with_place else "The image data you provided does not represent a valid image."
    async with StrictFake([Reply("Fine.")] * 4, **refuses(message)) as fake:
        async with agent_on(fake, APIS[api], tmp_path) as it:
            it.session.prompt((TextBlock("What is this?"), PICTURE))
            await it.rest()
            assert [record.status for record in fake.requests] == [400, 200]
            assert len(quarantined(it)) == 1
            assert len([n for n in it.seen(Notice) if "left out" in n.text and "\n" not in n.text]) == 1
            assert PICTURE in it.prompts[0].content
            await it.turn("And now?")
        async with agent_on(fake, APIS[api], tmp_path, continue_last=True) as again:
            assert (await again.turn("Still there?")).outcome == "done"
            assert again.waits == []
            assert PICTURE in again.prompts[0].content
        assert [record.status for record in fake.requests] == [400, 200, 200, 200]


@every_api
async def test_picture_in_a_result_is_found_among_calls_and_results(tmp_path: Path, api: ApiName) -> None:
    (tmp_path / "a.png").write_bytes(base64.b64decode(PIXEL))
    replies = [
        Reply("Looking.", calls=[Call("read", {"path": "a.png"}), Call("ls", {})]),
        Reply("Fine."),
        Reply("Yes."),
    ]
    async with (
        StrictFake(replies, **refuses("Could not process image")) as fake,
        agent_on(fake, APIS[api], tmp_path) as it,
    ):
        assert (await it.turn("Look at it.")).outcome == "done", it.notices
        assert (await it.turn("And?")).outcome == "done"
        assert [record.status for record in fake.requests] == [200, 400, 200, 200]
        assert any(isinstance(block, ImageBlock) for found in it.results for block in found.content)
        check_pairs(it.messages)


async def test_refused_call_goes_with_its_result(tmp_path: Path) -> None:
    replies = [Reply("Looking.", calls=[Call("ls", {}), Call("ls", {"path": "."})]), Reply("Fine."), Reply("Yes.")]
    position = "messages.1.content.3.tool_use.input: too odd"
    marker = '"input":{"path":"."}'
    async with StrictFake(replies, **refuses(position, marker)) as fake:
        async with agent_on(fake, APIS["anthropic"], tmp_path) as it:
            assert (await it.turn("Go.")).outcome == "done", it.notices
            assert len(it.results) == 2
        assert fake.refused == []
        assert [record.status for record in fake.requests] == [200, 400, 200]


async def test_server_that_refuses_the_same_place_for_ever_gets_one_retry(tmp_path: Path) -> None:
    async with StrictFake(
        [Reply("Fine.")], faults=lambda _: Fault.http(400, message="messages.0.content.0: no")
    ) as fake:
        async with agent_on(fake, APIS["anthropic"], tmp_path) as it:
            assert (await it.turn("Go.")).outcome == "failed"
        assert len(fake.requests) == 2


@pytest.mark.parametrize(
    "message",
    [
        "max_tokens: too small",
        "messages.0.content.0.text.cache_control: Extra inputs are not permitted",
        "tools.3.custom.name: bad",
    ],
)
async def test_refusal_that_blames_no_message_is_not_tried_again(tmp_path: Path, message: str) -> None:
    async with StrictFake([Reply("Fine.")], faults={1: Fault.http(400, message=message)}) as fake:
        async with agent_on(fake, APIS["anthropic"], tmp_path) as it:
            assert (await it.turn("Go.")).outcome == "failed"
            assert quarantined(it) == []
        assert len(fake.requests) == 1


async def test_what_one_provider_refused_another_still_gets(tmp_path: Path) -> None:
    fake, other = StrictFake([Reply("Fine.")] * 3, **refuses(_REFUSALS["anthropic"])), StrictFake([Reply("Fine.")] * 3)
    async with fake, agent_on(fake, APIS["anthropic"], tmp_path) as it:
        it.session.prompt((TextBlock("What is this?"), PICTURE))
        await it.rest()
    async with other, agent_on(other, APIS["google"], tmp_path, continue_last=True) as again:
        await again.turn("And you?")
        assert PIXEL.encode() in other.requests[0].raw


async def test_request_that_would_be_refused_is_mended_with_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a step before does not do its work, the last look before the send does."""
    monkeypatch.setattr(
        pipeline, "sanitize_session_history", lambda messages, *_, **__: (messages, StepReport("sanitize", {}))
    )
    async with StrictFake([Reply("Fine.")] * 2) as fake, agent_on(fake, APIS["anthropic"], tmp_path) as it:
        it.session.prompt((TextBlock("Look."), ImageBlock(PIXEL, "image/bmp")))
        await it.rest()
        await it.turn("And?")
        assert fake.refused == []
        assert PIXEL.encode() not in fake.requests[0].raw
        assert [text for text in it.notices if text.startswith("Before the send:")] == [
            "Before the send: the provider would refuse picture of type image/bmp; left out of the request, kept in the"
            " session."
        ]
