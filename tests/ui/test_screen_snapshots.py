"""Pictures of the full screen in its main states, compared with stored ones."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from openclaw_tui.errors import AuthenticationFailed, SessionLocked
from openclaw_tui.events import QueueChanged, ToolProgress, ToolStarted, TurnStarted
from openclaw_tui.messages import ToolCallBlock, user_text
from openclaw_tui.providers.scripted import Answer, Step
from openclaw_tui.ui.textual.acts import ScreenActs
from openclaw_tui.ui.textual.event_router import EventRouter
from openclaw_tui.ui.textual.screens.approval import ApprovalScreen
from openclaw_tui.ui.textual.screens.confirm import ConfirmScreen
from openclaw_tui.ui.textual.screens.help import HelpScreen
from openclaw_tui.ui.textual.screens.locked import locked_screen
from openclaw_tui.ui.textual.screens.pager import PagerScreen
from openclaw_tui.ui.textual.screens.plan_question import PlanQuestion
from openclaw_tui.ui.textual.screens.trust import TrustScreen
from tests.ui.screen_app import app_of, make_screen, send, settled, shown, type_text, until

pytestmark = pytest.mark.snapshot
Before = Callable[[Pilot[int]], Awaitable[None]]

ANSWER = """The project has **two** modules.

| module | lines | for |
|---|---:|---|
| `calc.py` | 12 | sums and differences |
| `cli.py` | 40 | the command line |

```python
def add(a: int, b: int) -> int:
    return a + b  # no overflow here
```

