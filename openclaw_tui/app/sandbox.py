"""The sandbox of a session's commands, from its settings and places."""

from pathlib import Path

from openclaw_tui.config.load import Config
from openclaw_tui.config.paths import Paths
from openclaw_tui.safety.sandbox import Sandbox, SandboxSettings
from openclaw_tui.tools.workspace import Workspace


def build_sandbox(config: Config, paths: Paths, workspace: Workspace) -> Sandbox:
    """Nothing is tried out before the first command. The state directory is hidden, but for what may be read of it."""
    settings = SandboxSettings(
        mode=config.get("sandbox.mode"),
        writable=_folders(config.get("sandbox.writable")),
        shown=_folders(config.get("sandbox.shown")),
    )
    return Sandbox(settings, workspace, hidden=(paths.state,), readable=workspace.readable)


def _folders(texts: list[str]) -> tuple[Path, ...]:
    return tuple(Path(text).expanduser().absolute() for text in texts)
