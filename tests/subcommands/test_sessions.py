"""`sessions …` on real session files."""

import json

import pytest

from openclaw_tui.session.manager import SessionManager
from tests.subcommands.running import Runner, talk


def test_the_list_names_each_session(program: Runner) -> None:
    talk(program, "first")
    talk(program, "second")
    assert "where is <hello> defined?" in program("sessions", "list").out
    rows = json.loads(program("sessions", "list", "--json").out)
    assert {row["id"] for row in rows} == {"first", "second"}
    assert json.loads(program("--cwd", str(program.state), "sessions", "list", "--here", "--json").out) == []


def test_show_prints_the_talk_without_foreign_control_characters(program: Runner) -> None:
    talk(program)
    shown = program("sessions", "show", "talk").out
    assert shown.index("where is <hello>") < shown.index("Call of grep") < shown.index("In a.py, line 1.")
    assert "\x1b" not in shown
    entries = json.loads(program("sessions", "show", "talk", "--json").out)["entries"]
    assert [entry["type"] for entry in entries] == ["message"] * 4


def test_search_looks_into_all_sessions(program: Runner) -> None:
    talk(program, "first")
    talk(program, "second", compacted=True)
    found = json.loads(program("sessions", "search", "HELLO STANDS", "--json").out)
    assert [(hit["session_id"], hit["role"]) for hit in found["hits"]] == [("second", "summary")]
    assert "no session holds" in program("sessions", "search", "nothing like it").out


@pytest.mark.parametrize("suffix", [".md", ".html", ".jsonl"])
def test_export_writes_each_form_with_its_compactions(program: Runner, suffix: str) -> None:
    talk(program, compacted=True)
    target = program.project / f"out{suffix}"
    assert program("sessions", "export", "talk", target.name).code == 0
    text = target.read_text(encoding="utf-8")
    assert "hello stands in a.py" in text
    assert "1,234 tokens before" in text or '"tokensBefore":1234' in text
    assert "exists" in program.usage_error("sessions", "export", "talk", target.name)
    assert program("sessions", "export", "talk", target.name, "--force").code == 0


def test_html_takes_no_text_for_markup_and_markdown_no_text_for_a_fence(program: Runner) -> None:
    talk(program)
    program("sessions", "export", "talk", "out.html")
    page = (program.project / "out.html").read_text(encoding="utf-8")
    assert "<hello>" not in page
    assert "\x1b" not in page
    program("sessions", "export", "talk", "out.md")
    assert "````\na.py:1: def hello(): ```" in (program.project / "out.md").read_text(encoding="utf-8")


def test_an_exported_file_comes_back_as_a_copy(program: Runner) -> None:
    path = talk(program)
    program("sessions", "export", "talk", "out.jsonl")
    before = path.read_bytes()
    data = json.loads(program("sessions", "import", "out.jsonl", "--json").out)
    copy = SessionManager.open(program.sessions / f"{data['id']}.jsonl", read_only=True)
    assert len(copy.entries()) == 4
    copy.close()
    assert path.read_bytes() == before


def test_check_tells_what_would_be_mended_and_mends_nothing(program: Runner) -> None:
    path = talk(program)
    assert program("sessions", "check").out.split() == ["talk", "sound"]
    with path.open("ab") as file:
        file.write(b'{"type":"message","id":"torn')
    before = program.files()
    outcome = program("sessions", "check", "talk", "--json")
    assert outcome.code == 1
    assert "last line was cut off" in json.loads(outcome.out)[0]["problems"][0]
    assert program.files() == before


def test_truncate_takes_covered_messages_out_and_keeps_them_in_the_archive(program: Runner) -> None:
    talk(program, compacted=True)
    data = json.loads(program("sessions", "truncate", "talk", "--json").out)
    assert (data["truncated"], data["entries_removed"]) == (True, 3)
    assert (program.sessions / "talk.artifacts" / "archive.jsonl").exists()
    assert "left as it is" in program("sessions", "truncate", "talk").out


def test_rm_removes_all_that_belongs_to_a_session(program: Runner) -> None:
    talk(program, compacted=True)
    talk(program, "other")
    program("sessions", "truncate", "talk")
    assert program("sessions", "rm", "talk").code == 0
    assert {path.name for path in program.sessions.iterdir()} == {"other.jsonl"}


def test_rm_leaves_a_session_that_is_open_elsewhere(program: Runner) -> None:
    path = talk(program)
    holder = SessionManager.open(path)
    try:
        assert "in use" in program.usage_error("sessions", "rm", "talk")
    finally:
        holder.close()
    assert path.exists()