1. Run `pytest -q`.
2. Read the [guide](https://example.org/guide).
"""
TALK: list[Answer] = [
    Step("I look at the files first.", thinking="Which files are there?", calls=[("ls", {"path": "."})]),
    ANSWER,
]
EDIT: list[Answer] = [
    Step(calls=[("read", {"path": "calc.py"})]),
    Step(calls=[("edit", {"path": "calc.py", "edits": [{"oldText": "a + b", "newText": "int(a) + int(b)"}]})]),
    "done",
]
_SCRIPT = "\n".join([f"printf 'row %s' {number}" for number in range(40)] + ["touch done.txt"])
LONG: list[Answer] = [Step(calls=[("exec", {"command": _SCRIPT})]), "done"]
CHAIN: list[Answer] = [Step(calls=[("exec", {"command": "ls src | head -3 && make all && rm -rf build"})]), "done"]
_PLAN = [{"step": "read the parser", "status": "completed"}, {"step": "write the test", "status": "pending"}]
PLAN: list[Answer] = [Step(calls=[("update_plan", {"plan": _PLAN})]), "This is the plan."]
FAILS: list[Answer] = [Step(error=AuthenticationFailed("anthropic: the key is not valid; /login stores another one"))]


def project_in(tmp_path: Path) -> Path:
    project = tmp_path / "p"
    project.mkdir()
    lines = ["def add(a, b):", "    return a + b", "", "", "def sub(a, b):", "    return a - b", ""]
    (project / "calc.py").write_text("\n".join(lines), encoding="utf-8")
    return project


async def talk(pilot: Pilot[int]) -> None:
    await send(pilot, "what is in this project?")
    await settled(pilot)


async def working(pilot: Pilot[int]) -> None:
    """A turn in the middle of a command, with messages queued. The clock of the status line is taken off."""
    await talk(pilot)
    main = app_of(pilot).main
    router = EventRouter(main.transcript, main.status, main.queue, main)
    router.deliver(TurnStarted("k", user_text("now run the tests")))
    router.deliver(ToolStarted("k", ToolCallBlock("c9", "exec", {}), "Exec", "pytest -q"))
    router.deliver(ToolProgress("k", "c9", "tests/test_calc.py ....\ntests/test_cli.py ..F"))
    router.deliver(QueueChanged("k", ("look at the failure first",), ("then write the changelog",)))
    main.status.tell(activity="waiting", detail="")
    main.transcript._stop_ticker()
    await shown(pilot)


async def asking(pilot: Pilot[int]) -> None:
    await send(pilot, "make add robust")
    await until(pilot, lambda: isinstance(pilot.app.screen, ApprovalScreen))


async def completing(pilot: Pilot[int]) -> None:
    await type_text(pilot, "/re")
    await shown(pilot)


async def whole_screen(pilot: Pilot[int]) -> None:
    await asking(pilot)
    await pilot.press("f")
    await until(pilot, lambda: pilot.app.screen.has_class("-whole"))


async def searching(pilot: Pilot[int]) -> None:
    await talk(pilot)
    await pilot.press("ctrl+f")
    await type_text(pilot, "add")
    await until(pilot, lambda: " of " in app_of(pilot).main.transcript.found_words)


async def missing(pilot: Pilot[int]) -> None:
    await talk(pilot)
    await pilot.press("ctrl+f")
    await type_text(pilot, "zebra")
    await until(pilot, lambda: app_of(pilot).main.transcript.found_words == "not found")


async def paging(pilot: Pilot[int]) -> None:
    await talk(pilot)
    await pilot.press("f5")
    await until(pilot, lambda: isinstance(pilot.app.screen, PagerScreen))
    await shown(pilot)


async def planned(pilot: Pilot[int]) -> None:
    await send(pilot, "plan it")
    await until(pilot, lambda: isinstance(pilot.app.screen, PlanQuestion))


async def failed(pilot: Pilot[int]) -> None:
    await send(pilot, "what is it?")
    await settled(pilot)


async def confirming(pilot: Pilot[int]) -> None:
    question = "Still running from a run that was killed:\n  sleep 600 (process 4711)"
    pilot.app.push_screen(ConfirmScreen(question, "end them", "leave them alone"))
    await shown(pilot)


async def trusting(pilot: Pilot[int]) -> None:
    things = ".openclaw/tui.toml\n  permissions.allow: exec(make:*)\n.claude/commands/ship.md\n  the command /ship"
    pilot.app.push_screen(TrustScreen("~/p", things, changed=False))
    await shown(pilot)


async def held(pilot: Pilot[int]) -> None:
    pilot.app.push_screen(locked_screen(SessionLocked("it is open", pid=4711, since="10:00")))
    await shown(pilot)


async def remembering(pilot: Pilot[int]) -> None:
    await shown(pilot)
    app_of(pilot).main.prompt.area.prompts.entries = ["fix the parser", "write a test", "fix the lexer"]
    await pilot.press("ctrl+r")
    await shown(pilot)


async def helping(pilot: Pilot[int]) -> None:
    await pilot.press("question_mark")
    await until(pilot, lambda: isinstance(pilot.app.screen, HelpScreen))


def fixed_figures(acts: ScreenActs) -> None:
    """Sizes that do not change with every word of the system prompt."""
    acts._status.tell(model="offline/guide", offline=True, context_tokens=2_900, window_tokens=108_000, cost_usd=0.31)


STATES: dict[str, tuple[list[Answer], Before, tuple[int, int], str]] = {
    "empty": ([], shown, (80, 24), "dark"),
    "talk": (TALK, talk, (100, 34), "dark"),
    "talk_light": (TALK, talk, (100, 34), "light"),
    "talk_narrow": (TALK, talk, (40, 30), "dark"),
    "working": (TALK, working, (80, 40), "dark"),
    "approval": (EDIT, asking, (80, 24), "dark"),
    "approval_light": (EDIT, asking, (80, 24), "light"),
    "approval_unread": (LONG, asking, (80, 24), "dark"),
    "approval_whole": (LONG, whole_screen, (80, 24), "dark"),
    "approval_chain": (CHAIN, asking, (100, 30), "dark"),
    "search": (TALK, searching, (100, 34), "dark"),
    "search_missing": (TALK, missing, (60, 24), "light"),
    "pager": (TALK, paging, (100, 34), "dark"),
    "plan_question": (PLAN, planned, (80, 24), "dark"),
    "error": (FAILS, failed, (80, 24), "dark"),
    "error_light": (FAILS, failed, (80, 24), "light"),
    "confirm": ([], confirming, (80, 24), "dark"),
    "trust": ([], trusting, (80, 24), "dark"),
    "locked": ([], held, (80, 24), "light"),
    "history": ([], remembering, (80, 24), "dark"),
    "completion": ([], completing, (80, 24), "dark"),
    "help": ([], helping, (100, 40), "dark"),
}


@pytest.mark.parametrize("state", list(STATES))
def test_state(state: str, tmp_path: Path, snap_compare: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(ScreenActs, "measure", fixed_figures)
    steps, before, size, theme = STATES[state]
    mode = "plan" if state == "plan_question" else None
    app, _ = make_screen(project_in(tmp_path), steps, config=(f"ui.theme={theme}",), permission_mode=mode)
    app.main.side.display = False
    app.main.strip.display = False
    assert snap_compare(app, terminal_size=size, run_before=before)
