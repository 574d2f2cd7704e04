"""Notices that the text before stored reasoning is another one now: another model, level or directory is named in it.

Models whose reasoning is tied to the exact bytes before it refuse a request whose system prompt or tools differ from
those the reasoning was made under. What was sent last is remembered per model in the session, so that the reasoning can
be left out before the request instead of after its refusal.
"""

from collections.abc import Mapping
from typing import Any

from openclaw_tui.messages import AssistantMessage, ThinkingBlock
from openclaw_tui.prompt.stability import digest as text_digest
from openclaw_tui.prompt.stability import tool_schema_digest
from openclaw_tui.providers.base import ProviderRequest
from openclaw_tui.session.custom_types import BOUND_PREFIX
from openclaw_tui.session.manager import SessionManager


class BoundPrefix:
    """Per model: the digest of system prompt and tools as they were sent last."""

    def __init__(self, manager: SessionManager) -> None:
        self._manager = manager
        self._sent: dict[str, str] = {}

    def read(self, data: Mapping[str, Any]) -> None:
        """Take over what an entry of the branch says."""
        model, digest = data.get("model"), data.get("digest")
        if isinstance(model, str) and isinstance(digest, str):
            self._sent[model] = digest

    def is_new_for(self, request: ProviderRequest) -> bool:
        """Whether the request carries reasoning that was made under another prompt; remembers this prompt."""
        if not request.model.prefix_bound:
            return False
        tools = "".join(tool_schema_digest(tool) for tool in request.tools)
        digest = text_digest(f"{request.system_stable}\n{request.system_dynamic}\n{tools}")
        before = self._sent.get(request.model.ref)
        if before == digest:
            return False
        self._sent[request.model.ref] = digest
        self._manager.append_custom(BOUND_PREFIX, {"model": request.model.ref, "digest": digest})
        return before is not None and _carries_reasoning(request)


def _carries_reasoning(request: ProviderRequest) -> bool:
    answers = (message for message in request.messages if isinstance(message, AssistantMessage))
    return any(isinstance(block, ThinkingBlock) for answer in answers for block in answer.content)
