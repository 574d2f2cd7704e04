"""The order of the tools, and what is hidden."""

import itertools
from pathlib import Path

from openclaw_tui.safety.permissions import Permissions, PermissionSettings, RuleLine
from openclaw_tui.tools.registry import Toolset
from openclaw_tui.tools.workspace import Workspace
from tests.tools.runner_bench import FakeTool

ORDER = ("read", "write", "edit", "exec", "process", "session_status", "aaa", "zzz")


def test_the_order_never_depends_on_registration() -> None:
    for names in itertools.islice(itertools.permutations(ORDER), 0, 40_000, 401):
        assert Toolset([FakeTool(name) for name in names]).names == ORDER


def test_the_first_of_two_tools_with_one_name_counts() -> None:
    first, second = FakeTool("read"), FakeTool("read")
    assert Toolset([first, second]).find("read") is first


def test_a_tool_that_is_refused_as_a_whole_is_not_shown(tmp_path: Path) -> None:
    rules = PermissionSettings(deny=(RuleLine("Write", "flag"), RuleLine("Bash(rm:*)", "flag")))
    permissions = Permissions(rules, Workspace(tmp_path))
    tools = Toolset([FakeTool(name) for name in ORDER], permissions.denies_whole)
    assert "write" not in tools
    assert "exec" in tools.names
    assert [definition.name for definition in tools.definitions()] == [name for name in ORDER if name != "write"]


def test_a_smaller_set_keeps_the_order() -> None:
    tools = Toolset([FakeTool(name) for name in ORDER])
    assert tools.only(["exec", "read", "nope"]).names == ("read", "exec")
