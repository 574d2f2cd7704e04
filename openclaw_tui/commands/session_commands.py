"""Commands about the conversation itself."""

from dataclasses import replace

from openclaw_tui.app.compose import App
from openclaw_tui.app.session import list_sessions
from openclaw_tui.commands.registry import Command, CommandOutput, table_text
from openclaw_tui.session.listing import short_id

_WAYS = ("--fork", "--read-only", "--take-over")
"""How `/resume` may open a session that another process has open."""


async def _new(app: App, argument: str) -> CommandOutput:
    options = replace(
        app.options,
        prompt=argument or None,
        resume=None,
        continue_last=False,
        fork=False,
        session_id=None,
        model=app.session.model.ref,
    )
    return CommandOutput(f"new session; the old one stays: {_resume_hint(app)}", action="switch", options=options)


async def _resume(app: App, argument: str) -> CommandOutput:
    if not argument:
        return CommandOutput(_session_table(app), action="pick_session")
    words = argument.split()
    named = [word for word in words if word not in _WAYS]
    options = replace(
        app.options,
        prompt=None,
        resume=" ".join(named) or app.session.session_id,
        continue_last=False,
        fork="--fork" in words,
        read_only="--read-only" in words,
        take_over="--take-over" in words,
        session_id=None,
    )
    return CommandOutput(action="switch", options=options)


async def _rename(app: App, argument: str) -> CommandOutput:
    manager = app.session.deps.manager
    if not argument:
        return CommandOutput(f"this session is called {manager.name!r}" if manager.name else "this session has no name")
    manager.append_session_info(argument)
    app.session.deps.requests.save_metadata()
    return CommandOutput(f"renamed to {argument!r}")


async def _status(app: App, argument: str) -> CommandOutput:
    session, requests = app.session, app.session.deps.requests
    size, budget = requests.context_size(), requests.budget
    mark = "~" if size.is_estimate else ""
    window = f"{budget.usable_tokens:,} usable (window {budget.window_tokens:,}, {budget.source})"
    rows = [
        ("model", f"{session.model.ref} ({app.model_choice.reason})"),
        ("thinking", session.thinking),
        ("mode", app.permissions.mode),
        ("context", f"{mark}{size.tokens:,} of {window}"),
        ("engine", session.deps.engine.in_use),
        ("session", f"{session.session_id}{' · ' + session.deps.manager.name if session.deps.manager.name else ''}"),
        ("file", str(session.deps.manager.path or "not stored")),
        ("folder", str(app.paths.project)),
        ("cost", _cost(session.deps.spent_usd, known=session.model.price is not None)),
        ("resume", _resume_hint(app)),
    ]
    return CommandOutput(table_text(rows))


async def _exit(app: App, argument: str) -> CommandOutput:
    return CommandOutput(action="exit")


def _session_table(app: App) -> str:
    rows = [(short_id(s.id), s.title[:60], s.cwd) for s in list_sessions(app.paths)[:20]]
    return table_text(rows) if rows else "there are no sessions yet"


def _resume_hint(app: App) -> str:
    return f"openclaw-tui -r {short_id(app.session.session_id)}"


def _cost(usd: float, *, known: bool) -> str:
    return f"${usd:.4f}" if known else "unknown price"


SESSION_COMMANDS = (
    Command(
        "new",
        "fresh session; the old one stays",
        _new,
        hint="[first prompt]",
        aliases=("clear", "reset"),
        while_busy="wait",
    ),
    Command(
        "resume",
        "go on with an earlier session",
        _resume,
        hint="[id] [--read-only|--fork|--take-over]",
        aliases=("sessions", "continue", "chat"),
        while_busy="wait",
    ),
    Command("rename", "give this session a name", _rename, hint="[name]", aliases=("name", "title")),
    Command("status", "session, model and window at a glance", _status, aliases=("session", "about")),
    Command("exit", "leave", _exit, aliases=("quit", "q")),
)
