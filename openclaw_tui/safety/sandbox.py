"""The sandbox of commands: bubblewrap, in force only where a probe has shown that it holds.

The project, the added folders and a temporary folder of its own can be written, the rest only read; places of secrets
and doors to other programs are not there; without leave there is no network. It bounds what a command can do after it
was allowed and decides nothing itself. Commands end with this program, however it ends.
"""

import asyncio
import contextlib
import os
import secrets
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from openclaw_tui.constants import SANDBOX_PROBE_SECONDS, SANDBOX_STALE_SECONDS
from openclaw_tui.errors import ToolError
from openclaw_tui.safety.permission_rules import Places, Reach
from openclaw_tui.safety.sandbox_places import HIDDEN, WRITABLE, Mount, mounts

SandboxMode: TypeAlias = Literal["auto", "off", "required"]
SandboxState: TypeAlias = Literal["off", "missing", "untested", "failed", "on"]
INNER_TMP = "/tmp"
_FOLDER_PREFIX = "openclaw-sandbox-"
_ISOLATION = ("--unshare-pid", "--unshare-ipc", "--unshare-cgroup-try", "--die-with-parent", "--cap-drop", "ALL")
_PROBE = (
    'cat /tmp/.probe && [ "$$" -lt 99 ] && [ "$(grep -c : /proc/net/dev)" -le 1 ] && [ ! -w /usr ] && : >/tmp/.seen'
)
_LOST_VARIABLES = (
    *("SSH_AUTH_SOCK", "SSH_AGENT_PID", "GPG_AGENT_INFO", "DBUS_SESSION_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS"),
    *("XDG_RUNTIME_DIR", "WAYLAND_DISPLAY", "DISPLAY", "XAUTHORITY", "DOCKER_HOST", "CONTAINER_HOST", "TMUX", "STY"),
)
_CACHES = {
    "TMPDIR": "",
    "PIP_CACHE_DIR": "cache/pip",
    "UV_CACHE_DIR": "cache/uv",
    "GOCACHE": "cache/go",
    "npm_config_cache": "cache/npm",
    "YARN_CACHE_FOLDER": "cache/yarn",
    "CCACHE_DIR": "cache/ccache",
    "MPLCONFIGDIR": "cache/matplotlib",
}


class SandboxSettings(msgspec.Struct, frozen=True):
    """`writable` are further folders commands may write, `shown` secrets' places that they may see after all."""

    mode: SandboxMode = "auto"
    writable: tuple[Path, ...] = ()
    shown: tuple[Path, ...] = ()


