"""`-p` as scripts see it: what is on which stream, and each exit code."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.e2e.processes import PATIENCE, command, environment, one_line_of, run_program

PICKED = ("-m", "offline/guide")


def objects(output: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.decode().splitlines()]


def test_text_is_the_answer_and_nothing_else(project: Path) -> None:
    run = run_program(*PICKED, "-p", "find where hello is defined", cwd=project)
    assert run.returncode == 0
    assert b"a.py:1" in run.stdout
    assert run.stderr == b""


def test_the_offline_guide_is_named_on_standard_error(project: Path) -> None:
    run = run_program("-p", "list the files", cwd=project)
    assert "offline guide, not an AI model" in one_line_of(run)


def test_json_is_one_object(project: Path) -> None:
    run = run_program(*PICKED, "-p", "find where hello is defined", "--output-format", "json", cwd=project)
    (result,) = objects(run.stdout)
    assert (result["type"], result["subtype"], result["is_error"]) == ("result", "success", False)
    assert "a.py:1" in result["result"]
    assert result["num_turns"] == 2
    assert set(result["usage"]) == {
        "input_tokens",
        "output_tokens",
        "cache_read_input_tokens",
        "cache_creation_input_tokens",
    }
    assert set(result["context"]) == {"used_tokens", "window_tokens", "usable_tokens", "compactions"}


def test_the_stream_begins_with_init_and_ends_with_the_result(project: Path) -> None:
    run = run_program(*PICKED, "-p", "find where hello is defined", "--output-format", "stream-json", cwd=project)
    lines = objects(run.stdout)
    assert (lines[0]["type"], lines[0]["subtype"]) == ("system", "init")
    assert lines[0]["model"] == "offline/guide"
    assert [line["type"] for line in lines[1:-1]] == ["assistant", "user", "assistant"]
    assert lines[-1]["type"] == "result"
    assert lines[-1]["session_id"] == lines[0]["session_id"]


def test_a_scripted_talk_names_lines_that_are_none(project: Path) -> None:
    talk = [
        b'{"type":"user","message":{"role":"user","content":"list the files"}}',
        b"no json",
        b'{"type":"control"}',
        b'{"type":"user","message":{"content":[{"type":"text","text":"find where hello is defined"}]}}',
    ]
    run = run_program(
        *PICKED, "-p", "--input-format", "stream-json", "--output-format", "stream-json", cwd=project,
        stdin=b"\n".join(talk),
    )  # fmt: skip
    assert run.returncode == 0
    assert "a.py:1" in objects(run.stdout)[-1]["result"]
    errors = run.stderr.decode()
    assert "line 2 is not a user message" in errors
    assert "line 3 is not a user message (its type is 'control')" in errors


def test_piped_text_stands_behind_the_prompt_in_a_fence_nothing_can_end(project: Path) -> None:
    run = run_program(*PICKED, "-p", "what is this?", "--output-format", "json", cwd=project, stdin=b"a\n````\nb\xff\n")
    session = objects(run.stdout)[0]["session_id"]
    shown = run_program("sessions", "show", session, cwd=project).stdout.decode()
    assert "what is this?\n\n`````\na\n````\nb\ufffd\n`````" in shown


def test_a_dash_reads_the_prompt(project: Path) -> None:
    run = run_program(*PICKED, "-p", "-", cwd=project, stdin=b"find where hello is defined\n")
    assert b"a.py:1" in run.stdout


def test_a_pipe_nobody_writes_to_does_not_hold_up_a_run_with_a_prompt(project: Path) -> None:
    reading, writing = os.pipe()
    try:
        run = subprocess.run(
            command(*PICKED, "-p", "find where hello is defined"),
            cwd=project,
            stdin=reading,
            env=environment(),
            capture_output=True,
            timeout=PATIENCE,
        )
    finally:
        os.close(reading)
        os.close(writing)
    assert b"a.py:1" in run.stdout
    assert "nothing came on standard input" in one_line_of(run)


def test_a_prompt_that_is_no_utf8_is_taken(project: Path) -> None:
    run = subprocess.run(
        [*command(*PICKED, "-p"), b"find where hello is defined \xff"], cwd=project, env=environment(),
        stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE,
    )  # fmt: skip
    assert run.returncode == 0


def test_the_c_locale_reads_and_writes_utf8(project: Path) -> None:
    (project / "b.py").write_text("# 你好 → café\n", encoding="utf-8")
    env = {"LC_ALL": "C", "LANG": "C"}
    run = run_program(*PICKED, "-p", "search for café", cwd=project, env=env)
    assert run.returncode == 0
    assert "你好 → café" in run.stdout.decode()


# ── exit codes ────────────────────────────────────────────────────────────────────────────────────────────────────────
def test_exit_3_when_something_needed_approval(project: Path) -> None:
    run = run_program(*PICKED, "-p", "run echo hi > made.txt", "--output-format", "stream-json", cwd=project)
    assert run.returncode == 3
    result = objects(run.stdout)[-1]
    assert result["subtype"] == "error_permission"
    (denial,) = result["permission_denials"]
    assert (denial["tool"], denial["input"]["command"]) == ("exec", "echo hi > made.txt")
    assert "echo hi > made.txt" in one_line_of(run)
    assert not (project / "made.txt").exists()


def test_exit_4_at_a_limit(project: Path) -> None:
    run = run_program(*PICKED, "-p", "find where hello is defined", "--max-turns", "1", cwd=project)
    assert run.returncode == 4
    assert run.stdout == b""
    assert "--max-turns 1" in one_line_of(run)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_stops_in_order_and_names_itself(project: Path, number: int, code: int) -> None:
    process = subprocess.Popen(
        command(*PICKED, "-p", "run echo on; sleep 60", "--yolo", "--output-format", "stream-json"),
        cwd=project,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    for line in iter(process.stdout.readline, b""):
        if b'"tool_use"' in line:
            break
    time.sleep(0.3)
    process.send_signal(number)
    output, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == code
    assert objects(output)[-1]["subtype"] == "error_interrupted"
    assert errors.decode().splitlines()[-1] == "openclaw-tui: interrupted"


def test_a_signal_ends_a_scripted_talk_that_waits_for_input(project: Path) -> None:
    process = subprocess.Popen(
        command(*PICKED, "-p", "--input-format", "stream-json", "--output-format", "stream-json"),
        cwd=project,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(0.2)
    process.terminate()
    with process:
        assert process.wait(timeout=PATIENCE) == 143


def test_a_reader_that_goes_away_ends_the_run_without_a_traceback(project: Path) -> None:
    process = subprocess.Popen(
        command(*PICKED, "-p", "list the files", "--output-format", "stream-json"),
        cwd=project,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    errors = process.stderr.read()
    assert process.wait(timeout=PATIENCE) == 1
    assert b"Traceback" not in errors
    assert b"Exception ignored" not in errors


class _Answers(BaseHTTPRequestHandler):
    status, headers_out = 500, dict[str, str]()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("content-length", 0)))
        body = b'{"error": {"message": "no", "type": "x", "code": "x"}}'
        self.send_response(self.status)
        for name, value in {**self.headers_out, "content-type": "application/json"}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        return


@contextmanager
def server_that_answers(status: int, **headers: str) -> Iterator[dict[str, str]]:
    """The environment for a provider that answers every request so."""
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    handler = type("_Handler", (_Answers,), {"status": status, "headers_out": names})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield {"OPENAI_API_KEY": "test-key", "OPENAI_BASE_URL": f"http://127.0.0.1:{server.server_port}/v1"}
    finally:
        server.shutdown()
        server.server_close()


def test_exit_1_when_the_provider_refuses_the_key(project: Path) -> None:
    with server_that_answers(401) as env:
        run = run_program("-m", "openai/gpt-6.2-sol", "-p", "hi", cwd=project, env=env)
    assert run.returncode == 1
    assert run.stdout == b""
    assert "Check the key" in one_line_of(run)
    assert b"test-key" not in run.stderr


def test_exit_75_when_the_provider_asks_to_come_back_much_later(project: Path) -> None:
    with server_that_answers(429, retry_after="86400") as env:
        run = run_program("-m", "openai/gpt-6.2-sol", "-p", "hi", cwd=project, env=env)
    assert run.returncode == 75
    assert run.stdout == b""


def test_exit_2_without_a_key(project: Path) -> None:
    run = run_program("-m", "anthropic/claude-sonnet-5-5", "-p", "hi", cwd=project)
    assert run.returncode == 2
    assert run.stdout == b""
    assert "no key is known" in one_line_of(run)
