"""The tools the model sees: one list of sources, put in the fixed order by the toolset."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from openclaw_tui.config.load import Config
from openclaw_tui.config.paths import Paths
from openclaw_tui.events import PlanChanged, Sink
from openclaw_tui.providers.credentials import KEY_VARIABLES
from openclaw_tui.session.manager import SessionManager
from openclaw_tui.tools import web_fetch
from openclaw_tui.tools.apply_patch import ApplyPatchTool
from openclaw_tui.tools.base import Tool
from openclaw_tui.tools.edit import EditTool
from openclaw_tui.tools.exec import ExecTool
from openclaw_tui.tools.file_state import FileState
from openclaw_tui.tools.find import FindTool
from openclaw_tui.tools.grep import GrepTool
from openclaw_tui.tools.ls import LsTool
from openclaw_tui.tools.output import SpillStore
from openclaw_tui.tools.process import ProcessTool
from openclaw_tui.tools.processes import ProcessRegistry
from openclaw_tui.tools.read import ReadTool
from openclaw_tui.tools.search import Searcher
from openclaw_tui.tools.update_plan import UpdatePlanTool
from openclaw_tui.tools.write import WriteTool


@dataclass(frozen=True, slots=True)
class BuiltTools:
    """The tools, and what must be closed with the session: commands still running."""

    tools: tuple[Tool, ...]
    closers: tuple[Callable[[], Awaitable[None]], ...]


def build_tools(config: Config, paths: Paths, manager: SessionManager, *, emit: Sink, session_key: str) -> BuiltTools:
    folder = manager.path.with_suffix(".artifacts") if manager.path else paths.scratch / manager.session_id
    files = FileState()
    spill = SpillStore(folder / "outputs")
    processes = ProcessRegistry(spill)
    searcher = Searcher.find()
    tools: list[Tool] = [
        ReadTool(files),
        WriteTool(files),
        EditTool(files),
        ApplyPatchTool(files),
        LsTool(),
        FindTool(searcher),
        GrepTool(searcher, spill),
        ExecTool(
            processes,
            key_variables=tuple(name for names in KEY_VARIABLES.values() for name in names),
            passed_through=tuple(config.get("tools.exec.passEnv")),
        ),
        ProcessTool(processes),
        UpdatePlanTool(lambda steps: emit(PlanChanged(session_key, tuple((step.step, step.status) for step in steps)))),
    ]
    if web_fetch.web_fetch_available():
        tools.append(web_fetch.WebFetchTool(spill))
    return BuiltTools(tuple(tools), (processes.close,))
