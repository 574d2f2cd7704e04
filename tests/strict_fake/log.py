"""The JSON-lines log of a fake, and the totals of such a log: refusals, cached share, cost ratio, cache breaks."""

import collections
import json
import re
import time
from pathlib import Path
from typing import Any

from tests.strict_fake.exchange import Record
from tests.strict_fake.refusal import Json

_WORTH_NOTING = 1000
"""Tokens lost to a changed prefix from which on it counts as a break."""


class Log:
    """Writes a line a request, when it ends. Without a path it only measures times."""

    def __init__(self, path: str | Path | None) -> None:
        self._path = Path(path) if path else None
        self._last_end: float | None = None
        self._starts: dict[int, float] = {}

    def open_record(self, record: Record) -> None:
        now = time.monotonic()
        self._starts[record.n] = now
        if self._last_end is not None:
            record.figures["gap_ms"] = (now - self._last_end) * 1000

    def close_record(self, record: Record) -> None:
        now = time.monotonic()
        self._last_end = now
        record.figures["total_ms"] = (now - self._starts.pop(record.n, now)) * 1000
        if self._path is not None:
            line = json.dumps(log_line(record), ensure_ascii=False, separators=(",", ":"))
            with self._path.open("a", encoding="utf-8", errors="replace") as file:
                file.write(line + "\n")


def log_line(record: Record) -> Json:
    """A record without its bodies."""
    figures = {name: round(value, 1) for name, value in record.figures.items()}
    line: Json = {
        "n": record.n,
        "ts": time.time(),
        "proto": record.protocol,
        "path": record.path,
        "model": record.model,
        "kind": record.kind,
        "status": record.status,
        "what": record.what,
        "error": record.error and record.error[:400],
        "fault": record.fault,
        "bytes": len(record.raw),
        "tokens": record.tokens,
        "parts": record.parts,
        "usage": record.usage,
        "breakpoints": record.breakpoints,
        "first_diff": record.first_diff,
        "dropped": record.dropped,
        "warnings": record.warnings[:8],
        "calls": record.calls,
        "needles": record.needles,
        "n_tools": len(record.tool_names),
        "client_gone": record.client_gone,
        **figures,
    }
    return {key: value for key, value in line.items() if value not in (None, [], {}, "")}


def summarise(path: str | Path) -> Json:
    """Totals. An input token costs 1, a cache write 1.25 (an hour: 2), a read 0.1; `minimum` = each block written
    once."""
    text = Path(path).read_text(encoding="utf-8")
    records: list[Json] = [json.loads(line) for line in text.splitlines()]
    paid = [record for record in records if record.get("usage")]
    main = [record for record in paid if record.get("kind") == "main"]
    total, read = (_total(paid, word) for word in ("total", "read"))
    distinct = sum(record.get("distinct", 0) for record in paid)
    cost = sum(_cost(record) for record in paid)
    minimum = 1.25 * distinct + 0.1 * (total - distinct)
    breaks = [record for record in main if _breaks(record.get("first_diff"))]
    whats = collections.Counter(record.get("what", "ok") for record in records)
    kinds = collections.Counter(record.get("kind", "") for record in records)
    possible = sum(min(record.get("ideal", 0), record["usage"]["total"]) for record in paid)
    return {
        "requests": len(records),
        "kinds": dict(kinds),
        "refused": whats["invalid"],
        "overflow": whats["overflow"],
        "faults": whats["fault"],
        "unknown_paths": whats["unknown"],
        "input_tokens": total,
        "output_tokens": round(sum(record.get("out_tokens", 0) for record in paid)),
        "cached_share": round(read / total, 4) if total else 0,
        "possible_share": round(possible / total, 4) if total else 0,
        "billed_units": round(cost),
        "minimum_units": round(minimum),
        "cost_ratio": round(cost / minimum, 3) if minimum else 0,
        "largest_prompt": max((record["tokens"] for record in paid), default=0),
        "request_bytes": sum(record.get("bytes", 0) for record in records),
        "dropped": sum(record.get("dropped", 0) for record in paid),
        "breaks": len(breaks),
        "breaks_by_part": dict(collections.Counter(_part(record["first_diff"]) for record in breaks)),
        "lost_tokens": sum(record["first_diff"]["lost_tokens"] for record in breaks),
        "gap_ms_median": _median([record["gap_ms"] for record in main if record.get("step", 0) and "gap_ms" in record]),
        "last_step": max((int(record.get("step", -1)) for record in main), default=-1),
        "needles_ever": sorted({needle for record in main for needle in record.get("needles", [])}),
        "needles_last": main[-1].get("needles", []) if main else [],
        "errors": [record["error"][:160] for record in records if record.get("what") == "invalid"][:5],
        "warnings": sorted({word for record in records for word in record.get("warnings", [])})[:6],
    }


def _cost(record: Json) -> float:
    usage = record["usage"]
    uncached, read = usage["uncached"], usage["read"]
    if "write_1h" in usage:
        return float(uncached + 1.25 * usage["write_5m"] + 2.0 * usage["write_1h"] + 0.1 * read)
    if "write_30m" in usage:
        return float(uncached + 1.25 * usage["write"] + 0.1 * read)
    rate = 1.25 if usage["total"] >= 1024 else 1.0  # automatic caches write all that they did not read
    return float(rate * uncached + 0.1 * read)


def _total(records: list[Json], word: str) -> int:
    return sum(record["usage"][word] for record in records)


def _breaks(difference: Any) -> bool:
    return bool(
        difference and difference["kind"] in ("change", "truncate") and difference["lost_tokens"] > _WORTH_NOTING
    )


def _part(difference: Json) -> str:
    return re.sub(r"\[.*", "", difference["part"] or "?")


def _median(values: list[float]) -> float | None:
    return sorted(values)[len(values) // 2] if values else None
