"""`/login` and `/logout`: a provider's key, kept in the keyring or a private file. Keys are never shown."""

import asyncio

from openclaw_tui.app.compose import App
from openclaw_tui.app.models import KEY_ORDER
from openclaw_tui.commands.registry import Command, CommandOutput, table_text
from openclaw_tui.errors import OpenClawError
from openclaw_tui.providers.catalog import list_models
from openclaw_tui.providers.credentials import forget_key, has_key, key_variables, store_key


async def _login(app: App, argument: str) -> CommandOutput:
    """With a key it is stored; without one the front end asks for it where nobody can read along."""
    provider, _, key = argument.partition(" ")
    if not provider:
        return CommandOutput(f"{provider_table(app)}\n/login PROVIDER asks for its key", action="pick_provider")
    if not key.strip():
        return CommandOutput(f"the key of {provider}", action="ask_key", payload=provider)
    return await keep_key(app, provider, key)


async def keep_key(app: App, provider: str, key: str) -> CommandOutput:
    """Store a key. The line names the place, never the key."""
    try:
        place = await asyncio.to_thread(store_key, provider, key.strip(), state_dir=app.paths.state)
    except OpenClawError as error:
        return CommandOutput(str(error), is_error=True)
    kept = "system keyring" if place == "keyring" else "a file only you can read"
    return CommandOutput(f"the key of {provider} is kept in the {kept}; /model chooses one of its models")


async def _logout(app: App, argument: str) -> CommandOutput:
    provider = argument.strip()
    if not provider:
        return CommandOutput(f"{provider_table(app)}\n/logout PROVIDER forgets its key")
    try:
        gone = await asyncio.to_thread(forget_key, provider, state_dir=app.paths.state)
    except OpenClawError as error:
        return CommandOutput(str(error), is_error=True)
    said = f"the stored key of {provider} is gone" if gone else f"no key of {provider} was stored"
    left = has_key(provider, state_dir=app.paths.state)
    note = f"; {' or '.join(key_variables(provider))} is still set in the environment" if left else ""
    return CommandOutput(said + note, is_error=not gone)


def providers(app: App) -> list[tuple[str, bool]]:
    """Providers that take a key, and whether one is known: those of the catalogue first."""
    known = {model.provider: None for model in list_models(app.config.get("models.providers"))}
    names = [*KEY_ORDER, *(name for name in known if name not in KEY_ORDER and name != "offline")]
    return [(name, has_key(name, state_dir=app.paths.state)) for name in names]


def provider_table(app: App) -> str:
    rows = [
        (name, "key known" if known else "no key", " or ".join(key_variables(name))) for name, known in providers(app)
    ]
    return table_text(rows)


LOGIN_COMMANDS = (
    Command("login", "store a provider's key", _login, hint="[provider]"),
    Command("logout", "forget a stored key", _logout, hint="[provider]"),
)
