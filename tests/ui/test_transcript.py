"""The transcript on a screen: what it shows, how it scrolls, follows and folds."""

from typing import Any

import pytest
from textual.events import MouseScrollUp
from textual.geometry import Region
from textual.pilot import Pilot

from openclaw_tui.ui.textual.rendering.sources import MarkdownSource
from openclaw_tui.ui.textual.widgets.transcript import Transcript
from openclaw_tui.ui.textual.widgets.transcript_view import TranscriptView
from tests.ui.transcript_app import TranscriptApp, drawn, long_history, screen_lines, screen_text

HOSTILE = [
    "[id=14629,state=CLOSED]",
    "[/",
    "z [b + 3",
    "[/some/dir]",
    "[bold]x[/bold]",
    "\x1b]52;c;aGk=\x07\x1b]0;own\x1b\\",
]


def _speak(transcript: Transcript, id: str, text: str) -> None:
    transcript.start_assistant(id)
    transcript.append_text(id, text)
    transcript.finish_assistant(id)


def _count_calls(monkeypatch: pytest.MonkeyPatch, owner: type, name: str) -> list[Any]:
    """The objects on which a method has been called, in a list that grows."""
    calls: list[Any] = []
    real = getattr(owner, name)

    def counting(self: Any, *args: Any) -> Any:
        calls.append(self)
        return real(self, *args)

    monkeypatch.setattr(owner, name, counting)
    return calls


def _numbered(count: int, start: int = 0) -> str:
    return "".join(f"line {number}\n\n" for number in range(start, start + count))


async def test_a_turn_is_shown_in_order() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(60, 30)) as pilot:
        view = app.transcript
        view.add_user("u", "Fix the test", ["shot.png 34 KB"])
        view.start_assistant("a")
        view.append_thinking("a", "one two three")
        view.append_text("a", "Reading **now**.")
        view.finish_assistant("a")
        view.add_tool("t", "read", "src/x.py")
        view.finish_tool("t", seconds=0.1, size=1234, output="1 x")
        view.add_separator("compaction · 182k → 31k tokens")
        view.add_notice("warning", "cold in 30 s")
        view.start_assistant("b")
        view.append_text("b", "Half an ans")
        view.finish_assistant("b", "interrupted")
        await drawn(pilot)
        lines = [line for line in screen_lines(view) if line]
    assert [" ".join(line.split()) for line in lines] == [
        "▌ Fix the test",
        "▌ ▣ shot.png 34 KB",
        "▸ thinking 3 words",
        "Reading now.",
        "✓ read src/x.py done · 0.1 s · 1.2 KB",
        "── compaction · 182k → 31k tokens " + "─" * 24,
        "! warning: cold in 30 s",
        "Half an ans",
        "■ interrupted",
    ]


@pytest.mark.parametrize("cut", [1, 100])
async def test_foreign_text_is_never_markup_and_never_reaches_the_terminal(cut: int) -> None:
    app = TranscriptApp()
    async with app.run_test(size=(100, 60)) as pilot:
        view = app.transcript
        for number, text in enumerate(HOSTILE):
            view.add_user(f"u{number}", text, [text])
            view.start_assistant(f"a{number}")
            for start in range(0, len(text), cut):
                view.append_thinking(f"a{number}", text[start : start + cut])
            for start in range(0, len(text), cut):
                view.append_text(f"a{number}", text[start : start + cut])
                view.flush()
            view.finish_assistant(f"a{number}", text)
            view.add_tool(f"t{number}", text, text)
            view.update_tool(f"t{number}", output_tail=text)
            await drawn(pilot)
            view.finish_tool(f"t{number}", output=text, diff=f"@@ -1 +1 @@\n-{text}\n+{text}!\n")
            view.add_notice("error", text)
            view.add_separator(text)
            await drawn(pilot)
            if text.startswith("["):
                assert text in screen_text(view)
            view.toggle_fold("all")
            await drawn(pilot)
        rows = [view._plan.row_at(row) for row in range(view._plan.total)]
        everything = "".join(row.strip.text for row in rows if row)
        assert "␛]52;c;aGk=␇" in everything
        assert not [char for char in everything if ord(char) < 0x20]
        assert app.is_running


