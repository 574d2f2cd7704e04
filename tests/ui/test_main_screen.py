"""The main screen: sending, queueing, stopping, commands, leaving, and what each key does."""

import asyncio
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from openclaw_tui.errors import RateLimited
from openclaw_tui.providers.scripted import Step
from openclaw_tui.ui.textual.screens.help import HelpScreen
from openclaw_tui.ui.textual.screens.picker import PickerScreen
from tests.ui.screen_app import (
    HANGS,
    app_of,
    make_screen,
    send,
    settled,
    shown,
    status_text,
    transcript_text,
    type_text,
    until,
)

LS = Step("looking", calls=[("ls", {"path": "."})])


def queue_text(pilot: Pilot[int]) -> str:
    return str(app_of(pilot).main.queue.render())


async def test_a_request_becomes_cards_and_an_answer(tmp_path: Path) -> None:
    app, provider = make_screen(tmp_path / "p", [LS, "There is **nothing** here [/yet] [b"])
    async with app.run_test() as pilot:
        await send(pilot, "what is here? [/")
        await settled(pilot)
        text = transcript_text(pilot)
        assert "▌ what is here? [/" in text
        assert "✓ List ." in text
        assert "There is nothing here [/yet] [b" in text
        assert "ready" in status_text(pilot)
        assert len(provider.requests) == 2
    await app.close()


