"""How the screens in which one can act look: wide, 80×24, light, without colour."""

from typing import Any

import pytest
from msgspec.structs import replace

from openclaw_tui.ui.textual.themes import DARK, LIGHT
from tests.ui.panels.panel_app import PanelApp
from tests.ui.panels.views import VIEW

DRAFTED = replace(VIEW, budget=replace(VIEW.budget, draft=3_400, draft_words="2 files, 1 image"))
SHOWN = (
    *("budget", "budget-tree", "budget-map", "budget-files", "cache", "versions", "look", "price", "undo", "undo-many"),
    *("compaction", "compaction-before", "compaction-lost", "compaction-diff", "compaction-cost"),
)


@pytest.mark.snapshot
@pytest.mark.parametrize("show", SHOWN)
@pytest.mark.parametrize(("theme", "size"), [(DARK.name, (120, 40)), (DARK.name, (80, 24))], ids=["wide", "narrow"])
def test_picture(snap_compare: Any, show: str, theme: str, size: tuple[int, int]) -> None:
    assert snap_compare(PanelApp(show, DRAFTED, theme), terminal_size=size)


@pytest.mark.snapshot
@pytest.mark.parametrize("show", ["budget-tree", "budget-map", "versions", "price", "compaction-lost"])
def test_picture_in_light(snap_compare: Any, show: str) -> None:
    assert snap_compare(PanelApp(show, DRAFTED, LIGHT.name), terminal_size=(120, 40))


@pytest.mark.snapshot
@pytest.mark.parametrize("show", ["budget-tree", "budget-map", "versions", "compaction-diff"])
def test_picture_without_colours(snap_compare: Any, monkeypatch: pytest.MonkeyPatch, show: str) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert snap_compare(PanelApp(show, DRAFTED), terminal_size=(120, 40))
