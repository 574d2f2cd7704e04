"""The plan reaches the user whole, and only a sound one does."""

from pathlib import Path

import pytest

from openclaw_tui.errors import ToolArgumentsInvalid
from openclaw_tui.tools.update_plan import PlanStep, UpdatePlanTool
from openclaw_tui.tools.workspace import Workspace
from tests.tools.support import call, call_text


async def test_each_plan_is_told_whole(tmp_path: Path) -> None:
    told: list[tuple[PlanStep, ...]] = []
    tool = UpdatePlanTool(told.append)
    plan = [{"step": "look", "status": "completed"}, {"step": "fix\x1b[2J", "status": "in_progress"}]
    assert await call_text(tool, tmp_path, plan=plan) == "Plan updated."
    assert told == [(PlanStep("look", "completed"), PlanStep("fix", "in_progress"))]
    assert tool.intent({"plan": plan}, Workspace(tmp_path)).title == "Plan: 1 of 2 steps done"


@pytest.mark.parametrize(
    ("plan", "match"),
    [
        (
            [{"step": "a", "status": "in_progress"}, {"step": "b", "status": "in_progress"}],
            "steps 1, 2 are in_progress",
        ),
        ([{"step": "a", "status": "doing"}], "step 1 has status 'doing'"),
        ([{"step": " ", "status": "pending"}], "step 1 is empty"),
    ],
)
async def test_an_unsound_plan_is_told_to_nobody(tmp_path: Path, plan: list[dict[str, str]], match: str) -> None:
    told: list[tuple[PlanStep, ...]] = []
    with pytest.raises(ToolArgumentsInvalid, match=match):
        await call(UpdatePlanTool(told.append), tmp_path, plan=plan)
    assert told == []
