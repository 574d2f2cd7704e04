"""Keys about the text being written, and commands of the user's own: stash, editor, `!`, attachments, plan."""

import asyncio
from pathlib import Path

import pytest

from openclaw_tui.messages import ImageBlock, TextBlock, UserMessage, text_of
from openclaw_tui.providers.scripted import Answer, Step
from openclaw_tui.session.custom_types import USER_SHELL
from openclaw_tui.session.entries import CustomEntry
from openclaw_tui.ui.external_editor import edited, editor_command
from openclaw_tui.ui.textual.attention import Attention, notice_sequence
from tests.ui.screen_app import HANGS, app_of, make_screen, send, settled, shown, status_text, transcript_text, until

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360000002000001e221bc33"
    "0000000049454e44ae426082"
)


async def test_the_stash_takes_a_draft_and_gives_it_back_also_to_the_next_run(tmp_path: Path) -> None:
    app, provider = make_screen(tmp_path / "p")
    async with app.run_test() as pilot:
        app.main.prompt.set_text("half a thought")
        await pilot.press("ctrl+s")
        assert app.main.prompt.text == ""
        await send(pilot, "something else first")
        await settled(pilot)
    await app.close()
    again, _ = make_screen(tmp_path / "p")
    async with again.run_test() as pilot:
        await pilot.press("ctrl+s")
        assert again.main.prompt.text == "half a thought"
        again.main.prompt.clear()
        await pilot.press("ctrl+s")
        assert "nothing was put aside" in status_text(pilot)
    await again.close()
    assert len(provider.requests) == 1


async def test_both_keys_of_the_editor_ask_for_it_and_without_a_terminal_the_draft_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VISUAL", "true")
    app, _ = make_screen(tmp_path / "p")
    async with app.run_test() as pilot:
        for keys in (("ctrl+g",), ("ctrl+x", "ctrl+e")):
            app.main.prompt.set_text("a draft")
            await pilot.press(*keys)
            await until(pilot, lambda: "no terminal" in status_text(pilot))
            assert app.main.prompt.text == "a draft"
            app.main.acts.hint("")
    await app.close()


def test_the_editor_gets_the_text_and_its_text_comes_back(tmp_path: Path) -> None:
    script = tmp_path / "editor.sh"
    script.write_text('#!/bin/sh\ntr a-z A-Z < "$1" > "$1.new" && mv "$1.new" "$1"\n', encoding="utf-8")
    script.chmod(0o700)
    assert edited("one\ntwo", editor_command({"VISUAL": f"{script}", "EDITOR": "false"})) == "ONE\nTWO"


async def test_a_typed_command_is_kept_for_the_model_with_its_price_and_no_call_is_made(tmp_path: Path) -> None:
    app, provider = make_screen(tmp_path / "p")
    async with app.run_test() as pilot:
        await send(pilot, "!echo out-$((40+2))")
        await until(pilot, lambda: "adds ≈" in transcript_text(pilot))
        messages = app.talk.session.deps.manager.project().messages
        assert [m.origin for m in messages if isinstance(m, UserMessage)] == ["bash"]
        assert "out-42" in text_of(messages[0].content)
        assert provider.requests == []
        await send(pilot, "what came out?")
        await settled(pilot)
        assert "out-42" in str(provider.requests[0].messages)
    await app.close()


