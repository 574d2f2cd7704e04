"""The question about a folder in the full screen: before anything is sent, careful by default, in force at once."""

from pathlib import Path

from textual.widgets import Static

from openclaw_tui.ui.first_frame import Handover
from openclaw_tui.ui.textual.app import OpenClawApp
from openclaw_tui.ui.textual.screens.trust import TrustScreen
from tests.safety.trusting import look, put, strange_folder, trust
from tests.ui.screen_app import app_of, make_screen, send, settled, shown, transcript_text, until

SETTINGS = '[permissions]\nallow = ["exec(make:*)"]\n\n[agents.defaults]\nmodel = "offline/guide"\n'


def folder(tmp_path: Path) -> Path:
    project = tmp_path / "p"
    put(project / ".openclaw" / "tui.toml", SETTINGS)
    put(project / ".claude" / "commands" / "ship.md", "Ship it.")
    return project


def shown_things(app: OpenClawApp) -> str:
    return "\n".join(str(line.render()) for line in app.screen.query(Static))


async def test_nothing_is_sent_before_the_answer_and_keys_typed_ahead_trust_nothing(tmp_path: Path) -> None:
    project = folder(tmp_path)
    app, provider = make_screen(project, ["Hello."], handover=Handover(submitted=("first words",)))
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, TrustScreen))
        assert "permissions.allow: exec(make:*)" in shown_things(app)
        await pilot.press("y", "t", "1", "space")
        assert provider.requests == []
        assert isinstance(app.screen, TrustScreen)
        await pilot.press("enter")
        await until(pilot, lambda: not isinstance(app.screen, TrustScreen))
        await until(pilot, lambda: provider.requests)
        await settled(pilot)
        assert "first words" in transcript_text(pilot)
        assert "is not trusted" in transcript_text(pilot)
        assert look(project).state == "unasked"


async def test_a_yes_composes_the_talk_anew_and_its_commands_are_there(tmp_path: Path) -> None:
    project = folder(tmp_path)
    app, _ = make_screen(project, config=("agents.defaults.compaction.memoryFlush.enabled=false",))
    before = app.talk
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, TrustScreen))
        await pilot.press("down", "enter")
        await until(pilot, lambda: app.talk is not before)
        await shown(pilot)
        assert app.talk.composed.config.project_trusted
        assert app.talk.session.model.ref == "offline/guide"
        assert "ship" in {command.name for command in app.main.runner.table.commands}
        assert "is not trusted" not in transcript_text(pilot)
        assert look(project).state == "trusted"


async def test_never_is_kept_and_not_asked_again(tmp_path: Path) -> None:
    project = folder(tmp_path)
    app, _ = make_screen(project)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, TrustScreen))
        await pilot.press("down", "down", "enter")
        await until(pilot, lambda: not isinstance(app.screen, TrustScreen))
    assert look(project).state == "never"
    app, _ = make_screen(project)
    async with app.run_test(size=(100, 30)) as pilot:
        await shown(pilot)
        assert not isinstance(app.screen, TrustScreen)
        await send(pilot, "/trust")
        await until(pilot, lambda: "you are not asked about it" in transcript_text(pilot))


async def test_what_changed_is_asked_about_by_name_and_esc_leaves_it_out(tmp_path: Path) -> None:
    project = strange_folder(tmp_path / "p")
    trust(project)
    put(project / ".claude" / "commands" / "ship.md", "Other words.")
    app, _ = make_screen(project)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, TrustScreen))
        text = shown_things(app)
        assert "changed since you trusted it" in text
        await pilot.press("pagedown", "pageup", "escape")
        await until(pilot, lambda: not isinstance(app.screen, TrustScreen))
        assert not app_of(pilot).talk.composed.config.project_trusted
        assert "command .claude/commands/ship.md" in transcript_text(pilot)
