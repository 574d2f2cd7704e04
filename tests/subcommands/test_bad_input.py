"""Every way to call the program wrongly: one line that names the thing, exit 2, nothing begun."""

from pathlib import Path

import pytest

from tests.subcommands.running import Runner

CALLS = [
    (["--nope", "hi"], "--nope"),
    (["-p", ""], "needs a prompt"),
    (["-p", "hi", "-m", "nope/zzz"], "unknown model 'nope/zzz'"),
    (["-p", "hi", "-m", "nope-at-all"], "unknown model 'nope-at-all'"),
    (["-p", "hi", "-r", "zzz"], "no session 'zzz'"),
    (["-p", "hi", "-r"], "-r needs a session id"),
    (["-p", "hi", "-c"], "no earlier session"),
    (["-p", "hi", "--session-id", "a/b"], "--session-id a/b"),
    (["-p", "hi", "--agent", "../x"], "--agent ../x"),
    (["-p", "hi", "--engine", "nope"], "--engine nope"),
    (["-p", "hi", "--config", "nope=1"], "--config nope"),
    (["-p", "hi", "--config", "ui.vim=maybe"], "true or false"),
    (["-p", "hi", "--config", "ui.vim"], "KEY=VALUE"),
    (["-p", "hi", "--allowed-tools", "Bash(("], "Bash(("),
    (["-p", "hi", "--max-turns", "0"], "at least 1"),
    (["-p", "hi", "--max-turns", "many"], "'many'"),
    (["-p", "hi", "--max-budget-usd", "nan"], "above 0"),
    (["-p", "hi", "--output-format", "xml"], "xml"),
    (["-p", "hi", "--permission-mode", "always"], "always"),
    (["-p", "hi", "--input-format", "stream-json"], "--output-format stream-json"),
    (["-p", "hi", "--add-dir", "/nowhere/at/all"], "/nowhere/at/all"),
    (["-p", "hi", "--cwd", "/nowhere/at/all"], "/nowhere/at/all"),
    (["mcp", "list"], "'mcp'"),
    (["serve"], "'serve'"),
    (["sessions", "nope"], "nope"),
    (["sessions"], "list|show"),
    (["sessions", "show", "zzz"], "zzz"),
    (["sessions", "list", "--nope"], "--nope"),
    (["sessions", "import", "nowhere.jsonl"], "nowhere.jsonl"),
    (["context", "--session", "zzz"], "zzz"),
    (["context", "--nope"], "--nope"),
    (["config", "show", "nope"], "nope"),
    (["config", "set", "nope", "1"], "nope"),
    (["config", "set", "ui.vim", "maybe"], "ui.vim"),
    (["config", "set", "models.providers", "x"], "settings file"),
    (["models", "zzz"], "zzz"),
    (["completion", "tcsh"], "tcsh"),
    (["init", "nowhere"], "nowhere"),
]


@pytest.mark.parametrize(("arguments", "named"), CALLS, ids=[" ".join(call) for call, _ in CALLS])
def test_a_wrong_call_is_one_line_that_names_the_thing(program: Runner, arguments: list[str], named: str) -> None:
    assert named in program.usage_error(*arguments)
    assert not list(program.state.rglob("*.jsonl"))


def test_a_misspelt_setting_is_told_the_right_name(program: Runner) -> None:
    assert "did you mean agents.defaults.model?" in program.usage_error("config", "set", "agents.default.model", "x")


def test_a_state_directory_that_is_a_file(program: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("OPENCLAW_STATE_DIR", str(tmp_path / "file" / "state"))
    assert "is no directory" in program.usage_error("-p", "hi")


@pytest.mark.parametrize("name", ["init", "context", "sessions", "models", "config", "doctor", "completion"])
def test_each_command_has_help(program: Runner, name: str) -> None:
    outcome = program(name, "--help")
    assert outcome.code == 0
    assert outcome.out.startswith(f"usage: openclaw-tui {name}")
