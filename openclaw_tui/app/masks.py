"""The marks of secrets for one conversation, from its settings and its folder."""

import re

from openclaw_tui.app.tools import artifacts_folder
from openclaw_tui.config.load import Config
from openclaw_tui.config.paths import Paths
from openclaw_tui.providers.credentials import KEY_VARIABLES
from openclaw_tui.safety.masking import Masks, held_keys
from openclaw_tui.session.manager import SessionManager


def build_masks(config: Config, paths: Paths, manager: SessionManager) -> tuple[Masks, list[str]]:
    """The marks, and a line about each own pattern that is none."""
    patterns: list[re.Pattern[str]] = []
    problems: list[str] = []
    for text in config.get("secrets.patterns"):
        try:
            patterns.append(re.compile(text))
        except re.error as error:
            problems.append(f"secrets.patterns: {text!r} is no regular expression ({error}); it is skipped")
    own = config.get("models.providers")
    named = [str(record.get("apiKeyEnv", "")) for record in own.values() if isinstance(record, dict)]
    variables = [*(name for names in KEY_VARIABLES.values() for name in names), *filter(None, named)]
    folder = artifacts_folder(manager, paths) if manager.path is not None else None
    masks = Masks(folder, on=bool(config.get("secrets.mask")), own=lambda: held_keys(variables), more=patterns)
    return masks, problems
