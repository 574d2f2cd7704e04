"""The end of planning: what the user can say to a plan, and what follows from it. Both faces ask with these words."""

from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from openclaw_tui.safety.permissions import PermissionMode

PlanAnswer: TypeAlias = Literal["edits", "ask", "keep"]

QUESTION = "Go on with this plan?"
CHOICES: tuple[tuple[PlanAnswer, str, str], ...] = (
    ("edits", "y", "yes, changes to files need no question"),
    ("ask", "a", "yes, ask before every change"),
    ("keep", "n", "not yet: keep planning"),
)
"""Answer, key and words."""

GO_ON = "The plan is approved. Carry it out now, step by step, and keep update_plan up to date."
"""What the model is told with a yes."""

_MODES: "dict[PlanAnswer, PermissionMode]" = {"edits": "acceptEdits", "ask": "default", "keep": "plan"}


def mode_after(answer: PlanAnswer) -> "PermissionMode":
    """The permission mode that an answer means."""
    return _MODES[answer]


def read_plan_answer(text: str) -> PlanAnswer | None:
    """A typed line as an answer; None when it is something else, which is then an ordinary message."""
    word = text.strip().lower()
    return next((answer for answer, key, _ in CHOICES if word in (key, answer)), None)