class Sandbox:
    """One for a session and its sub-agents. `hidden` are places of our own, `readable` what may be read in them."""

    def __init__(
        self,
        settings: SandboxSettings,
        places: Places,
        *,
        hidden: Sequence[Path] = (),
        readable: Sequence[Path] = (),
    ) -> None:
        self._settings = settings
        self._places = places
        self._hidden = tuple(hidden)
        self._readable = tuple(readable)
        self._folder: Path | None = None
        self.program = None if settings.mode == "off" else find_bubblewrap(places)
        self.state: SandboxState = "off" if settings.mode == "off" else "untested" if self.program else "missing"
        self.problem = "" if self.program or settings.mode == "off" else "bubblewrap (bwrap) is not installed"

    @property
    def is_required(self) -> bool:
        return self._settings.mode == "required"

    @property
    def may_hold(self) -> bool:
        """False where it is known that commands run without it."""
        return self.state in ("untested", "on")

    def label(self) -> str:
        """What is in force, for the status line."""
        return {"on": "sandbox", "untested": "sandbox untried"}.get(self.state, "no sandbox")

    async def prepare(self) -> bool:
        """True when commands will run sandboxed; the first call tries it out.

        Raises ToolError where the sandbox is required and does not hold.
        """
        if self.state == "untested":
            await asyncio.to_thread(self.probe)
        if self.is_required and self.state != "on":
            raise ToolError(
                f"exec: not run, because sandbox.mode is required and there is no sandbox: {self.problem}."
                " The user finds out more by `openclaw-tui doctor`"
            )
        return self.state == "on"

    def probe(self) -> None:
        """Run one harmless command inside and look whether everything holds. Blocks; sets `state` and `problem`."""
        token = secrets.token_hex(8)
        (self._own_folder() / "tmp" / ".probe").write_text(token, encoding="utf-8")
        argv = self.wrapped(("/bin/sh", "-c", _PROBE), Path("/"))
        try:
            done = subprocess.run(
                argv,
                capture_output=True,
                stdin=subprocess.DEVNULL,
                encoding="utf-8",
                errors="replace",
                timeout=SANDBOX_PROBE_SECONDS,
                check=False,
                start_new_session=True,
            )
            held = done.returncode == 0 and done.stdout.strip() == token
            said = (done.stderr.strip().splitlines() or [f"{argv[0]} ended with code {done.returncode}"])[0]
            self.problem = "" if held else f"the trial run did not hold: {said}"
        except subprocess.TimeoutExpired:
            self.problem = f"the trial run took more than {SANDBOX_PROBE_SECONDS:g} seconds"
        except OSError as error:
            self.problem = f"{argv[0]} cannot be started: {error.strerror or error}"
        self.state = "failed" if self.problem else "on"
        if self.problem:
            self.close()

    def wrapped(self, argv: Sequence[str], cwd: Path, reach: Reach = "") -> tuple[str, ...]:
        """The command that runs `argv` inside; `argv` itself where it is to run outside."""
        if reach == "outside" or self.program is None:
            return tuple(argv)
        os.utime(self._own_folder())  # in use: not left behind by a killed run
        net = () if reach == "network" else ("--unshare-net",)
        base = ("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc")
        own = ("--bind", str(self._own_folder() / "tmp"), INNER_TMP)
        return (self.program, *_ISOLATION, *net, *base, *own, *self._mounts(), "--chdir", str(cwd), "--", *argv)

    def environment(self, base: Mapping[str, str], reach: Reach = "") -> dict[str, str]:
        """`base` with caches in the temporary folder and without the addresses of doors that are shut inside."""
        if reach == "outside":
            return dict(base)
        kept = {name: value for name, value in base.items() if name not in _LOST_VARIABLES}
        return {**kept, **{name: f"{INNER_TMP}/{place}".rstrip("/") for name, place in _CACHES.items()}}

    def close(self) -> None:
        """Remove the temporary folder of the commands."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    async def aclose(self) -> None:
        await asyncio.to_thread(self.close)

    def _mounts(self) -> list[str]:
        found = mounts(
            self._places,
            hidden=self._hidden,
            readable=self._readable,
            writable=self._settings.writable,
            shown=self._settings.shown,
        )
        shut = [word for mount in found if _is_tmpfs(mount) for word in ("--remount-ro", str(mount.place))]
        return [*(word for mount in found for word in self._mount(mount)), *shut]

    def _mount(self, mount: Mount) -> tuple[str, ...]:
        place = str(mount.place)
        if _is_tmpfs(mount):
            return ("--tmpfs", place)
        source = str(self._own_folder() / "empty") if mount.kind == HIDDEN else str(mount.source)
        return ("--bind" if mount.kind == WRITABLE else "--ro-bind", source, place)

    def _own_folder(self) -> Path:
        if self._folder is None:
            _remove_stale()
            self._folder = Path(os.path.realpath(tempfile.mkdtemp(prefix=_FOLDER_PREFIX)))
            (self._folder / "tmp").mkdir()
            (self._folder / "empty").touch()
        return self._folder


def find_bubblewrap(places: Places) -> str | None:
    """The program on the path, never one a project has brought along."""
    found = shutil.which("bwrap")
    return found if found and not places.contains(Path(os.path.realpath(found))) else None


def _remove_stale() -> None:
    """Old folders of killed runs of ours. A session that runs for days touches its own with each command."""
    oldest = time.time() - SANDBOX_STALE_SECONDS
    for folder in Path(tempfile.gettempdir()).glob(f"{_FOLDER_PREFIX}*"):
        with contextlib.suppress(OSError):
            status = folder.lstat()
            newest = max(status.st_mtime, (folder / "tmp").lstat().st_mtime)
            if status.st_uid == os.getuid() and newest < oldest:
                shutil.rmtree(folder, ignore_errors=True)


def _is_tmpfs(mount: Mount) -> bool:
    return mount.kind == HIDDEN and mount.place.is_dir()
