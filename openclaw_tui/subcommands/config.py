"""`config show|path|set|route`: every setting with its value and the place that won; setting one keeps comments."""

from typing import Any

from openclaw_tui.app.compose import load_settings
from openclaw_tui.app.trust import left_out_line
from openclaw_tui.commands.registry import table_text
from openclaw_tui.config.load import Config, did_you_mean
from openclaw_tui.config.paths import Paths
from openclaw_tui.config.schema import find_setting, fold_key
from openclaw_tui.config.values import shown_value
from openclaw_tui.config.write import write_user_setting
from openclaw_tui.errors import EXIT_DONE, ConfigError
from openclaw_tui.options import Options
from openclaw_tui.subcommands.arguments import add_json_flag, command_parser
from openclaw_tui.subcommands.output import print_json
from openclaw_tui.subcommands.route import add_route_arguments, show_route


def run(options: Options) -> int:
    parser = command_parser("config", "Show settings and the place each came from, or set one in the user's file.")
    actions = parser.add_subparsers(dest="action", required=True, metavar="show|path|set|route")
    show = actions.add_parser("show", help="every setting with its value and the place that won")
    show.add_argument("key", nargs="?", help="a key, or the beginning of several")
    add_json_flag(show)
    place = actions.add_parser("path", help="where settings are read from")
    add_json_flag(place)
    change = actions.add_parser("set", help="write one setting into the user's file")
    change.add_argument("key")
    change.add_argument("value")
    way = actions.add_parser("route", help="which agent a message would go to, and by which tier")
    add_route_arguments(way)
    add_json_flag(way)
    given = parser.parse_args(options.arguments)
    paths, config = load_settings(options, remember=given.action == "set")
    if given.action == "show":
        _show(config, given.key, as_json=given.json)
    elif given.action == "path":
        _print_paths(paths, as_json=given.json)
    elif given.action == "route":
        show_route(given, config, paths)
    else:
        _set(paths, given.key, given.value)
    return EXIT_DONE


def _show(config: Config, prefix: str | None, *, as_json: bool) -> None:
    rows = [row for row in config.rows() if prefix is None or _is_under(row[0].key, prefix)]
    if not rows:
        raise ConfigError(f"config show: there is no setting {prefix}{did_you_mean(prefix or '')}")
    if as_json:
        print_json(
            {
                "settings": [{"key": s.key, "value": _plain(value), "place": place} for s, value, place in rows],
                "problems": [str(problem) for problem in config.problems],
                "left_out": config.left_out,
            }
        )
        return
    print(table_text([(setting.key, shown_value(value), place) for setting, value, place in rows]))
    for problem in config.problems:
        print(f"skipped  {problem}")
    for left in config.left_out:
        print(f"left out (the folder is not trusted)  {left}")
    if line := left_out_line(config.trust):
        print(f"trust  {line}")


def _is_under(key: str, prefix: str) -> bool:
    found = find_setting(prefix)
    return key == found.key if found else fold_key(key).startswith(fold_key(prefix))


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _print_paths(paths: Paths, *, as_json: bool) -> None:
    places = {
        "user": paths.user_config,
        "project": paths.project_config,
        "local": paths.local_config,
        "state": paths.state,
        "log": paths.log,
    }
    if as_json:
        print_json({name: {"path": str(path), "exists": path.exists()} for name, path in places.items()})
        return
    print(table_text([(name, str(path), "" if path.exists() else "(not there)") for name, path in places.items()]))


def _set(paths: Paths, key: str, text: str) -> None:
    try:
        setting, value = write_user_setting(paths, key, text)
    except ConfigError as error:
        raise ConfigError(f"config set: {error}") from error
    print(f"{setting.key} = {shown_value(value)}  ({paths.user_config})")