async def test_enter_steers_tab_waits_and_both_can_be_taken_back(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p", [HANGS])
    async with app.run_test() as pilot:
        await send(pilot, "begin")
        await until(pilot, lambda: "some words" in transcript_text(pilot))
        await send(pilot, "steer there")
        app.main.prompt.set_text("after that")
        await pilot.press("tab")
        await shown(pilot)
        assert "next: steer there" in queue_text(pilot)
        assert "after this turn: after that" in queue_text(pilot)
        await pilot.press("up")
        assert app.main.prompt.text == "steer there"
        app.main.prompt.clear()
        await pilot.press("up")
        assert app.main.prompt.text == "after that"
        await shown(pilot)
        assert not app.main.queue.display
        app.main.prompt.clear()
        await pilot.press("escape")
        await settled(pilot)
    await app.close()


async def test_two_messages_at_once_are_both_answered_in_order(tmp_path: Path) -> None:
    app, provider = make_screen(tmp_path / "p", ["first answer", "second answer"])
    async with app.run_test() as pilot:
        app.main.prompt.set_text("one")
        await pilot.press("enter")
        app.main.prompt.set_text("two")
        await pilot.press("enter")
        await settled(pilot)
        text = transcript_text(pilot)
        assert text.index("▌ one") < text.index("first answer") < text.index("▌ two") < text.index("second answer")
        assert len(provider.requests) == 2
    await app.close()


async def test_esc_stops_marks_the_partial_answer_and_gives_queued_text_back(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p", [HANGS])
    async with app.run_test() as pilot:
        await send(pilot, "begin")
        await until(pilot, lambda: "some words" in transcript_text(pilot))
        await send(pilot, "queued words")
        await type_text(pilot, "x")
        await pilot.press("escape")
        await settled(pilot)
        assert "■ interrupted" in transcript_text(pilot)
        assert app.main.prompt.text == "queued words\nx"
        assert "ready" in status_text(pilot)
    await app.close()


async def test_esc_during_a_retry_wait_gives_control_back_and_nothing_is_sent_later(tmp_path: Path) -> None:
    error = RateLimited("overloaded", retry_after=60.0)
    app, provider = make_screen(tmp_path / "p", [Step(error=error, events_before=0)] * 5)
    async with app.run_test() as pilot:
        await send(pilot, "begin")
        await until(pilot, lambda: "again in" in status_text(pilot))
        assert "try 2 of" in status_text(pilot)
        await pilot.press("escape")
        await settled(pilot)
        assert "ready" in status_text(pilot)
        assert len(provider.requests) == 1
        assert all("retry" not in (task.get_name() or "") for task in asyncio.all_tasks())
    await app.close()


async def test_esc_twice_clears_a_text_and_the_history_keeps_it(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p")
    async with app.run_test() as pilot:
        await type_text(pilot, "a long thought")
        await pilot.press("escape")
        assert app.main.prompt.text == "a long thought"
        await pilot.press("escape")
        assert app.main.prompt.text == ""
        await pilot.press("up")
        assert app.main.prompt.text == "a long thought"
    await app.close()


async def test_a_mistyped_command_costs_no_call_and_stays_in_the_prompt(tmp_path: Path) -> None:
    app, provider = make_screen(tmp_path / "p")
    async with app.run_test(size=(100, 24)) as pilot:
        app.main.prompt.set_text("/exot")
        app.main.prompt.close_menu()
        await pilot.press("enter")
        await shown(pilot)
        assert app.main.prompt.text == "/exot"
        assert "no command /exot" in status_text(pilot)
        assert "/exit" in status_text(pilot)
        assert provider.requests == []
        app.main.prompt.clear()
        await send(pilot, "/etc/hosts is wrong, why?")
        await settled(pilot)
        assert len(provider.requests) == 1
    await app.close()


async def test_command_output_is_shown_and_never_enters_the_talk(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p")
    async with app.run_test(size=(100, 30)) as pilot:
        await send(pilot, "/status")
        await until(pilot, lambda: "permission" in transcript_text(pilot) or "mode" in transcript_text(pilot))
        assert "model" in transcript_text(pilot)
        assert app.talk.session.deps.manager.project().messages == ()
    await app.close()


async def test_a_command_that_must_wait_runs_when_the_turn_is_over(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p", [Step("slow", seconds=1.5)])
    async with app.run_test() as pilot:
        first = app.talk
        await send(pilot, "begin")
        await until(pilot, lambda: app.talk.session.is_busy)
        await send(pilot, "/new")
        assert "after this turn: /new" in queue_text(pilot)
        await until(pilot, lambda: app.talk is not first)
        messages = first.session.deps.manager.project().messages
        assert [type(message).__name__ for message in messages] == ["UserMessage", "AssistantMessage"]
    await app.close()


async def test_a_new_session_keeps_the_draft_and_shows_nothing_of_the_old_one(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p", ["old answer"])
    async with app.run_test() as pilot:
        await send(pilot, "old question")
        await settled(pilot)
        first = app.talk
        await send(pilot, "/new")
        await type_text(pilot, "draft")
        await until(pilot, lambda: app.talk is not first)
        assert "old answer" not in transcript_text(pilot)
        assert app.main.prompt.text == "draft"
    await app.close()


async def test_a_session_that_cannot_be_opened_changes_nothing(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p", ["answer"])
    async with app.run_test() as pilot:
        await send(pilot, "question")
        await settled(pilot)
        first = app.talk
        await send(pilot, "/resume nothinglikethis")
        await until(pilot, lambda: "no session" in transcript_text(pilot))
        assert app.talk is first
        assert "answer" in transcript_text(pilot)
    await app.close()


async def test_shift_tab_cycles_modes_and_question_mark_shows_the_keys(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p")
    async with app.run_test(size=(100, 40)) as pilot:
        seen = []
        for _ in range(3):
            await pilot.press("shift+tab")
            seen.append(app.talk.composed.permissions.mode)
        assert seen == ["acceptEdits", "plan", "default"]
        await pilot.press("question_mark")
        await pilot.pause()
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.main)
        await type_text(pilot, "why?")
        assert app.main.prompt.text == "why?"
    await app.close()


async def test_ctrl_o_unfolds_what_tools_printed(tmp_path: Path) -> None:
    project = tmp_path / "p"
    project.mkdir()
    (project / "only-file.txt").write_text("", encoding="utf-8")
    app, _ = make_screen(project, [LS, "done"])
    async with app.run_test() as pilot:
        await send(pilot, "look")
        await settled(pilot)
        assert "only-file.txt" not in transcript_text(pilot)
        await pilot.press("ctrl+o")
        await shown(pilot)
        assert "only-file.txt" in transcript_text(pilot)
    await app.close()


async def test_a_reader_is_not_moved_and_is_told_of_new_output(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p", ["\n\n".join(f"line {n}" for n in range(60)), "new words below"])
    async with app.run_test() as pilot:
        await send(pilot, "first")
        await settled(pilot)
        await pilot.press("pageup", "pageup")
        await shown(pilot)
        before = transcript_text(pilot)
        app.talk.session.prompt("second")
        await settled(pilot)
        assert transcript_text(pilot) == before
        assert "new output below" in str(app.main.query_one("#prompt-row").border_title)
        await pilot.press("ctrl+end")
        await shown(pilot)
        assert "new words below" in transcript_text(pilot)
        assert app.main.query_one("#prompt-row").border_title == ""
    await app.close()


async def test_typing_goes_to_the_prompt_wherever_the_focus_is(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p")
    async with app.run_test() as pilot:
        app.main.transcript.focus()
        await pilot.pause()
        await type_text(pilot, "hi")
        assert app.main.prompt.text == "hi"
        assert app.focused is app.main.prompt.area
    await app.close()


async def test_keys_that_come_before_the_prompt_has_the_focus_are_not_lost(tmp_path: Path) -> None:
    app, provider = make_screen(tmp_path / "p")
    seen: list[str] = []

    async def at_once(pilot: Pilot[Any]) -> None:
        await pilot.press("slash", "x", "backspace", "h", "ctrl+j", "i")
        seen.append(app.main.prompt.text)
        app.exit(0)

    await app.run_async(headless=True, auto_pilot=at_once)
    await app.close()
    assert seen == ["/h\ni"]
    assert provider.requests == []


async def test_the_keys_of_the_conversation_work_when_it_has_the_focus(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p", ["\n\n".join(f"line {n}" for n in range(60))])
    async with app.run_test() as pilot:
        await send(pilot, "first")
        await settled(pilot)
        app.main.transcript.focus()
        await pilot.press("g")
        await shown(pilot)
        assert app.main.transcript.scroll_offset.y == 0
        assert app.main.prompt.text == ""
        await pilot.press("escape", "j")
        assert app.main.prompt.text == "j"
    await app.close()


async def test_a_selection_is_copied_and_nothing_else_happens(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p")
    async with app.run_test() as pilot:
        await type_text(pilot, "copy me")
        await pilot.press("shift+home", "ctrl+c")
        assert app.clipboard == "copy me"
        assert app.main.prompt.text == "copy me"
    await app.close()


async def test_the_model_picker_switches_and_says_what_it_costs(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p")
    async with app.run_test(size=(110, 30)) as pilot:
        await pilot.press("alt+p")
        await pilot.pause()
        assert isinstance(app.screen, PickerScreen)
        await pilot.press("enter")
        await shown(pilot)
        assert "model is now offline/guide" in transcript_text(pilot)
    await app.close()


async def test_ctrl_r_searches_earlier_prompts(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p")
    async with app.run_test() as pilot:
        app.main.prompt.area.prompts.entries = ["fix the parser", "write a test", "fix the lexer"]
        await pilot.press("ctrl+r")
        await pilot.pause()
        await type_text(pilot, "fix")
        await pilot.pause()
        await pilot.press("down", "enter")
        await pilot.pause()
        assert app.main.prompt.text == "fix the parser"
    await app.close()
