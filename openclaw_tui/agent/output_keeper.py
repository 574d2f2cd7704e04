"""Moves whole tool outputs from the tools' private files into the artifact store, under the id the model knows.

The stored message names the way back at once (`recall("t17")`); packing megabytes happens in a thread beside the next
request, and whoever looks something up waits for it. What cannot be stored stays where the tool put it.
"""

import asyncio
import dataclasses
import shutil
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from openclaw_tui.agent.acts import Acts
from openclaw_tui.agent.result_ids import RESULT_ID_KEY, ResultIds
from openclaw_tui.artifacts.store import ArtifactStore
from openclaw_tui.messages import TextBlock, ToolCallBlock, ToolResultMessage, UserContent
from openclaw_tui.session.manager import SessionManager
from openclaw_tui.tools.output import name_by_recall
from openclaw_tui.tools.terminal_text import one_line

FULL_OUTPUT_KEY = "fullOutput"
_TITLE_ARGUMENTS = ("command", "url", "path", "pattern", "id")


class OutputKeeper:
    """`take` on the loop, in the order of the results; `settle` before anything is looked up."""

    def __init__(self, store: ArtifactStore, manager: SessionManager, acts: Acts) -> None:
        self.store = store
        self._manager = manager
        self._acts = acts
        self._packer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="outputs")
        self._packing: dict[str, asyncio.Future[None]] = {}

    def take(self, result: ToolResultMessage, call: ToolCallBlock | None = None) -> ToolResultMessage:
        """The result as it is stored in the session; its whole output goes into the store."""
        found = _whole_output(result)
        if found is None:
            return result
        result_id, source = found
        self._pack(result_id, source, result, _title(call))
        return dataclasses.replace(result, content=tuple(_named(block, source, result_id) for block in result.content))

    def recover(self) -> None:
        """Pack what an earlier process had no time for."""
        for message in self._manager.project().messages:
            found = _whole_output(message) if isinstance(message, ToolResultMessage) else None
            if found is None or not isinstance(message, ToolResultMessage):
                continue
            result_id, source = found
            if self.store.find(result_id) is None and source.is_file():
                self._pack(result_id, source, message, "")

    def _pack(self, result_id: str, source: Path, result: ToolResultMessage, title: str) -> None:
        live = frozenset({*ResultIds.names(self._manager.project().messages).values(), result_id})

        def pack() -> None:
            self.store.put(result_id, source, tool=result.tool_name, title=title, at=result.timestamp, live=live)
            source.unlink(missing_ok=True)

        task = asyncio.get_running_loop().run_in_executor(self._packer, pack)
        self._packing[result_id] = task
        task.add_done_callback(lambda done: self._packed(result_id, done))

    def _packed(self, result_id: str, done: "asyncio.Future[None]") -> None:
        self._packing.pop(result_id, None)
        error = None if done.cancelled() else done.exception()
        if error is not None:
            why = getattr(error, "strerror", None) or error
            self._acts.notice("warning", f"the whole output of {result_id} could not be stored ({why})")

    async def settle(self) -> None:
        """Until everything taken is in the store. What failed is told; its file stays."""
        if self._packing:
            await asyncio.wait(list(self._packing.values()))

    async def close(self) -> None:
        """Pack the rest; outputs of a session that is not stored go with it."""
        await self.settle()
        self._packer.shutdown(wait=False)
        if self._manager.path is None:
            await asyncio.to_thread(shutil.rmtree, self.store.folder.parent, ignore_errors=True)


def _whole_output(result: ToolResultMessage) -> tuple[str, Path] | None:
    """Id and file of an output that is longer than what the message shows."""
    details = result.details or {}
    result_id, path = details.get(RESULT_ID_KEY), details.get(FULL_OUTPUT_KEY)
    return (result_id, Path(path)) if isinstance(result_id, str) and isinstance(path, str) else None


def _named(block: UserContent, source: Path, result_id: str) -> UserContent:
    return replace(block, text=name_by_recall(block.text, source, result_id)) if isinstance(block, TextBlock) else block


def _title(call: ToolCallBlock | None) -> str:
    """What made the output, in a few words: the command, the address, the path."""
    arguments: Mapping[str, Any] = call.arguments if call is not None else {}
    return one_line(next((str(arguments[name]) for name in _TITLE_ARGUMENTS if arguments.get(name)), ""))
