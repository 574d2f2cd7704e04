"""`/compact`: compact now, look first, apply, undo, do it again; look at one afterwards and change its text.

A verb counts only where it is the whole first word and nothing but its own argument follows; everything else is a
focus. `/compact -- undo the login` is always a focus.
"""

import json
from typing import cast

from openclaw_tui.agent.compaction_record import CompactionRecord
from openclaw_tui.agent.price_sheet import edit_sheet
from openclaw_tui.agent.session import COMPACTION_STOPPED
from openclaw_tui.agent.undoing import UndoWay
from openclaw_tui.app.compose import App
from openclaw_tui.commands.registry import Command, CommandOutput, table_text
from openclaw_tui.compaction.lost import Lost
from openclaw_tui.constants import PREVIEW_LINE_CHARS
from openclaw_tui.errors import CompactionFailed, SessionError

_LONELY_VERBS = ("apply", "redo", "unedit")
_LOOKS = ("show", "before", "lost", "diff", "price")
_UNDO_WAYS = ("", "ask", "keep", "branch")
_NOT_UNDONE, _NOT_REDONE = "Nothing was undone.", "Nothing was done again."


async def _compact(app: App, argument: str) -> CommandOutput:
    verb, rest = parse_compact(argument)
    if verb in _LONELY_VERBS and rest:
        return _takes_no_text(verb, argument)
    session, desk = app.session, app.session.compactions
    match verb:
        case "preview":
            return CommandOutput(await session.apart(lambda: _preview(app, rest), stopped=COMPACTION_STOPPED))
        case "apply":
            return CommandOutput(await session.apart(desk.apply, stopped=COMPACTION_STOPPED))
        case "undo":
            return await _undo(app, rest, argument)
        case "redo":
            return CommandOutput(await session.apart(lambda: _at_once(desk.redo()), stopped=_NOT_REDONE))
        case "again":
            return CommandOutput(await session.apart(lambda: desk.again(rest), stopped=COMPACTION_STOPPED))
        case "unedit":
            return CommandOutput(await session.apart(lambda: _at_once(desk.unedit()), stopped=_NOT_UNDONE))
        case "edit":
            return await _edit(app, rest)
        case "put-back":
            return await _put_back(app, rest)
        case "show" | "before" | "lost" | "diff" | "price":
            return _look(app, verb, rest)
        case _:
            return CommandOutput(await session.compact(rest))


async def _undo(app: App, way: str, argument: str) -> CommandOutput:
    if way not in _UNDO_WAYS:
        return _takes_no_text("undo", argument)
    desk = app.session.compactions
    if way == "ask" and (ways := desk.ways()) is not None and ways.later:
        rows = [
            (
                "/compact undo keep",
                f"~{ways.whole_tokens:,} of {ways.usable:,} tokens{'' if ways.fits else ': too many'}",
            ),
            ("/compact undo branch", f"{ways.later} later messages stay on their branch"),
            ("/compact again FOCUS", "the same span, summarised anew with another focus"),
        ]
        return CommandOutput(table_text(rows), action="undo_ways")
    wanted = cast(UndoWay, "" if way == "ask" else way)
    return CommandOutput(await app.session.apart(lambda: _at_once(desk.undo(wanted)), stopped=_NOT_UNDONE))


async def _edit(app: App, text: str) -> CommandOutput:
    """The whole new text behind `edit`; alone, the text as it is."""
    desk = app.session.compactions
    try:
        record = desk.record()
    except CompactionFailed as error:
        return CommandOutput(str(error), is_error=True)
    if not text:
        return CommandOutput(
            f"{record.summary}\n\n/compact edit TEXT stores another one; /compact unedit takes it back."
        )
    return CommandOutput(await app.session.apart(lambda: _at_once(desk.edit_summary(text)), stopped="Nothing changed."))


async def _put_back(app: App, argument: str) -> CommandOutput:
    """`N [end] [now]`: by its number in the list, into the summary or at the end of the talk."""
    number, _, rest = argument.partition(" ")
    words = rest.split()
    desk = app.session.compactions
    try:
        lost = desk.record().lost
        if not number.isdigit() or not 1 <= int(number) <= len(lost) or set(words) - {"end", "summary", "now"}:
            raise CompactionFailed("/compact put-back N [summary|end]: N is a number of /compact lost")
        item = lost[int(number) - 1]
        if "end" in words:
            return CommandOutput(put_back_at_end(app, item))
        sheet = edit_sheet(app.session.deps) if "now" not in words else None
        if sheet is not None:
            command = f"/compact put-back {number} summary"
            return CommandOutput(sheet.as_text(command), action="price", payload=command, sheet=sheet)
        text = desk.with_note(item)
    except (CompactionFailed, SessionError) as error:
        return CommandOutput(str(error), is_error=True)
    return CommandOutput(await app.session.apart(lambda: _at_once(desk.edit_summary(text)), stopped="Nothing changed."))


