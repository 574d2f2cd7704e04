"""Line mode asks at the end of planning; a typed letter answers, anything else is an ordinary message."""

from pathlib import Path

import pytest

from openclaw_tui.app.compose import build_app
from openclaw_tui.events import PlanChanged, TurnEnded, TurnOutcome
from openclaw_tui.options import Options
from openclaw_tui.ui.line.look import Look
from openclaw_tui.ui.line.reader import TypedLine
from openclaw_tui.ui.line.render import LineRenderer
from openclaw_tui.ui.line.talk import Talk
from openclaw_tui.ui.plan_answer import GO_ON

STEPS = (("read it", "completed"), ("change it", "pending"))


class LiveReader:
    """A reader with somebody at it, who says nothing by itself."""

    is_live = True

    async def read(self) -> TypedLine:
        raise EOFError

    def write(self, text: str) -> None: ...

    def refresh(self) -> None: ...

    def put_draft(self, text: str) -> None: ...

    def remember(self, text: str) -> None: ...

    def leave(self) -> None: ...

    def close(self) -> None: ...


async def planned(tmp_path: Path, said: list[str], *, mode: str = "plan", outcome: TurnOutcome = "done") -> Talk:
    project = tmp_path / "p"
    project.mkdir(exist_ok=True)
    app = build_app(Options(cwd=project, permission_mode=mode), channel="tui", interactive=True)
    talk = Talk(app, LineRenderer(said.append, Look(redraws=False, styled=False), False), LiveReader())
    talk.see(PlanChanged("k", STEPS))
    talk.see(TurnEnded("k", outcome))
    return talk


@pytest.mark.parametrize(
    ("typed", "sent", "mode"), [("y", GO_ON, "acceptEdits"), ("a", GO_ON, "default"), ("n", "", "plan")]
)
async def test_a_letter_answers(tmp_path: Path, typed: str, sent: str, mode: str) -> None:
    said: list[str] = []
    talk = await planned(tmp_path, said)
    assert "Go on with this plan?" in "".join(said)
    assert talk.plan_answered(typed) == sent
    assert talk.app.permissions.mode == mode
    assert talk.plan_answered(typed) is None
    await talk.app.session.close()


async def test_other_words_are_a_message_and_the_question_is_over(tmp_path: Path) -> None:
    talk = await planned(tmp_path, [])
    assert talk.plan_answered("smaller steps, please") is None
    assert talk.plan_answered("y") is None
    assert talk.app.permissions.mode == "plan"
    await talk.app.session.close()


@pytest.mark.parametrize(("mode", "outcome"), [("default", "done"), ("plan", "aborted"), ("plan", "failed")])
async def test_nothing_is_asked_otherwise(tmp_path: Path, mode: str, outcome: TurnOutcome) -> None:
    said: list[str] = []
    talk = await planned(tmp_path, said, mode=mode, outcome=outcome)
    assert "Go on" not in "".join(said)
    assert talk.plan_answered("y") is None
    await talk.app.session.close()