async def test_the_view_stays_where_the_reader_put_it() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(60, 20)) as pilot:
        view = app.transcript
        _speak(view, "a", _numbered(100))
        view.start_assistant("b")
        await drawn(pilot)
        view.scroll_relative(y=-50)
        await pilot.pause()
        before = screen_lines(view)
        assert not view.following
        for number in range(40):
            view.append_text("b", f"news {number}\n\n")
            view.flush()
            await pilot.pause()
        assert screen_lines(view) == before
        assert view.unseen
        app.set_focus(None)
        view.focus()
        await pilot.pause()
        assert screen_lines(view) == before
        await pilot.press("end")
        await drawn(pilot)
        assert (view.following, view.unseen) == (True, False)
        assert screen_lines(view)[-1] == "  news 39"
        assert (False, True) in app.follow_messages
        assert app.follow_messages[-1] == (True, False)


async def test_scrolling_back_to_the_bottom_follows_again() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(60, 20)) as pilot:
        view = app.transcript
        _speak(view, "a", _numbered(50))
        await drawn(pilot)
        states = [view.following]
        for scroll in (view.scroll_up, view.scroll_down):
            scroll()
            await pilot.pause()
            states.append(view.following)
        assert states == [True, False, True]
        _speak(view, "b", "the newest")
        await drawn(pilot)
        assert screen_lines(view)[-1] == "  the newest"


async def test_the_wheel_scrolls_at_once() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(60, 20)) as pilot:
        view = app.transcript
        _speak(view, "a", _numbered(50))
        await drawn(pilot)
        shown = screen_lines(view)
        view.post_message(MouseScrollUp(view, 5, 5, 0, -1, 0, False, False, False))
        await pilot.pause()
        moved = screen_lines(view)
        assert moved != shown
        assert shown[0] in moved
        assert not view.following


async def test_a_session_of_5000_messages_shows_its_end_at_once_and_scrolls_without_jumps() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(60, 24)) as pilot:
        view = app.transcript
        view.load_history(long_history(5000))
        await drawn(pilot)
        assert screen_lines(view)[-1] == "  Closing 4996"
        assert view._plan.cached_rows < 200
        below = screen_lines(view)
        for _step in range(25):
            await pilot.press("k")
            now = screen_lines(view)
            assert now[1:] == below[:-1]
            below = now
        await pilot.press("g")
        assert "▌ Question 0" in screen_text(view)
        await pilot.press("pagedown", "pagedown", "right_square_bracket")
        assert screen_lines(view)[1].startswith("▌ Question")


async def test_the_work_for_a_delta_does_not_grow_with_the_session(monkeypatch: pytest.MonkeyPatch) -> None:
    rendered = _count_calls(monkeypatch, MarkdownSource, "rows")
    app = TranscriptApp()
    text = "".join(f"Line {number} of *some* prose.\n{'' if number % 3 else chr(10)}" for number in range(3000))
    async with app.run_test(size=(80, 24)) as pilot:
        view = app.transcript
        view.load_history(long_history(3000))
        view.start_assistant("a")
        await drawn(pilot)
        counts: list[int] = []
        for start in range(0, len(text), 40):
            rendered.clear()
            view.append_text("a", text[start : start + 40])
            view.flush()
            counts.append(sum(len(source.chunk.text) for source in rendered))
        await pilot.pause()
    early, late = counts[20:220], counts[-200:]
    assert max(late) <= 2 * max(early)
    assert max(late) < 1000


