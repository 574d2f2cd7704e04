"""`memory search QUERY`: the notes of this directory, searched as the agent searches them. Changes no note."""

from msgspec.structs import asdict, replace

from openclaw_tui.app.compose import load_settings
from openclaw_tui.app.memory import build_search, places_of
from openclaw_tui.errors import EXIT_DONE
from openclaw_tui.options import Options
from openclaw_tui.subcommands.arguments import add_json_flag, command_parser
from openclaw_tui.subcommands.output import print_json
from openclaw_tui.tools.memory_tools import result_text
from openclaw_tui.tools.terminal_text import clean_terminal_text


def run(options: Options) -> int:
    parser = command_parser("memory", "Search the notes of this directory.")
    actions = parser.add_subparsers(dest="action", required=True, metavar="search")
    search = actions.add_parser("search", help="find words in MEMORY.md and memory/*.md")
    search.add_argument("query", nargs="+")
    search.add_argument("--max", type=int, metavar="N", help="most hits")
    add_json_flag(search)
    given = parser.parse_args(options.arguments)
    paths, config = load_settings(options, remember=False)
    places = places_of(config, paths)
    if places.index is not None and not places.index.exists():
        places = replace(places, index=None)
    finder = build_search(config, paths, places)
    try:
        found = finder.search(" ".join(given.query), given.max)
    finally:
        finder.close()
    if given.json:
        hits = [{**asdict(hit), "citation": hit.citation} for hit in found.hits]
        print_json({"root": str(places.root), "files": found.files, "hits": hits, "problems": list(found.problems)})
    else:
        print(clean_terminal_text(result_text(found)))
    return EXIT_DONE
