"""Figures for the screens in which one can act: a request taken apart, a compaction, prices. No session behind them."""

from openclaw_tui.agent.budget_tree import Node
from openclaw_tui.agent.compaction_record import CompactionRecord
from openclaw_tui.agent.price_sheet import PriceSheet
from openclaw_tui.agent.undoing import UndoWays
from openclaw_tui.artifacts.recall import RecallText
from openclaw_tui.compaction.lost import Lost

NODES = (
    Node(
        "tool schemas",
        "tool schemas",
        6_200,
        children=(
            Node("tool exec", "exec", 1_900),
            Node("tool read", "read", 1_300),
            Node("tool edit", "edit", 1_100),
            Node("tool grep", "grep", 1_000),
            Node("tool memory_search", "memory_search", 900),
        ),
    ),
    Node(
        "stable system prompt",
        "stable system prompt",
        9_800,
        children=(
            Node("AGENTS.md", "AGENTS.md", 7_300),
            Node(
                "Skills", "Skills", 1_500, children=(Node("skill review", "review", 900), Node("skill pdf", "pdf", 600))
            ),
            Node("Safety", "Safety", 1_000),
        ),
    ),
    Node("dynamic system prompt", "dynamic system prompt", 400, children=(Node("Runtime", "Runtime", 400),)),
    Node("summary", "summary", 5_100, children=(Node("e9", "summary of earlier talk", 5_100, 9),)),
    Node(
        "user messages",
        "user messages",
        4_300,
        children=(Node("e10", "you: why does the walk stop?", 2_300, 4), Node("e12", "you: mend it", 2_000, 0)),
    ),
    Node(
        "answers",
        "answers",
        17_000,
        children=(
            Node(
                "e11",
                "The cause is in the walk of the branch",
                11_000,
                3,
                children=(Node("e11/0", "text: The cause", 8_000), Node("e11/1", "call exec pytest -q", 3_000)),
            ),
            Node("e13", "calls read, grep", 6_000, 1),
        ),
    ),
    Node(
        "tool results",
        "tool results",
        41_300,
        children=(
            Node("t17", "t17 exec pytest -q tests/session", 22_400, 3, can_clear=True, survives=False),
            Node("t21", "t21 read openclaw_tui/session/dag.py", 12_900, 1, can_clear=True),
            Node("t24", "t24 grep branch\\(", 6_000, 0, can_clear=True),
        ),
    ),
)
"""Adds up to the total of `views.BUDGET`."""

RECORD = CompactionRecord(
    entry_id="e40",
    summary="## Goal\nMend the walk of the branch so that it does not stop too early.\n\n## Decisions\n"
    "- Use tabs.\n- Tests stay in tests/session.\n\n## Open TODOs\n- Run the whole suite.",
    previous="## Goal\nMend the walk of the branch.\n\n## Decisions\n- Use tabs.\n\n## Open TODOs\nNone captured.",
    covered=(
        RecallText("e1", "user", "Why does the walk of the branch stop too early?"),
        RecallText("e2", "assistant", "I look at the file first.\nread({'path': 'openclaw_tui/session/dag.py'})"),
        RecallText("e3", "read", "1 import re\n2 import os\n" * 200, "t3"),
        RecallText("e4", "assistant", "The loop ends at the first entry without a parent."),
    ),
    lost=(
        Lost("to-do", "write the changelog"),
        Lost("command", "pytest -q tests/session -k walk", 4),
        Lost("path", "openclaw_tui/session/records.py", 7),
        Lost("port", "localhost:5433", 2),
        Lost("hash", "9f8e7d6c5b4a"),
    ),
    tokens_before=181_000,
    tokens_after=31_200,
    usd=0.1204,
    rewrite_tokens=15_200,
    rewrite_usd=0.0475,
    saved_usd=0.0449,
    calls=2,
    is_current=True,
)
SHEET = PriceSheet(
    "clear t17 exec",
    61_200,
    0.2142,
    gain="~22,100 tokens fewer with every call",
    choices=("now", "later", "no"),
    default="later",
)
WAYS = UndoWays(6, 9_400, 171_000, 180_000)
TOO_MANY = UndoWays(14, 39_400, 201_000, 180_000)
OLD = "# Guide\n\nRun the tests with `pytest -q`.\nKeep lines short.\nNo notes that say what code does."
NEW = "# Guide\n\nRun the tests with `pytest -q -x`.\nKeep lines short.\nNo notes that say what code does.\nBe good."
