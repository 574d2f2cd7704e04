"""One project and one state directory per test."""

from pathlib import Path

import pytest

from tests.subcommands.running import Runner


@pytest.fixture
def program(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Runner:
    monkeypatch.setattr("sys.stdin", None)
    project = tmp_path / "project"
    project.mkdir()
    (project / "a.py").write_text("def hello():\n    return 1\n", encoding="utf-8")
    state = tmp_path / "state"
    state.mkdir(mode=0o700)
    return Runner(project, state, capsys)