async def test_a_long_open_code_block_costs_the_same_at_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    rendered = _count_calls(monkeypatch, MarkdownSource, "rows")
    app = TranscriptApp()
    async with app.run_test(size=(80, 24)):
        view = app.transcript
        view.start_assistant("a")
        view.append_text("a", "```python\n")
        for _number in range(1000):
            rendered.clear()
            view.append_text("a", "value = call(1, 2)\n")
            view.flush()
            assert sum(len(source.chunk.text) for source in rendered) < 3000


async def test_a_result_of_5_mb_shows_a_bounded_part() -> None:
    app = TranscriptApp()
    output = "".join(f"line {number} " + "x" * 80 + "\n" for number in range(55_000))
    async with app.run_test(size=(80, 24)) as pilot:
        view = app.transcript
        view.add_tool("t", "exec", "make")
        view.finish_tool("t", size=len(output), output=output + "the last line\n")
        await drawn(pilot)
        assert view._plan.total < 5
        view.toggle_fold("t")
        await drawn(pilot)
        rows = [view._plan.row_at(row) for row in range(view._plan.total)]
        text = "\n".join(row.strip.text.strip() for row in rows if row)
        assert len(rows) < 250
        assert "line 0 " in text
        assert "the last line" in text
        assert "lines not shown" in text


async def test_cards_fold_by_key_by_mouse_and_all_together() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(60, 20)) as pilot:
        view = app.transcript
        for id in ("t1", "t2"):
            view.add_tool(id, "exec", "ls")
            view.finish_tool(id, output="alpha\nbeta")
        await drawn(pilot)
        assert screen_text(view).count("alpha") == 0
        await pilot.click(Transcript, offset=(10, 1))
        assert screen_text(view).count("alpha") == 1
        view.focus()
        await pilot.press("enter")
        assert screen_text(view).count("alpha") == 2
        view.toggle_fold("t1")
        await drawn(pilot)
        assert screen_text(view).count("alpha") == 1
        view.toggle_fold("all")
        await drawn(pilot)
        assert screen_text(view).count("alpha") == 2
        view.add_tool("t3", "exec", "ls")
        view.finish_tool("t3", output="alpha")
        await drawn(pilot)
        assert screen_text(view).count("alpha") == 3


async def test_unfolding_keeps_the_card_under_the_mouse_where_it_is() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(60, 20)) as pilot:
        view = app.transcript
        _speak(view, "a", _numbered(30))
        view.add_tool("t", "exec", "ls")
        view.finish_tool("t", output="\n".join(f"out {number}" for number in range(40)))
        await drawn(pilot)
        head = next(y for y, line in enumerate(screen_lines(view)) if line.startswith("✓ exec"))
        await pilot.click(Transcript, offset=(10, head))
        assert screen_lines(view)[head].startswith("✓ exec")
        assert screen_text(view).count("out 0") == 0 or not view.following
        await pilot.click(Transcript, offset=(10, head))
        assert screen_lines(view)[-1].startswith("✓ exec")
        assert view.following


async def test_a_running_tool_shows_its_newest_lines_and_its_state() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(60, 20)) as pilot:
        view = app.transcript
        view.add_tool("t", "exec", "npm run dev", state="waiting")
        await drawn(pilot)
        assert "waiting" in screen_text(view)
        view.update_tool("t", state="running", output_tail="".join(f"step {number}\n" for number in range(50)))
        await drawn(pilot)
        lines = [line for line in screen_lines(view) if line]
        assert [line.split()[-1] for line in lines] == ["running", "45", "46", "47", "48", "49"]
        view.finish_tool("t", is_error=True)
        await drawn(pilot)
        assert [line.split()[-1] for line in screen_lines(view) if line] == ["failed"]


async def test_what_a_sub_agent_does_stands_under_the_call_that_began_it() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(60, 20)) as pilot:
        view = app.transcript
        for id in ("s1", "s2"):
            view.add_tool(id, "sessions_spawn", id)
        view.add_tool("s1-read", "read", "x", parent="s1")
        view.start_assistant("s2-answer", parent="s2")
        view.append_text("s2-answer", "found it")
        view.add_tool("s1-grep", "grep", "y", parent="s1")
        await drawn(pilot)
        order = [line.split()[:3] for line in screen_lines(view) if line]
    assert order == [
        ["●", "sessions_spawn", "s1"],
        ["│", "●", "read"],
        ["│", "●", "grep"],
        ["●", "sessions_spawn", "s2"],
        ["│", "found", "it"],
    ]


