"""`context`, `models`, `config`, `doctor`, `completion`: they look, and write nothing."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from openclaw_tui.cli_options import SUBCOMMANDS
from openclaw_tui.subcommands.init import TEMPLATES
from tests.subcommands.running import Runner, talk


@pytest.mark.parametrize("flags", [[], ["--json"], ["--request"]])
@pytest.mark.parametrize("stored", [False, True])
def test_context_prints_the_same_bytes_twice_and_writes_nothing(
    program: Runner, flags: list[str], stored: bool
) -> None:
    (program.project / "AGENTS.md").write_text("Be brief.\n", encoding="utf-8")
    (program.state / "tui.toml").write_text('ui.theme = "nord"\n', encoding="utf-8")
    if stored:
        talk(program)
    before = program.files()
    first, second = program("context", *flags), program("context", *flags)
    assert (first.code, first.out) == (0, second.out)
    assert first.out.strip()
    assert program.files() == before


def test_context_counts_each_part_and_names_each_file(program: Runner) -> None:
    (program.project / "AGENTS.md").write_text("Be brief.\n", encoding="utf-8")
    talk(program)
    data = json.loads(program("context", "--json", "--session", "talk").out)
    parts = {part["name"]: part for part in data["parts"]}
    assert data["session_id"] == "talk"
    assert parts["user messages"]["tokens"] > 0
    assert parts["tool results"]["tokens"] > 0
    assert [file["path"] for file in data["bootstrap_files"] if file["raw_chars"]] == ["AGENTS.md"]


def test_context_request_holds_prompt_tools_and_talk(program: Runner) -> None:
    talk(program)
    data = json.loads(program("context", "--request").out)
    assert [message["role"] for message in data["messages"]] == ["user", "assistant", "tool", "assistant"]
    assert data["tools"][0]["name"] == "read"
    assert data["system_stable"]


def test_models_tell_window_price_and_whether_there_is_a_key(program: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-key-that-must-not-be-shown")
    outcome = program("models", "--json")
    rows = {row["model"]: row for row in json.loads(outcome.out)}
    assert rows["openai/gpt-6.2-sol"]["key_present"]
    assert not rows["anthropic/claude-sonnet-5-5"]["key_present"]
    assert rows["anthropic/claude-sonnet-5-5"]["price_per_mtok"]["input"] > 0
    assert rows["offline/guide"]["context_window"] > 0
    assert "must-not-be-shown" not in outcome.out + program("models").out + program("doctor").out


def test_config_show_names_the_place_of_each_value(program: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    (program.state / "tui.toml").write_text('[ui]\ntheme = "nord"\nvim = "yes"\n', encoding="utf-8")
    monkeypatch.setenv("OPENCLAW_TUI_MODEL", "offline/guide")
    data = json.loads(program("--config", "ui.showThinking=true", "config", "show", "--json").out)
    places = {row["key"]: (row["value"], row["place"]) for row in data["settings"]}
    assert places["ui.theme"] == ("nord", "user")
    assert places["ui.showThinking"] == (True, "flag")
    assert places["agents.defaults.model"][1].startswith("environment")
    assert places["ui.vim"] == (False, "default")
    assert "line 3" in data["problems"][0]


def test_config_set_keeps_comments_and_other_spellings(program: Runner) -> None:
    file = program.state / "tui.toml"
    file.write_text("# mine\n[agents.defaults.compaction]\nkeep_recent_tokens = 1 # low\n", encoding="utf-8")
    assert program("config", "set", "agents.defaults.compaction.keepRecentTokens", "5000").code == 0
    assert program("config", "set", "permissions.deny", "exec(rm:*), write").code == 0
    text = file.read_text(encoding="utf-8")
    assert text.startswith("# mine\n[agents.defaults.compaction]\nkeep_recent_tokens = 5000 # low\n")
    assert 'deny = ["exec(rm:*)", "write"]' in text
    assert file.stat().st_mode & 0o777 in (0o600, 0o644)


def test_config_set_leaves_a_broken_file_alone(program: Runner) -> None:
    file = program.state / "tui.toml"
    file.write_text("[ui\n", encoding="utf-8")
    assert "cannot be changed" in program.usage_error("config", "set", "ui.theme", "nord")
    assert file.read_text(encoding="utf-8") == "[ui\n"


def test_doctor_names_a_cure_for_what_is_bad(program: Runner) -> None:
    path = talk(program)
    assert program("doctor").code == 0
    path.write_bytes(path.read_bytes() + b"{broken")
    program.state.chmod(0o755)
    outcome = program("doctor", "--json")
    findings = {finding["subject"]: finding for finding in json.loads(outcome.out)}
    assert outcome.code == 1
    assert findings["sessions"]["state"] == findings["state"]["state"] == "bad"
    assert findings["state"]["cure"].startswith("chmod 700")
    assert all(finding["cure"] for finding in findings.values() if finding["state"] != "ok")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_offers_every_command_and_flag(program: Runner, tmp_path: Path, shell: str) -> None:
    script = program("completion", shell).out
    for word in (*SUBCOMMANDS, "permission-mode", "bypassPermissions"):
        assert word in script
    if shutil.which(shell) is not None:
        file = tmp_path / "script"
        file.write_text(script, encoding="utf-8")
        subprocess.run([shell, "-n", str(file)], check=True)


def test_init_writes_what_is_missing_and_overwrites_nothing(program: Runner) -> None:
    (program.project / "AGENTS.md").write_text("mine\n", encoding="utf-8")
    (program.project / "SOUL.md").symlink_to(program.project / "nowhere")
    (program.project / ".git" / "info").mkdir(parents=True)
    first = program("init", "--exclude").out
    assert "kept  AGENTS.md" in first.replace("     ", "  ")
    assert "written  USER.md" in first
    assert (program.project / "AGENTS.md").read_text(encoding="utf-8") == "mine\n"
    assert not (program.project / "nowhere").exists()
    exclude = program.project / ".git" / "info" / "exclude"
    assert exclude.read_text(encoding="utf-8") == "/MEMORY.md\n/memory/\n"
    before = program.files()
    assert "written" not in program("init", "--exclude").out
    assert program.files() == before


def test_init_in_an_empty_directory_twice(program: Runner, tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    assert program("init", str(folder)).out.count("written") == len(TEMPLATES)
    texts = {name: (folder / name).read_bytes() for name in TEMPLATES}
    (folder / "BOOTSTRAP.md").unlink()  # as the first talk does when it is over
    again = program("init", str(folder)).out
    assert "written  BOOTSTRAP.md" in again
    assert again.count("kept") == len(TEMPLATES) - 1
    assert {name: (folder / name).read_bytes() for name in TEMPLATES} == texts
    assert sorted(path.name for path in folder.iterdir()) == sorted(TEMPLATES)
