"""What the program finds around it, each finding with its cure: `doctor` and `/doctor`. Keys are named, never shown."""

import os
import platform
import shutil
import stat
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from openclaw_tui.app import health_around
from openclaw_tui.app.finding import Finding, State
from openclaw_tui.app.models import KEY_ORDER
from openclaw_tui.app.sandbox import build_sandbox, how_to_get, sandbox_words
from openclaw_tui.config.load import Config
from openclaw_tui.config.paths import Paths
from openclaw_tui.errors import ConfigError, SessionError
from openclaw_tui.providers.credentials import find_credentials, key_variables
from openclaw_tui.session.listing import find_sessions, short_id
from openclaw_tui.session.manager import SessionManager
from openclaw_tui.tools.ripgrep import find_ripgrep
from openclaw_tui.tools.workspace import Workspace


def examine(paths: Paths, config: Config, *, offline: bool = False) -> Iterator[Finding]:
    """Everything, in order. `offline` asks no server."""
    yield _terminal()
    yield _python()
    yield health_around.packages()
    yield _ripgrep()
    yield _git()
    yield _sandbox(paths, config)
    yield from _keys(paths)
    if not offline:
        yield from health_around.servers(paths, config)
    yield _state(paths)
    yield health_around.rights(paths)
    yield health_around.disk(paths)
    yield _sessions(paths)
    yield health_around.future_entries(paths)
    yield from health_around.earlier_runs(paths)
    yield from _settings(config)


def findings_text(findings: Sequence[Finding]) -> str:
    """One line for each finding, its cure below it."""
    width = max(len(finding.subject) for finding in findings)
    lines: list[str] = []
    for finding in findings:
        lines.append(f"{finding.state:4}  {finding.subject.ljust(width)}  {finding.text}")
        if finding.cure:
            lines.append(f"      {' ' * width}  → {finding.cure}")
    return "\n".join(lines)


def _terminal() -> Finding:
    term, out = os.environ.get("TERM", ""), sys.__stdout__  # the full screen puts something of its own before it
    if out is None or not out.isatty():
        return Finding("note", "terminal", "standard output is no terminal", "fine for -p; the screen needs a terminal")
    if term in ("", "dumb"):
        return Finding("note", "terminal", f"TERM is {term or 'not set'}", "use --line, or set TERM=xterm-256color")
    encoding = (out.encoding or "").lower().replace("-", "")
    if encoding != "utf8":
        return Finding("note", "terminal", f"{term}, but text is {out.encoding}", "set LANG to a UTF-8 locale")
    size = shutil.get_terminal_size()
    return Finding("ok", "terminal", f"{term}, {size.columns}×{size.lines}, UTF-8")


def _python() -> Finding:
    return Finding("ok", "python", f"{platform.python_version()} on {platform.system()}")


def _ripgrep() -> Finding:
    found = find_ripgrep()
    if found is None:
        return Finding("note", "ripgrep", "not found; a slower search is used", "install ripgrep (rg) on the path")
    return Finding("ok", "ripgrep", str(found))


def _git() -> Finding:
    found = shutil.which("git")
    if found is None:
        return Finding("note", "git", "not found", "install git to let the agent see history and changes")
    return Finding("ok", "git", found)


def _sandbox(paths: Paths, config: Config) -> Finding:
    """Tried out for real: that the program is there does not say that it may do anything."""
    sandbox = build_sandbox(config, paths, Workspace(paths.project))
    if sandbox.state == "untested":
        sandbox.probe()
        sandbox.close()
    if sandbox.state == "on":
        return Finding("ok", "bubblewrap", f"{sandbox.program}; a trial run held, so commands are sandboxed")
    state: State = "bad" if sandbox.is_required else "note"
    return Finding(state, "bubblewrap", sandbox_words(sandbox), how_to_get(sandbox))


def _keys(paths: Paths) -> Iterator[Finding]:
    present = False
    for provider in KEY_ORDER:
        try:
            found = find_credentials(provider, state_dir=paths.state)
        except ConfigError as error:
            yield Finding("bad", f"key {provider}", str(error), "store it again with /login")
            continue
        if found.api_key is not None:
            present = True
            yield Finding("ok", f"key {provider}", f"present ({found.source})")
    if not present:
        names = ", ".join(key_variables(provider)[0] for provider in KEY_ORDER)
        yield Finding("note", "keys", "none; the offline guide answers", f"set one of {names}, or use /login")


def _state(paths: Paths) -> Finding:
    if not paths.state.exists():
        return Finding("ok", "state", f"{paths.state} will be made with the first session")
    mode = stat.S_IMODE(paths.state.stat().st_mode)
    if not os.access(paths.state, os.W_OK | os.X_OK):
        return Finding(
            "bad", "state", f"{paths.state} cannot be written", "change its owner, or set OPENCLAW_STATE_DIR"
        )
    if mode & 0o077:
        return Finding("bad", "state", f"others may look into {paths.state} ({mode:o})", f"chmod 700 {paths.state}")
    shared = " (shared with OpenClaw; ours is the agent 'tui')" if paths.is_shared_with_openclaw else ""
    return Finding("ok", "state", f"{paths.state}{shared}")


def _sessions(paths: Paths) -> Finding:
    rows = find_sessions(paths.sessions)
    broken = [row.id for row in rows if _is_damaged(row.path)]
    if not broken:
        return Finding("ok", "sessions", f"{len(rows)} readable")
    shown = ", ".join(short_id(name) for name in broken[:3]) + (" …" if len(broken) > 3 else "")
    return Finding(
        "bad",
        "sessions",
        f"{len(broken)} of {len(rows)} damaged ({shown})",
        "openclaw-tui sessions check; resume mends",
    )


def _is_damaged(path: Path) -> bool:
    try:
        manager = SessionManager.open(path, read_only=True)
    except SessionError:
        return True
    manager.close()
    return manager.damage is not None


def _settings(config: Config) -> Iterator[Finding]:
    if not config.problems:
        yield Finding("ok", "settings", "every line is understood")
    for problem in config.problems:
        yield Finding("bad", "settings", str(problem), "openclaw-tui config show lists the keys")
