"""Scripts for a parent and its sub-agents, who share one provider and are told apart by their prompt."""

from typing import Any

from openclaw_tui.providers.base import ProviderRequest
from openclaw_tui.providers.scripted import Answer, ScriptedProvider, Step

Arguments = dict[str, Any]


def spawn(**arguments: Any) -> tuple[str, Arguments]:
    return ("sessions_spawn", {"task": "Look around.", **arguments})


def is_child(request: ProviderRequest) -> bool:
    return "## Subagent Context" in request.system_dynamic


class Cast(ScriptedProvider):
    """The parent plays its own script; the children play `child`, each from its beginning."""

    def __init__(self, parent: list[Answer], child: list[Answer]) -> None:
        super().__init__(())
        self.parent = parent
        self.child = child
        self.asked = 0

    def _step(self, number: int, request: ProviderRequest) -> Step:
        if is_child(request):
            said = sum(type(message).__name__ == "AssistantMessage" for message in request.messages)
            given = self.child[min(said, len(self.child) - 1)]
        else:
            given = self.parent[self.asked]
            self.asked += 1
        answer = given(request) if callable(given) else given
        return Step(answer) if isinstance(answer, str) else answer

    def requests_of(self, *, child: bool) -> list[ProviderRequest]:
        return [request for request in self.requests if is_child(request) is child]


def cast(parent: list[Answer], child: list[Answer]) -> Cast:
    return Cast(parent, child)
