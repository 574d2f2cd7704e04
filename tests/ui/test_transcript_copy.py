"""What is copied is the logical text."""

from textual.geometry import Offset
from textual.selection import Selection

from openclaw_tui.ui.textual.widgets.transcript import Transcript
from tests.ui.transcript_app import TranscriptApp, drawn, screen_lines

COMMAND = "curl --fail --retry 3 " + "https://example.test/" + "a" * 260 + " && echo done"
ANSWER = (
    f"Run this:\n\n```sh\n{COMMAND}\nls -la\n```\n\n1. first "
    + "words " * 30
    + "\n   - inner\n\n> quoted\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
)


async def _select_all_rows(view: Transcript) -> str:
    selection = Selection(Offset(0, 0), Offset(view.size.width, view._plan.total))
    copied = view.get_selection(selection)
    assert copied is not None
    return copied[0]


async def test_selected_rows_give_the_text_without_gutters_borders_and_wrap_breaks() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(80, 50)) as pilot:
        view = app.transcript
        view.add_user("u", "please " * 30)
        view.start_assistant("a")
        view.append_text("a", ANSWER)
        view.finish_assistant("a")
        await drawn(pilot)
        text = await _select_all_rows(view)
    assert text.split("\n") == [
        ("please " * 30).strip(),
        "",
        "Run this:",
        "",
        COMMAND,
        "ls -la",
        "",
        "1. first " + ("words " * 30).strip(),
        "   - inner",
        "",
        "> quoted",
        "",
        "| a | b |",
        "| --- | --- |",
        "| 1 | 2 |",
    ]


async def test_the_mouse_selects_a_wrapped_command() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(80, 30)) as pilot:
        view = app.transcript
        view.start_assistant("a")
        view.append_text("a", ANSWER)
        view.finish_assistant("a")
        await drawn(pilot)
        lines = screen_lines(view)
        first = next(y for y, line in enumerate(lines) if "curl" in line)
        last = next(y for y, line in enumerate(lines) if "echo done" in line)
        await pilot.mouse_down(Transcript, offset=(0, first))
        await pilot.hover(Transcript, offset=(78, last))
        await pilot.mouse_up(Transcript, offset=(78, last))
        assert app.screen.get_selected_text() == COMMAND


async def test_a_selection_stays_on_its_text_while_more_arrives() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(60, 12)) as pilot:
        view = app.transcript
        view.start_assistant("a")
        view.append_text("a", "".join(f"line {number}\n\n" for number in range(40)))
        await drawn(pilot)
        shown = screen_lines(view)
        await pilot.mouse_down(Transcript, offset=(2, 5))
        await pilot.hover(Transcript, offset=(30, 5))
        await pilot.mouse_up(Transcript, offset=(30, 5))
        wanted = shown[5].strip()
        assert app.screen.get_selected_text() == wanted
        for number in range(20):
            view.append_text("a", f"more {number}\n\n")
            await drawn(pilot)
        assert screen_lines(view) == shown
        assert app.screen.get_selected_text() == wanted
        app.screen.clear_selection()
        await drawn(pilot)
        assert view.following
        assert screen_lines(view)[-1] == "  more 19"


async def test_a_double_click_selects_one_item() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(60, 20)) as pilot:
        view = app.transcript
        view.add_user("u", "first\nsecond")
        view.add_notice("info", "other")
        await drawn(pilot)
        await pilot.double_click(Transcript, offset=(5, 1))
        assert app.screen.get_selected_text() == "first\nsecond"


async def test_copy_commands_give_the_source() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(60, 20)):
        view = app.transcript
        assert (view.last_answer_text(), view.code_blocks()) == ("", [])
        view.start_assistant("a")
        view.append_thinking("a", "hidden")
        view.append_text("a", ANSWER)
        view.finish_assistant("a")
        view.start_assistant("b")
        view.append_text("b", "**bye**")
        assert view.last_answer_text() == "**bye**"
        assert view.code_blocks() == [("sh", f"{COMMAND}\nls -la")]


async def test_the_whole_session_can_be_selected() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(30, 10)) as pilot:
        view = app.transcript
        view.add_user("u", "question")
        view.start_assistant("a")
        view.append_text("a", "answer")
        await drawn(pilot)
        assert view.get_selection(Selection(None, None)) == ("question\n\nanswer", "\n")
