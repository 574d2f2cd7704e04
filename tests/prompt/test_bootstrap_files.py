"""Bootstrap files: found, bounded, cut where it hurts least, and every cut told."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_tui.constants import BOOTSTRAP_MAX_FILE_BYTES
from openclaw_tui.prompt.bootstrap_files import (
    BootstrapFile,
    BootstrapLimits,
    cut_text,
    load_bootstrap_files,
    truncation_warning,
)


def load(cwd: Path, root: Path | None = None, personal: Path | None = None, **limits: int) -> list[BootstrapFile]:
    return load_bootstrap_files(cwd, project_root=root, personal=personal, limits=BootstrapLimits(**limits))


def named(files: list[BootstrapFile], shown: str) -> BootstrapFile:
    return next(file for file in files if file.shown_path == shown)


def test_a_file_of_54210_characters_keeps_14000_and_4000(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("a" * 20_000 + "b" * 34_210, encoding="utf-8")
    (file,) = load(tmp_path)
    assert file.raw_chars == 54_210
    assert file.content.startswith("a" * 14_000 + "\n[...truncated, read AGENTS.md for full content...]\n")
    assert "…(truncated AGENTS.md: kept 14000+4000 chars of 54210)…" in file.content
    assert file.content.endswith("\n" + "b" * 4_000)
    assert file.injected_chars <= 20_000
    assert file.is_cut
    assert f"AGENTS.md: 54210 raw -> {file.injected_chars} injected" in truncation_warning([file])


def test_nothing_cut_means_no_warning(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("rules\n", encoding="utf-8")
    files = load(tmp_path)
    assert [file.content for file in files] == ["rules"]
    assert truncation_warning(files) == ""


def test_all_files_stand_in_prompt_order_and_the_nearest_guide_last(tmp_path: Path) -> None:
    here = tmp_path / "a" / "b"
    here.mkdir(parents=True)
    for name in ("MEMORY.md", "SOUL.md", "USER.md", "TOOLS.md", "IDENTITY.md", "BOOTSTRAP.md", "HEARTBEAT.md"):
        (here / name).write_text(name, encoding="utf-8")
    for folder in (tmp_path, tmp_path / "a", here):
        (folder / "AGENTS.md").write_text(f"rules of {folder.name}", encoding="utf-8")
    shown = [file.shown_path for file in load(here, root=tmp_path)]
    assert shown == [
        "../../AGENTS.md",
        "../AGENTS.md",
        "AGENTS.md",
        "SOUL.md",
        "IDENTITY.md",
        "USER.md",
        "TOOLS.md",
        "BOOTSTRAP.md",
        "MEMORY.md",
        "HEARTBEAT.md",
    ]


def test_without_a_project_root_only_the_working_directory_counts(tmp_path: Path) -> None:
    here = tmp_path / "a"
    here.mkdir()
    (tmp_path / "AGENTS.md").write_text("not ours", encoding="utf-8")
    assert load(here) == []
    assert len(load(here, root=tmp_path)) == 1


def test_claude_md_stands_in_where_no_agents_md_is_beside_it(tmp_path: Path) -> None:
    here = tmp_path / "sub"
    here.mkdir()
    (tmp_path / "CLAUDE.md").write_text("outer", encoding="utf-8")
    (here / "CLAUDE.md").write_text("hidden", encoding="utf-8")
    (here / "AGENTS.md").write_text("inner", encoding="utf-8")
    assert {file.content for file in load(here, root=tmp_path)} == {"outer", "inner"}


def test_personal_copies_stand_in_where_the_project_has_none(tmp_path: Path) -> None:
    project, personal = tmp_path / "project", tmp_path / "personal"
    for folder in (project, personal):
        folder.mkdir()
        (folder / "SOUL.md").write_text(f"soul of {folder.name}", encoding="utf-8")
    (personal / "USER.md").write_text("user", encoding="utf-8")
    (personal / "AGENTS.md").write_text("no guide for every project", encoding="utf-8")
    assert [file.content for file in load(project, personal=personal)] == ["soul of project", "user"]


def test_the_total_is_spent_from_the_nearest_file_outwards(tmp_path: Path) -> None:
    here = tmp_path / "a"
    here.mkdir()
    (here / "AGENTS.md").write_text("n" * 600, encoding="utf-8")
    (here / "SOUL.md").write_text("s" * 300, encoding="utf-8")
    (tmp_path / "AGENTS.md").write_text("f" * 600, encoding="utf-8")
    files = load(here, root=tmp_path, per_file=1_000, total=1_300)
    assert not named(files, "AGENTS.md").is_cut
    assert not named(files, "SOUL.md").is_cut
    far = named(files, "../AGENTS.md")
    assert far.is_cut
    assert far.injected_chars <= 400
    assert sum(file.injected_chars for file in files) <= 1_300


def test_a_late_file_gets_a_fair_rest_or_a_reason_never_a_crumb(tmp_path: Path) -> None:
    here = tmp_path / "a"
    here.mkdir()
    (here / "AGENTS.md").write_text("n" * 990, encoding="utf-8")
    (tmp_path / "AGENTS.md").write_text("f" * 600, encoding="utf-8")
    far = named(load(here, root=tmp_path, per_file=1_000, total=1_020), "../AGENTS.md")
    assert far.content == ""
    assert far.problem == "no budget was left for it"
    assert "../AGENTS.md: 600 raw -> 0 injected" in truncation_warning([far])


def test_the_total_follows_the_window() -> None:
    assert BootstrapLimits().for_window(200_000).total == 150_000
    assert BootstrapLimits().for_window(32_000).total == 32_000
    assert BootstrapLimits().per_file == 20_000


def test_a_byte_order_mark_and_foreign_line_ends_are_no_content(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\n\r\n")
    assert load(tmp_path)[0].content == "one\ntwo"


@pytest.mark.parametrize(
    ("data", "problem"),
    [(b"\xff\xfe\x00\x01binary", "is not UTF-8 text"), (b"x" * (BOOTSTRAP_MAX_FILE_BYTES + 1), "is larger than 2 MiB")],
)
def test_what_cannot_be_read_is_left_out_with_the_reason(tmp_path: Path, data: bytes, problem: str) -> None:
    (tmp_path / "AGENTS.md").write_bytes(data)
    (file,) = load(tmp_path)
    assert file.content == ""
    assert file.problem.startswith(problem)


def test_a_link_out_of_its_folder_is_not_followed(tmp_path: Path) -> None:
    outside, project = tmp_path / "outside.md", tmp_path / "project"
    project.mkdir()
    outside.write_text("secret", encoding="utf-8")
    (project / "AGENTS.md").symlink_to(outside)
    (project / "REAL.md").write_text("inside", encoding="utf-8")
    (project / "SOUL.md").symlink_to("REAL.md")
    files = load(project)
    assert named(files, "AGENTS.md").content == ""
    assert "leads out of its folder" in named(files, "AGENTS.md").problem
    assert named(files, "SOUL.md").content == "inside"


@pytest.mark.skipif(os.geteuid() == 0, reason="everything is readable for root")
def test_an_unreadable_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("x", encoding="utf-8")
    (tmp_path / "AGENTS.md").chmod(0)
    assert "cannot be read" in load(tmp_path)[0].problem


@given(st.text(max_size=3_000), st.integers(0, 1_500))
def test_a_cut_keeps_its_limit_and_says_which_lines_are_gone(text: str, limit: int) -> None:
    shown, missing = cut_text("AGENTS.md", text, limit)
    if missing is None:
        assert shown == text.rstrip()
        return
    first, last = missing
    assert len(shown) <= max(limit, 1)
    assert 1 <= first <= last <= text.count("\n") + 1
