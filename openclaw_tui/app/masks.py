"""The marks of secrets for one conversation, from its settings and its folder; and exports without secrets."""

import html
import re

from openclaw_tui.app.tools import artifacts_folder
from openclaw_tui.config.load import Config
from openclaw_tui.config.paths import Paths
from openclaw_tui.providers.credentials import KEY_VARIABLES, key_variables, stored_keys
from openclaw_tui.safety.masking import Masks, held_keys
from openclaw_tui.safety.secrets import held, hold, mask_secrets, masked_line, own_patterns, use_patterns
from openclaw_tui.session.export import exported
from openclaw_tui.session.manager import SessionManager

_TEXTS = re.compile(r"(<(?:pre|title|h1)[^>]*>)(.*?)(</)", re.DOTALL)


def build_masks(config: Config, paths: Paths, manager: SessionManager) -> tuple[Masks, list[str]]:
    """The marks, and a line about each own pattern that is none."""
    problems = hide_own(config, paths)
    folder = artifacts_folder(manager, paths) if manager.path is not None else None
    variables = _variables(config)
    masks = Masks(
        folder,
        on=bool(config.get("secrets.mask")),
        own=lambda: dict.fromkeys([*held_keys(variables), *held()]),
        more=own_patterns(),
    )
    return masks, problems


def hide_own(config: Config, paths: Paths, *, keyring: bool = False) -> list[str]:
    """Hide the keys this program holds and what the user's patterns fit, in all that is written from now on.

    Keys of the keyring are held once they are used; asking for all of them can open a dialog. The answer is a line
    about each pattern that is none and each key that could not be looked at.
    """
    patterns: list[re.Pattern[str]] = []
    problems: list[str] = []
    for text in config.get("secrets.patterns"):
        try:
            patterns.append(re.compile(text))
        except re.error as error:
            problems.append(f"secrets.patterns: {text!r} is no regular expression ({error}); it is skipped")
    use_patterns(patterns)
    hold(held_keys(_variables(config)))
    keys, unread = stored_keys(paths.state, keyring=keyring)
    hold(keys)
    return problems + unread


def _variables(config: Config) -> list[str]:
    own = config.get("models.providers")
    named = [str(record.get("apiKeyEnv", "")) for record in own.values() if isinstance(record, dict)]
    named += [name for provider in own for name in key_variables(provider)]
    return [*(name for names in KEY_VARIABLES.values() for name in names), *filter(None, named)]


def masked_export(manager: SessionManager, suffix: str) -> bytes:
    """The export of a session with every secret of a known shape hidden, also those that were typed by the user."""
    data = exported(manager, suffix)
    if suffix == ".html":
        return _TEXTS.sub(_masked_text, data.decode("utf-8")).encode()
    if suffix != ".jsonl":
        return mask_secrets(data.decode("utf-8")).encode()
    return b"".join(masked_line(line) for line in data.splitlines(keepends=True))


def _masked_text(match: re.Match[str]) -> str:
    """A text of a page is judged as it is read, not as it is written in HTML."""
    text = html.unescape(match[2])
    masked = mask_secrets(text)
    return match[0] if masked == text else f"{match[1]}{html.escape(masked)}{match[3]}"
