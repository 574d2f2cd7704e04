"""The tools the model sees: one list of sources, put in the fixed order by the toolset."""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import msgspec

from openclaw_tui.agent.acts import Acts
from openclaw_tui.agent.earlier_sessions import EarlierSessions
from openclaw_tui.agent.nested_guides import NestedGuides, guided
from openclaw_tui.agent.output_keeper import OutputKeeper
from openclaw_tui.agent.recall_texts import session_texts
from openclaw_tui.app.memory import build_search, places_of
from openclaw_tui.artifacts.checkpoints import CHECKPOINT_FOLDER, CheckpointStore, PreImages
from openclaw_tui.artifacts.recall import Recall
from openclaw_tui.artifacts.store import STORE_FOLDER, ArtifactStore
from openclaw_tui.config.load import Config
from openclaw_tui.config.paths import Paths
from openclaw_tui.events import PlanChanged, Sink
from openclaw_tui.memory.places import MemoryPlaces
from openclaw_tui.providers.credentials import KEY_VARIABLES
from openclaw_tui.safety.sandbox import Sandbox
from openclaw_tui.safety.secrets import mask_secrets
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
from openclaw_tui.tools.memory_tools import MemoryGetTool, MemorySearchTool
from openclaw_tui.tools.output import SpillStore
from openclaw_tui.tools.process import ProcessTool
from openclaw_tui.tools.processes import ProcessRegistry
from openclaw_tui.tools.read import ReadTool
from openclaw_tui.tools.recall import RecallTool
from openclaw_tui.tools.running_notes import RunningNotes
from openclaw_tui.tools.search import Searcher
from openclaw_tui.tools.update_plan import UpdatePlanTool
from openclaw_tui.tools.write import WriteTool


class BuiltTools(msgspec.Struct, frozen=True):
    """The tools, and what must be closed with the session: commands still running, outputs being packed."""

    tools: tuple[Tool, ...]
    outputs: OutputKeeper
    recall: Recall
    memory: MemoryPlaces
    files: FileState
    closers: tuple[Callable[[], Awaitable[None]], ...]


def artifacts_folder(manager: SessionManager, paths: Paths) -> Path:
    """Where what is taken out of the context goes: beside the session, or in scratch for one that is not stored."""
    return manager.path.with_suffix(".artifacts") if manager.path else paths.scratch / manager.session_id


def outputs_folder(manager: SessionManager, paths: Paths) -> Path:
    """Where tools write long output before it is packed; the model may read there."""
    return artifacts_folder(manager, paths) / "outputs"


def checkpoints_of(manager: SessionManager, paths: Paths) -> CheckpointStore:
    """What files were before this session changed them; nothing is read or made yet."""
    return CheckpointStore(artifacts_folder(manager, paths) / CHECKPOINT_FOLDER)


def pre_images_of(store: CheckpointStore, manager: SessionManager, acts: Acts, by: str = "") -> PreImages:
    """The store for the tools of one agent. `manager` is always that of the conversation, also for a sub-agent."""
    return PreImages(store, lambda: manager.leaf_id or "", lambda text: acts.notice_once("warning", text), by)


def build_tools(
    config: Config,
    paths: Paths,
    manager: SessionManager,
    *,
    acts: Acts,
    emit: Sink,
    key: str,
    pre_images: PreImages | None = None,
    sandbox: Sandbox | None = None,
    extra: Sequence[Tool] = (),
) -> BuiltTools:
    """`extra` are tools that need the session itself: sub-agents, status. `pre_images` make changes rewindable."""
    files = FileState(pre_images)
    spill = SpillStore(outputs_folder(manager, paths))
    store = ArtifactStore(artifacts_folder(manager, paths) / STORE_FOLDER)
    outputs = OutputKeeper(store, manager, acts)
    recall = Recall(store, lambda: session_texts(manager))
    processes = ProcessRegistry(spill, RunningNotes(paths.running if manager.path else None, mask_secrets))
    searcher = Searcher.find()
    tools: list[Tool] = [
        ReadTool(files),
        WriteTool(files),
        EditTool(files),
        ApplyPatchTool(files),
        LsTool(),
        FindTool(searcher, spill),
        GrepTool(searcher, spill),
        ExecTool(
            processes,
            key_variables=tuple(name for names in KEY_VARIABLES.values() for name in names),
            passed_through=tuple(config.get("tools.exec.passEnv")),
            sandbox=sandbox,
        ),
        ProcessTool(processes),
        RecallTool(recall, outputs.settle, EarlierSessions(paths.sessions, paths.project, manager.session_id)),
        UpdatePlanTool(lambda steps: emit(PlanChanged(key, tuple((step.step, step.status) for step in steps)))),
    ]
    places = places_of(config, paths)
    if config.get("agents.defaults.memorySearch.enabled"):
        notes = build_search(config, paths, places)
        tools += [MemorySearchTool(notes), MemoryGetTool(notes)]
    if web_fetch.web_fetch_available():
        tools.append(web_fetch.WebFetchTool(spill))
    tools += extra
    guides = NestedGuides.of_session(manager, paths.project, trusted=config.project_trusted)
    return BuiltTools(tuple(guided(tools, guides)), outputs, recall, places, files, (processes.close, outputs.close))
