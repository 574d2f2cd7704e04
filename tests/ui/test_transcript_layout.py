"""Heights, anchors and the bounded cache of rendered rows."""

from hypothesis import given
from hypothesis import strategies as st

from openclaw_tui.constants import TRANSCRIPT_CACHED_ROWS
from openclaw_tui.ui.textual.widgets.height_index import HeightIndex
from openclaw_tui.ui.textual.widgets.transcript_items import AssistantItem, ToolItem, UserItem
from openclaw_tui.ui.textual.widgets.transcript_layout import TranscriptLayout
from tests.ui.plain_palette import PLAIN
from tests.ui.transcript_app import long_history

ACTS = st.lists(
    st.tuples(st.sampled_from(["append", "set", "insert"]), st.integers(0, 9), st.integers(0, 20)), max_size=40
)


@given(ACTS)
def test_the_height_index_agrees_with_plain_sums(acts: list[tuple[str, int, int]]) -> None:
    index = HeightIndex()
    plain: list[int] = []
    for act, height, place in acts:
        if act == "append" or not plain:
            index.append(height)
            plain.append(height)
        elif act == "set":
            index.set(place % len(plain), height)
            plain[place % len(plain)] = height
        else:
            index.insert(place % len(plain), height)
            plain.insert(place % len(plain), height)
    assert index.total == sum(plain)
    assert [index.offset(position) for position in range(len(plain) + 1)] == [
        sum(plain[:n]) for n in range(len(plain) + 1)
    ]
    owners = [(position, row) for position, height in enumerate(plain) for row in range(height)]
    assert [index.find(row) for row in range(index.total)] == owners


def _layout(messages: int = 0, width: int = 60) -> TranscriptLayout:
    layout = TranscriptLayout()
    layout.set_look(width, PLAIN)
    layout.extend(long_history(messages))
    return layout


def _text(layout: TranscriptLayout) -> list[str]:
    rows = [layout.row_at(row) for row in range(layout.total)]
    return [row.strip.text.rstrip() if row else "" for row in rows]


def test_anchors_survive_corrected_estimates() -> None:
    layout = _layout(400)
    anchor = layout.find(layout.total // 2)
    assert anchor is not None
    layout.settle(anchor, 40, 80)
    before = layout.row_at(layout.offset_of(anchor))
    first = layout.find(0)
    assert first is not None
    layout.settle(first, 0, 500)
    after = layout.row_at(layout.offset_of(anchor))
    assert (before and before.strip.text) == (after and after.strip.text)


def test_only_what_is_near_is_rendered_and_the_cache_is_bounded() -> None:
    layout = _layout(4000)
    layout.settle_end(80)
    assert 40 <= layout.cached_rows < 160
    for row in range(0, 4000, 50):
        anchor = layout.find(row)
        assert anchor is not None
        layout.settle(anchor, 50, 50)
        assert layout.cached_rows <= TRANSCRIPT_CACHED_ROWS + 100


def test_streamed_text_lays_out_like_the_whole() -> None:
    text = "# T\n\nSome *prose* here.\n\n1. a\n2. b\n\n```py\nx = 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    live, whole = _layout(), _layout()
    item = AssistantItem(id="a", streaming=True)
    entry = live.append(item)
    for start in range(0, len(text), 7):
        item.append(text[start : start + 7])
        live.touch(entry)
        live.sync()
        live.settle_end(100)
    item.streaming = False
    live.touch(entry)
    live.sync()
    live.settle_end(100)
    whole.append(AssistantItem.whole("a", text))
    whole.sync()
    whole.settle_end(100)
    assert _text(live) == _text(whole)


def test_unchanged_parts_keep_their_rows() -> None:
    layout = _layout()
    item = AssistantItem.whole("a", "One paragraph.\n\nTwo")
    item.streaming = True
    entry = layout.append(item)
    layout.sync()
    layout.settle_end(50)
    first = layout.row_at(1)
    item.append(" and more")
    layout.touch(entry)
    layout.sync()
    layout.settle_end(50)
    assert layout.row_at(1) is first
    assert _text(layout)[-1] == "  Two and more"


def test_cards_stand_together_and_empty_answers_take_no_room() -> None:
    layout = _layout()
    layout.append(UserItem(id="u", text="go"))
    for number in range(2):
        layout.append(AssistantItem(id=f"a{number}", streaming=True))
        layout.append(ToolItem(id=f"t{number}", name="read", state="done"))
    layout.sync()
    layout.settle_end(50)
    assert [line.split("  ")[0] for line in _text(layout)] == ["", "▌ go", "", "✓ read", "✓ read"]


def test_a_new_width_keeps_the_text_and_changes_the_rows() -> None:
    layout = _layout(20, 70)
    wide = "".join(_text(layout)).replace(" ", "")
    rows = layout.total
    layout.set_look(30, PLAIN)
    layout.settle_end(10_000)
    assert layout.total > rows
    layout.set_look(70, PLAIN)
    layout.settle_end(10_000)
    assert "".join(_text(layout)).replace(" ", "") == wide
