"""Checks a summary against the text it replaces, without a model.

Identifiers of the covered part that later work may need are looked for in the summary and in what stays in the context.
What is missing is asked for once more; what is missing then is listed under the summary. The newest identifiers, and
those that appear in the user's or the assistant's own words, come first: nobody needs each id of a long log.
"""

from collections.abc import Sequence

from openclaw_tui.compaction.identifiers import extract_identifiers, missing_identifiers
from openclaw_tui.constants import RETENTION_MAX_IDENTIFIERS
from openclaw_tui.messages import Message, ToolResultMessage, text_of
from openclaw_tui.tokens import compact_json


def wanted_identifiers(covered: Sequence[Message], previous_summary: str = "") -> list[str]:
    """At most `RETENTION_MAX_IDENTIFIERS`: those of the talk and of call arguments, then the newest of results.

    An earlier summary counts as the oldest talk: what it carried must not be lost at the second compaction.
    """
    talk = "\n".join(
        [previous_summary, *(_words(message) for message in covered if not isinstance(message, ToolResultMessage))]
    )
    results = "\n".join(text_of(message.content) for message in covered if isinstance(message, ToolResultMessage))
    first = extract_identifiers(talk, RETENTION_MAX_IDENTIFIERS)
    room = RETENTION_MAX_IDENTIFIERS - len(first)
    rest = [i for i in extract_identifiers(results) if i not in first] if room > 0 else []
    return first + (rest[-room:] if room > 0 else [])


def lost_identifiers(
    covered: Sequence[Message], summary: str, kept: Sequence[Message], previous_summary: str = ""
) -> list[str]:
    """Wanted identifiers that stand neither in the summary nor in the part of the talk that stays."""
    still_there = "\n".join([summary, *(_words(message) for message in kept)])
    return missing_identifiers(wanted_identifiers(covered, previous_summary), still_there)


def _words(message: Message) -> str:
    """Text of a message with the arguments of its calls."""
    calls = getattr(message, "tool_calls", ())
    return "\n".join([text_of(message.content), *(compact_json(dict(call.arguments)) for call in calls)])
