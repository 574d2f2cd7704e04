"""`skills list`: the skills of this directory, and why others are not in use. Writes nothing."""

from typing import Any

from openclaw_tui.app.compose import load_settings
from openclaw_tui.app.skills import build_shelf
from openclaw_tui.commands.skill_commands import skills_text
from openclaw_tui.errors import EXIT_DONE
from openclaw_tui.options import Options
from openclaw_tui.skills.discovery import Skill, SkillSet
from openclaw_tui.skills.index import SkillListing
from openclaw_tui.subcommands.arguments import add_json_flag, command_parser
from openclaw_tui.subcommands.output import print_json
from openclaw_tui.tools.terminal_text import clean_terminal_text


def run(options: Options) -> int:
    parser = command_parser("skills", "Show the skills of this directory, and why others are not in use.")
    actions = parser.add_subparsers(dest="action", required=True, metavar="list")
    add_json_flag(actions.add_parser("list", help="every skill with its place and state"))
    given = parser.parse_args(options.arguments)
    paths, config = load_settings(options, remember=False)
    shelf = build_shelf(config, paths, remember=False)
    listing = shelf.listing()
    if given.json:
        print_json(_data(shelf.seen, listing))
    else:
        print(clean_terminal_text(skills_text(shelf.seen, listing)))
    return EXIT_DONE


def _data(found: SkillSet, listing: SkillListing) -> dict[str, Any]:
    listed = {skill.path for skill in listing.listed}
    return {
        "active": [_row(skill, listed=skill.path in listed) for skill in found.active],
        "left_out": [
            {"why": row.why, "name": row.name, "path": row.path, "line": row.line or None, "reason": row.reason}
            for row in found.left_out
        ],
        "listing": {"chars": len(listing.text), "steps": list(listing.steps)},
    }


def _row(skill: Skill, *, listed: bool) -> dict[str, Any]:
    head = skill.head
    return {
        "name": head.name,
        "description": head.description,
        "path": skill.path,
        "from": skill.root.owner,
        "trusted": skill.root.trusted,
        "listed": listed,
        "user_invocable": head.user_invocable,
        "model_invocable": head.model_invocable,
        "allowed_tools": list(head.allowed_tools),
        "license": head.license or None,
        "compatibility": head.compatibility or None,
        "notes": list(head.notes),
    }
