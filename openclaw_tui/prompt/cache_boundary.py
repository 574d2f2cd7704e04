"""The line between the stable and the dynamic part of the system prompt.

Everything above it is byte-equal through a session, so that a provider can reuse its cached prefix; whatever may change
from turn to turn stands below. The marker itself never reaches a model.
"""

from openclaw_tui.constants import SYSTEM_PROMPT_CACHE_BOUNDARY
from openclaw_tui.prompt.stability import normalize_section


def split_at_boundary(prompt: str) -> tuple[str, str]:
    """Stable and dynamic part: the first marker counts; without one everything is stable."""
    stable, marker, dynamic = prompt.partition(SYSTEM_PROMPT_CACHE_BOUNDARY)
    if not marker:
        return prompt.rstrip(), ""
    return stable.rstrip(), strip_boundary(dynamic).lstrip()


def strip_boundary(prompt: str) -> str:
    """The prompt as one text for providers that cannot mark a boundary."""
    return prompt.replace(SYSTEM_PROMPT_CACHE_BOUNDARY, "\n")


def join_at_boundary(stable: str, dynamic: str) -> str:
    """The whole prompt with its marker; the marker stands there also when nothing dynamic follows."""
    return f"{stable.rstrip()}{SYSTEM_PROMPT_CACHE_BOUNDARY}{dynamic.lstrip()}"


def insert_addition(prompt: str, addition: str) -> str:
    """Put an engine's text right below the boundary, so that the stable part keeps its bytes.

    A prompt without a marker gets one: text that may change each step must not stand in the cached part.
    """
    text = normalize_section(addition)
    if not text:
        return prompt
    stable, dynamic = split_at_boundary(prompt)
    return join_at_boundary(stable, f"{text}\n\n{dynamic}" if dynamic else text)
