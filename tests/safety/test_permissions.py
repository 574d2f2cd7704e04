"""The verdict on an act: order of the rules, modes, outside, destructive, what the user decided."""

import os
from pathlib import Path

import pytest

from openclaw_tui.events import Risk
from openclaw_tui.safety.permissions import Act, PermissionMode, Permissions, PermissionSettings, RuleLine, Verdict
from openclaw_tui.tools.workspace import Workspace


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / "a.py").write_text("x = 1\n", encoding="utf-8")
    (root / "src" / "b.py").write_text("y = 2\n", encoding="utf-8")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.txt").write_text("s\n", encoding="utf-8")
    return root


def _lines(texts: tuple[str, ...], place: str) -> tuple[RuleLine, ...]:
    return tuple(RuleLine(text, place) for text in texts)


def _permissions(
    root: Path,
    mode: PermissionMode = "default",
    *,
    allow: tuple[str, ...] = (),
    ask: tuple[str, ...] = (),
    deny: tuple[str, ...] = (),
    place: str = "user",
) -> Permissions:
    settings = PermissionSettings(mode, _lines(allow, place), _lines(ask, place), _lines(deny, place))
    return Permissions(settings, Workspace(root))


def _run(permissions: Permissions, command: str, *, cwd: Path | None = None) -> Verdict:
    return permissions.judge(Act("exec", "execute", (cwd,) if cwd else (), command=command))


def _file(permissions: Permissions, tool: str, path: Path) -> Verdict:
    risk: Risk = "read" if tool in ("read", "ls", "find", "grep") else "write"
    return permissions.judge(Act(tool, risk, (Path(os.path.realpath(path)),)))


@pytest.mark.parametrize(
    ("mode", "read", "edit", "command", "outside"),
    [
        ("default", "allow", "ask", "ask", "ask"),
        ("acceptEdits", "allow", "allow", "ask", "ask"),
        ("plan", "allow", "deny", "deny", "deny"),
        ("bypassPermissions", "allow", "allow", "allow", "allow"),
    ],
)
def test_modes_as_the_table_says(
    root: Path, mode: PermissionMode, read: str, edit: str, command: str, outside: str
) -> None:
    permissions = _permissions(root, mode)
    assert _file(permissions, "read", root / "a.py").decision == read
    assert _file(permissions, "edit", root / "a.py").decision == edit
    assert _run(permissions, "make").decision == command
    assert _run(permissions, "git status && ls").decision == "allow"
    assert _file(permissions, "read", root / "../outside/secret.txt").decision == outside
    assert permissions.judge(Act("web_fetch", "network", url="https://example.com/")).decision == command


@pytest.mark.parametrize(
    "command",
    [
        "git status && rm -rf build",
        "git status; rm -rf build",
        "git status | rm -rf build",
        "git status || rm -rf build",
        "git status & rm -rf build",
        "git status\nrm -rf build",
        "git status $(rm -rf build)",
        "git status `rm -rf build`",
        "git status <(rm -rf build)",
        "git status > file",
    ],
)
def test_one_allowed_command_allows_no_other(root: Path, command: str) -> None:
    """Case 235."""
    assert _run(_permissions(root, allow=("exec(git:*)",)), command).decision == "ask"
    assert _run(_permissions(root, allow=("Bash(git:*)",), place="project"), command).decision == "ask"


@pytest.mark.parametrize(
    "command",
    [
        "git -C src commit",
        "git --no-pager commit",
        "/usr/bin/git commit",
        "FOO=1 git commit",
        "env git commit",
        "sh -c 'git commit'",
        "ls && git commit",
        "git $X",
        "$X commit",
        "git commit (",
        "ssh host git commit",
        "npx git commit",
        "xargs git commit",
    ],
)
@pytest.mark.parametrize("mode", ["default", "bypassPermissions"])
def test_a_rule_meets_every_way_to_write_its_command(root: Path, command: str, mode: PermissionMode) -> None:
    """Case 236: the question comes in every mode, whatever else is allowed."""
    permissions = _permissions(root, mode, ask=("exec(git commit:*)",), allow=("exec",))
    assert _run(permissions, command).decision == "ask"
    refusing = _permissions(root, mode, deny=("Bash(git commit:*)",), allow=("exec",))
    assert _run(refusing, command).decision in ("deny", "ask")


def test_deny_is_first_and_mode_is_last(root: Path) -> None:
    rules = ("exec(make:*)",)
    assert _run(_permissions(root, allow=rules), "make all").decision == "allow"
    assert _run(_permissions(root, allow=rules, ask=rules), "make all").decision == "ask"
    assert _run(_permissions(root, "bypassPermissions", allow=rules, ask=rules, deny=rules), "make").decision == "deny"


