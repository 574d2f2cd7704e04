"""How the transcript looks: colours that can be read, states that need none, and pictures of the main states."""

from typing import Any

import pytest
from rich.style import Style
from textual.app import App

from openclaw_tui.ui.textual.rendering.palette import DECORATION, MODIFIERS, Palette
from openclaw_tui.ui.textual.widgets.transcript import Transcript
from tests.ui.transcript_app import TranscriptApp, drawn, screen_text

MARKDOWN = '''The cause is in `session/dag.py`: **reparenting** loses the *label* (see [the docs](https://example.test/dag)).

## What I found

1. `branch()` walks from the leaf to the root, but it stops at the first compaction entry, so older entries go.
2. The label index is built too early:
   - labels of moved entries are stale
   - nothing rebuilds it

> Nothing is lost, only moved.

| File | Change | Risk |
|:-----|:------:|-----:|
| `dag.py` | walk through compactions | low |
| `truncation.py` | archive, then rename | medium |

```python
def branch(self, leaf: str) -> list[Entry]:
    """The path from a leaf to the root."""
    return self.walk(leaf)[::-1]  # oldest first
```

你好，世界 👍 [bold]no markup[/bold] \x1b]52;c;aGk=\x07
'''

DIFF = """--- a/session/dag.py
+++ b/session/dag.py
@@ -10,5 +10,6 @@ class Dag:
     path = []
-    while leaf is not None and not leaf.is_compaction:
+    while leaf is not None:
         path.append(self.index[leaf])
-        leaf = entry.parent
+        leaf = entry.parent_id
+        steps += 1
     return path
"""


class LookApp(TranscriptApp):
    """One scene under one theme."""

    def __init__(self, scene: str, theme: str = "textual-dark") -> None:
        super().__init__()
        self.scene = scene
        self.wanted_theme = theme

    def on_mount(self) -> None:
        self.theme = self.wanted_theme
        self.animation_level = "none"
        SCENES[self.scene](self.transcript)


def _answer(view: Transcript) -> None:
    view.add_user("u", "Why does the test in session/dag.py fail [sometimes]?", ["screenshot.png 34 KB"])
    view.start_assistant("a")
    view.append_thinking("a", "The labels may be the reason.")
    view.append_text("a", MARKDOWN)
    view.finish_assistant("a", "interrupted")


def _tools(view: Transcript) -> None:
    view.add_user("u", "Fix it.")
    view.add_tool("t1", "read", "openclaw_tui/session/dag.py:1-200")
    view.finish_tool("t1", seconds=0.12, size=1234, output="1 import os")
    view.add_tool("t2", "exec", "uv run pytest -q tests/session/test_dag.py -k reparent --maxfail=1")
    view.finish_tool("t2", seconds=3.4, size=52_345, output="test_a [id=1] PASSED\ntest_b FAILED", is_error=True)
    view.toggle_fold("t2")
    view.add_tool("t3", "sessions_spawn", "look for callers of branch()", state="waiting")
    view.add_tool("s1", "grep", r"branch\(", parent="t3", state="done")
    view.start_assistant("s2", parent="t3")
    view.append_text("s2", "There are **three** callers.")
    view.finish_assistant("s2")
    view.add_tool("t4", "exec", "rm -rf build", state="denied")
    view.add_tool("t5", "exec", "sleep 60", state="stopped")
    view.add_separator("compaction · 182k → 31k tokens · saved $0.42")
    view.add_notice("info", "switched to another model")
    view.add_notice("warning", "the cache goes cold in 30 s")
    view.add_notice("error", "the provider refused the request: check the key with /login")


def _diff(view: Transcript) -> None:
    view.add_tool("t", "edit", "session/dag.py")
    view.finish_tool("t", seconds=0.1, diff=DIFF)
    view.toggle_fold("t")


SCENES = {"answer": _answer, "tools": _tools, "diff": _diff}


@pytest.mark.snapshot
@pytest.mark.parametrize(
    ("scene", "theme", "size"),
    [
        ("answer", "textual-dark", (100, 44)),
        ("answer", "textual-light", (80, 44)),
        ("answer", "textual-dark", (38, 70)),
        ("tools", "textual-dark", (90, 34)),
        ("diff", "textual-light", (70, 14)),
    ],
    ids=["answer", "answer-light", "answer-narrow", "tools", "diff-light"],
)
def test_picture(snap_compare: Any, scene: str, theme: str, size: tuple[int, int]) -> None:
    assert snap_compare(LookApp(scene, theme), terminal_size=size)


def _luminance(channels: tuple[int, int, int]) -> float:
    linear = [
        value / 255 / 12.92 if value / 255 <= 0.03928 else ((value / 255 + 0.055) / 1.055) ** 2.4 for value in channels
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(style: Style) -> float:
    assert style.color is not None
    assert style.bgcolor is not None
    pair = sorted(_luminance(color.get_truecolor()) for color in (style.color, style.bgcolor))
    return (pair[1] + 0.05) / (pair[0] + 0.05)


@pytest.mark.parametrize("theme", ["textual-dark", "textual-light", "nord", "solarized-light", "dracula", "monokai"])
async def test_every_text_can_be_read(theme: str) -> None:
    app = LookApp("answer", theme)
    async with app.run_test() as pilot:
        await drawn(pilot)
        palette = app.transcript._plan.palette
        assert palette is not None
        contrast = {
            name: round(_contrast(getattr(palette, name)), 2)
            for name in Palette.__struct_fields__
            if name not in MODIFIERS and name not in DECORATION
        }
    assert {name: value for name, value in contrast.items() if value < 4.5} == {}


async def test_another_theme_repaints_what_is_there() -> None:
    app = LookApp("answer")
    async with app.run_test(size=(80, 40)) as pilot:
        await drawn(pilot)
        text, before = screen_text(app.transcript), app.transcript.render_line(1)
        app.theme = "textual-light"
        await pilot.pause()
        await drawn(pilot)
        assert screen_text(app.transcript) == text
        assert app.transcript.render_line(1) != before


async def test_states_are_told_without_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app: App[None] = LookApp("tools")
    async with app.run_test(size=(90, 34)) as pilot:
        await drawn(pilot)
        view = pilot.app.query_one(Transcript)
        strips = view.render_lines(view.size.region)
        colours = {
            segment.style.color.get_truecolor()
            for strip in strips
            for segment in strip
            if segment.style and segment.style.color
        }
        assert all(max(colour) - min(colour) <= 1 for colour in colours)
        text = screen_text(view)
    for word in ("✓", "done", "✗", "failed", "◌", "waiting", "⊘", "denied", "■", "stopped", "warning:", "error:"):
        assert word in text
