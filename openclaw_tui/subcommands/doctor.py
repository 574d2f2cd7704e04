"""`doctor`: what the program finds around it, as lines or as JSON; the looking is in `app/health.py`."""

import sys

from msgspec.structs import asdict

from openclaw_tui.app.compose import load_settings
from openclaw_tui.app.health import examine, findings_text
from openclaw_tui.errors import EXIT_DONE, EXIT_FAILED
from openclaw_tui.options import Options
from openclaw_tui.subcommands.arguments import add_json_flag, command_parser
from openclaw_tui.subcommands.output import print_json
from openclaw_tui.tools.running_notes import end_leftover, leftovers
from openclaw_tui.tools.terminal_text import one_line


def run(options: Options) -> int:
    parser = command_parser("doctor", "Look at terminal, programs, keys, settings and sessions; exit 1 if one is bad.")
    add_json_flag(parser)
    parser.add_argument("--offline", action="store_true", help="do not ask any server")
    parser.add_argument("--end-leftovers", action="store_true", help="end commands that a killed run left running")
    given = parser.parse_args(options.arguments)
    paths, config = load_settings(options, remember=False)
    if given.end_leftovers:
        for found in leftovers(paths.running, all_of_them=True):
            said = "ended" if end_leftover(found) else "cannot be ended"
            print(f"openclaw-tui: {said}: {one_line(found.words)}", file=sys.stderr)
    findings = list(examine(paths, config, offline=given.offline))
    if given.json:
        print_json([asdict(finding) for finding in findings])
    else:
        print(findings_text(findings))
    return EXIT_FAILED if any(finding.state == "bad" for finding in findings) else EXIT_DONE
