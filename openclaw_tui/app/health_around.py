"""What `doctor` finds beyond the program itself: servers and the clock, room on the disk, what earlier runs left."""

import asyncio
import os
import re
import shutil
import stat
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from openclaw_tui.app.finding import Finding
from openclaw_tui.app.models import KEY_ORDER
from openclaw_tui.config.load import Config
from openclaw_tui.config.paths import Paths
from openclaw_tui.constants import CLOCK_SKEW_SECONDS, DISK_LOW_BYTES, DOCTOR_SERVER_SECONDS
from openclaw_tui.errors import ConfigError
from openclaw_tui.providers.catalog import default_model
from openclaw_tui.providers.credentials import find_credentials
from openclaw_tui.providers.local_servers import find_local_servers
from openclaw_tui.tools.running_notes import leftovers
from openclaw_tui.tools.terminal_text import one_line

_ADDRESSES = {
    "anthropic": "https://api.anthropic.com",
    "openai": "https://api.openai.com",
    "google": "https://generativelanguage.googleapis.com",
}
_PACKAGES = ("textual", "prompt-toolkit", "anthropic", "openai", "google-genai", "watchfiles", "msgspec")


def packages() -> Finding:
    missing = [name for name in _PACKAGES if _version(name) is None]
    if missing:
        return Finding("bad", "packages", f"missing: {', '.join(missing)}", "install openclaw-tui again")
    return Finding("ok", "packages", ", ".join(f"{name} {_version(name)}" for name in _PACKAGES))


def servers(paths: Paths, config: Config) -> Iterator[Finding]:
    """Whether the servers of the providers with a key answer at all, and what time they say it is. No key is sent."""
    clocks: list[float] = []
    overrides = config.get("models.providers")
    for provider in dict.fromkeys((*KEY_ORDER, *overrides)):
        address = _address(provider, paths, config)
        if address is None:
            continue
        shown = re.sub(r"//[^/@]*@", "//", address)  # who is asked whether he is there needs no password
        problem, skew = _ask(shown)
        if skew is not None:
            clocks.append(skew)
        if problem:
            yield Finding("bad", f"server {provider}", f"{shown}: {problem}", "look at the network and the proxy")
        else:
            yield Finding("ok", f"server {provider}", f"{shown} answers")
    for local in asyncio.run(find_local_servers()):
        names = ", ".join(one_line(model.id) for model in local.models[:3]) or "no models"
        yield Finding("ok", f"server {local.kind}", f"{local.base_url}: {names}")
    if clocks and abs(clocks[0]) > CLOCK_SKEW_SECONDS:
        far = f"{abs(clocks[0]):.0f} s {'ahead' if clocks[0] > 0 else 'behind'}"
        yield Finding(
            "note", "clock", f"this machine's clock is {far}", "set the clock, or let it be set by the network"
        )
    elif clocks:
        yield Finding("ok", "clock", f"within {max(1, round(abs(clocks[0])))} s of the servers'")


def disk(paths: Paths) -> Finding:
    place = next(folder for folder in (paths.state, *paths.state.parents) if folder.exists())
    free = shutil.disk_usage(place).free
    shown = f"{free / 1e9:.1f} GB free at {place}"
    if free < DISK_LOW_BYTES:
        return Finding("note", "disk", shown, "make room: what cannot be written waits in memory only")
    return Finding("ok", "disk", shown)


def rights(paths: Paths) -> Finding:
    """Everything of ours on disk is for its owner alone."""
    if not paths.state.exists():
        return Finding("ok", "rights", "nothing is stored yet")
    open_ones = [path for path in _ours(paths) if stat.S_IMODE(path.lstat().st_mode) & 0o077]
    if not open_ones:
        return Finding("ok", "rights", "what is stored is for its owner alone")
    text = f"others may read {len(open_ones)} of our files or folders, {open_ones[0]} first"
    return Finding("note", "rights", text, f"chmod -R go-rwx {open_ones[0].parent}")


def earlier_runs(paths: Paths) -> Iterator[Finding]:
    found = leftovers(paths.running, all_of_them=True)
    if found:
        shown = "; ".join(one_line(each.words) for each in found[:3]) + (" …" if len(found) > 3 else "")
        yield Finding("note", "left over", shown, "openclaw-tui doctor --end-leftovers ends them")
    else:
        yield Finding("ok", "left over", "no command of a killed run is alive")
    reports = sorted(paths.crashes.glob("crash-*.txt"))
    if reports:
        yield Finding("note", "crashes", f"{len(reports)} reports, the newest {reports[-1]}", "delete them when read")
    else:
        yield Finding("ok", "crashes", "no reports")


def future_entries(paths: Paths) -> Finding:
    """A clock that jumped leaves files from the future, which sort before everything of today."""
    soon = time.time() + 24 * 3600
    late = [path for path in paths.sessions.glob("*.jsonl") if path.stat().st_mtime > soon]
    if late:
        return Finding(
            "note", "dates", f"{len(late)} sessions are dated in the future", "was the clock wrong? touch them"
        )
    return Finding("ok", "dates", "no session is from the future")


def _address(provider: str, paths: Paths, config: Config) -> str | None:
    try:
        found = find_credentials(provider, state_dir=paths.state)
    except ConfigError:
        return None
    if found.api_key is None:
        return None
    model = default_model(provider, config.get("models.providers"))
    return found.base_url or (model.base_url if model is not None else None) or _ADDRESSES.get(provider)


def _ask(address: str) -> tuple[str, float | None]:
    """What is wrong, or nothing; and how many seconds this clock is ahead of the server's."""
    request = urllib.request.Request(address, method="HEAD", headers={"User-Agent": "openclaw-tui"})
    try:
        with urllib.request.urlopen(request, timeout=DOCTOR_SERVER_SECONDS) as answer:
            date = answer.headers.get("Date")
    except urllib.error.HTTPError as error:
        date = error.headers.get("Date")  # it answered; a bare address is nothing it has a page for
    except (urllib.error.URLError, OSError, ValueError) as error:
        return one_line(str(getattr(error, "reason", error))), None
    try:
        return "", time.time() - parsedate_to_datetime(date).timestamp() if date else None
    except ValueError:
        return "", None


def _ours(paths: Paths) -> Iterator[Path]:
    roots = (paths.sessions, paths.history, paths.crashes, paths.running, paths.log.parent, paths.user_config)
    for root in roots:
        if root.exists():
            yield root
        if root.is_dir():
            for folder, _names, files in os.walk(root):
                yield from (Path(folder) / name for name in files)


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