def put_back_at_end(app: App, item: Lost) -> str:
    """A lost name as a message at the end of the talk. Raises SessionError while the agent works."""
    if app.session.is_busy:
        raise SessionError("the agent is working; wait for the end of the turn, or stop it")
    text = f"[put back by the user: it stood in talk that a summary covers] {item.kind}: {item.text}"
    return app.session.items.append(text, f"{item.kind} put back at the end")


def _look(app: App, verb: str, argument: str) -> CommandOutput:
    words = argument.split()
    desk = app.session.compactions
    try:
        names = [word for word in words if word != "json"]
        record = desk.record(_nth(app, names[0]) if names else "")
    except CompactionFailed as error:
        return CommandOutput(str(error), is_error=True)
    if "json" in words:
        return CommandOutput(json.dumps(record.as_data(), indent=2, ensure_ascii=False))
    return CommandOutput(record_text(record, verb))


def _nth(app: App, word: str) -> str:
    """The id of a compaction of this branch: by number, 1 the oldest, or by its id."""
    from openclaw_tui.session.entries import CompactionEntry

    found = [entry.id for entry in app.session.deps.manager.branch() if isinstance(entry, CompactionEntry)]
    if word.isdigit() and 1 <= int(word) <= len(found):
        return found[int(word) - 1]
    if word in found:
        return word
    raise CompactionFailed(f"there is no compaction {word!r}; this branch has {len(found)}, counted from the oldest")


def record_text(record: CompactionRecord, verb: str) -> str:
    """One tab of a compaction as text."""
    match verb:
        case "before":
            rows = [f"{text.result_id or text.label}: {_short(text.text)}" for text in record.covered]
            return "\n".join([f"{len(rows)} covered messages:", *rows])
        case "lost":
            if not record.lost:
                return "nothing was lost: every name of the covered talk is in the summary or still sent"
            rows = [
                f"{number:>4}  {item.kind:<8} {item.text}" + (f"  ×{item.times}" if item.times > 1 else "")
                for number, item in enumerate(record.lost, 1)
            ]
            return "\n".join([*rows, "/compact put-back N [summary|end] puts one back"])
        case "diff":
            return "\n".join(record.diff) or "the text is that of the summary before"
        case "price":
            return f"{record.tokens_before:,} → {record.tokens_after:,} tokens · {record.cost_text}"
        case _:
            state = "in force" if record.is_current else "no longer in force"
            return f"{record.summary}\n\n[{len(record.covered)} messages covered, {state}; {record.cost_text}]"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= PREVIEW_LINE_CHARS else f"{line[:PREVIEW_LINE_CHARS]}…"


def parse_compact(argument: str) -> tuple[str, str]:
    """The verb, or none, and what stands behind it."""
    text = argument.strip()
    if text == "--" or text.startswith("-- "):
        return "", text[2:].strip()
    word, _, rest = text.partition(" ")
    rest = rest.strip()
    if word in ("preview", "again", *_LONELY_VERBS):
        return word, rest.removeprefix("-- ").strip()
    if word == "undo":
        return word, rest
    if word in ("put-back", "edit") or (word in _LOOKS and all(w == "json" or w.isalnum() for w in rest.split()[:3])):
        looks = word not in _LOOKS or len(rest.split()) <= 2
        return (word, rest) if looks else ("", text)
    return "", text


def _takes_no_text(verb: str, argument: str) -> CommandOutput:
    return CommandOutput(
        f"/compact {verb} takes no text; as a focus it is typed /compact -- {argument.strip()}", is_error=True
    )


async def _preview(app: App, focus: str) -> str:
    try:
        return (await app.session.compactions.preview(focus)).text
    except CompactionFailed as error:
        return f"Compaction skipped: {error}"


async def _at_once(line: str) -> str:
    return line


COMPACT_COMMAND = Command(
    "compact",
    "summarise now, or look first: preview, apply, undo, redo; show, lost, put-back",
    _compact,
    hint="[preview|apply|undo|redo|show|lost|put-back|…] [focus]",
    aliases=("compress", "summarize", "condense"),
)
