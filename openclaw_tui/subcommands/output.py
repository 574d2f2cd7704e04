"""What the subcommands print: tables of cleaned cells, and JSON."""

import json
import time
from collections.abc import Sequence
from typing import Any

from openclaw_tui.commands.registry import table_text
from openclaw_tui.tools.terminal_text import one_line


def print_json(data: Any) -> None:
    """One JSON value; characters that are no text at all are escaped, so that any reader takes it."""
    text = json.dumps(data, indent=2, ensure_ascii=False)
    print(text.encode("utf-8", "backslashreplace").decode("utf-8"))


def print_table(rows: Sequence[Sequence[str]], *, empty: str) -> None:
    """Rows as columns, the first one being the heading; `empty` is said where there is no other row."""
    if len(rows) < 2:
        print(empty)
        return
    print(table_text([[one_line(cell) for cell in row] for row in rows]))


def shown_time(seconds: float) -> str:
    """Seconds since 1970 in local time, to the minute."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


def shown_size(count: int) -> str:
    """Bytes in the largest unit that leaves a short number."""
    size = float(count)
    for unit in ("B", "KB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"
