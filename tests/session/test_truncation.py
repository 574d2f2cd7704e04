"""Layer 4: what leaves the file, what stays, and that no branch ever looks different for it."""

import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from openclaw_tui.errors import SessionError, SessionWriteFailed
from openclaw_tui.messages import user_text
from openclaw_tui.session import archive
from openclaw_tui.session.archive import archive_path, archived_entries, read_batches
from openclaw_tui.session.manager import SessionManager
from openclaw_tui.session.projection import Projection
from openclaw_tui.session.truncation import restore_truncated, truncate_session_after_compaction
from tests.session.format_validator import assert_valid
from tests.session.talk import answer, session, texts
from tests.session.test_projection import play

_talk = st.lists(st.sampled_from(["user", "answer", "answer", "result"]), min_size=1, max_size=6)
_state = st.sampled_from(["model", "level", "summary", "custom", "label"])
_move = st.integers(0, 60) | st.just("branch")
_stretch = st.tuples(_talk, st.lists(_state, max_size=2), st.lists(st.just("compact"), max_size=1), _talk)
_journey = st.tuples(_stretch, st.lists(_move, max_size=1))
_steps = st.lists(_journey, min_size=1, max_size=5).map(
    lambda journeys: [
        step for stretch, moves in journeys for part in (*stretch, moves if len(journeys) > 1 else []) for step in part
    ]
)


def _seen(projection: Projection) -> tuple[Any, ...]:
    """All that a model or the program could notice, with the entries' ids; only the size of the branch may change."""
    ids = tuple(message.entry_id for message in projection.messages)
    settings_seen = (projection.model, projection.thinking_level)
    return (projection.messages, ids, settings_seen, projection.summary_text, projection.kept_from)


def _all_seen(manager: SessionManager) -> dict[str | None, tuple[Any, ...]]:
    tree, here = manager.records.loaded.tree, manager.leaf_id
    ends = [tree.ids[n] for n in range(len(tree)) if n not in tree.children()]
    found: dict[str | None, tuple[Any, ...]] = {}
    for end in [*ends, here]:
        manager.branch_to(end)
        found[end] = _seen(manager.project())
    manager.branch_to(here)
    return found


