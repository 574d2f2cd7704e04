"""The user's answer about a folder: bound to what was shown, kept outside, and void for whatever changed."""

import stat
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from openclaw_tui.app.trust import left_out_line, trust_text
from openclaw_tui.safety.trust import FolderTrust, Thing, TrustStore, print_of
from tests.safety.trusting import look, put, strange_folder, trust


def test_a_folder_without_anything_that_acts_asks_nothing(tmp_path: Path) -> None:
    put(tmp_path / "p" / "AGENTS.md", "Be kind.")
    put(tmp_path / "p" / ".openclaw" / "tui.toml", '[permissions]\ndeny = ["exec(rm:*)"]\n')
    seen = look(tmp_path / "p")
    assert (seen.state, seen.asks, left_out_line(seen)) == ("nothing", False, "")


def test_a_strange_folder_is_shown_with_what_each_thing_would_do(tmp_path: Path) -> None:
    text = trust_text(look(strange_folder(tmp_path / "p")))
    for expected in (
        "settings tui.toml",
        'agents.defaults.model = "scripted/other"',
        "permissions.allow: exec(make:*)",
        "agent .claude/agents/helper.md",
        "tools: read",
        "command .claude/commands/ship.md",
        "asks the model to run `git push`",
        "skill skills/packing",
        "has scripts the agent may ask to run: pack.sh",
        "hook .claude/settings.json",
        "mcp .mcp.json",
        "this version never runs it",
    ):
        assert expected in text
    assert "curl" not in text
    assert "example.org" not in text


def test_the_left_out_line_counts_what_waits(tmp_path: Path) -> None:
    line = left_out_line(look(strange_folder(tmp_path / "p")))
    assert "\n" not in line
    for expected in (
        "is not trusted",
        "settings (tui.toml)",
        "agents (",
        "commands (",
        "skills with scripts (skills/p",
    ):
        assert expected in line


def test_a_yes_holds_for_these_contents_and_is_kept_outside_privately(tmp_path: Path) -> None:
    project = strange_folder(tmp_path / "p")
    paths = trust(project)
    assert look(project).state == "trusted"
    assert not paths.trust.is_relative_to(project)
    assert stat.S_IMODE(paths.trust.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("name", "text", "named"),
    [
        (".openclaw/tui.toml", '[permissions]\nallow = ["exec"]\n', "settings tui.toml"),
        (".openclaw/tui.local.toml", '[permissions]\nallow = ["exec"]\n', "settings tui.local.toml"),
        (".claude/agents/helper.md", "---\ndescription: Other.\n---\n", "agent .claude/agents/helper.md"),
        (".agents/agents/second.md", "---\ndescription: New.\n---\n", "agent .agents/agents/second.md"),
        (".claude/commands/ship.md", "!`rm -rf ~`", "command .claude/commands/ship.md"),
        ("skills/packing/pack.sh", "echo other\n", "skill skills/packing"),
        ("skills/packing/deep/new.py", "print()\n", "skill skills/packing"),
        ("skills/telling/SKILL.md", "---\nname: telling\ndescription: Other.\n---\n", "skill skills/telling"),
    ],
)
def test_what_changed_or_came_asks_again_and_is_named(tmp_path: Path, name: str, text: str, named: str) -> None:
    project = strange_folder(tmp_path / "p")
    trust(project)
    put(project / name, text)
    seen = look(project)
    assert seen.state == "changed"
    assert [thing.key for thing in seen.changed] == [named]
    assert named in left_out_line(seen)
    assert f"{named} (changed)" in trust_text(seen) or f"{named} (new)" in trust_text(seen)


def test_a_script_that_becomes_runnable_is_a_change(tmp_path: Path) -> None:
    project = strange_folder(tmp_path / "p")
    tool = put(project / "skills" / "telling" / "tool", "#!/bin/sh\n")
    trust(project)
    tool.chmod(0o755)
    assert [thing.key for thing in look(project).changed] == ["skill skills/telling"]


def test_what_is_gone_deny_rules_and_comments_ask_nothing_again(tmp_path: Path) -> None:
    project = strange_folder(tmp_path / "p")
    trust(project)
    (project / ".claude" / "commands" / "ship.md").unlink()
    settings_file = project / ".openclaw" / "tui.toml"
    text = settings_file.read_text(encoding="utf-8").replace("curl", "wget")
    put(settings_file, f"# a remark\n{text}")
    assert look(project).state == "trusted"
    assert "command .claude/commands/ship.md (gone)" in trust_text(look(project))


def test_the_answer_belongs_to_the_real_folder(tmp_path: Path) -> None:
    project = strange_folder(tmp_path / "p")
    trust(project)
    (tmp_path / "link").symlink_to(project)
    assert look(tmp_path / "link").state == "trusted"
    assert look(strange_folder(tmp_path / "other")).state == "unasked"
    project.rename(tmp_path / "moved")
    assert look(tmp_path / "moved").state == "unasked"


def test_never_is_kept_whatever_changes_and_can_be_taken_back(tmp_path: Path) -> None:
    project = strange_folder(tmp_path / "p")
    store = TrustStore(trust(project).trust)
    store.never_ask(project)
    put(project / ".claude" / "commands" / "more.md", "More.")
    assert (look(project).state, look(project).asks) == ("never", False)
    assert store.forget(project)
    assert look(project).state == "unasked"
    assert not store.forget(project)


@pytest.mark.parametrize("damage", [b"{", b"\xff\xfe", b'{"folders": {"/p": {"answer": "yes"}}}', b"[]"])
def test_a_damaged_file_trusts_nothing_says_so_and_is_kept(tmp_path: Path, damage: bytes) -> None:
    project = strange_folder(tmp_path / "p")
    paths = trust(project)
    paths.trust.write_bytes(damage)
    seen = look(project)
    assert seen.state == "unasked"
    assert "no folder counts as trusted" in seen.problem
    trust(project)
    assert look(project).state == "trusted"
    assert paths.trust.with_name("trust.json.damaged").read_bytes() == damage


def test_two_programs_that_answer_at_once_lose_nothing(tmp_path: Path) -> None:
    store = TrustStore(tmp_path / "state" / "trust.json")
    folders = [tmp_path / str(number) for number in range(24)]
    threads = [threading.Thread(target=store.never_ask, args=(folder,)) for folder in folders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [store.answer(folder)[0] for folder in folders] == ["never"] * len(folders)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(st.dictionaries(st.text(max_size=5), st.text(max_size=5), max_size=5), st.data())
def test_nothing_counts_that_was_not_granted_byte_for_byte(granted: dict[str, str], data: st.DataObject) -> None:
    now = data.draw(st.dictionaries(st.sampled_from([*granted, "x"]), st.text(max_size=5), max_size=5))
    things = tuple(Thing("command", name, Path(name), print_of(text.encode())) for name, text in now.items())
    prints = {f"command {name}": print_of(text.encode()) for name, text in granted.items()}
    seen = FolderTrust("/p", things, "trusted", prints)
    assert seen.is_trusted == all(granted.get(name) == text for name, text in now.items())


def test_a_folder_cannot_hide_what_it_would_do(tmp_path: Path) -> None:
    name = "a\x1b[2K\u202eb"
    put(tmp_path / "p" / ".claude" / "commands" / f"{name}.md", "first\r\x1b[1A\n!`x` \U000e0041\n")
    text = trust_text(look(tmp_path / "p"))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "\U000e0041" not in text
    assert "asks the model to run `x`" in text
