"""Words in old sessions: every word, any letter case, any script; bounded, and what was not read is told."""

import json
from pathlib import Path

import pytest

from openclaw_tui.messages import AssistantMessage, TextBlock, user_text
from openclaw_tui.session.manager import SessionManager
from openclaw_tui.session.search import query_words, search_sessions


def stored(folder: Path, name: str, *texts: str) -> Path:
    manager = SessionManager.create(folder, cwd=folder, session_id=name)
    for text in texts:
        manager.append_message(user_text(text))
    manager.close()
    return folder / f"{name}.jsonl"


def found(paths: list[Path], query: str, **limits: int) -> list[tuple[str, str]]:
    return [(hit.session_id, hit.text) for hit in search_sessions(paths, query, **limits).hits]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("We chose PostgreSQL for the Ledger.", "ledger postgresql"),
        ("Die GRÖSSE der Straße", "größe STRASSE"),
        ("ключ лежит в Сейфе", "сейфе"),
        ("数据库迁移已完成", "迁移"),
        ('he said "never again"\tthen left', '"never again" then'),
        ("path C:\\temp\\new", "temp\\new"),
        ("emoji 🦊 here", "🦊"),
        ("first line\nsecond line", '"line second"'),
    ],
)
def test_every_word_is_found_in_any_case_and_script(tmp_path: Path, text: str, query: str) -> None:
    paths = [stored(tmp_path, "one", "something else", text)]
    assert [session for session, _ in found(paths, query)] == ["one"]


def test_all_words_must_be_in_one_message(tmp_path: Path) -> None:
    paths = [stored(tmp_path, "one", "alpha and beta", "only alpha", "only beta")]
    assert found(paths, "beta alpha") == [("one", "alpha and beta")]
    assert found(paths, '"beta alpha"') == []
    assert found(paths, "") == []
    assert query_words('a "b  c" A ""') == ("a", "b c")


def test_escaped_text_of_other_programs_is_found(tmp_path: Path) -> None:
    path = stored(tmp_path, "theirs", "plain")
    line: dict[str, object] = {"type": "message", "id": "x1", "parentId": None, "timestamp": "2026-01-02T00:00:00Z"}
    line |= {"message": {"role": "user", "content": "Übergrößenträger 🦊", "timestamp": 1}}
    with path.open("a", encoding="utf-8") as handle:
        handle.write(json.dumps(line) + "\n")
    assert found([path], "übergrößenträger") == [("theirs", "Übergrößenträger 🦊")]
    assert found([path], "🦊") != []


def test_names_of_keys_and_damaged_lines_are_no_hits(tmp_path: Path) -> None:
    path = stored(tmp_path, "one", "hello")
    with path.open("a", encoding="utf-8") as handle:
        handle.write('{"type":"message","id":"torn","message":{"role":"user","content":"torn hello')
    assert found([path], "timestamp") == []
    assert found([path], "hello") == [("one", "hello")]


def test_the_latest_place_of_the_newest_session_comes_first_within_the_limits(tmp_path: Path) -> None:
    paths = [stored(tmp_path, name, *(f"needle {name} {n}" for n in range(4))) for name in ("new", "old")]
    texts = [text for _, text in found(paths, "needle", max_per_session=2)]
    assert texts == ["needle new 3", "needle new 2", "needle old 3", "needle old 2"]
    result = search_sessions(paths, "needle", max_hits=3, max_per_session=3)
    assert (len(result.hits), result.more, result.unread) == (3, True, 1)
    result = search_sessions(paths, "needle", max_bytes=paths[0].stat().st_size + 1)
    assert {hit.session_id for hit in result.hits} == {"new"}
    assert result.unread == 1
    assert search_sessions([tmp_path / "gone.jsonl"], "x").unread == 1


def test_lines_longer_than_what_is_read_at_once_are_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("openclaw_tui.session.search.SESSION_SCAN_CHUNK_BYTES", 100)
    long = f"begin {'x' * 1000} end"
    paths = [stored(tmp_path, "one", "short", long, "after the end")]
    assert [text[-5:] for _, text in found(paths, "end", snippet_chars=2000)] == ["e end", "x end"]
    ((_, snippet),) = found(paths, "begin", snippet_chars=20)
    assert snippet == f"begin {'x' * 14}…"


def test_answers_and_summaries_are_searched_too(tmp_path: Path) -> None:
    manager = SessionManager.create(tmp_path, cwd=tmp_path, session_id="one")
    kept = manager.append_message(user_text("q"))
    manager.append_message(AssistantMessage((TextBlock("the answer is blue"),)))
    manager.append_compaction(summary="blue was chosen", first_kept_entry_id=kept.id, tokens_before=10)
    manager.close()
    result = search_sessions([tmp_path / "one.jsonl"], "blue")
    assert [hit.role for hit in result.hits] == ["summary", "assistant"]
