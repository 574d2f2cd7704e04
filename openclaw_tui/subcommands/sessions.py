"""`sessions …`: the parser of its actions; the work is in `session_views` and `session_files`."""

from pathlib import Path

from openclaw_tui.app.compose import load_settings
from openclaw_tui.options import Options
from openclaw_tui.subcommands import scrub, session_files, session_views
from openclaw_tui.subcommands.arguments import CommandParser, add_json_flag, command_parser

_ACTIONS = {
    "list": session_views.list_sessions,
    "show": session_views.show_session,
    "search": session_views.find_words,
    "export": session_files.export_session,
    "import": session_files.import_session,
    "check": session_files.check_sessions,
    "rebuild": session_files.rebuild_index,
    "truncate": session_files.truncate_session,
    "scrub": scrub.scrub_sessions,
    "rm": session_files.remove_sessions,
}


def run(options: Options) -> int:
    given = _parser().parse_args(options.arguments)
    paths, _ = load_settings(options, remember=False)
    return _ACTIONS[given.action](given, paths)


def _parser() -> CommandParser:
    parser = command_parser("sessions", "Look at stored conversations, move them, mend them, remove them.")
    actions = parser.add_subparsers(dest="action", required=True, metavar="|".join(_ACTIONS))

    def action(name: str, text: str) -> CommandParser:
        made: CommandParser = actions.add_parser(name, help=text, description=text, allow_abbrev=False)
        add_json_flag(made)
        return made

    listed = action("list", "newest first")
    listed.add_argument("--here", action="store_true", help="only those of this directory")
    listed.add_argument("--all", action="store_true", help="those of sub-agents as well")
    action("show", "the talk of one session").add_argument("id", help="id, beginning of an id, or path")
    action("search", "find words in all sessions").add_argument(
        "query", nargs="+", help="all of them in one message; quoted ones together"
    )
    export = action("export", "write a session as .md, .html or .jsonl")
    export.add_argument("id")
    export.add_argument("path", nargs="?", help="file to write; its ending chooses the form (default: Markdown, here)")
    export.add_argument("--force", action="store_true", help="overwrite the file")
    action("import", "take over a copy of a session file").add_argument("path")
    action("check", "say what repair would mend; exit 1 if anything").add_argument("id", nargs="*")
    action("rebuild", "add the sessions that sessions.json does not know")
    action("truncate", "take what the latest summary covers out of the file").add_argument("id")
    scrub_them = action("scrub", "hide secrets in what is stored: sessions, outputs, archives, ledger, history, logs")
    scrub_them.add_argument("id", nargs="*")
    scrub_them.add_argument("--all", action="store_true", help="every session, history, drafts, logs, crash reports")
    scrub_them.add_argument("--file", type=Path, action="append", default=[], help="a file, such as an older export")
    scrub_them.add_argument("--dry-run", action="store_true", help="only say what would be hidden")
    remove = action("rm", "remove sessions with their artifacts and archives")
    remove.add_argument("id", nargs="+")
    remove.add_argument("-y", "--yes", action="store_true", help="do not ask")
    return parser
