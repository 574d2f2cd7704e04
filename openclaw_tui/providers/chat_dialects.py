"""How compatible Chat servers differ, as one record chosen once; no other chat module asks which server it is.

OpenAI itself takes more fields; servers on this machine want the older ones, report less, and some cut a long prompt
without a word. An unknown gateway gets the fields that every server takes.
"""

from typing import Literal

import msgspec
from msgspec.structs import replace

from openclaw_tui.models import ModelInfo
from openclaw_tui.providers.http import is_loopback


class ChatDialect(msgspec.Struct, frozen=True):
    """One kind of server.

    `output_limit` is the field for the longest answer. `effort` says whether `reasoning_effort` is known there.
    `on_this_machine`: an answer without content means that the prompt did not fit, if the prompt was long;
    `cuts_silently`: the prompt count is compared with ours, because the server shortens a prompt that is too long.
    `window_hint` is what the user can do about a small window there.
    """

    system_role: Literal["developer", "system"] = "system"
    output_limit: Literal["max_completion_tokens", "max_tokens"] = "max_tokens"
    parallel_field: bool = False
    cache_fields: bool = False
    effort: bool = True
    on_this_machine: bool = False
    cuts_silently: bool = False
    window_hint: str = "Set contextWindow for this model in the configuration."


OPENAI = ChatDialect(
    system_role="developer", output_limit="max_completion_tokens", parallel_field=True, cache_fields=True
)
GATEWAY = ChatDialect()
LOCAL = ChatDialect(on_this_machine=True, cuts_silently=True)

_BY_PROVIDER = {
    "ollama": replace(
        LOCAL, window_hint="Ollama's window is set with OLLAMA_CONTEXT_LENGTH or num_ctx in the Modelfile."
    ),
    "llamacpp": replace(LOCAL, cuts_silently=False, window_hint="llama.cpp's window is set with -c at its start."),
    "lmstudio": replace(LOCAL, window_hint="LM Studio's window is set when the model is loaded."),
    "vllm": replace(LOCAL, cuts_silently=False, window_hint="vLLM's window is set with --max-model-len at its start."),
}


def chat_dialect(model: ModelInfo) -> ChatDialect:
    """The dialect of the server that serves `model`."""
    if model.provider in _BY_PROVIDER:
        return _BY_PROVIDER[model.provider]
    if model.provider == "openai":
        return OPENAI
    return LOCAL if is_loopback(model.base_url) else GATEWAY
