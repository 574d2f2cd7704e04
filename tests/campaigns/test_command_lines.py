"""The campaign of command lines in short; its long form is a command (CONTRIBUTING)."""

from pathlib import Path

from tests.campaigns import command_lines
from tests.campaigns.shell_grammar import Line


def test_no_hidden_command_runs_without_the_question(tmp_path: Path) -> None:
    found = command_lines.run(tmp_path, count=400, seed=7)
    assert found.judged > 3000
    assert [(name, line.kind, line.text) for name, line in found.missed] == []


def test_looking_around_is_not_asked_about(tmp_path: Path) -> None:
    found = command_lines.run(tmp_path, count=0, seed=7)
    assert found.asked_for_nothing == []


def test_campaign_would_see_a_command_that_runs_unasked(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    outcome = command_lines.Outcome()
    line = Line("ls", "control", "ls", "plain")
    command_lines.judge(line, list(command_lines.settings_of(project)), outcome)
    assert len(outcome.missed) >= 4
