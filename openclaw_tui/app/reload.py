"""Settings that changed while the program runs: which, which of them can enter now, and letting them enter.

Nothing enters by itself: a file the agent itself may write must not change what it is allowed, before the user says so.
"""

import msgspec

from openclaw_tui.app.compose import App, load_trusted
from openclaw_tui.app.settings import permission_settings, request_settings
from openclaw_tui.app.skills import build_shelf
from openclaw_tui.app.trust import left_out_line
from openclaw_tui.config.load import Config, load_config
from openclaw_tui.errors import ConfigError

_ENTER_NOW = (
    "agents.defaults.compaction.",
    "agents.defaults.contextPruning.",
    "agents.defaults.contextTokens",
    "agents.defaults.minContextTokens",
    "agents.defaults.maxOutputTokens",
    "agents.defaults.cacheRetention",
    "agents.defaults.historyLimit",
    "guard.",
    "permissions.allow",
    "permissions.ask",
    "permissions.deny",
    "skills.disabled",
    "ui.enterWhileWorking",
    "ui.theme",
)
"""Settings read anew for each request or each verdict; the others are built into the session."""


class SettingsChange(msgspec.Struct, frozen=True):
    """Names of settings that are other ones now, and lines about what is wrong in the files since."""

    applied: tuple[str, ...] = ()
    later: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def names(self) -> str:
        return ", ".join((*self.applied, *self.later))


def enters_now(key: str) -> bool:
    """Whether a changed setting can enter a running session."""
    return key.startswith(_ENTER_NOW)


def look_at_settings(app: App) -> SettingsChange:
    """What the files say now that the session does not go by. Changes nothing."""
    trusted = app.config.project_trusted
    fresh = load_config(app.paths, flags=app.options.config, project_trusted=trusted, remember=False)
    return _compare(app.config, fresh)


def apply_settings(app: App) -> SettingsChange:
    """Let the settings enter that can. Where one of them cannot be used, nothing enters and the problem is told.

    Nor does anything where the project changed since it was trusted: its new contents wait for an answer, and what was
    in force stays rather than being loosened by half.
    """
    fresh = load_trusted(app.paths, app.options, remember=False)
    if app.config.project_trusted and fresh.trust.state == "changed":
        return SettingsChange(problems=(f"no setting enters: {left_out_line(fresh.trust)}",))
    change = _compare(app.config, fresh)
    if not change.applied and not change.later and fresh.project_trusted == app.config.project_trusted:
        return change
    try:
        requests, permissions = request_settings(app.options, fresh), permission_settings(app.options, fresh)
    except ConfigError as error:
        return SettingsChange(problems=(*change.problems, str(error)))
    app.session.deps.requests.settings = requests
    app.permissions.use(permissions)
    app.prompt_source.trusted = fresh.project_trusted
    app.skills.use(build_shelf(fresh, app.paths))
    app.config = fresh
    return change


def _compare(before: Config, after: Config) -> SettingsChange:
    changed = [setting.key for setting, value, _ in after.rows() if value != before.get(setting.key)]
    known = set(map(str, before.problems))
    return SettingsChange(
        tuple(key for key in changed if key.startswith(_ENTER_NOW)),
        tuple(key for key in changed if not key.startswith(_ENTER_NOW)),
        tuple(text for problem in after.problems if (text := str(problem)) not in known),
    )