async def test_two_marks_keep_the_output_from_the_model_and_in_the_session(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p")
    async with app.run_test() as pilot:
        await send(pilot, "!!echo secret-$((40+2))")
        await until(pilot, lambda: "not in the context" in transcript_text(pilot))
        manager = app.talk.session.deps.manager
        assert manager.project().messages == ()
        kept = [e.data for e in manager.branch() if isinstance(e, CustomEntry) and e.custom_type == USER_SHELL]
        assert "secret-42" in str(kept)
    await app.close()


async def test_esc_ends_a_typed_command_and_the_session_says_so(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p")
    async with app.run_test() as pilot:
        await send(pilot, "!echo begun; sleep 60")
        await until(pilot, lambda: app.talk.session.shell.is_running and "begun" in transcript_text(pilot))
        await pilot.press("escape")
        await until(pilot, lambda: not app.talk.session.shell.is_running)
        messages = app.talk.session.deps.manager.project().messages
        assert "It was stopped before its end." in text_of(messages[0].content)
    await app.close()


async def test_the_output_of_a_command_typed_during_a_turn_waits_and_begins_no_turn(tmp_path: Path) -> None:
    app, provider = make_screen(tmp_path / "p", [HANGS])
    async with app.run_test() as pilot:
        await send(pilot, "begin")
        await until(pilot, lambda: app.talk.session.is_busy)
        await send(pilot, "!echo meanwhile")
        await until(pilot, lambda: "adds ≈" in transcript_text(pilot))
        await pilot.press("escape")
        await settled(pilot)
        origins = [m.origin for m in app.talk.session.deps.manager.project().messages if isinstance(m, UserMessage)]
        assert origins == ["user", "bash"]
        assert len(provider.requests) == 1
    await app.close()


async def test_a_rule_that_refuses_holds_for_typed_commands(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p", disallowed_tools=("exec(echo *)",))
    async with app.run_test() as pilot:
        await send(pilot, "!echo no")
        await until(pilot, lambda: "Not run" in transcript_text(pilot))
        assert app.talk.session.deps.manager.project().messages == ()
    await app.close()


async def test_lines_and_pictures_travel_with_the_message(tmp_path: Path) -> None:
    project = tmp_path / "p"
    project.mkdir()
    (project / "a.py").write_text("one\ntwo\nthree\nfour\n", encoding="utf-8")
    (project / "dot.png").write_bytes(PNG)
    app, _ = make_screen(project)
    async with app.run_test() as pilot:
        await send(pilot, "see @a.py:2-3 and @a.py")
        await settled(pilot)
        content = app.talk.session.deps.manager.project().messages[0].content
        assert [type(block) for block in content] == [TextBlock, TextBlock]
        assert "two" in text_of(content[1:])
        assert "four" not in text_of(content[1:])
        pictures = app.main.content_of("what is @dot.png")
        sees = app.talk.session.model.images
        assert isinstance(pictures, tuple) is sees
        assert not sees or any(isinstance(block, ImageBlock) for block in pictures)
    await app.close()


async def test_a_pasted_path_of_a_picture_is_a_chip_that_stands_for_the_file(tmp_path: Path) -> None:
    picture = tmp_path / "my shot.png"
    picture.write_bytes(PNG)
    app, _ = make_screen(tmp_path / "p")
    async with app.run_test():
        area = app.main.prompt.area
        chip = area.chips.shown(f"'{picture}'")
        assert chip.startswith("[image #1 · my shot.png")
        assert area.chips.expanded(chip) == f'@"{picture}"'
        assert area.chips.folded(area.chips.expanded(f"x {chip}")) == f"x {chip}"
    await app.close()


async def test_ctrl_b_lets_the_turn_go_on_and_the_card_stays_live(tmp_path: Path) -> None:
    steps: list[Answer] = [Step(calls=[("exec", {"command": "echo first; sleep 2; echo last"})]), "went on"]
    app, _ = make_screen(tmp_path / "p", steps, permission_mode="bypassPermissions")
    async with app.run_test() as pilot:
        await send(pilot, "run it")
        await until(pilot, lambda: "first" in transcript_text(pilot))
        await pilot.press("ctrl+b")
        await until(pilot, lambda: "went on" in transcript_text(pilot))
        assert app.talk.background_commands()
        await until(pilot, lambda: not app.talk.background_commands())
        await asyncio.sleep(0.6)
        await shown(pilot)
        assert "running" not in transcript_text(pilot)
    await app.close()


async def test_ctrl_t_shows_the_plan_and_hides_it(tmp_path: Path) -> None:
    plan = {"plan": [{"step": "look", "status": "completed"}, {"step": "mend", "status": "in_progress"}]}
    app, _ = make_screen(tmp_path / "p", [Step(calls=[("update_plan", plan)]), "done"])
    async with app.run_test() as pilot:
        await pilot.press("ctrl+t")
        assert "no plan" in status_text(pilot)
        await send(pilot, "work")
        await settled(pilot)
        states = [app.main.plan.display]
        await pilot.press("ctrl+t")
        states.append(app.main.plan.display)
        assert "✓ look" in str(app.main.plan.render())
        await pilot.press("ctrl+t")
        states.append(app.main.plan.display)
        assert states == [False, True, False]
    await app.close()


async def test_alt_up_takes_the_queued_message_in_front_of_the_draft(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p", [HANGS])
    async with app.run_test() as pilot:
        await send(pilot, "begin")
        await until(pilot, lambda: app.talk.session.is_busy)
        await send(pilot, "queued")
        app.main.prompt.set_text("draft")
        await pilot.press("alt+up")
        assert app.main.prompt.text == "queued\ndraft"
        await pilot.press("escape")
        await settled(pilot)
    await app.close()


async def test_vi_keys_work_in_the_prompt_and_esc_in_normal_mode_is_the_screens(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p", config=("ui.vim=true",))
    async with app.run_test() as pilot:
        await pilot.press("a", "b", "space", "c", "escape", "0", "d", "w")
        assert app_of(pilot).main.prompt.text == "c"
        await pilot.press("escape")
        assert "Esc again" in status_text(pilot)
    await app.close()


def test_nothing_rings_while_the_user_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []
    attention = Attention(written.append, {})
    attention.asked("p")
    assert written == []
    attention.focused = False
    attention.asked("p")
    assert written == ["\x07" + notice_sequence("p: a question waits for you", {})]
    attention.turn_began()
    attention.turn_ended("p", "done")  # too short to tell of
    assert len(written) == 1
    attention.when = "off"
    attention.asked("p")
    assert len(written) == 1
    assert "777" in notice_sequence("x", {"VTE_VERSION": "7000"})


async def test_enter_can_stop_the_turn_and_send_at_once(tmp_path: Path) -> None:
    app, provider = make_screen(
        tmp_path / "p", [HANGS, "the second answer"], config=("ui.enterWhileWorking=interrupt",)
    )
    async with app.run_test() as pilot:
        await send(pilot, "begin")
        await until(pilot, lambda: "some words" in transcript_text(pilot))
        assert "stops it and sends" in str(app.main.prompt.query_one("#prompt-row").border_subtitle)
        await send(pilot, "rather this")
        await until(pilot, lambda: "the second answer" in transcript_text(pilot))
        await settled(pilot)
        assert "interrupted" in transcript_text(pilot)
        assert len(provider.requests) == 2
    await app.close()
