"""Line mode in a real terminal, with the offline model: live prompt, plain prompt, pipe."""

import json
import re
import signal
from pathlib import Path

import pytest

from tests.e2e.processes import Terminal, run_program

LINE = ("--line", "-m", "offline/guide")
PLAIN = {"TERM": "dumb"}
STARTED = "Ctrl+D leaves"


def test_a_talk_with_an_answer_a_command_and_the_way_back(project: Path) -> None:
    with Terminal([*LINE, "find where hello is defined"], cwd=project) as terminal:
        terminal.wait_for("done    grep")
        terminal.wait_for("a.py:1")
        terminal.type("/status\r")
        terminal.wait_for("offline/guide (--model)")
        terminal.wait_for("│ ctx ")
        terminal.type("\x04")
        assert terminal.wait_for_end() == 0
        assert "resume: openclaw-tui -r" in terminal.text


def test_a_mistyped_command_is_named_and_stays_in_the_prompt(project: Path) -> None:
    with Terminal(LINE, cwd=project) as terminal:
        terminal.wait_for(STARTED)
        terminal.type("/exot\r")
        terminal.wait_for("there is no command /exot; did you mean")
        terminal.wait_for("> /exot", times=2)
        terminal.type("\x15/etc/hosts is wrong, why?\r")
        terminal.wait_for("May I? Read /etc/hosts")
        terminal.wait_for("y/a/n >")
        terminal.type("n\r")
        terminal.wait_for("refused read")
        terminal.type("\x04")
        assert terminal.wait_for_end() == 0


def test_a_paste_is_one_message_and_nothing_in_it_acts_as_a_key(project: Path) -> None:
    with Terminal(LINE, cwd=project) as terminal:
        terminal.wait_for(STARTED)
        terminal.type("\x1b[200~one\r\ntwo\r\nthree\r\nfour\r\nfive\x1b[201~")
        terminal.wait_for("five")
        assert terminal.text.rstrip().count("working") == 0
        terminal.type("\x1b[200~ six \x1b[201~\x03 seven\x1b]52;c;AAAA\x07 end\x1b[201~")
        terminal.wait_for("end")
        assert "> one\n  two\n  three\n  four\n  five six ␃ seven end" in terminal.text
        terminal.type("\x03\x04")
        assert terminal.wait_for_end() == 0
        assert b"\x1b]52" not in terminal.raw


def test_what_is_typed_before_the_prompt_is_there_is_sent(project: Path) -> None:
    with Terminal(LINE, cwd=project) as terminal:
        terminal.type("find where hello is defined\r")
        terminal.wait_for("a.py:1")
        terminal.type("\x04")
        assert terminal.wait_for_end() == 0


def test_all_ways_to_a_new_line(project: Path) -> None:
    with Terminal(LINE, cwd=project) as terminal:
        terminal.wait_for(STARTED)
        terminal.type("a\x1b\rb")
        terminal.wait_for("  b")
        terminal.type("\nc\\\rd")
        terminal.wait_for("> a\n  b\n  c\n  d")
        terminal.type("\x03\x04")
        assert terminal.wait_for_end() == 0


@pytest.mark.parametrize("env", [{}, PLAIN], ids=["live", "dumb"])
def test_a_question_is_shown_whole_and_only_a_clear_answer_counts(project: Path, env: dict[str, str]) -> None:
    with Terminal(LINE, cwd=project, env=env) as terminal:
        terminal.wait_for(STARTED)
        terminal.type("run echo hi > made.txt\r")
        terminal.wait_for("May I? echo hi > made.txt")
        terminal.wait_for("y/a/n >")
        terminal.type("maybe\r")
        terminal.wait_for("answer with one of the letters")
        terminal.type("n put it into other.txt\r")
        terminal.wait_for("refused exec")
        terminal.wait_for("The user says: put it into other.txt")
        assert not (project / "made.txt").exists()
        terminal.type("run echo hi > made.txt\r")
        terminal.wait_for("May I?", times=2)
        terminal.type("y\r")
        terminal.wait_for("done    exec")
        assert (project / "made.txt").exists()
        terminal.type("\x04")
        assert terminal.wait_for_end() == 0


@pytest.mark.parametrize("env", [{}, PLAIN], ids=["live", "dumb"])
def test_what_is_typed_while_it_works_waits_and_comes_back_on_ctrl_c(project: Path, env: dict[str, str]) -> None:
    with Terminal([*LINE, "--yolo", "run sleep 60"], cwd=project, env=env) as terminal:
        terminal.wait_for("running exec")
        terminal.type("list the files\r")
        terminal.wait_for("goes in at the next safe point")
        terminal.type("\x03")
        terminal.wait_for("stopped exec")
        terminal.wait_for("list the files", times=2)
        terminal.type("\x15find where hello is defined\r")
        terminal.wait_for("a.py:1")
        terminal.type("\x04")
        assert terminal.wait_for_end() == 0


