"""The marks of secrets for one conversation, from its settings and its folder; and exports without secrets."""

import html
import json
import re

from openclaw_tui.app.tools import artifacts_folder
from openclaw_tui.config.load import Config
from openclaw_tui.config.paths import Paths
from openclaw_tui.providers.credentials import KEY_VARIABLES
from openclaw_tui.safety.masking import Masks, held_keys
from openclaw_tui.safety.secrets import HIDDEN, mask_secrets
from openclaw_tui.session.export import exported
from openclaw_tui.session.manager import SessionManager

_TEXTS = re.compile(r"(<(?:pre|title|h1)[^>]*>)(.*?)(</)", re.DOTALL)


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


def masked_line(line: bytes) -> bytes:
    """A row of a session file: each text in it for itself, so that it stays what it is."""
    if mask_secrets(text := line.decode("utf-8")) == text:
        return line
    return json.dumps(masked_value(json.loads(line)), ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _masked_item(key: str, item: object) -> object:
    """A value whose name says what it is (`"password": "…"`) counts like `password=…` in a text."""
    masked = masked_value(item)
    if masked == item and isinstance(item, str) and mask_secrets(f"{key}={item}") == f"{key}={HIDDEN}":
        return HIDDEN
    return masked


def masked_value(value: object) -> object:
    """JSON data with the secrets of each of its texts hidden."""
    if isinstance(value, str):
        return mask_secrets(value)
    if isinstance(value, dict):
        return {key: _masked_item(key, item) for key, item in value.items()}
    return [masked_value(item) for item in value] if isinstance(value, list) else value
