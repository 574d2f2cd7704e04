"""`doctor`: one line for each thing, each trouble with its cure; nothing of a key is shown or sent."""

import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from tests.subcommands.running import Runner


@contextmanager
def server(behind: float, seen: list[str]) -> Iterator[str]:
    """A server that answers every HEAD with 404 and a clock that is `behind`."""

    class Late(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            seen.append(str(self.headers))
            self.send_response_only(404)
            self.send_header("Date", formatdate(time.time() - behind, usegmt=True))
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    with HTTPServer(("127.0.0.1", 0), Late) as http:
        thread = threading.Thread(target=http.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{http.server_port}"
        http.shutdown()
        thread.join()


def rows(program: Runner, *arguments: str) -> dict[str, dict[str, str]]:
    return {row["subject"]: row for row in json.loads(program("doctor", "--json", *arguments).out)}


def test_a_server_answers_without_a_key_and_tells_the_time(program: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    with server(7200, seen) as url:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-not-to-be-sent-1")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url.replace("//", "//user:hidden@"))
        found = rows(program)
    assert found["server anthropic"] == {
        "state": "ok",
        "subject": "server anthropic",
        "text": f"{url} answers",
        "cure": "",
    }
    assert "ahead" in found["clock"]["text"]
    assert found["clock"]["state"] == "note"
    assert seen
    assert "not-to-be-sent" not in "".join(seen)


def test_a_server_that_is_away_is_bad_and_offline_asks_none(program: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    with server(0, []) as url:
        pass
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-not-to-be-sent-1")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
    outcome = program("doctor", "--json")
    found = {row["subject"]: row for row in json.loads(outcome.out)}
    assert outcome.code == 1
    assert found["server anthropic"]["state"] == "bad"
    assert found["server anthropic"]["cure"]
    assert "server anthropic" not in rows(program, "--offline")


def test_rights_dates_crashes_and_packages(program: Runner) -> None:
    fresh = rows(program, "--offline")
    assert {fresh[name]["state"] for name in ("rights", "disk", "dates", "left over", "crashes", "packages")} == {"ok"}
    program.sessions.mkdir(parents=True)
    late = program.sessions / "x.jsonl"
    late.write_text("{}\n", encoding="utf-8")
    os.utime(late, (time.time() + 9e6, time.time() + 9e6))
    late.chmod(0o644)
    (program.state / "crashes").mkdir()
    (program.state / "crashes" / "crash-1.txt").write_text("x", encoding="utf-8")
    found = rows(program, "--offline")
    assert {found[name]["state"] for name in ("rights", "dates", "crashes")} == {"note"}
    assert all(found[name]["cure"] for name in ("rights", "dates", "crashes"))
    assert "textual" in found["packages"]["text"]
