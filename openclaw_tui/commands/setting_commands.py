"""Commands about settings: reading and changing them, theme and keys. The screens they open have their twins here."""

from openclaw_tui.app.compose import App
from openclaw_tui.app.setting_change import change_setting, effect_of, reset_setting, setting_rows
from openclaw_tui.commands.registry import Command, CommandOutput, table_text
from openclaw_tui.config.load import did_you_mean
from openclaw_tui.config.schema import Setting, find_setting, fold_key
from openclaw_tui.config.values import shown_value
from openclaw_tui.errors import ConfigError
from openclaw_tui.tools.terminal_text import one_line


async def _config(app: App, argument: str) -> CommandOutput:
    """Nothing: the screen, or all rows; a key: what is known about it; a key and a value: set it."""
    key, _, text = argument.partition(" ")
    if not key:
        return CommandOutput(_table(app, ""), action="settings")
    setting = find_setting(key)
    if not text.strip():
        return _looked_up(app, key, setting)
    try:
        if text.strip() == "default" and setting is not None and "default" not in setting.choices:
            return CommandOutput(reset_setting(app, setting), action="settled")
        return CommandOutput(change_setting(app, key, text.strip()), action="settled")
    except ConfigError as error:
        return CommandOutput(str(error), is_error=True)


def _looked_up(app: App, key: str, setting: Setting | None) -> CommandOutput:
    if setting is not None:
        return CommandOutput(table_text(setting_facts(app, setting)))
    found = _table(app, key)
    if not found:
        return CommandOutput(f"there is no setting {key}{did_you_mean(key)}; /config lists them", is_error=True)
    return CommandOutput(found)


def setting_facts(app: App, setting: Setting) -> list[tuple[str, str]]:
    """Everything about one setting, in pairs."""
    bounds = [
        ", ".join(setting.choices),
        f"at least {setting.minimum:g}" if setting.minimum is not None else "",
        f"at most {setting.maximum:g}" if setting.maximum is not None else "",
    ]
    return [
        ("setting", setting.key),
        ("value", one_line(shown_value(app.config.get(setting.key)))),
        ("default", one_line(shown_value(setting.default))),
        ("from", app.config.place(setting.key)),
        ("kind", "; ".join([setting.kind, *(bound for bound in bounds if bound)])),
        ("about", setting.doc),
        ("a change is in force", effect_of(setting.key)),
    ]


def _table(app: App, prefix: str) -> str:
    folded = fold_key(prefix)
    rows = [
        (row.setting.key, one_line(shown_value(row.value))[:40], row.place, row.setting.doc)
        for row in setting_rows(app)
        if folded in fold_key(row.setting.key)
    ]
    return table_text(rows)


async def _theme(app: App, argument: str) -> CommandOutput:
    """The screen knows which themes there are, so it does the rest; line mode has none."""
    now = f"the theme of the full screen is {app.config.get('ui.theme')}; /config ui.theme NAME changes it"
    return CommandOutput(now, action="pick_theme", payload=argument.strip())


async def _keymap(app: App, argument: str) -> CommandOutput:
    own = app.config.get("ui.keys")
    rows = [(str(name), str(keys)) for name, keys in own.items()]
    text = f"own keys of the full screen:\n{table_text(rows, indent='  ')}" if rows else ""
    return CommandOutput(text, action="keymap", payload=argument.strip())


SETTING_COMMANDS = (
    Command("config", "settings: value, place, change them", _config, hint="[key] [value]", aliases=("settings",)),
    Command("theme", "colours of the screen", _theme, hint="[name]", aliases=("themes",)),
    Command("keymap", "keys, and changing them", _keymap, hint="[action keys]", aliases=("hotkeys",)),
)
