"""What the verdict says of each part of a command line: what lets it run, or why it asks."""

from pathlib import Path

import pytest

from openclaw_tui.safety.permission_rules import RuleLine
from openclaw_tui.safety.permissions import Act, Permissions, PermissionSettings
from openclaw_tui.tools.workspace import Workspace


def words(tmp_path: Path, command: str) -> tuple[str, ...]:
    settings = PermissionSettings(
        allow=(RuleLine("exec(make:*)", "user"),),
        ask=(RuleLine("exec(git push:*)", "user"),),
    )
    permissions = Permissions(settings, Workspace(tmp_path))
    verdict = permissions.judge(Act("exec", "execute", (tmp_path,), command=command))
    assert verdict.decision == "ask"
    assert len(verdict.part_words) == len(verdict.parts)
    return verdict.part_words


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("ls && make all && touch x", ("only looks", "allowed by exec(make:*)", "asks: may change things")),
        ("git push && ls", ("asks by exec(git push:*)", "only looks")),
        ("rm -rf build | cat", ("asks: ", "only looks")),
        ("cat /etc/hostname && touch x", ("asks: outside the workspace", "asks: may change things")),
    ],
)
def test_each_part_has_its_word(tmp_path: Path, command: str, said: tuple[str, ...]) -> None:
    for found, wanted in zip(words(tmp_path, command), said, strict=True):
        assert found.startswith(wanted)