async def test_a_discarded_answer_disappears_and_clear_forgets_everything() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(60, 20)) as pilot:
        view = app.transcript
        view.start_assistant("a")
        view.append_text("a", "half an answer")
        await drawn(pilot)
        view.discard_assistant("a")
        view.add_user("u", "again")
        await drawn(pilot)
        assert [line for line in screen_lines(view) if line] == ["▌ again"]
        view.clear()
        await drawn(pilot)
        assert screen_text(view).strip() == ""
        view.add_user("u", "anew")
        await drawn(pilot)
        assert "▌ anew" in screen_text(view)


async def test_nothing_runs_while_nothing_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    frames = _count_calls(monkeypatch, TranscriptView, "_frame")
    app = TranscriptApp()
    async with app.run_test(size=(60, 20)) as pilot:
        view = app.transcript
        view.load_history(long_history(100))
        view.add_tool("t", "exec", "sleep 1")
        view.finish_tool("t")
        _speak(view, "a", "done")
        for _ in range(20):  # the last frame may come late on a busy machine; one that keeps coming never ends this
            frames.clear()
            await pilot.pause(0.2)
            if not frames:
                break
        frames.clear()
        await pilot.pause(0.3)
        assert frames == []
        assert view._ticker is None


async def test_a_click_on_a_separator_is_announced() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(60, 20)) as pilot:
        app.transcript.add_separator("cache break: tools changed", "row-7")
        await drawn(pilot)
        await pilot.click(Transcript, offset=(5, 1))
        await pilot.pause()
        assert app.selected_separators == ["row-7"]


async def _resize(pilot: Pilot[None], width: int, height: int) -> None:
    await pilot.resize_terminal(width, height)
    await pilot.pause()


async def test_tiny_terminals_and_back_while_streaming() -> None:
    app = TranscriptApp(with_input=True)
    table = "| 名 | 值 |\n|---|---|\n| 甲 | 乙 |"
    text = f"你好，世界 👨‍👩‍👧 **bold** `code`\n\n- 一\n  - 二\n\n{table}\n\n```py\nx = '中'\n```\n\n> 引\n\n"
    async with app.run_test(size=(80, 24)) as pilot:
        view = app.transcript
        view.add_user("u", "看 👍", ["图.png"])
        view.start_assistant("a")
        view.append_thinking("a", "想")
        view.add_tool("t", "读", "文件")
        view.finish_tool("t", output="一\n二", diff="@@ -1 +1 @@\n-旧\n+新\n")
        view.add_separator("压缩")
        view.toggle_fold("all")
        view.append_text("a", text)
        await drawn(pilot)
        for size in ((1, 1), (7, 3), (20, 5), (2, 40), (120, 2), (80, 24)):
            await _resize(pilot, *size)
            view.append_text("a", text)
            await drawn(pilot)
            region = Region(0, 0, *view.size)
            assert all(strip.cell_length <= region.width for strip in view.render_lines(region))
        view.finish_assistant("a")
        view.follow()
        await drawn(pilot)
        assert "  │ 引" in screen_lines(view)


async def test_a_new_width_keeps_the_place_of_the_reader() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(80, 20)) as pilot:
        view = app.transcript
        _speak(view, "a", "".join(f"mark{number} " + "word " * 40 + "\n\n" for number in range(60)))
        await drawn(pilot)
        view.scroll_relative(y=-60)
        await pilot.pause()
        top = next(line.split()[0] for line in screen_lines(view) if "mark" in line)
        await _resize(pilot, 40, 20)
        assert top in screen_text(view)
        await _resize(pilot, 120, 20)
        assert top in screen_text(view)
