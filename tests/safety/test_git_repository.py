"""A repository somebody else packed must not run its programs by a `git status` nobody was asked about."""

import subprocess
from pathlib import Path

import pytest

from openclaw_tui.safety.permissions import Act, Permissions, PermissionSettings
from openclaw_tui.tools.workspace import Workspace


def decision(root: Path, command: str) -> str:
    permissions = Permissions(PermissionSettings("acceptEdits"), Workspace(root))
    return permissions.judge(Act("exec", "execute", (root,), command=command)).decision


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "p"
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    return root.resolve()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("core.fsmonitor", "./evil.sh"),
        ("diff.external", "./evil.sh"),
        ("diff.x.textconv", "./evil.sh"),
        ("filter.x.clean", "./evil.sh"),
        ("filter.x.process", "./evil.sh"),
        ("gpg.program", "./evil.sh"),
        ("include.path", "../more"),
        ("filter.lfs.clean", "git-lfs clean -- %f; ./evil.sh"),
    ],
)
def test_settings_that_start_programs_make_looking_ask(project: Path, key: str, value: str) -> None:
    assert decision(project, "git status") == "allow"
    subprocess.run(["git", "-C", str(project), "config", key, value], check=True)
    assert decision(project, "git status") == "ask"
    assert decision(project, "cd . && git log") == "ask"


def test_hook_that_runs_on_looking_asks(project: Path) -> None:
    (project / ".git" / "hooks" / "post-index-change").write_text("#!/bin/sh\n", encoding="utf-8")
    assert decision(project, "git diff") == "ask"


def test_hooks_kept_elsewhere_ask_only_where_one_runs_on_looking(project: Path) -> None:
    subprocess.run(["git", "-C", str(project), "config", "core.hooksPath", ".husky"], check=True)
    (project / ".husky").mkdir()
    (project / ".husky" / "pre-commit").touch()
    assert decision(project, "git status") == "allow"
    (project / ".husky" / "post-index-change").touch()
    assert decision(project, "git status") == "ask"


def test_repository_within_the_project_is_looked_at_where_the_command_goes(project: Path) -> None:
    inner = project / "inner"
    subprocess.run(["git", "init", "-q", str(inner)], check=True)
    subprocess.run(["git", "-C", str(inner), "config", "core.fsmonitor", "./evil.sh"], check=True)
    assert decision(project, "git status") == "allow"
    assert decision(project, "git -C inner status") == "ask"
    assert decision(project, "cd inner && git status") == "ask"


def test_ordinary_settings_do_not_ask(project: Path) -> None:
    for key, value in (
        ("core.fsmonitor", "true"),
        ("remote.origin.url", "https://example.com/x.git"),
        ("user.name", "n"),
        ("filter.lfs.clean", "git-lfs clean -- %f"),
        ("filter.lfs.process", "git-lfs filter-process"),
        ("branch.main.remote", "origin"),
    ):
        subprocess.run(["git", "-C", str(project), "config", key, value], check=True)
    assert decision(project, "git status") == "allow"
