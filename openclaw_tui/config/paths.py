"""Where things live. The one place that knows the state directory and where packaged data files are."""

import os
import re
from pathlib import Path

import msgspec

import openclaw_tui
from openclaw_tui.errors import ConfigError

FOREIGN_MARKER = "openclaw.json"
"""A state folder that holds this file belongs to a real OpenClaw: its files are read, never written."""

DEFAULT_AGENT_ID = "main"
FOREIGN_AGENT_ID = "tui"
_AGENT_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


class Paths(msgspec.Struct, frozen=True):
    """All places derived from the state directory, the project directory and the agent."""

    state: Path
    project: Path
    agent_id: str = DEFAULT_AGENT_ID

    @property
    def is_shared_with_openclaw(self) -> bool:
        return (self.state / FOREIGN_MARKER).exists()

    @property
    def agent(self) -> Path:
        return self.state / "agents" / self.agent_id

    @property
    def sessions(self) -> Path:
        return self.agent / "sessions"

    @property
    def user_config(self) -> Path:
        return self.state / "tui.toml"

    @property
    def project_config(self) -> Path:
        return self.project / ".openclaw" / "tui.toml"

    @property
    def local_config(self) -> Path:
        return self.project / ".openclaw" / "tui.local.toml"

    @property
    def log(self) -> Path:
        return self.state / "logs" / "openclaw-tui.log"

    @property
    def crashes(self) -> Path:
        return self.state / "crashes"

    @property
    def running(self) -> Path:
        """Notes of the commands that run now, for finding what a killed run left over."""
        return self.state / "running"

    @property
    def personal_workspace(self) -> Path:
        """The user's personal copies of the files of the prompt: the agent's own folder where there is one."""
        own = self.state / f"workspace-{self.agent_id}"
        return own if own.is_dir() else self.state / "workspace"

    @property
    def history(self) -> Path:
        return self.state / "history"

    @property
    def trust(self) -> Path:
        return self.state / "trust.json"

    @property
    def local_servers(self) -> Path:
        """What the user answered about model servers found on this machine."""
        return self.state / "local-servers.json"

    @property
    def scratch(self) -> Path:
        return self.state / "scratch"


def state_dir() -> Path:
    """`$OPENCLAW_STATE_DIR`, else `~/.openclaw`."""
    named = os.environ.get("OPENCLAW_STATE_DIR")
    return Path(os.path.expanduser(named)).absolute() if named else Path.home() / ".openclaw"


def resolve_paths(project: Path, agent_id: str | None = None) -> Paths:
    """Places for a project; in a real OpenClaw's folder ours go under the agent id `tui`.

    Raises ConfigError where the state directory cannot be one, or the agent's id cannot be a folder's name.
    """
    state = state_dir()
    _check_state(state)
    if agent_id is not None and not _AGENT_ID.fullmatch(agent_id):
        raise ConfigError(f"--agent {agent_id}: an id is made of letters, digits, - and _, at most 64")
    default = FOREIGN_AGENT_ID if (state / FOREIGN_MARKER).exists() else DEFAULT_AGENT_ID
    return Paths(state=state, project=project, agent_id=agent_id or default)


def _check_state(state: Path) -> None:
    nearest = next(folder for folder in (state, *state.parents) if os.path.lexists(folder))
    if not nearest.is_dir():
        raise ConfigError(f"the state directory {state} cannot be used: {nearest} is no directory")


def data_dir(name: str) -> Path:
    """A folder of packaged Markdown (`skills`, `workspace_templates`): in the wheel, else in the source checkout."""
    package = Path(openclaw_tui.__file__).parent
    packaged = package / "_data" / name
    return packaged if packaged.is_dir() else package.parent / name


def project_bases(project: Path) -> list[Path]:
    """The folders whose agent and command files are a project's: its own, and those above it up to the git root.

    The home folder is never among them: what stands there is the user's own.
    """
    top = git_root(project)
    above = [folder for folder in project.parents if top is not None and folder.is_relative_to(top)]
    return [folder for folder in (project, *above) if folder != Path.home()]


def git_root(start: Path) -> Path | None:
    """The nearest folder upwards that holds `.git`."""
    for folder in (start, *start.parents):
        if (folder / ".git").exists():
            return folder
    return None
