"""`update_plan`: the model's own list of steps, shown to the user while it works."""

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

from openclaw_tui.errors import ToolArgumentsInvalid
from openclaw_tui.events import Risk
from openclaw_tui.messages import ToolDefinition
from openclaw_tui.tools.base import ToolContext, ToolIntent, ToolOutcome, text_outcome
from openclaw_tui.tools.terminal_text import one_line
from openclaw_tui.tools.workspace import Workspace

PlanStatus: TypeAlias = Literal["pending", "in_progress", "completed"]
_STATUSES: tuple[PlanStatus, ...] = ("pending", "in_progress", "completed")

_DEFINITION = ToolDefinition(
    name="update_plan",
    summary="Keep a list of steps for longer work",
    description="Replace the plan shown to the user; for work of several steps. At most one step in_progress.",
    parameters={
        "type": "object",
        "properties": {
            "plan": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "step": {"type": "string"},
                        "status": {"type": "string", "enum": list(_STATUSES)},
                    },
                    "required": ["step", "status"],
                    "additionalProperties": False,
                },
            }
        },
        "required": ["plan"],
        "additionalProperties": False,
    },
)


class PlanStep(NamedTuple):
    step: str
    status: PlanStatus


class UpdatePlanTool:
    """`on_plan` is told each new plan, whole."""

    label = "Plan"
    risk: Risk = "read"
    parallel_safe = False
    definition = _DEFINITION

    def __init__(self, on_plan: Callable[[tuple[PlanStep, ...]], None]) -> None:
        self._on_plan = on_plan

    def intent(self, arguments: Mapping[str, Any], workspace: Workspace) -> ToolIntent:
        steps = _steps(arguments)
        done = sum(1 for step in steps if step.status == "completed")
        return ToolIntent("read", f"Plan: {done} of {len(steps)} steps done")

    async def execute(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        steps = _steps(arguments)
        self._on_plan(steps)
        return text_outcome("Plan updated.", plan=[{"step": step.step, "status": step.status} for step in steps])


def _steps(arguments: Mapping[str, Any]) -> tuple[PlanStep, ...]:
    steps = tuple(PlanStep(one_line(item["step"]), item["status"]) for item in arguments["plan"])
    for number, step in enumerate(steps, start=1):
        if not step.step:
            raise ToolArgumentsInvalid(f"update_plan: step {number} is empty")
        if step.status not in _STATUSES:
            raise ToolArgumentsInvalid(
                f"update_plan: step {number} has status {step.status!r}; use {', '.join(_STATUSES)}"
            )
    active = [str(number) for number, step in enumerate(steps, start=1) if step.status == "in_progress"]
    if len(active) > 1:
        raise ToolArgumentsInvalid(f"update_plan: steps {', '.join(active)} are in_progress; at most one may be")
    return steps
