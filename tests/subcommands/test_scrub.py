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
    assert row["found"] == {"the session": 3, "the archive": 1, "the ledger": 1, "outputs": 1, "pre-images": 1}
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
