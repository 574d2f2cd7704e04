"""A key in the prompt of the full screen: one line before it is sent, nothing blocked, no key in the history."""

from pathlib import Path

from openclaw_tui.messages import UserMessage, text_of
from tests.ui.screen_app import app_of, make_screen, settled, transcript_text

KEY = "sk-ant-api03-" + "Ab1" * 12


async def test_a_key_is_warned_of_once_sent_all_the_same_and_stored_masked(tmp_path: Path) -> None:
    app, provider = make_screen(tmp_path / "p")
    async with app.run_test() as pilot:
        await settled(pilot)
        app_of(pilot).main.prompt.set_text(f"try {KEY}")
        await pilot.pause()
        await pilot.press("space")
        await pilot.pause()
        assert transcript_text(pilot).count("this looks like a key; it will be sent to") == 1
        assert "/login stores one" in transcript_text(pilot)
        await pilot.press("enter")
        await settled(pilot)
        prompts = app.main.prompt.area.prompts
        assert prompts.path is not None
        assert KEY not in prompts.path.read_text(encoding="utf-8")
        assert "⟦secret⟧" in prompts.entries[-1]
    await app.close()
    assert KEY not in next((tmp_path / "state").rglob("sessions.json")).read_text(encoding="utf-8")
    (request,) = provider.requests
    assert any(KEY in text_of(message.content) for message in request.messages if isinstance(message, UserMessage))
