"""The question before an act: everything can be read, four answers, nothing answered by accident."""

from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Static

from openclaw_tui.events import ApprovalRequested
from openclaw_tui.messages import TextBlock, ToolCallBlock
from openclaw_tui.providers.scripted import Step
from openclaw_tui.ui.textual.screens import approval
from openclaw_tui.ui.textual.screens.approval import ApprovalScreen
from tests.ui.screen_app import WRITE, app_of, make_screen, send, settled, shown, transcript_text, type_text, until

GIT = Step(calls=[("exec", {"command": "git add notes.txt && git commit -m 'one [b'"})])


def dialog_of(pilot: Pilot[int]) -> ApprovalScreen:
    assert isinstance(pilot.app.screen, ApprovalScreen)
    return pilot.app.screen


def words(pilot: Pilot[int]) -> str:
    """Everything the dialog says."""
    return "\n".join(str(widget.render()) for widget in dialog_of(pilot).query(Static))


async def ask(pilot: Pilot[int], text: str = "do it") -> None:
    """Send, and wait for the question with the guard against stray keys off."""
    await send(pilot, text)
    await until(pilot, lambda: isinstance(pilot.app.screen, ApprovalScreen))
    dialog_of(pilot)._armed_at = 0.0


def result_text(pilot: Pilot[int], at: int = -1) -> str:
    results = [m for m in app_of(pilot).talk.session.deps.manager.project().messages if hasattr(m, "tool_call_id")]
    block: Any = results[at].content[0]
    assert isinstance(block, TextBlock)
    return block.text


async def test_yes_once_runs_it_and_the_next_is_asked_again(tmp_path: Path) -> None:
    other = Step(calls=[("write", {"path": "other.txt", "content": "x"})])
    app, _ = make_screen(tmp_path / "p", [WRITE, other, "done"])
    async with app.run_test() as pilot:
        await ask(pilot)
        assert "Create notes.txt" in words(pilot)
        assert "1 + hello" in words(pilot)
        await pilot.press("y")
        await until(pilot, lambda: (tmp_path / "p" / "notes.txt").exists())
        await until(pilot, lambda: isinstance(app.screen, ApprovalScreen))
        await pilot.press("escape")
        await settled(pilot)
        assert not (tmp_path / "p" / "other.txt").exists()
        assert "denied" in transcript_text(pilot)
    await app.close()