@given(_steps)
@settings(deadline=None)
def test_the_projection_of_every_leaf_is_the_same_before_and_after_and_restoring_gives_the_same_bytes(
    steps: list[str | int],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        manager = SessionManager.create(Path(folder), cwd=Path(folder))
        play(manager, steps)
        if manager.path is None or not manager.path.exists():
            return
        before, data, roots = _all_seen(manager), manager.path.read_bytes(), _roots(manager)
        outcome = truncate_session_after_compaction(manager)
        assert _all_seen(manager) == before
        assert_valid(manager.path)
        assert _roots(manager) <= roots
        event(f"truncated: {outcome.truncated}")
        assert outcome.truncated == (manager.path.read_bytes() != data)
        leaf = manager.leaf_id
        manager.close()
        again = SessionManager.open(manager.path)
        assert again.damage is None
        again.branch_to(leaf)
        assert _all_seen(again) == before
        assert restore_truncated(again) == outcome.entries_removed
        assert manager.path.read_bytes() == data
        assert _all_seen(again) == before
        again.close()


def _roots(manager: SessionManager) -> int:
    return len(manager.records.loaded.tree.children().get(-1, []))


def _compacted(folder: Path, prompts: int = 6, kept: int = 4) -> SessionManager:
    manager = session(folder, *(f"p{number} " + "x" * 2000 for number in range(prompts)))
    branch = manager.branch()
    manager.append_compaction(summary="so far", first_kept_entry_id=branch[-kept].id, tokens_before=1)
    return manager


def test_covered_messages_go_and_appends_go_on_in_the_smaller_file(tmp_path: Path) -> None:
    manager = _compacted(tmp_path)
    assert manager.path is not None
    before, size = texts(manager), manager.path.stat().st_size
    outcome = truncate_session_after_compaction(manager)
    assert (outcome.truncated, outcome.entries_removed, outcome.entries_before) == (True, 8, 13)
    assert outcome.bytes_before == size
    assert outcome.bytes_after == manager.path.stat().st_size < size / 2
    assert "8 of 13" in outcome.text
    for number in range(5):
        manager.append_message(user_text(f"later {number}"))
    manager.close()
    again = SessionManager.open(manager.path)
    assert texts(again) == [*before, *(f"later {number}" for number in range(5))]
    assert again.damage is None
    assert truncate_session_after_compaction(again).truncated is False
    assert manager.path.stat().st_size < size / 2


def test_side_branches_labels_state_and_branch_summaries_are_still_reached(tmp_path: Path) -> None:
    manager = session(tmp_path, "one", "two", "three", "four")
    branch = manager.branch()
    manager.branch_to(branch[1].id)
    side = manager.append_message(user_text("side branch"))
    manager.branch_to(branch[-1].id)
    manager.append_label(side.id, "side")
    manager.append_label(branch[2].id, "covered")
    manager.append_branch_summary(from_id=side.id, summary="tried")
    manager.append_model_change("openai", "gpt-6")
    manager.append_compaction(summary="s", first_kept_entry_id=branch[6].id, tokens_before=1)
    state = {entry.id for entry in manager.entries() if entry.type != "message"}
    truncate_session_after_compaction(manager)
    assert manager.path is not None
    assert_valid(manager.path)
    assert state <= {entry.id for entry in manager.entries()}
    assert _roots(manager) == 1
    assert [entry.id for entry in manager.branch(side.id)] == [branch[0].id, branch[1].id, side.id]
    assert manager.labels()[side.id] == "side"
    moved = next(target for target, label in manager.labels().items() if label == "covered")
    assert moved == branch[1].id


def test_the_archive_holds_what_went_for_recall_and_comes_back_in_reverse(tmp_path: Path) -> None:
    manager = _compacted(tmp_path)
    assert manager.path is not None
    whole = manager.path.read_bytes()
    gone = list(manager.branch()[:8])
    truncate_session_after_compaction(manager)
    archive_file = archive_path(manager.path)
    assert archive_file == tmp_path / f"{manager.session_id}.artifacts" / "archive.jsonl"
    assert archive_file.stat().st_mode & 0o077 == 0
    assert archive_file.parent.stat().st_mode & 0o077 == 0
    assert list(archived_entries(archive_file)) == gone
    manager.append_message(user_text("new"))
    manager.append_message(answer("new answer"))
    smaller = manager.path.read_bytes()
    kept = manager.append_message(user_text("newest")).id
    manager.append_compaction(summary="again", first_kept_entry_id=kept, tokens_before=1)
    assert truncate_session_after_compaction(manager).truncated
    assert len(read_batches(archive_file)) == 2
    restore_truncated(manager)
    assert manager.path.read_bytes().startswith(smaller)
    restore_truncated(manager)
    assert manager.path.read_bytes().startswith(whole)
    assert not archive_file.exists()
    assert restore_truncated(manager) == 0


def test_without_an_archive_nothing_is_kept(tmp_path: Path) -> None:
    manager = _compacted(tmp_path)
    outcome = truncate_session_after_compaction(manager, keep_archive=False)
    assert outcome.archive is None
    assert manager.path is not None
    assert not archive_path(manager.path).exists()


@pytest.mark.parametrize("failing", ["archive", "file"])
def test_a_failure_leaves_the_original(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str) -> None:
    manager = _compacted(tmp_path)
    assert manager.path is not None
    data, seen = manager.path.read_bytes(), texts(manager)

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        if failing == "file":
            patched.setattr(os, "replace", fail)
        else:
            patched.setattr(archive, "make_private_dir", fail)
        with pytest.raises(SessionWriteFailed):
            truncate_session_after_compaction(manager)
    assert manager.path.read_bytes() == data
    assert texts(manager) == seen
    assert [found.name for found in tmp_path.iterdir() if found.suffix == ".tmp"] == []
    manager.append_message(user_text("on"))
    assert truncate_session_after_compaction(manager).truncated
    assert restore_truncated(manager) == 8
    assert manager.path.read_bytes().startswith(data)


def test_reasons_are_told_when_nothing_is_to_be_done(tmp_path: Path) -> None:
    empty = SessionManager.create(tmp_path / "a", cwd=tmp_path)
    plain = session(tmp_path / "b", "one")
    all_kept = session(tmp_path / "c", "one")
    all_kept.append_compaction(summary="s", first_kept_entry_id=all_kept.branch()[0].id, tokens_before=1)
    reasons = [truncate_session_after_compaction(found).reason for found in (empty, plain, all_kept)]
    assert reasons == [
        "the session is empty",
        "there is no compaction on this branch",
        "nothing in it is covered by a summary and shown nowhere else",
    ]


def test_sessions_without_a_file_of_their_own_are_not_truncated(tmp_path: Path) -> None:
    stored = _compacted(tmp_path)
    assert stored.path is not None
    for manager in (SessionManager.in_memory(cwd=tmp_path), SessionManager.open(stored.path, read_only=True)):
        with pytest.raises(SessionError):
            truncate_session_after_compaction(manager)
