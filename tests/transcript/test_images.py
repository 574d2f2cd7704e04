"""Pictures: known by their bytes, scaled or replaced by a note in the request, never twice refused."""

import base64
import builtins
import sys
from typing import Any

import pytest

from openclaw_tui.messages import ImageBlock, Message, TextBlock, ToolResultMessage, UserMessage, user_text
from openclaw_tui.models import ApiName
from openclaw_tui.tokens import image_size
from tests.transcript.legality import check_legal
from tests.transcript.preparing import prepare
from tests.transcript.strategies import APIS, SMALL_PNG, model_for, png
from tests.transcript.test_sanitize import CLAUDE, answer, call

BMP = base64.b64encode(b"BM" + bytes(60)).decode()
HEIC = base64.b64encode(b"\0\0\0\x18ftypheic" + bytes(60)).decode()


@pytest.fixture
def without_pillow(monkeypatch: pytest.MonkeyPatch) -> None:
    real_import = builtins.__import__

    def refuse(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "PIL" or name.startswith("PIL."):
            raise ImportError(name)
        return real_import(name, *args, **kwargs)

    for name in [name for name in sys.modules if name == "PIL" or name.startswith("PIL.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", refuse)


def with_image(image: ImageBlock) -> tuple[Message, ...]:
    return (user_text("look"), answer(call("c"), **CLAUDE), ToolResultMessage("c", "read", (TextBlock("a.png"), image)))


def images_in(messages: tuple[Message, ...]) -> list[ImageBlock]:
    return [block for message in messages for block in message.content if isinstance(block, ImageBlock)]


def notes_in(messages: tuple[Message, ...]) -> list[str]:
    texts = [block.text for message in messages for block in message.content if isinstance(block, TextBlock)]
    return [text for text in texts if text.startswith("[image left out")]


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("data", [BMP, HEIC, "", "%%%", base64.b64encode(b"no picture").decode()])
def test_what_a_provider_refuses_becomes_a_note_and_is_never_sent(api: ApiName, data: str) -> None:
    model = model_for(api)
    prepared, reports = prepare(with_image(ImageBlock(data, "image/png")), model)
    check_legal(prepared, model)
    if data == HEIC and api == "google":
        assert images_in(prepared)[0].mime_type == "image/heic"
        return
    assert not images_in(prepared)
    assert len(notes_in(prepared)) == 1
    assert any(report.counts.get("images_changed") for report in reports)


def test_the_type_comes_from_the_bytes() -> None:
    prepared, _ = prepare(with_image(ImageBlock(SMALL_PNG, "image/jpeg")), model_for("anthropic"))
    assert images_in(prepared) == [ImageBlock(SMALL_PNG, "image/png")]


@pytest.mark.parametrize("api", APIS)
def test_a_model_without_eyes_gets_a_note(api: ApiName) -> None:
    model = model_for(api, images=False)
    prepared, _ = prepare(with_image(ImageBlock(SMALL_PNG, "image/png")), model)
    check_legal(prepared, model)
    assert "takes no pictures" in notes_in(prepared)[0]


def test_a_picture_in_a_result_moves_to_the_user_where_tool_messages_are_text() -> None:
    model = model_for("openai-chat")
    history = with_image(ImageBlock(SMALL_PNG, "image/png"))
    prepared, _ = prepare(history, model)
    check_legal(prepared, model)
    holder = next(m for m in prepared if any(isinstance(block, ImageBlock) for block in m.content))
    assert isinstance(holder, UserMessage)
    grown, _ = prepare((*history, answer(TextBlock("a cat"), stop="stop", **CLAUDE), user_text("sure?")), model)
    assert grown[: len(prepared)] == prepared


def test_a_wide_screenshot_is_scaled_before_its_first_send() -> None:
    wide = ImageBlock(png(2162, 322), "image/png")
    prepared, _ = prepare(with_image(wide), model_for("anthropic"))
    (sent,) = images_in(prepared)
    assert image_size(sent) == (2000, 298)
    assert images_in(prepare(with_image(wide), model_for("anthropic"))[0]) == [sent]


@pytest.mark.usefixtures("without_pillow")
def test_without_pillow_a_wide_picture_goes_until_the_many_image_rule_forbids_it() -> None:
    model = model_for("anthropic")
    wide, small = ImageBlock(png(2162, 322), "image/png"), ImageBlock(SMALL_PNG, "image/png")
    assert images_in(prepare(with_image(wide), model)[0]) == [wide]
    many = (UserMessage((wide, *[small] * 25)), *with_image(small)[1:])
    prepared, _ = prepare(many, model)
    assert wide not in images_in(prepared)
    assert len(images_in(prepared)) == 26
    assert "2162x322" in notes_in(prepared)[0]


@pytest.mark.usefixtures("without_pillow")
def test_without_pillow_a_side_over_the_hard_limit_becomes_a_note() -> None:
    huge = ImageBlock(png(8100, 2), "image/png")
    assert "8100x2" in notes_in(prepare(with_image(huge), model_for("anthropic"))[0])[0]
