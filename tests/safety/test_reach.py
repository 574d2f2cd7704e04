"""What a command gets beyond the sandbox is a question of its own, remembered by rules of its own."""

from pathlib import Path

import pytest

from openclaw_tui.safety.permission_rules import Reach
from openclaw_tui.safety.permissions import Act, PermissionMode, Permissions, PermissionSettings, RuleLine, Verdict
from openclaw_tui.tools.workspace import Workspace


def _permissions(
    root: Path, mode: PermissionMode = "default", *, place: str = "user", allow: str = "", deny: str = ""
) -> Permissions:
    def lines(text: str) -> tuple[RuleLine, ...]:
        return (RuleLine(text, place),) if text else ()

    return Permissions(PermissionSettings(mode, lines(allow), (), lines(deny)), Workspace(root))


def _run(permissions: Permissions, command: str, reach: Reach) -> Verdict:
    return permissions.judge(_act(permissions, command, reach))


def _act(permissions: Permissions, command: str, reach: Reach) -> Act:
    return Act("exec", "execute", (permissions.places.root,), command=command, reach=reach)


@pytest.mark.parametrize(
    ("rule", "plain", "network", "outside"),
    [
        ("", "ask", "ask", "ask"),
        ("exec(npm install:*)", "allow", "ask", "ask"),
        ("exec", "allow", "ask", "ask"),
        ("network(npm install:*)", "allow", "allow", "ask"),
        ("network", "allow", "allow", "ask"),
        ("unsandboxed(npm install:*)", "allow", "allow", "allow"),
        ("unsandboxed", "allow", "allow", "allow"),
    ],
)
def test_each_rule_reaches_as_far_as_it_says(tmp_path: Path, rule: str, plain: str, network: str, outside: str) -> None:
    permissions = _permissions(tmp_path, allow=rule)
    assert _run(permissions, "npm install", "").decision == plain
    assert _run(permissions, "npm install", "network").decision == network
    assert _run(permissions, "npm install", "outside").decision == outside


@pytest.mark.parametrize(
    ("mode", "decision"),
    [("default", "ask"), ("acceptEdits", "ask"), ("plan", "deny"), ("bypassPermissions", "allow")],
)
def test_even_a_looking_command_asks_for_network_as_the_mode_says(
    tmp_path: Path, mode: PermissionMode, decision: str
) -> None:
    permissions = _permissions(tmp_path, mode)
    assert _run(permissions, "git status", "network").decision == decision
    assert _run(permissions, "git status", "outside").decision == decision


def test_leaving_the_sandbox_is_covered_by_no_rule_of_a_project(tmp_path: Path) -> None:
    for rule in ("unsandboxed", "unsandboxed(npm install:*)"):
        assert _run(_permissions(tmp_path, allow=rule, place="project"), "npm install", "outside").decision == "ask"


def test_a_denied_network_is_denied_in_every_mode_and_leaves_the_rest(tmp_path: Path) -> None:
    permissions = _permissions(tmp_path, "bypassPermissions", deny="network")
    assert _run(permissions, "npm install", "network").decision == "deny"
    assert _run(permissions, "npm install", "outside").decision == "deny"
    assert _run(permissions, "npm install", "").decision == "allow"


def test_the_answer_about_the_network_is_remembered_as_its_rule(tmp_path: Path) -> None:
    permissions = _permissions(tmp_path)
    act = _act(permissions, "npm install left-pad", "network")
    verdict = permissions.judge(act)
    assert verdict.prefix_rule == "network(npm install:*)"
    assert "it may use the network" in verdict.reasons
    permissions.remember(act, verdict, "prefix")
    assert _run(permissions, "npm install other", "network").decision == "allow"
    assert _run(permissions, "npm publish", "network").decision == "ask"
    assert _run(permissions, "npm install && npm publish", "network").decision == "ask"


def test_yes_to_a_command_is_no_yes_to_the_same_with_network(tmp_path: Path) -> None:
    permissions = _permissions(tmp_path)
    act = _act(permissions, "make", "")
    permissions.remember(act, permissions.judge(act), "session")
    assert _run(permissions, "make", "").decision == "allow"
    assert _run(permissions, "make", "network").decision == "ask"


def test_answers_stand_beside_the_decisions(tmp_path: Path) -> None:
    permissions = _permissions(tmp_path)
    first, second = _act(permissions, "make one", ""), _act(permissions, "make two", "")
    permissions.judge(first)
    permissions.judge(second)
    permissions.answered(first, "no")
    recent = permissions.describe().recent
    assert [decision for decision, _, _ in recent] == ["asked: no", "ask"]
