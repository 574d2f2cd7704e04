"""Views with figures of a working day, for tests of what panels say and how they look; no session behind them."""

from pathlib import Path

from msgspec.structs import replace

from openclaw_tui.ledger.ledger import LedgerRow
from openclaw_tui.prompt.bootstrap_files import BootstrapFile
from openclaw_tui.ui.cache_view import BreakCard, CacheView, CallColumn
from openclaw_tui.ui.context_line import ContextView
from openclaw_tui.ui.context_view import BarPart, BudgetView
from openclaw_tui.ui.events_view import view_of_rows
from openclaw_tui.ui.heavy_items import HeavyItem

NOW = 1_796_000_000.0
"""An instant of the views' day, seconds since the epoch."""

BUDGET = BudgetView(
    parts=(
        BarPart("tools", 6_200),
        BarPart("system", 9_800),
        BarPart("dynamic", 400),
        BarPart("summary", 5_100),
        BarPart("talk", 21_300),
        BarPart("results", 41_300),
    ),
    measured=80_900,
    estimated=3_200,
    draft=0,
    window=200_000,
    usable=180_000,
    reserve=20_000,
    trigger=180_000,
    last_call=79_800,
    estimate_error=0.031,
    estimate_calls=20,
    growth=15_300,
    items=(
        HeavyItem("t17 exec pytest -q tests/session", 12_400, 3, 0.0124, "e17"),
        HeavyItem("AGENTS.md", 7_300, None, 0.0073),
        HeavyItem("t21 read openclaw_tui/session/dag.py", 5_900, 1, 0.0059, "e21"),
        HeavyItem("summary", 5_100, 9, 0.0051, "e9"),
        HeavyItem("t24 grep branch\\(", 3_100, 0, 0.0031, "e24"),
        HeavyItem("tool exec", 1_900, None, 0.0019),
    ),
    model="anthropic/claude-sonnet-5-5",
    engine="legacy",
)

_COLUMNS = tuple(
    CallColumn(NOW - 3_600 + 60 * n, read=0 if n in (0, 17) else 18_000 + 1_500 * n, written=1_500, fresh=120)
    for n in range(28)
)
CACHE = CacheView(
    columns=(
        replace(_COLUMNS[0], written=18_000),
        *_COLUMNS[1:17],
        replace(_COLUMNS[17], written=44_000, verdict="break"),
        *_COLUMNS[18:],
    ),
    calls=28,
    last_share=0.974,
    recent_share=0.91,
    session_share=0.843,
    state="timed",
    warm_until=NOW + 252,
    next_tokens=84_100,
    next_usd=0.3112,
    breaks=(
        BreakCard(
            NOW - 2_580,
            "break",
            "system prompt changed (AGENTS.md, line 14)",
            43_500,
            0.1523,
            "AGENTS.md, line 14",
            "Run the tests with `pytest -q`.",
            "Run the tests with `pytest -q -x`.",
        ),
    ),
    saved_usd=1.2431,
    lost_tokens=43_500,
    lost_usd=0.1523,
)

ROWS = [
    LedgerRow(NOW - 3_500, "repair", "made", "1 missing tool result(s) made", data={"count": 1}),
    LedgerRow(
        NOW - 2_900,
        "guard",
        "trimmed",
        "t17 exec, over the line",
        tokens_before=41_000,
        tokens_after=12_400,
        way_back='recall("t17")',
        data={"result": "t17", "tool": "exec", "kind": "trimmed"},
    ),
    LedgerRow(
        NOW - 2_580,
        "cache",
        "break",
        "system prompt changed (AGENTS.md, line 14)",
        tokens_before=43_500,
        tokens_after=0,
        cost_usd=0.1523,
    ),
    LedgerRow(NOW - 1_230, "compaction", "started", "threshold", tokens_before=181_000),
    LedgerRow(
        NOW - 1_212,
        "compaction",
        "done",
        "threshold",
        tokens_before=181_000,
        tokens_after=31_200,
        cost_usd=0.1204,
        seconds=18.2,
        way_back="/compact undo",
        data={"trigger": "threshold", "notes": []},
    ),
    LedgerRow(
        NOW - 1_211,
        "truncation",
        "done",
        "412 of 620 entries left the file",
        way_back="/compact undo, recall",
        data={"bytes_before": 8_100_000, "bytes_after": 2_400_000},
    ),
    LedgerRow(NOW - 600, "engine", "switched", "legacy -> retrieval", data={"engine": "retrieval"}),
    LedgerRow(NOW - 60, "memory", "written", "MEMORY.md, 2 notes", seconds=3.1),
]

FILES = (
    BootstrapFile("AGENTS.md", Path("AGENTS.md"), "AGENTS.md", "x" * 20_000, 31_204, 0, (210, 388)),
    BootstrapFile("MEMORY.md", Path("MEMORY.md"), "MEMORY.md", "x" * 2_100, 2_100),
)

VIEW = ContextView(replace(BUDGET, files=FILES), CACHE, view_of_rows(ROWS), 0.31)
NOTHING_YET = ContextView(
    BudgetView(
        parts=(BarPart("tools", 2_100), BarPart("system", 900), BarPart("dynamic", 60)),
        measured=0,
        estimated=3_060,
        draft=0,
        window=32_000,
        usable=24_000,
        reserve=8_000,
        trigger=24_000,
        model="local/model",
        engine="legacy",
    ),
    CacheView(),
    view_of_rows([]),
)
FULL = replace(
    VIEW,
    budget=replace(
        BUDGET,
        measured=178_000,
        estimated=5_000,
        parts=(*BUDGET.parts[:4], BarPart("talk", 60_500), BarPart("results", 101_000)),
        draft=900,
    ),
)
UNTOLD = replace(
    VIEW,
    cache=CacheView(
        columns=tuple(CallColumn(NOW - 60 * n, 0, 0, 9_000 - 300 * n, reported=False) for n in range(9, 0, -1)),
        calls=9,
        state="not reported",
    ),
)
