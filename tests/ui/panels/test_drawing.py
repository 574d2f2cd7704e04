"""Treemap, versions and choices as what they draw: every cell used once, nothing lost, what is off cannot be taken."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from openclaw_tui.agent.budget_tree import Node, in_order
from openclaw_tui.ui.draft_weight import named_in
from openclaw_tui.ui.textual.panels.lines import width_of
from openclaw_tui.ui.textual.panels.looking import paired, versions_lines
from openclaw_tui.ui.textual.panels.treemap import tiles, treemap_lines
from tests.ui.panels.more_views import NODES
from tests.ui.panels.panel_app import PanelApp
from tests.ui.panels.views import VIEW

KINDS = ("tool schemas", "summary", "tool results")
sizes = st.lists(st.integers(min_value=0, max_value=50_000), min_size=1, max_size=12)


@given(groups=st.lists(sizes, min_size=1, max_size=3), width=st.integers(4, 120), height=st.integers(1, 40))
def test_tiles_never_overlap_and_stay_inside(groups: list[list[int]], width: int, height: int) -> None:
    nodes = [
        Node(name, name, sum(group), children=tuple(Node(f"{name}{n}", f"n{n}", size) for n, size in enumerate(group)))
        for name, group in zip(KINDS, groups, strict=False)
    ]
    seen: set[tuple[int, int]] = set()
    for tile in tiles(nodes, width, height):
        cells = {(x, y) for x in range(tile.x, tile.x + tile.width) for y in range(tile.y, tile.y + tile.height)}
        assert not cells & seen
        seen |= cells
        assert 0 <= tile.x <= tile.x + tile.width <= width
        assert 0 <= tile.y <= tile.y + tile.height <= height
    if sum(map(sum, groups)):
        assert len(seen) == width * height
    assert all(width_of(line) == width for line in treemap_lines(nodes, width, height))


@given(old=st.lists(st.sampled_from("abcd"), max_size=12), new=st.lists(st.sampled_from("abcd"), max_size=12))
def test_versions_hold_every_line_of_both(old: list[str], new: list[str]) -> None:
    pairs = list(paired(old, new))
    assert [was for was, _ in pairs if was is not None] == old
    assert [now for _, now in pairs if now is not None] == new


def test_versions_stand_beside_each_other_only_where_there_is_room() -> None:
    pairs = list(paired(["same", "old " * 60], ["same", "new"]))
    assert "│" in "".join(text for line in versions_lines(pairs, 100) for text, _ in line)
    narrow = versions_lines(pairs, 60)
    assert "│" not in "".join(text for line in narrow for text, _ in line)
    assert all(width_of(line) <= 60 for line in narrow)


def test_the_orders_put_first_what_they_say() -> None:
    results = NODES[-1].children
    assert [node.key for node in in_order(results, "tokens", 4)] == ["t17", "t21", "t24"]
    assert [node.key for node in in_order(results, "age", 4)] == ["t17", "t21", "t24"]
    assert [node.key for node in in_order(results, "calls", 4)] == ["t21", "t17", "t24"], "what survives weighs double"


def test_a_draft_weighs_the_lines_and_pictures_it_brings(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n" * 100, encoding="utf-8")
    (tmp_path / "b.png").write_bytes(b"\x89PNG")
    named = named_in("look at @a.py:1-50 and @b.png and @a.py and @gone.py:3", tmp_path)
    assert named.words == "1 file, 1 image"
    assert named.tokens > 1_000
    assert named_in("no mention", tmp_path).tokens == 0


async def test_an_answer_that_is_off_cannot_be_taken() -> None:
    app = PanelApp("undo-many", VIEW)
    async with app.run_test(size=(90, 24)) as pilot:
        screen = app.screen
        await pilot.press("1")
        await pilot.pause()
        assert app.screen is screen
        await pilot.press("2")
        await pilot.pause()
        assert app.screen is not screen
