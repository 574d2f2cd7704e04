"""The sandbox of a session's commands, from its settings and places."""

import os
import re
import sys
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
    return tuple(Path(os.path.expanduser(text)).absolute() for text in texts)


def sandbox_words(sandbox: Sandbox) -> str:
    """What is in force, in one sentence."""
    match sandbox.state:
        case "on":
            return "sandbox: bubblewrap holds; commands write in the project and /tmp only and have no network"
        case "untested":
            return "sandbox: bubblewrap is there and is tried out with the first command"
        case "off":
            return "no sandbox: switched off (sandbox.mode)"
        case _:
            return f"no sandbox: {sandbox.problem}"


def how_to_get(sandbox: Sandbox) -> str:
    """The cure where there is no sandbox and should be one; for `doctor`."""
    if sandbox.state == "off":
        return "set sandbox.mode = auto to have one"
    if sys.platform != "linux":
        return "bubblewrap exists for Linux only; in a container or virtual machine the agent is shut in as well"
    if sandbox.state == "missing":
        return "install the package bubblewrap (apt, dnf, pacman, apk: the same name)"
    if re.search(r"namespace|uid map|permission denied|operation not permitted", sandbox.problem, re.IGNORECASE):
        return (
            "user namespaces are shut: on Ubuntu 24.04 and later give bwrap an AppArmor profile (package"
            " apparmor-profiles, bwrap-userns-restrict) or set kernel.apparmor_restrict_unprivileged_userns=0; in a"
            " container allow them (--security-opt seccomp=unconfined), or set sandbox.mode = off there"
        )
    return "run `bwrap --ro-bind / / --unshare-pid --proc /proc true` to see why, or set sandbox.mode = off"
