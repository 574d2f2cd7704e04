"""`sessions scrub`: no secret is left in any place a session keeps texts, and the session is still one."""

import json
from pathlib import Path

import pytest

from openclaw_tui.artifacts.checkpoints import CHECKPOINT_FOLDER, CheckpointStore, digest_of
from openclaw_tui.artifacts.store import STORE_FOLDER, ArtifactStore
from openclaw_tui.cli import main
from openclaw_tui.ledger.ledger import Ledger, LedgerRow
from openclaw_tui.messages import AssistantMessage, TextBlock, ToolCallBlock, ToolResultMessage, user_text
from openclaw_tui.session.archive import Row, add_batch, archive_path
from openclaw_tui.session.manager import SessionManager

KEY = "sk-ant-api03-" + "Ab1" * 12
PASSWORD = "hunter2-and-more"
TEXT = f'here: "{KEY}"\nDB_PASSWORD={PASSWORD}\nand the rest\n'


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    state = tmp_path / "state"
    monkeypatch.setenv("OPENCLAW_STATE_DIR", str(state))
    monkeypatch.chdir(tmp_path)
    folder = state / "agents" / "main" / "sessions"
    folder.mkdir(parents=True)
    manager = SessionManager.create(folder, cwd=tmp_path)
    manager.append_message(user_text(TEXT))
    manager.append_message(AssistantMessage((ToolCallBlock("c1", "exec", {"command": f"login --token {KEY}"}),)))
    manager.append_message(ToolResultMessage("c1", "exec", (TextBlock(TEXT),), details={"diff": TEXT}))
    manager.close()
    assert manager.path is not None
    artifacts = manager.path.with_suffix(".artifacts")
    ArtifactStore(artifacts / STORE_FOLDER).put("t1", TEXT.encode(), tool="exec", title="cat .env")
    store = CheckpointStore(artifacts / CHECKPOINT_FOLDER)
    for name, before in ((".env", TEXT.encode()), ("a.py", b"x = 1\n")):
        store.take(tmp_path / name, before, b"new", anchor="", call="c1")
    Ledger.open(artifacts).record(LedgerRow(1.0, "guard", "capped", reason=f"seen {KEY}"))
    add_batch(archive_path(manager.path), [Row("removed", "e1", json.dumps({"type": "x", "text": TEXT}))])
    return manager.path


def stored_texts(session: Path) -> str:
    artifacts = session.with_suffix(".artifacts")
    store = ArtifactStore(artifacts / STORE_FOLDER)
    outputs = b"".join(b"".join(store.chunks(kept)) for kept in store.artifacts()).decode()
    files = [session, *artifacts.glob("*.jsonl")]
    return outputs + "".join(file.read_text(encoding="utf-8") for file in files)


def test_nothing_is_left_and_the_session_goes_on(
    session: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["sessions", "scrub", session.stem, "--dry-run", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert row["found"] == {
        "the session": 3,
        "the archive": 1,
        "the ledger": 1,
        "kept prompts": 0,
        "outputs": 1,
        "pre-images": 1,
    }
    assert KEY in stored_texts(session)
    assert main(["sessions", "scrub", "--all"]) == 0
    assert "3 in the session" in capsys.readouterr().out
    left = stored_texts(session)
    assert KEY not in left
    assert PASSWORD not in left
    assert "and the rest" in left
    store = CheckpointStore(session.with_suffix(".artifacts") / CHECKPOINT_FOLDER)
    assert store.content(digest_of(TEXT.encode())) is None
    assert store.content(digest_of(b"x = 1\n")) == b"x = 1\n"
    assert not list(session.with_suffix(".artifacts").rglob(f"{digest_of(TEXT.encode())}.z"))
    manager = SessionManager.open(session)
    assert len(manager.project().messages) == 3
    assert manager.damage is None
    manager.close()
    assert main(["sessions", "scrub", session.stem]) == 0
    assert "nothing to scrub" in capsys.readouterr().out


def test_a_held_session_is_refused_in_one_line(session: Path, capsys: pytest.CaptureFixture[str]) -> None:
    manager = SessionManager.open(session)
    try:
        assert main(["sessions", "scrub", session.stem]) == 1
    finally:
        manager.close()
    assert len(capsys.readouterr().out.splitlines()) == 1
    assert KEY in stored_texts(session)


def test_without_a_session_the_way_is_told(session: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sessions", "scrub"]) == 2
    assert "--all" in capsys.readouterr().err


def test_what_belongs_to_no_session_is_scrubbed_as_well_and_told_by_kind(
    session: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    state = tmp_path / "state"
    row = json.dumps({"text": TEXT}) + "\n"
    places = {
        "the list of sessions": session.parent / "sessions.json",
        "prompt history": state / "history" / "0.jsonl",
        "drafts": state / "history" / "0.draft",
        "logs": state / "logs" / "openclaw-tui.log.1",
        "crash reports": state / "crashes" / "one.txt",
        "the file": tmp_path / "older export.md",
    }
    for file in places.values():
        file.parent.mkdir(exist_ok=True)
        file.write_text(row if file.suffix in (".json", ".jsonl", ".1") else TEXT, encoding="utf-8")
    export = str(places["the file"])
    assert main(["sessions", "scrub", "--all", "--file", export, "--json"]) == 0
    told = {row["id"]: row["found"] for row in json.loads(capsys.readouterr().out)}
    assert told["elsewhere"] == dict.fromkeys(list(places)[:-1], 1)
    assert told[export] == {"the file": 1}
    for file in places.values():
        left = file.read_text(encoding="utf-8")
        assert KEY not in left
        assert PASSWORD not in left
        assert "and the rest" in left
    assert json.loads(places["prompt history"].read_text(encoding="utf-8"))["text"].startswith("here: ")
    assert main(["sessions", "scrub", "--file", str(tmp_path / "none.md")]) == 1


def test_a_key_of_our_own_file_and_own_patterns_are_scrubbed_by_value(
    session: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    state = tmp_path / "state"
    (state / "tui-keys").mkdir()
    (state / "tui-keys" / "acme.json").write_text('{"store": "file", "key": "plainly-spoken-9"}', encoding="utf-8")
    (state / "tui.toml").write_text("[secrets]\npatterns = ['PIN-\\d+']\n", encoding="utf-8")
    note = tmp_path / "note.txt"
    note.write_text("it was plainly-spoken-9 and PIN-77, nothing else", encoding="utf-8")
    assert main(["sessions", "scrub", "--file", str(note)]) == 0
    assert note.read_text(encoding="utf-8") == "it was ⟦secret⟧ and ⟦secret⟧, nothing else"
