"""At the end of planning the screen asks whether to go on, and a yes leaves plan mode and starts."""

from pathlib import Path

import pytest
from textual.widgets import Static

from openclaw_tui.messages import text_of
from openclaw_tui.providers.scripted import Step
from openclaw_tui.ui.plan_answer import GO_ON, read_plan_answer
from openclaw_tui.ui.textual.screens.plan_question import PlanQuestion
from tests.ui.screen_app import make_screen, send, settled, status_text, type_text, until

STEPS = [{"step": "read the parser", "status": "completed"}, {"step": "write the test", "status": "pending"}]
PLAN = Step(calls=[("update_plan", {"plan": STEPS})])


@pytest.mark.parametrize(
    ("keys", "mode", "goes_on"),
    [
        (("y",), "acceptEdits", True),
        (("a",), "default", True),
        (("enter",), "default", True),
        (("up", "enter"), "acceptEdits", True),
        (("down", "enter"), "plan", False),
        (("n",), "plan", False),
        (("escape",), "plan", False),
    ],
)
async def test_the_answer_sets_the_mode_and_starts_or_not(
    tmp_path: Path, keys: tuple[str, ...], mode: str, goes_on: bool
) -> None:
    app, provider = make_screen(tmp_path / "p", [PLAN, "this is the plan", "done"], permission_mode="plan")
    async with app.run_test(size=(80, 24)) as pilot:
        await send(pilot, "plan it")
        await until(pilot, lambda: isinstance(app.screen, PlanQuestion))
        said = "\n".join(str(widget.render()) for widget in app.screen.query(Static))
        assert "✓ read the parser" in said
        assert "○ write the test" in said
        before = len(provider.requests)
        await pilot.press(*keys)
        await until(pilot, lambda: app.screen is app.main)
        await settled(pilot)
        assert app.talk.composed.permissions.mode == mode
        assert (len(provider.requests) > before) is goes_on
        if goes_on:
            assert text_of(provider.requests[-1].messages[-1].content).startswith(GO_ON)
    await app.close()


async def test_nobody_is_disturbed_while_writing_and_other_modes_do_not_ask(tmp_path: Path) -> None:
    app, _ = make_screen(tmp_path / "p", [PLAN, "the plan", PLAN, "the plan"], permission_mode="plan")
    async with app.run_test(size=(80, 24)) as pilot:
        await type_text(pilot, "but")
        app.main.submit("plan it")
        await until(pilot, lambda: "the plan stands" in status_text(pilot))
        assert app.screen is app.main
        app.main.prompt.set_text("")
        app.talk.composed.permissions.mode = "default"
        await send(pilot, "again")
        await settled(pilot)
        assert app.screen is app.main
    await app.close()


@pytest.mark.parametrize(
    ("text", "answer"), [("y", "edits"), (" A ", "ask"), ("keep", "keep"), ("yes but smaller", None), ("", None)]
)
def test_a_typed_answer_is_exact(text: str, answer: str | None) -> None:
    assert read_plan_answer(text) == answer
