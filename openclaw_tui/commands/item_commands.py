"""The verbs of `/context`: what weighs most, and acts on one of these things. The twin of the budget panel's keys."""

import json

from openclaw_tui.app.compose import App
from openclaw_tui.commands.registry import CommandOutput, table_text
from openclaw_tui.constants import CONTEXT_ITEMS_LISTED
from openclaw_tui.errors import SessionError, ToolError
from openclaw_tui.tools.terminal_text import clean_terminal_text

VERBS = ("items", "tree", "clear", "recall", "look", "open")


async def context_verb(app: App, verb: str, argument: str) -> CommandOutput:
    """One verb. What cannot be done is told in one line."""
    words = argument.split()
    name, rest = (words[0], words[1:]) if words else ("", [])
    try:
        match verb:
            case "items" | "tree":
                return _listed(app, verb, words)
            case "clear":
                return _clear(app, name, rest)
            case "recall":
                return CommandOutput(await _recall(app, name, rest))
            case "open":
                path = app.session.items.file_of(name)
                return CommandOutput(str(path) if path else f"{name!r} is about no file that exists", is_error=not path)
            case _:
                text = clean_terminal_text(app.session.items.text_of(name))
                return CommandOutput(text or f"there is no {name!r} in the context", is_error=not text)
    except (SessionError, ToolError) as error:
        return CommandOutput(str(error), is_error=True)


def _clear(app: App, name: str, words: list[str]) -> CommandOutput:
    if not name or set(words) - {"now", "later"}:
        return CommandOutput("/context clear ID [now|later]: an id of /context items", is_error=True)
    if "later" in words:
        return CommandOutput(app.session.items.clear_later(name))
    sheet = app.session.items.clear_price(name) if "now" not in words else None
    if sheet is not None:
        command = f"/context clear {name}"
        return CommandOutput(sheet.as_text(command), action="price", payload=command, sheet=sheet)
    return CommandOutput(app.session.items.clear(name, is_busy=app.session.is_busy))


async def _recall(app: App, name: str, words: list[str]) -> str:
    await app.session.deps.outputs.settle()
    lines = words[0] if words else None
    return app.session.items.put_back(name, app.recall, lines=lines, is_busy=app.session.is_busy)


def _listed(app: App, verb: str, words: list[str]) -> CommandOutput:
    from openclaw_tui.agent.breakdown import context_breakdown
    from openclaw_tui.agent.budget_tree import SORTS, Sort, budget_tree, in_order, leaves, tree_text

    requests = app.session.deps.requests
    nodes = budget_tree(requests, context_breakdown(requests, app.prompt_source.files))
    sort: Sort = next((known for known in SORTS if known in words), "tokens")
    items = in_order(leaves(nodes), sort, 1)
    if "json" in words:
        chosen = nodes if verb == "tree" else items
        return CommandOutput(json.dumps([node.as_data() for node in chosen], indent=2, ensure_ascii=False))
    if verb == "tree":
        return CommandOutput(tree_text(nodes))
    rows = [(f"~{n.tokens:,}", "always" if n.age is None else str(n.age), n.key, n.name) for n in items]
    shown = rows[:CONTEXT_ITEMS_LISTED]
    more = [f"and {len(rows) - len(shown):,} smaller ones"] if len(rows) > len(shown) else []
    table = table_text([("tokens", "age", "id", f"what (by {sort})"), *shown])
    return CommandOutput("\n".join([table, *more, "/context look|clear|recall|open ID acts on one of them"]))
