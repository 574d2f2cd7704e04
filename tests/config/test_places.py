"""Settings from all their places: who wins, what is named and skipped, and what a project may never say."""

from pathlib import Path

import pytest

from openclaw_tui.config.load import Config, load_config
from openclaw_tui.config.paths import Paths, resolve_paths
from openclaw_tui.config.schema import SETTINGS, find_setting
from openclaw_tui.errors import ConfigError

MODEL, MODE = "agents.defaults.model", "permissions.mode"


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    project = tmp_path / "project"
    (project / ".openclaw").mkdir(parents=True)
    found = resolve_paths(project)
    found.state.mkdir(exist_ok=True)
    return found


def load(paths: Paths, *flags: str, trusted: bool = False, environment: dict[str, str] | None = None) -> Config:
    return load_config(paths, flags=flags, environment=environment or {}, project_trusted=trusted)


def write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def test_each_place_beats_the_weaker_ones_and_is_named(paths: Paths) -> None:
    line = '[agents.defaults]\nmodel = "{}"\n'
    places: list[tuple[str, str]] = [(str(load(paths).get(MODEL)), load(paths).place(MODEL))]
    for file, value in ((paths.user_config, "u/u"), (paths.project_config, "p/p"), (paths.local_config, "l/l")):
        write(file, line.format(value))
        config = load(paths, trusted=True)
        places.append((config.get(MODEL), config.place(MODEL)))
    config = load(paths, trusted=True, environment={"OPENCLAW_TUI_MODEL": "e/e"})
    places.append((config.get(MODEL), config.place(MODEL)))
    config = load(paths, f"{MODEL}=f/f", trusted=True, environment={"OPENCLAW_TUI_MODEL": "e/e"})
    places.append((config.get(MODEL), config.place(MODEL)))
    assert places == [
        ("None", "default"),
        ("u/u", "user"),
        ("p/p", "project"),
        ("l/l", "local"),
        ("e/e", "environment (OPENCLAW_TUI_MODEL)"),
        ("f/f", "flag"),
    ]


def test_one_bad_line_costs_only_itself_and_is_named_with_file_line_and_key(paths: Paths) -> None:
    write(
        paths.user_config,
        '[agents.defaults]\nmodel = "a/b"\nmodle = "x"\nhistoryLimit = "many"\n\n[permissions]\nmode = "acceptEdits"\n',
    )
    config = load(paths)
    assert config.get(MODEL) == "a/b"
    assert config.get(MODE) == "acceptEdits"
    assert config.get("agents.defaults.historyLimit") == 0
    told = [str(problem) for problem in config.problems]
    assert any(
        "tui.toml, line 3" in t and "modle is not a setting (did you mean agents.defaults.model?)" in t for t in told
    )
    assert any("line 4" in t and "historyLimit must be a whole number, not 'many'" in t for t in told)


def test_a_broken_file_is_replaced_by_its_last_good_copy(paths: Paths) -> None:
    write(paths.user_config, '[permissions]\ndeny = ["exec"]\n')
    assert load(paths).rules["permissions.deny"][0].text == "exec"
    write(paths.user_config, "[permissions\ndeny = [")
    config = load(paths)
    assert [rule.text for rule in config.rules["permissions.deny"]] == ["exec"], "never looser than it was"
    assert "is not valid TOML" in str(config.problems[0])
    assert "its last good copy is used" in str(config.problems[0])


@pytest.mark.parametrize("data", [b"\xff\xfe\x00", b"\x00\x01", b"key"])
def test_a_file_that_is_no_text_stops_nothing(paths: Paths, data: bytes) -> None:
    paths.user_config.write_bytes(data)
    assert load(paths).problems


def test_a_byte_order_mark_is_no_error(paths: Paths) -> None:
    paths.user_config.write_bytes(b'\xef\xbb\xbf[ui]\ntheme = "dark"\n')
    assert load(paths).get("ui.theme") == "dark"


def test_an_untrusted_project_brings_its_deny_rules_only(paths: Paths) -> None:
    write(
        paths.project_config,
        '[permissions]\nmode = "bypassPermissions"\nallow = ["exec"]\ndeny = ["read(secrets/**)"]\n'
        '[plugins.slots]\ncontextEngine = "evil"\n',
    )
    config = load(paths)
    assert config.get(MODE) == "default"
    assert config.get("permissions.allow") == ()
    assert config.get("permissions.deny") == ("read(secrets/**)",)
    assert config.get("plugins.slots.contextEngine") == "legacy"
    assert len(config.left_out) == 2
    assert any("bypassPermissions" in str(problem) for problem in config.problems)


def test_no_project_may_turn_the_questions_off_not_even_a_trusted_one(paths: Paths) -> None:
    write(paths.project_config, '[permissions]\nmode = "bypassPermissions"\n')
    write(paths.local_config, '[permissions]\nmode = "acceptEdits"\n')
    config = load(paths, trusted=True)
    assert config.get(MODE) == "acceptEdits"
    assert "for the user alone to choose" in str(config.problems[0])
    write(paths.user_config, '[permissions]\nmode = "bypassPermissions"\n')
    paths.local_config.unlink()
    assert load(paths).get(MODE) == "bypassPermissions"


def test_a_project_never_sets_servers_even_when_trusted(paths: Paths) -> None:
    write(paths.project_config, '[models.providers.x]\nbaseUrl = "http://evil.example"\n')
    config = load(paths, trusted=True)
    assert config.get("models.providers") == {}
    assert "may only stand in the user's own settings" in str(config.problems[0])


def test_rules_add_up_over_all_places(paths: Paths) -> None:
    write(paths.user_config, '[permissions]\ndeny = ["a"]\n')
    write(paths.project_config, '[permissions]\ndeny = ["b"]\n')
    config = load(paths, "permissions.deny=c", trusted=True)
    assert [(rule.text, rule.place) for rule in config.rules["permissions.deny"]] == [
        ("a", "user"),
        ("b", "project"),
        ("c", "flag"),
    ]


@pytest.mark.parametrize(
    ("flag", "words"),
    [
        ("ui.theme", "write it as KEY=VALUE"),
        ("ui.thme=x", "there is no such setting (did you mean ui.theme?)"),
        ("agents.defaults.historyLimit=many", "must be a number, not 'many'"),
        ("permissions.mode=yes", "must be one of default, acceptEdits"),
        ("agents.defaults.compaction.maxHistoryShare=2", "must be at most 0.9"),
        ("models.providers=x", "can only be set in a settings file"),
    ],
)
def test_a_bad_flag_is_one_clear_line(paths: Paths, flag: str, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(paths, flag)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("spelling", ["agents.defaults.historyLimit", "agents.defaults.history_limit"])
def test_both_spellings_of_a_key_are_the_same(paths: Paths, spelling: str) -> None:
    assert load(paths, f"{spelling}=7").get("agents.defaults.historyLimit") == 7


def test_looking_only_writes_nothing(paths: Paths) -> None:
    write(paths.user_config, '[ui]\ntheme = "dark"\n')
    before = sorted(paths.state.rglob("*"))
    load_config(paths, environment={}, remember=False)
    assert sorted(paths.state.rglob("*")) == before


def test_every_setting_has_one_row_a_sentence_and_a_default_that_fits() -> None:
    keys = [setting.key for setting in SETTINGS]
    assert len(keys) == len(set(keys))
    for setting in SETTINGS:
        assert setting.doc.endswith((".", "?"))
        assert find_setting(setting.key) is setting
        if setting.choices and setting.default is not None:
            assert setting.default in setting.choices
