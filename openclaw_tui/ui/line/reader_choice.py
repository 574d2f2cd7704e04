"""Which reader the terminal gets: one that redraws and completes, or plain lines for dumb terminals and pipes."""

from collections.abc import Sequence
from pathlib import Path

from openclaw_tui.commands.registry import CommandTable
from openclaw_tui.ui.line.look import Look
from openclaw_tui.ui.line.plain_reader import PlainReader
from openclaw_tui.ui.line.reader import Hooks, Reader


def reader_for(
    hooks: Hooks, look: Look, *, commands: CommandTable, root: Path, history: Sequence[str], vim: bool
) -> Reader:
    """The toolkit is loaded only where it is used."""
    if not look.redraws:
        return PlainReader(hooks)
    from openclaw_tui.ui.line.completion import PromptCompleter
    from openclaw_tui.ui.line.toolkit_reader import ToolkitReader

    completer = PromptCompleter(commands, root)
    return ToolkitReader(hooks, history=history, completer=completer, vim=vim, styled=look.styled)
