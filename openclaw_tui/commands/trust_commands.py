"""`/trust`: what the files of this folder would do, and the user's answer about them."""

from openclaw_tui.app.compose import App
from openclaw_tui.app.reload import SettingsChange, apply_settings
from openclaw_tui.app.trust import look_at_folder, trust_text
from openclaw_tui.commands.registry import Command, CommandOutput
from openclaw_tui.errors import ConfigError
from openclaw_tui.safety.trust import FolderTrust, TrustStore

_STATES = {
    "nothing": "nothing in this folder asks for trust",
    "trusted": "this folder is trusted as it is now",
    "never": "this folder is not trusted, and you are not asked about it",
    "unasked": "this folder is not trusted",
    "changed": "this folder changed since you trusted it",
}


async def _trust(app: App, argument: str) -> CommandOutput:
    seen = look_at_folder(app.paths)
    match argument.strip().lower():
        case "":
            app.trust_shown = seen
            return CommandOutput(_shown(seen))
        case "grant":
            return _grant(app, seen)
        case "never":
            return CommandOutput(answer_trust(app, "never", seen), action="commands")
        case "revoke":
            return CommandOutput(answer_trust(app, "revoke", seen), action="commands")
    return CommandOutput("use /trust, /trust grant, /trust never or /trust revoke", is_error=True)


def answer_trust(app: App, answer: str, shown: FolderTrust) -> str:
    """Keep an answer about what was shown, and let it take effect. Raises ConfigError where it cannot be kept."""
    store = TrustStore(app.paths.trust)
    try:
        if answer == "grant":
            store.grant(shown)
        elif answer == "never":
            store.never_ask(app.paths.project)
        elif not store.forget(app.paths.project):
            return "there is no answer about this folder to take back"
    except OSError as error:
        raise ConfigError(f"{app.paths.trust} cannot be written ({error.strerror}); nothing changed") from error
    first = "this folder is trusted" if answer == "grant" else "this folder is not trusted"
    return "\n".join([first, *_effects(apply_settings(app))])


def _grant(app: App, seen: FolderTrust) -> CommandOutput:
    """Only what was shown can be trusted: where it was not, or is other by now, it is shown first."""
    if app.trust_shown is None or app.trust_shown.prints != seen.prints:
        app.trust_shown = seen
        return CommandOutput(f"{_shown(seen)}\nthis was not shown yet; /trust grant again trusts it")
    return CommandOutput(answer_trust(app, "grant", seen), action="commands")


def _shown(seen: FolderTrust) -> str:
    ways = {"unasked": "grant or never", "never": "grant", "changed": "grant or revoke", "trusted": "revoke"}
    ends = [f"/trust {ways[seen.state]}"] if seen.state in ways else []
    return "\n".join([_STATES[seen.state], *filter(None, [trust_text(seen), seen.problem]), *ends])


def _effects(change: SettingsChange) -> list[str]:
    lines = [f"in force now: {', '.join(change.applied)}"] if change.applied else []
    lines += [f"needs a new session (/new): {', '.join(change.later)}"] if change.later else []
    return [*lines, *change.problems]


TRUST_COMMANDS = (
    Command("trust", "what this folder's files may do", _trust, hint="[grant, never, revoke]", while_busy="wait"),
)