def test_a_chain_of_allowed_parts_does_not_ask(root: Path) -> None:
    permissions = _permissions(root, allow=("exec(make:*)", "exec(npm run test:*)"))
    assert _run(permissions, "make all && npm run test -- -x && git status | head -3").decision == "allow"
    assert _run(permissions, "make all && npm run lint").decision == "ask"
    assert _run(permissions, "makefoo").decision == "ask"
    assert _run(permissions, "./make").decision == "ask"
    assert _run(permissions, "PATH=. make").decision == "ask"


def test_project_rules_never_cover_destructive_or_outside_acts(root: Path) -> None:
    rules = ("exec(rm:*)", "exec(cp:*)", "read(**)", "read(/**)", "exec")
    from_project = _permissions(root, allow=rules, place="project")
    from_user = _permissions(root, allow=rules)
    for command in ("rm -r build", "cp a.py ../outside/", "cp $X y", "make > ../outside/x"):
        assert _run(from_project, command).decision == "ask", command
        assert _run(from_user, command).decision == "allow", command
    assert _run(from_project, "rm a.py && make").decision == "allow"
    assert _file(from_project, "read", root / "../outside/secret.txt").decision == "ask"
    assert _file(from_user, "read", root / "../outside/secret.txt").decision == "allow"


@pytest.mark.parametrize(
    "command",
    [
        "cat ../outside/secret.txt",
        "cd .. && ls",
        "cd src && cat ../../outside/secret.txt",
        "git -C .. status",
        "ls ~",
        "cat < ../outside/secret.txt",
        "grep -f../outside/secret.txt a.py",
        "cat link",
        "cat li*",
        "head --lines=1 /etc/passwd",
        "cat in/secret.txt",
        "cd in && cat secret.txt",
        "cat ~root/x",
        "cat $HOME/x",
        "cat */secret.txt",
    ],
)
def test_reading_outside_by_a_command_asks(root: Path, command: str) -> None:
    (root / "link").symlink_to("../outside/secret.txt")
    (root / "in").symlink_to("../outside")
    assert _run(_permissions(root), command).decision == "ask"
    assert _run(_permissions(root, "plan"), command).decision == "deny"


@pytest.mark.parametrize(
    "command", ["cat a.py", "cd src && cat b.py", "cat src/../a.py", "grep -rn '/api/v1' .", "cat *.py"]
)
def test_reading_inside_does_not_ask(root: Path, command: str) -> None:
    assert _run(_permissions(root), command).decision == "allow"


def test_a_command_started_elsewhere_asks(root: Path) -> None:
    assert _run(_permissions(root), "ls", cwd=root.parent).decision == "ask"
    assert _run(_permissions(root, allow=("exec(make:*)",)), "make", cwd=root.parent).decision == "ask"
    assert _run(_permissions(root), "ls", cwd=root / "src").decision == "allow"


def test_a_redirection_is_an_edit(root: Path) -> None:
    assert _run(_permissions(root), "ls > a.txt").decision == "ask"
    assert _run(_permissions(root), "ls > /dev/null 2>&1").decision == "allow"
    assert _run(_permissions(root, "acceptEdits"), "ls > a.txt").decision == "allow"
    assert _run(_permissions(root, "acceptEdits"), "ls > ../outside/a.txt").decision == "ask"
    assert _run(_permissions(root, "acceptEdits"), "ls > $X").decision == "ask"
    assert _run(_permissions(root, "plan"), "ls > a.txt").decision == "deny"
    assert _run(_permissions(root, allow=("write(out/**)",)), "ls > out/a.txt").decision == "allow"
    assert _run(_permissions(root, deny=("edit(out/**)",)), "ls > out/a.txt").decision == "deny"


def test_path_rules_cover_all_tools_that_do_the_same(root: Path) -> None:
    permissions = _permissions(root, "bypassPermissions", deny=("Read(.env)", "Edit(src/**)"))
    for tool in ("read", "grep", "ls"):
        assert _file(permissions, tool, root / "sub" / ".env").decision == "deny"
    for tool in ("edit", "write", "apply_patch"):
        assert _file(permissions, tool, root / "src" / "b.py").decision == "deny"
    assert _file(permissions, "edit", root / "a.py").decision == "allow"
    (root / ".env").write_text("K=1\n", encoding="utf-8")
    assert _run(permissions, "cat .env").decision == "deny"
    assert _run(permissions, "sed -i s/y/z/ src/b.py").decision == "deny"
    assert _run(permissions, "cat src/b.py").decision == "allow"


