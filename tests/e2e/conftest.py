"""A small project to work in."""

from pathlib import Path

import pytest


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "README.md").write_text("# Demo\n\nA small demo.\n", encoding="utf-8")
    (folder / "a.py").write_text("def hello():\n    return 1\n", encoding="utf-8")
    return folder