async def test_enter_takes_the_selected_choice_and_arrows_move(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p", [WRITE, "done"])
    async with app.run_test() as pilot:
        await ask(pilot)
        await pilot.press("down", "up", "enter")
        await settled(pilot)
        assert (tmp_path / "p" / "notes.txt").read_text(encoding="utf-8") == "hello\n"
    await app.close()


async def test_no_with_a_reason_tells_the_model(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p", [WRITE, "understood"])
    async with app.run_test() as pilot:
        await ask(pilot)
        await pilot.press("4")
        await pilot.pause()
        assert isinstance(app.focused, Input)
        await type_text(pilot, "use yaml, not text")
        await pilot.press("enter")
        await settled(pilot)
        assert "use yaml, not text" in result_text(pilot)
        assert not (tmp_path / "p" / "notes.txt").exists()
    await app.close()


async def test_esc_leaves_the_text_field_first_then_says_no(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p", [WRITE, "understood"])
    async with app.run_test() as pilot:
        await ask(pilot)
        await pilot.press("n")
        await pilot.pause()
        await pilot.press("escape")
        await pilot.pause()
        assert not dialog_of(pilot).query_one(Input).display
        await pilot.press("escape")
        await settled(pilot)
        assert "refused this call" in result_text(pilot)
    await app.close()


async def test_a_chain_lists_its_parts_and_the_reasons(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p", [GIT, "done"])
    async with app.run_test() as pilot:
        await ask(pilot)
        text = words(pilot)
        assert "git add notes.txt && git commit -m 'one [b'" in text
        assert "1. git add notes.txt" in text
        assert "2. git commit -m 'one [b'" in text
        assert "why: " in text
        await pilot.press("escape")
        await settled(pilot)
    await app.close()


async def test_always_for_this_prefix_is_offered_with_its_rule_and_remembered(tmp_path: Path) -> None:
    first = Step(calls=[("exec", {"command": "git init -q one"})])
    second = Step(calls=[("exec", {"command": "git init -q two"})])
    app, _ = make_screen(tmp_path / "p", [first, second, "done"])
    async with app.run_test() as pilot:
        await ask(pilot)
        assert "yes, and all like it this session: " in words(pilot)
        await pilot.press("p")
        await settled(pilot)
        assert (tmp_path / "p" / "two").is_dir()
    await app.close()


async def test_a_key_meant_for_the_prompt_answers_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(approval, "APPROVAL_GUARD_SECONDS", 1000.0)
    app, _ = make_screen(tmp_path / "p", [WRITE, "done"])
    async with app.run_test() as pilot:
        app.main.desk._is_typing = lambda: True
        await send(pilot, "do it")
        await until(pilot, lambda: isinstance(app.screen, ApprovalScreen))
        await type_text(pilot, "maybe yap")
        assert isinstance(app.screen, ApprovalScreen)
        assert not (tmp_path / "p" / "notes.txt").exists()
        assert app.main.prompt.text == "maybe yap"
        dialog_of(pilot)._armed_at = 0.0
        await pilot.press("y")
        await settled(pilot)
        assert (tmp_path / "p" / "notes.txt").exists()
    await app.close()


async def test_a_long_command_can_be_read_to_its_end_before_answering(tmp_path: Path) -> None:
    command = "cat <<'END' > out.txt\n" + "\n".join(f"row {number}" for number in range(200)) + "\nEND"
    app, _ = make_screen(tmp_path / "p", [Step(calls=[("exec", {"command": command})]), "done"])
    async with app.run_test() as pilot:
        await ask(pilot)
        preview = dialog_of(pilot).query_one("#approval-preview")
        await until(pilot, lambda: "yes works when all was seen" in words(pilot))
        await until(pilot, lambda: preview.max_scroll_y > 150)
        for _ in range(60):
            await pilot.press("pagedown")
        assert preview.scroll_offset.y == preview.max_scroll_y
        choices = dialog_of(pilot).query_one("#approval-choices")
        assert choices.region.bottom <= app.size.height
        await pilot.press("escape")
        await settled(pilot)
    await app.close()


@pytest.mark.parametrize("key", ["y", "a", "1", "2", "enter"])
async def test_no_key_says_yes_before_the_end_was_seen(tmp_path: Path, key: str) -> None:
    command = "\n".join([f"echo {number}" for number in range(60)] + ["touch done.txt"])
    app, _ = make_screen(tmp_path / "p", [Step(calls=[("exec", {"command": command})]), "done"])
    async with app.run_test(size=(80, 24)) as pilot:
        await ask(pilot)
        await until(pilot, lambda: "yes works when all was seen" in words(pilot))
        await pilot.press(key)
        assert isinstance(app.screen, ApprovalScreen)
        assert dialog_of(pilot).query_one("#approval-preview").scroll_offset.y > 0
        assert not (tmp_path / "p" / "done.txt").exists()
        while not dialog_of(pilot)._seen_to_end:
            await pilot.press("pagedown")
        await until(pilot, lambda: "yes works" not in words(pilot))
        await pilot.press("pageup")
        await pilot.press(key)
        await until(pilot, lambda: (tmp_path / "p" / "done.txt").exists())
        await settled(pilot)
    await app.close()


async def test_no_works_at_once_also_for_a_long_change(tmp_path: Path) -> None:
    long = Step(calls=[("write", {"path": "long.txt", "content": "line\n" * 400})])
    app, _ = make_screen(tmp_path / "p", [long, "done"])
    async with app.run_test(size=(80, 24)) as pilot:
        await ask(pilot)
        await pilot.press("n")
        await type_text(pilot, "shorter")
        await pilot.press("enter")
        await settled(pilot)
        assert "shorter" in result_text(pilot)
    await app.close()


async def test_the_whole_screen_shows_the_command_alone_and_gives_way(tmp_path: Path) -> None:
    command = "\n".join([f"echo {number}" for number in range(60)] + ["touch done.txt"])
    app, _ = make_screen(tmp_path / "p", [Step(calls=[("exec", {"command": command})]), "done"])
    async with app.run_test(size=(80, 24)) as pilot:
        await ask(pilot)
        preview = dialog_of(pilot).query_one("#approval-preview")
        before = preview.size.height
        await pilot.press("f")
        await until(pilot, lambda: preview.size.height > before)
        assert not dialog_of(pilot).query_one("#approval-choices").display
        assert preview.size.height >= 18
        await pilot.press("escape")
        await until(pilot, lambda: preview.size.height == before)
        assert isinstance(app.screen, ApprovalScreen)
        await pilot.press("escape")
        await settled(pilot)
    await app.close()


async def test_every_part_of_a_chain_says_why_it_asks_or_what_lets_it_run(tmp_path: Path) -> None:
    step = Step(calls=[("exec", {"command": "ls && make all && rm -rf build"})])
    app, _ = make_screen(tmp_path / "p", [step, "done"], config=("permissions.allow=exec(make:*)",))
    async with app.run_test(size=(100, 30)) as pilot:
        await ask(pilot)
        said = words(pilot)
        assert "1. ls  only looks" in said
        assert "2. make all  allowed by exec(make:*)" in said
        assert "3. rm -rf build  asks:" in said
        await pilot.press("escape")
        await settled(pilot)
    await app.close()


async def test_the_copy_key_copies_and_the_question_stays(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p", [WRITE, "done"])
    async with app.run_test() as pilot:
        await ask(pilot)
        dialog_of(pilot).text_select_all()
        await pilot.pause()
        await pilot.press("ctrl+c")
        await pilot.pause()
        assert "hello" in app.clipboard
        assert isinstance(app.screen, ApprovalScreen)
        await pilot.press("escape")
        await settled(pilot)
    await app.close()


async def test_a_stopped_turn_takes_its_question_away(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p", [WRITE, "done"])
    async with app.run_test() as pilot:
        await ask(pilot)
        await app.talk.session.abort()
        await shown(pilot)
        assert app.screen is app.main
        assert "stopped" in transcript_text(pilot) or "denied" in transcript_text(pilot)
    await app.close()


async def test_questions_that_come_together_are_asked_one_after_the_other(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p")
    call = ToolCallBlock("c1", "exec", {})
    async with app.run_test() as pilot:
        for number in ("1", "2"):
            app.main.desk.ask(ApprovalRequested("k", number, call, "execute", f"title {number}", f"command {number}"))
        await pilot.pause()
        assert dialog_of(pilot).request.approval_id == "1"
        await pilot.press("y")
        await pilot.pause()
        assert dialog_of(pilot).request.approval_id == "2"
        app.main.desk.settled("2")
        await pilot.pause()
        assert app.screen is app.main
    await app.close()


async def test_where_a_command_runs_and_what_nobody_sees_in_it_are_shown(tmp_path: Path) -> None:
    (tmp_path / "p" / "sub").mkdir(parents=True)
    step = Step(calls=[("exec", {"command": "make a\u200bb\u3164", "workdir": "sub"}), ("exec", {"command": "make c"})])
    app, _ = make_screen(tmp_path / "p", [step, "done"])
    async with app.run_test() as pilot:
        await ask(pilot)
        assert "make a⟨200B⟩b⟨3164⟩" in words(pilot)
        assert dialog_of(pilot).query_one("#approval-title").display
        assert "(in sub)" in words(pilot)
        first = dialog_of(pilot)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, ApprovalScreen) and app.screen is not first)
        assert not dialog_of(pilot).query_one("#approval-title").display
        await pilot.press("escape")
        await settled(pilot)
    await app.close()


async def test_space_j_and_k_read_on_and_3_keeps_the_rule(tmp_path: Path) -> None:
    script = "\n".join([f"echo {number}" for number in range(60)] + ["touch done.txt"])
    app, _ = make_screen(tmp_path / "p", [Step(calls=[("exec", {"command": script})]), "done"])
    async with app.run_test(size=(80, 24)) as pilot:
        await ask(pilot)
        preview = dialog_of(pilot).query_one("#approval-preview")
        await pilot.press("j")
        assert preview.scroll_offset.y == 1
        await pilot.press("k")
        assert preview.scroll_offset.y == 0
        while not dialog_of(pilot)._seen_to_end:
            await pilot.press("space")
        await pilot.press("3")
        await settled(pilot)
        assert (tmp_path / "p" / "done.txt").exists()
        rules = app.talk.composed.permissions.describe().rules
        assert ("allow", "exec(touch:*)", "session") in rules
    await app.close()
