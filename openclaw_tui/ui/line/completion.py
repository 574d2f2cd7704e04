"""The completion menu of line mode: commands after `/`, files of the project after `@`."""

from collections.abc import Iterable
from pathlib import Path

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from openclaw_tui.commands.registry import CommandTable
from openclaw_tui.tools.terminal_text import one_line
from openclaw_tui.ui.completion import command_completions, file_completions, project_files, wanted_at


class PromptCompleter(Completer):
    """The list of files is made once for each prompt: `forget_files` when the next one begins."""

    def __init__(self, table: CommandTable, root: Path) -> None:
        self._table = table
        self._root = root
        self._files: list[str] | None = None

    def forget_files(self) -> None:
        self._files = None

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        wanted = wanted_at(document.text, document.cursor_position)
        if wanted is None:
            return
        if wanted.kind == "command":
            found = command_completions(self._table, wanted.text)
        else:
            if self._files is None:
                self._files = project_files(self._root)
            found = file_completions(self._files, wanted.text)
        start = wanted.start - document.cursor_position
        for item in found:
            yield Completion(item.insert, start, display=one_line(item.label), display_meta=one_line(item.detail))
