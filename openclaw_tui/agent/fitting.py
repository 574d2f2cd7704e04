"""Makes the fixed parts of a prompt fit a small window: what is optional is shortened, in an order that can be told.

Skills go first (the model can still be told of one), then the project's files, the farthest from the working directory
first. The identity, the tools and the safety rules stay whole.
"""

from collections.abc import Mapping

from msgspec.structs import replace

from openclaw_tui.constants import BOOTSTRAP_MIN_CHARS
from openclaw_tui.prompt.bootstrap_files import cut_text
from openclaw_tui.prompt.system_prompt import PromptInputs, SystemPrompt
from openclaw_tui.tokens import estimate_text_tokens, estimate_tools_tokens


def fixed_parts(inputs: PromptInputs, prompt: SystemPrompt) -> Mapping[str, int]:
    """Estimated tokens of what every request carries, by name."""
    optional = {path: estimate_text_tokens(content) for path, content in inputs.context_files}
    if inputs.skills_index:
        optional["skills"] = estimate_text_tokens(inputs.skills_index)
    whole = estimate_text_tokens(prompt.stable) + estimate_text_tokens(prompt.dynamic)
    rest = max(0, whole - sum(optional.values()))
    return {"tool schemas": estimate_tools_tokens(inputs.tools), "system prompt": rest, **optional}


def shortened(inputs: PromptInputs, shortfall: int) -> tuple[PromptInputs, list[str]]:
    """The inputs with about `shortfall` tokens less, as far as optional parts go, and what was done to them."""
    notes: list[str] = []
    left = shortfall
    if inputs.skills_index and left > 0:
        left -= estimate_text_tokens(inputs.skills_index)
        notes.append("the list of skills is left out")
        inputs = replace(inputs, skills_index="")
    contents = dict(inputs.context_files)
    for path in sorted(contents, key=_distance, reverse=True):
        if left <= 0:
            break
        before = estimate_text_tokens(contents[path])
        contents[path], note = _cut(path, contents[path], before, left)
        left -= before - estimate_text_tokens(contents[path])
        notes.append(note)
    files = tuple((path, contents[path]) for path, _ in inputs.context_files if contents[path])
    return replace(inputs, context_files=files), notes


def _cut(path: str, text: str, tokens: int, wanted: int) -> tuple[str, str]:
    """The text about `wanted` tokens shorter, or empty where too little would be left of it."""
    room = int(len(text) * (1 - wanted / tokens)) if tokens > wanted else 0
    if room < BOOTSTRAP_MIN_CHARS:
        return "", f"{path} is left out ({len(text):,} characters)"
    content, _ = cut_text(path, text, room)
    return content, f"{path} is cut to {len(content):,} of {len(text):,} characters"


def _distance(path: str) -> tuple[int, int]:
    """Personal copies are farthest, then the folders above, then the working directory itself."""
    return int(path.startswith("/")), path.count("../")
