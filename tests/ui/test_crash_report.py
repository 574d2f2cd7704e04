"""A crash leaves a masked report and one line; the next start offers the session it was in, once."""

import json
import stat
from pathlib import Path

import pytest

from openclaw_tui.app.crashes import crash_line, take_crash, write_report
from openclaw_tui.cli import main
from openclaw_tui.config.paths import resolve_paths
from openclaw_tui.constants import CRASH_MESSAGE_CHARS, CRASH_REPORTS_KEPT
from openclaw_tui.safety.secrets import hold
from openclaw_tui.ui.textual.screens.confirm import ConfirmScreen
from tests.ui.screen_app import make_screen, send, settled, shown, transcript_text, until
from tests.ui.test_start import assert_restored, terminal

SECRET = "sk-ant-api03-" + "Ab3" * 30
BREAK = (
    "from openclaw_tui.ui.textual.widgets.status_bar import StatusBar\n"
    "real = StatusBar.render\n"
    "def render(self):\n"
    "    begun = self.app.has_talk and self.app.talk.session.deps.manager.project().messages\n"
    "    if self.status.activity == 'idle' and begun:\n"
    f"        raise ValueError('the key {SECRET} broke it')\n"
    "    return real(self)\n"
    "StatusBar.render = render"
)


def failed(message: str) -> ValueError:
    try:
        raise ValueError(message)
    except ValueError as error:
        return error


def test_a_report_is_private_masked_and_tells_where(tmp_path: Path) -> None:
    paths = resolve_paths(tmp_path)
    hold(["plainly-spoken-1234"])
    path = write_report(paths, failed(f"{SECRET} and plainly-spoken-1234"), "abc")
    assert path is not None
    text = path.read_text(encoding="utf-8")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "ValueError" in text
    assert "in failed" in text
    assert "session abc" in text
    assert SECRET not in text
    assert "plainly-spoken-1234" not in text
    assert str(tmp_path.parent.parent) not in text.split("session abc")[1]


@pytest.mark.parametrize("before", range(CRASH_MESSAGE_CHARS - 60, CRASH_MESSAGE_CHARS, 7))
def test_no_part_of_a_key_is_left_where_the_message_is_cut(tmp_path: Path, before: int) -> None:
    path = write_report(resolve_paths(tmp_path), failed("x" * before + " " + SECRET))
    assert path is not None
    assert "sk-ant" not in path.read_text(encoding="utf-8")


def test_only_the_newest_reports_are_kept(tmp_path: Path) -> None:
    paths = resolve_paths(tmp_path)
    paths.crashes.mkdir(parents=True)
    for number in range(CRASH_REPORTS_KEPT + 5):
        (paths.crashes / f"crash-20200101T0000{number:02d}-1.txt").write_text("old", encoding="utf-8")
    newest = write_report(paths, failed("x"))
    kept = sorted(paths.crashes.glob("crash-*.txt"))
    assert len(kept) == CRASH_REPORTS_KEPT
    assert kept[-1] == newest


def test_where_nothing_can_be_written_the_line_says_so(tmp_path: Path) -> None:
    paths = resolve_paths(tmp_path)
    paths.state.mkdir(parents=True)
    paths.crashes.write_text("a file in the way", encoding="utf-8")
    error = failed("x")
    assert write_report(paths, error) is None
    assert "no report could be written" in crash_line(error, None)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"report": 1}'])
def test_a_damaged_note_is_nothing(tmp_path: Path, text: str) -> None:
    paths = resolve_paths(tmp_path)
    paths.crashes.mkdir(parents=True)
    (paths.crashes / "last.json").write_text(text, encoding="utf-8")
    assert take_crash(paths) is None


def test_a_crash_is_told_to_its_own_project_once(tmp_path: Path) -> None:
    here, there = resolve_paths(tmp_path / "here"), resolve_paths(tmp_path / "there")
    write_report(here, failed("x"), "abc")
    assert take_crash(there) is None
    crash = take_crash(here)
    assert crash is not None
    assert crash.session_id == "abc"
    assert take_crash(here) is None


def test_the_real_program_crashes_in_order(tmp_path: Path) -> None:
    with terminal(tmp_path, "-m", "offline/guide", code=BREAK) as child:
        before = child.modes()
        child.until_shown("ready")
        child.type("list the files\r")
        assert child.finish() == 1
        assert_restored(child, before)
        said = child.text().replace("\n", "")
        assert "the screen failed (ValueError: the key" in said
        assert "Traceback" not in said
        assert SECRET not in child.written.decode(errors="replace")
    (report,) = (tmp_path / "state" / "crashes").glob("crash-*.txt")
    text = report.read_text(encoding="utf-8")
    assert "ValueError" in text
    assert "TurnStarted" in text
    assert SECRET not in text
    assert "list the files" not in text
    with terminal(tmp_path, "-m", "offline/guide") as child:
        child.until_shown("Go on with that session?")
        child.type("y")
        child.until_shown("list the files")
        child.type("\x04")
        child.finish()
    assert not (tmp_path / "state" / "crashes" / "last.json").exists()


async def test_no_begins_anew_and_is_not_asked_again(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p", ["an answer"])
    async with app.run_test() as pilot:
        await send(pilot, "a question")
        await settled(pilot)
    await app.close()
    write_report(app.talk.composed.paths, failed("x"), app.talk.session.session_id)
    again, _ = make_screen(tmp_path / "p")
    async with again.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: isinstance(again.screen, ConfirmScreen))
        await pilot.press("n")
        await shown(pilot)
        assert "a question" not in transcript_text(pilot)
    await again.close()
    assert json.dumps(again.talk.composed.crash is not None) == "true"
    third, _ = make_screen(tmp_path / "p")
    assert third.talk.composed.crash is None
    await third.talk.close()


def test_a_defect_outside_the_screen_is_one_line_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(_options: object) -> int:
        raise RuntimeError(f"no {SECRET}")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("openclaw_tui.ui.oneshot.run_oneshot", broken)
    assert main(["-p", "x"]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "a defect ended the program (RuntimeError: no" in said
    assert SECRET not in said
    assert len(list((tmp_path / "state" / "crashes").glob("crash-*.txt"))) == 1
