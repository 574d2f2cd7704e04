"""Layer 4 by the article: what leaves the file after a compaction, what stays, and how it is written."""

import os
from pathlib import Path

import pytest

from openclaw_tui.constants import TRUNCATE_ABOVE_BYTES
from openclaw_tui.errors import SessionWriteFailed
from openclaw_tui.messages import user_text
from openclaw_tui.session.archive import archive_path, archived_entries
from openclaw_tui.session.manager import SessionManager
from openclaw_tui.session.truncation import truncate_session_after_compaction
from tests.session.talk import answer, session, texts


def grown(folder: Path, compactions: int = 10, turns: int = 50) -> SessionManager:
    """A session of so many compactions, each after so many turns of two messages and some state."""
    manager = session(folder, "first")
    for number in range(compactions):
        for turn in range(turns):
            manager.append_message(user_text(f"{number}.{turn} " + "word " * 30))
            manager.append_message(answer("ok " * 30))
        manager.append_model_change("anthropic", "claude-sonnet-5-5")
        manager.append_thinking_level_change("low")
        kept = manager.branch()[-20].id
        manager.append_compaction(summary=f"summary {number}", first_kept_entry_id=kept, tokens_before=9)
    return manager


def test_ten_compactions_shrink_by_sixty_to_ninety_percent(tmp_path: Path) -> None:
    manager = grown(tmp_path)
    before = texts(manager)
    outcome = truncate_session_after_compaction(manager)
    assert outcome.truncated
    reduction = 1 - outcome.bytes_after / outcome.bytes_before
    assert 0.6 <= reduction < 1
    assert outcome.entries_removed > 900
    assert "% less" in outcome.text
    assert texts(manager) == before


def test_only_summarised_messages_go_and_all_state_stays(tmp_path: Path) -> None:
    manager = grown(tmp_path, 2, 10)
    state = [entry.id for entry in manager.entries() if entry.type != "message"]
    truncate_session_after_compaction(manager)
    assert [entry.id for entry in manager.entries() if entry.type != "message"] == state
    kinds = {entry.type for entry in manager.entries()}
    assert {"model_change", "thinking_level_change", "compaction"} <= kinds


def test_children_of_a_removed_entry_hang_on_the_nearest_ancestor_that_stays(tmp_path: Path) -> None:
    manager = session(tmp_path, "one", "two", "three", "four")
    branch = manager.branch()
    state = manager.append_model_change("anthropic", "claude-sonnet-5-5")
    for text in ("five", "six"):
        manager.append_message(user_text(text))
        manager.append_message(answer(text))
    manager.append_compaction(summary="s", first_kept_entry_id=manager.branch()[-2].id, tokens_before=1)
    truncate_session_after_compaction(manager)
    parents = {entry.id: entry.parent_id for entry in manager.entries()}
    assert set(parents.values()) - {None} <= set(parents), "no entry has a missing parent"
    assert branch[2].id not in parents
    assert any(parent == state.id for parent in parents.values())


def test_archive_holds_what_went_and_is_on_by_default(tmp_path: Path) -> None:
    manager = grown(tmp_path, 1, 10)
    assert manager.path is not None
    covered = [e.id for e in manager.branch() if e.type == "message"]
    truncate_session_after_compaction(manager)
    left = {entry.id for entry in manager.entries()}
    assert [entry.id for entry in archived_entries(archive_path(manager.path))] == [i for i in covered if i not in left]


def test_archive_can_be_left_out(tmp_path: Path) -> None:
    manager = grown(tmp_path, 1, 10)
    assert manager.path is not None
    truncate_session_after_compaction(manager, keep_archive=False)
    assert not archive_path(manager.path).exists()


def test_failure_before_the_rename_leaves_the_original_byte_for_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager = grown(tmp_path, 1, 10)
    assert manager.path is not None
    manager.sync()
    data = manager.path.read_bytes()

    def fails(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fails)
    with pytest.raises(SessionWriteFailed):
        truncate_session_after_compaction(manager)
    assert manager.path.read_bytes() == data
    assert sorted(p.name for p in tmp_path.iterdir() if p.name.endswith(".tmp")) == []


def test_nothing_goes_without_a_compaction_or_twice(tmp_path: Path) -> None:
    plain = session(tmp_path, "one", "two")
    assert truncate_session_after_compaction(plain).reason == "there is no compaction on this branch"
    folder = tmp_path / "again"
    folder.mkdir()
    manager = grown(folder, 1, 10)
    assert truncate_session_after_compaction(manager).truncated
    assert truncate_session_after_compaction(manager).truncated is False


def test_departure_automatic_above_ten_megabytes_with_labels_and_branch_summaries_kept() -> None:
    """The article removes nothing by itself and OpenClaw drops labels of removed entries; ours are re-pointed."""
    assert TRUNCATE_ABOVE_BYTES == 10_000_000
