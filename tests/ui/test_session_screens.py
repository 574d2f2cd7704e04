"""Sessions on the screen: history of a resumed one, the picker, switching, and what is told at the start."""

import dataclasses
from pathlib import Path

from textual.widgets import OptionList, Static

from openclaw_tui.messages import (
    AssistantMessage,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResultMessage,
    user_text,
)
from openclaw_tui.providers.scripted import Answer, Step
from openclaw_tui.ui.first_frame import Handover
from openclaw_tui.ui.textual.history_items import history_items
from openclaw_tui.ui.textual.screens.picker import PickerScreen
from tests.ui.screen_app import make_screen, send, settled, shown, transcript_text, type_text, until
from tests.ui.transcript_app import screen_text


async def test_the_start_says_which_model_is_in_use_and_how_to_connect_another(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p")
    async with app.run_test(size=(120, 30)) as pilot:
        await shown(pilot)
        text = transcript_text(pilot)
        assert "offline guide, not an AI model" in text
        assert "/login" in text
    await app.close()


async def test_a_first_prompt_and_what_was_sent_early_are_sent_in_order(tmp_path: Path) -> None:
    early = Handover(submitted=("from the first frame",), draft="still typing", cursor=5)
    app, provider = make_screen(tmp_path / "p", ["one", "two"], handover=early, prompt="from the command line")
    async with app.run_test() as pilot:
        await settled(pilot)
        assert app.main.prompt.text == "still typing"
        assert app.main.prompt.area.cursor_index == 5
        text = transcript_text(pilot)
        assert text.index("from the command line") < text.index("from the first frame")
        assert len(provider.requests) == 2
    await app.close()


async def test_a_resumed_session_shows_what_was_said_and_done(tmp_path: Path) -> None:
    project = tmp_path / "p"
    steps: list[Answer] = [Step("let me look", thinking="hm", calls=[("ls", {"path": "."})]), "**all** seen [x"]
    app, _ = make_screen(project, steps)
    async with app.run_test() as pilot:
        await send(pilot, "look around")
        await settled(pilot)
    await app.close()
    again, _ = make_screen(project, continue_last=True)
    async with again.run_test(size=(100, 30)) as pilot:
        await shown(pilot)
        text = transcript_text(pilot)
        assert "▌ look around" in text
        assert "let me look" in text
        assert "✓ ls ." in text
        assert "all seen [x" in text
        assert "thinking" in text
    await again.close()


async def test_the_picker_finds_by_words_previews_and_switches(tmp_path: Path) -> None:
    project = tmp_path / "p"
    for name in ("about parsers", "about lexers [b"):
        app, _ = make_screen(project, ["the answer"])
        async with app.run_test() as pilot:
            await send(pilot, name)
            await settled(pilot)
        await app.close()
    app, _ = make_screen(project)
    async with app.run_test(size=(100, 30)) as pilot:
        await send(pilot, "/resume")
        await until(pilot, lambda: isinstance(app.screen, PickerScreen))
        picker = app.screen
        assert picker.query_one(OptionList).option_count == 2
        await type_text(pilot, "parsers")
        await pilot.pause()
        assert picker.query_one(OptionList).option_count == 1
        assert "messages" in str(picker.query_one("#picker-preview", Static).render())
        first = app.talk
        await pilot.press("enter")
        await until(pilot, lambda: app.talk is not first)
        await shown(pilot)
        assert "▌ about parsers" in transcript_text(pilot)
    await app.close()


async def test_resume_without_an_id_begins_with_the_picker_and_esc_stays(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p", pick_session=True)
    async with app.run_test() as pilot:
        await until(pilot, lambda: isinstance(app.screen, PickerScreen))
        assert "no earlier sessions" in str(app.screen.query_one("#picker-preview", Static).render())
        await pilot.press("enter", "escape")
        await pilot.pause()
        assert app.screen is app.main
    await app.close()


async def test_a_session_of_5000_messages_shows_its_last_screen_and_scrolls(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p")
    manager = app.talk.session.deps.manager
    for number in range(1250):
        manager.append_message(user_text(f"question {number}"))
        call = ToolCallBlock(f"c{number}", "read", {"path": f"file{number}.py"})
        manager.append_message(AssistantMessage((TextBlock(f"looking {number}"), call), stop_reason="tool_use"))
        manager.append_message(ToolResultMessage(call.id, "read", (TextBlock(f"text {number}"),)))
        manager.append_message(AssistantMessage((TextBlock(f"answer {number}\n\n- a\n- b"),)))
    async with app.run_test() as pilot:
        await shown(pilot)
        assert "answer 1249" in transcript_text(pilot)
        for _ in range(5):
            await pilot.press("pageup")
        await shown(pilot)
        assert "answer 1249" not in transcript_text(pilot)
        await pilot.press("ctrl+home")
        await shown(pilot)
        assert "question 0" in transcript_text(pilot)
        app.main.transcript.scroll_to(y=app.main.transcript.max_scroll_y * 0.9)
        await shown(pilot)
        assert screen_text(app.main.transcript).strip()
    await app.close()


def test_history_items_tell_how_calls_and_answers_ended() -> None:
    from openclaw_tui.agent.open_pairs import interrupted_result
    from openclaw_tui.session.manager import SessionManager

    manager = SessionManager.in_memory(cwd=Path.cwd())
    manager.append_message(user_text("hi"))
    calls = tuple(ToolCallBlock(f"c{n}", "edit", {"path": f"f{n}"}) for n in range(4))
    manager.append_message(AssistantMessage((ThinkingBlock("hm"), *calls), stop_reason="tool_use"))
    diff = "--- a/f0\n+++ b/f0\n@@ -1 +1 @@\n-a\n+b\n"
    manager.append_message(ToolResultMessage("c0", "edit", (TextBlock("ok"),), details={"diff": diff}))
    manager.append_message(ToolResultMessage("c1", "edit", (TextBlock("no such file"),), is_error=True))
    manager.append_message(
        ToolResultMessage("c2", "edit", (TextBlock("Not run"),), is_error=True, details={"denied": True})
    )
    manager.append_message(interrupted_result("c3", "edit"))
    partial = AssistantMessage((TextBlock("half"),), stop_reason="aborted")
    manager.append_message(partial)
    manager.append_message(dataclasses.replace(partial, stop_reason="length"))
    items = history_items(manager.branch())
    assert [getattr(item, "state", None) for item in items[2:6]] == ["done", "failed", "denied", "stopped"]
    assert getattr(items[2], "diff", None) == diff
    assert [getattr(item, "note", None) for item in items[6:]] == [
        "interrupted",
        "cut off: the longest answer this model gives was reached",
    ]
    assert len({item.id for item in items}) == len(items)
