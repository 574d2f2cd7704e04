"""What a rewind would do, in words: the same for the picker and for line mode."""

from collections.abc import Sequence

from openclaw_tui.agent.file_rewind import FileRewind
from openclaw_tui.agent.rewind_desk import Prompt, RewindDesk, RewindPreview
from openclaw_tui.commands.registry import table_text
from openclaw_tui.constants import REWIND_LINES_SHOWN

_ACTS = {"restore": "put back", "create": "bring back", "delete": "remove"}


def prompts_text(prompts: Sequence[Prompt], now: float) -> str:
    """The prompts as a table, newest last."""
    if not prompts:
        return "there is no prompt to go back to yet"
    rows = [(str(p.number), ago(now - p.at / 1000), files_word(p), title(p)) for p in prompts]
    return f"{table_text(rows)}\n\n/rewind N shows what would go; /rewind N talk|files|both does it"


def title(prompt: Prompt) -> str:
    return " ".join(prompt.text[:400].split())[:100] or "[picture]"


def files_word(prompt: Prompt) -> str:
    if not prompt.files:
        return ""
    return f"{prompt.files} file{'s' if prompt.files > 1 else ''}"


def preview_text(view: RewindPreview, desk: RewindDesk, *, overwrite: bool = False) -> list[str]:
    """Line by line: what goes of the talk, what happens to files, what is not covered."""
    count = f"{view.messages} message{'s' if view.messages != 1 else ''}"
    lines = [f"talk   {count} go (~{view.tokens:,} tokens); they stay in the session tree"]
    if view.compactions:
        lines.append("       the compaction among them no longer holds; the next message may compact again")
    lines.append(f"files  {view.stat}" if view.plan.files else "files  nothing to put back")
    lines += _limited([f"       {_file_line(file, view, desk, overwrite)}" for file in view.plan.files])
    if view.commands:
        lines.append("not covered: what these commands changed")
        lines += _limited([f"       {' '.join(command.split())}" for command in view.commands])
    return lines


def _file_line(file: FileRewind, view: RewindPreview, desk: RewindDesk, overwrite: bool) -> str:
    name = desk.name_of(file)
    diff = view.diffs.get(name)
    stat = f"  {diff.summary()}" if diff else ""
    if file.obstacle:
        return f"! cannot: {name}: {file.obstacle}"
    if file.conflict:
        what = f"{_ACTS[file.act]} all the same" if overwrite else "left alone (overwrite takes it)"
        return f"! {what}: {name}: {file.conflict}{stat}"
    return f"{_ACTS[file.act]}  {name}{stat}"


def _limited(lines: list[str]) -> list[str]:
    if len(lines) <= REWIND_LINES_SHOWN:
        return lines
    return [*lines[:REWIND_LINES_SHOWN], f"       … {len(lines) - REWIND_LINES_SHOWN} more"]


def ago(seconds: float) -> str:
    """How long ago: `now`, `5 min`, `3 h`, `12 d`."""
    minutes = int(seconds // 60)
    if minutes < 1:
        return "now"
    if minutes < 60:
        return f"{minutes} min"
    return f"{minutes // 60} h" if minutes < 48 * 60 else f"{minutes // (24 * 60)} d"