def test_ctrl_c_twice_leaves(project: Path) -> None:
    with Terminal(LINE, cwd=project) as terminal:
        terminal.wait_for(STARTED)
        terminal.type("\x03\x03")
        assert terminal.wait_for_end() == 0


def test_terminated_while_working_it_says_so_by_its_code_and_the_session_opens(project: Path) -> None:
    with Terminal([*LINE, "--yolo", "--session-id", "kept", "run sleep 60"], cwd=project) as terminal:
        terminal.wait_for("running exec")
        terminal.signal(signal.SIGTERM)
        assert terminal.wait_for_end() == 143
    assert run_program("sessions", "check", "kept", cwd=project).returncode == 0


def test_sessions_are_switched_by_commands(project: Path) -> None:
    with Terminal([*LINE, "--session-id", "first", "list the files"], cwd=project) as terminal:
        terminal.wait_for("README.md")
        terminal.type("/new find where hello is defined\r")
        terminal.wait_for("a.py:1")
        terminal.type("/resume nothing-like-it\r")
        terminal.wait_for("There is no session 'nothing-like-it'")
        terminal.type("/resume first\r")
        terminal.wait_for("session first")
        terminal.type("/exit\r")
        assert terminal.wait_for_end() == 0
        assert terminal.text.rstrip().endswith("resume: openclaw-tui -r first")


def test_a_dumb_terminal_gets_no_control_sequence(project: Path) -> None:
    with Terminal([*LINE, "find where hello is defined"], cwd=project, env=PLAIN) as terminal:
        terminal.wait_for("a.py:1")
        terminal.wait_for("\n>")
        terminal.type("\x04")
        assert terminal.wait_for_end() == 0
        assert b"\x1b" not in terminal.raw


def test_no_colour_means_none(project: Path) -> None:
    with Terminal([*LINE, "find where hello is defined"], cwd=project, env={"NO_COLOR": "1"}) as terminal:
        terminal.wait_for("a.py:1")
        terminal.type("\x04")
        terminal.wait_for_end()
        assert not re.search(rb"\x1b\[(?:[0-9;]*;)?(?:[349][0-7])(?:;[0-9;]*)?m", terminal.raw)


def test_a_pipe_is_read_line_by_line_and_nobody_is_asked(project: Path) -> None:
    run = run_program(*LINE, cwd=project, stdin=b"list the files\nrun echo hi > made.txt\n/status\n")
    text = run.stdout.decode()
    assert run.returncode == 3
    assert text.index("README.md") < text.index("refused exec") < text.index("thinking")
    assert "\x1b" not in text


def test_earlier_prompts_of_the_project_come_back_with_the_arrow(project: Path) -> None:
    run_program(*LINE, cwd=project, stdin=b"list the files\n")
    with Terminal(LINE, cwd=project) as terminal:
        terminal.wait_for(STARTED)
        terminal.type("\x1b[A")
        terminal.wait_for("> list the files")
        terminal.type("\x03\x04")
        assert terminal.wait_for_end() == 0


def test_typed_commands_are_run_and_the_second_kind_never_reaches_the_model(project: Path) -> None:
    with Terminal(LINE, cwd=project) as terminal:
        terminal.type("!echo shared-$((6*7))\r")
        terminal.wait_for("tokens to the context")
        terminal.wait_for("shared-42")
        terminal.type("!!echo hidden-$((6*7))\r")
        terminal.wait_for("!! not in the context")
        terminal.wait_for("hidden-42")
        terminal.type("\x04")
        assert terminal.wait_for_end() == 0
    (session,) = project.parent.rglob("sessions/*.jsonl")
    entries = [json.loads(line) for line in session.read_text(encoding="utf-8").splitlines()]
    messages = json.dumps([entry for entry in entries if entry["type"] == "message"])
    assert "shared-42" in messages
    assert "hidden" not in messages


@pytest.mark.parametrize("face", ["line", "print"])
def test_named_lines_of_a_file_travel_with_the_message(project: Path, tmp_path: Path, face: str) -> None:
    (project / "notes.txt").write_text("one\ntwo\nthree\n", encoding="utf-8")
    if face == "line":
        run_program(*LINE, cwd=project, stdin=b"say something about @notes.txt:2-3 and @gone.txt:1\n@notes.txt:9\n")
    else:
        run = run_program("-p", "say something about @notes.txt:2-3", "-m", "offline/guide", cwd=project)
        assert run.returncode == 0
    stored = "".join(path.read_text(encoding="utf-8") for path in tmp_path.rglob("*.jsonl"))
    assert "[attached: notes.txt, lines 2-3 of 3]" in stored
    assert "two" in stored