def test_links_out_of_the_workspace_count_as_outside(root: Path) -> None:
    """Case 234: also through a target that does not exist yet."""
    (root / "out").symlink_to("../outside")
    (root / "dangling").symlink_to("../outside/new.txt")
    permissions = _permissions(root, "acceptEdits")
    assert _file(permissions, "write", root / "out" / "newdir" / "a.txt").decision == "ask"
    assert _file(permissions, "write", root / "dangling").decision == "ask"
    assert _run(permissions, "echo x > out/newdir/a.txt").decision == "ask"
    assert _run(permissions, "echo x > dangling").decision == "ask"


def test_files_that_programs_obey_ask_even_where_edits_run(root: Path) -> None:
    permissions = _permissions(root, "acceptEdits")
    assert _file(permissions, "write", root / ".git" / "hooks" / "pre-commit").decision == "ask"
    assert _file(permissions, "write", root / ".openclaw" / "tui.toml").decision == "ask"


@pytest.mark.parametrize(
    ("rule", "url", "decision"),
    [
        ("WebFetch(domain:example.com)", "https://example.com/x", "allow"),
        ("web_fetch(domain:example.com)", "https://www.example.com/x", "ask"),
        ("web_fetch(domain:*.example.com)", "https://www.example.com/x", "allow"),
        ("web_fetch(domain:example.com)", "https://example.com.evil.org/", "ask"),
        ("web_fetch(domain:example.com)", "https://example.com@evil.org/", "ask"),
        ("web_fetch(domain:example.com)", "https://evil.org\\@example.com/", "ask"),
        ("web_fetch", "https://evil.org/", "allow"),
    ],
)
def test_addresses_by_their_real_host(root: Path, rule: str, url: str, decision: str) -> None:
    permissions = _permissions(root, allow=(rule,))
    assert permissions.judge(Act("web_fetch", "network", url=url)).decision == decision


def test_a_denied_domain_covers_what_lies_below_it(root: Path) -> None:
    permissions = _permissions(root, "bypassPermissions", deny=("web_fetch(domain:evil.org)",))
    assert permissions.judge(Act("web_fetch", "network", url="https://a.evil.org/")).decision == "deny"
    assert permissions.judge(Act("web_fetch", "network", url="https://ok.org/")).decision == "allow"


def test_what_the_user_decided_is_remembered(root: Path) -> None:
    permissions = _permissions(root)
    act = Act("exec", "execute", (), command="make all")
    verdict = permissions.judge(act)
    assert (verdict.decision, verdict.prefix_rule) == ("ask", "exec(make all:*)")
    permissions.remember(act, verdict, "once")
    assert permissions.judge(act).decision == "ask"
    permissions.remember(act, verdict, "session")
    assert permissions.judge(act).decision == "allow"
    assert _run(permissions, "make all -j2").decision == "ask"
    permissions.remember(act, verdict, "prefix")
    assert _run(permissions, "make all -j2").decision == "allow"
    assert _run(permissions, "make all > ../outside/x").decision == "ask"
    assert permissions.describe().rules == (("allow", "exec(make all:*)", "session"),)


@pytest.mark.parametrize(
    ("command", "rule"),
    [
        ("pytest -q tests", "exec(pytest:*)"),
        ("git commit -m x", "exec(git commit:*)"),
        ("npm run test", "exec(npm run test:*)"),
        ("python -m pytest -q", "exec(python -m pytest:*)"),
        ("ls && pytest -q", "exec(pytest:*)"),
        ("rm a.py", None),
        ("python x.py", None),
        ("bash -c 'make x'", "exec(make x:*)"),
        ("make a && npm run b", None),
        ("git push --force", None),
        ("pytest > out.txt", None),
        ("pytest $X", "exec(pytest:*)"),
    ],
)
def test_the_rule_that_is_offered_is_narrow(root: Path, command: str, rule: str | None) -> None:
    assert _run(_permissions(root), command).prefix_rule == rule


@pytest.mark.parametrize(
    "line", ["exec(", "exec(a*b)", "exec()", "web_fetch(example.com)", "update_plan(x)", "", "a b", "exec(*:*)"]
)
def test_a_bad_line_is_named_and_never_looser(root: Path, line: str) -> None:
    permissions = _permissions(root, allow=(line,))
    assert len(permissions.problems) == 1
    assert "user: " in permissions.problems[0]
    assert _run(permissions, "make").decision == "ask"


def test_a_bad_line_that_was_to_refuse_asks_for_its_whole_tool(root: Path) -> None:
    permissions = _permissions(root, "bypassPermissions", deny=("Bash(rm -rf",))
    assert _run(permissions, "make").decision == "ask"
    assert "asks instead" in permissions.problems[0]


def test_recent_verdicts_and_rules_can_be_shown(root: Path) -> None:
    permissions = _permissions(root, deny=("exec(rm:*)",))
    _run(permissions, "rm x")
    view = permissions.describe()
    assert view.rules == (("deny", "exec(rm:*)", "user"),)
    assert view.recent[-1][:2] == ("deny", "exec: rm x")
