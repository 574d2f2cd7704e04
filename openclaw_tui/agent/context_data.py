"""Everything the panels show, as plain data: the JSON of `/context json` and of the subcommand."""

from collections.abc import Sequence
from typing import Any

from openclaw_tui.agent.breakdown import context_breakdown
from openclaw_tui.agent.budget_tree import budget_tree
from openclaw_tui.agent.request_builder import RequestBuilder
from openclaw_tui.ledger.ledger import Ledger
from openclaw_tui.prompt.bootstrap_files import BootstrapFile


def context_data(requests: RequestBuilder, files: Sequence[BootstrapFile], ledger: Ledger) -> dict[str, Any]:
    """The next request part by part and taken apart, the estimator's error, the cache, how often each layer acted."""
    breakdown = context_breakdown(requests, files)
    learnt = requests.memory.calibration(requests.model)
    cache = requests.cache_report().as_data()
    acts: dict[str, int] = {}
    for row in ledger.rows:
        acts[row.layer] = acts.get(row.layer, 0) + 1
    return {
        **breakdown.as_data(),
        "estimate": {"error": learnt.error, "calls": learnt.samples},
        "tree": [node.as_data() for node in budget_tree(requests, breakdown)],
        "cache": {name: cache[name] for name in ("session", "last_calls", "breaks", "lost_tokens")},
        "acts": acts,
    }
