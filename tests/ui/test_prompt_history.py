"""Prompts of a project: walking never destroys a draft, files are private, damage is survived."""

import stat
from pathlib import Path

from openclaw_tui.ui.prompt_history import PromptHistory, StoredDraft


def test_a_draft_survives_a_walk_and_edits_on_the_way_are_kept() -> None:
    history = PromptHistory(entries=["one", "two"])
    assert history.older("my draft\nof two lines") == "two"
    assert history.older("two, edited") == "one"
    assert history.older("one") is None
    assert history.newer("one") == "two, edited"
    assert history.newer("two, edited") == "my draft\nof two lines"
    assert history.newer("my draft\nof two lines") is None
    assert not history.is_walking


def test_sending_forgets_the_edits_and_a_repeat_is_stored_once() -> None:
    history = PromptHistory(entries=["one"])
    history.older("draft")
    history.add("one")
    history.add("two")
    assert history.entries == ["one", "two"]
    assert history.older("") == "two"


def test_history_is_per_project_private_and_read_again(tmp_path: Path) -> None:
    folder, project = tmp_path / "history", tmp_path / "project"
    history = PromptHistory.of_project(folder, project)
    history.add("first\nsecond line")
    history.add("你好")
    assert history.path is not None
    assert stat.S_IMODE(history.path.stat().st_mode) == 0o600
    assert PromptHistory.of_project(folder, project).entries == ["first\nsecond line", "你好"]
    assert PromptHistory.of_project(folder, tmp_path / "other").entries == []


def test_damaged_lines_are_passed_over(tmp_path: Path) -> None:
    history = PromptHistory.of_project(tmp_path, tmp_path)
    history.add("good")
    assert history.path is not None
    with history.path.open("ab") as handle:
        handle.write(b'{"text": 5}\n\xff\xfe\n{"text": "torn')
    assert PromptHistory.of_project(tmp_path, tmp_path).entries == ["good"]


def test_a_folder_that_cannot_be_written_costs_only_the_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    history = PromptHistory.of_project(tmp_path / "file" / "history", tmp_path)
    history.add("kept in memory")
    assert history.entries == ["kept in memory"]


def test_a_stored_draft_comes_back_and_goes_when_empty(tmp_path: Path) -> None:
    draft = StoredDraft.of_project(tmp_path / "history", tmp_path)
    draft.save("half a thought \udcff")
    again = StoredDraft.of_project(tmp_path / "history", tmp_path)
    assert again.load() == "half a thought ?"
    again.save("")
    assert again.path is not None
    assert not again.path.exists()
