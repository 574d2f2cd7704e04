"""Keys of the main screen about the text being written: put it aside, open it in an editor, bring pictures into it.

Also what a sent text may be beside a message: a command of the user's own, behind `!`.
"""

import asyncio
import os
from pathlib import Path

from textual import work

from openclaw_tui.agent.user_shell import ShellAct, parse_shell
from openclaw_tui.errors import OpenClawError
from openclaw_tui.messages import UserContent
from openclaw_tui.safety.permissions import Act
from openclaw_tui.ui.attachments import attach
from openclaw_tui.ui.prompt_history import Stash
from openclaw_tui.ui.textual.screens.main_looking import WithLooking


class WithDrafting(WithLooking):
    """A screen with a prompt. `stash` is that of the project on the screen."""

    def __init__(self) -> None:
        super().__init__()
        self.stash = Stash()

    # ── the draft ──────────────────────────────────────────────────────────────────────────────────────────────
    def action_stash(self) -> None:
        """Put the draft aside; on an empty prompt bring the newest one back."""
        if self.prompt.text.strip():
            self.stash.put(self.prompt.area.whole_text)
            self.prompt.clear()
            self.acts.hint("put aside · Ctrl+S on the empty prompt brings it back")
        elif (text := self.stash.take()) is not None:
            self.prompt.set_text(self.prompt.area.chips.folded(text))
        else:
            self.acts.hint("nothing was put aside")

    @work(exclusive=True, group="editor")
    async def action_edit_draft(self) -> None:
        """The draft in the user's editor, chips unfolded; nothing is drawn while it has the terminal."""
        from openclaw_tui.ui.external_editor import edited, editor_command

        area = self.prompt.area
        try:
            command = editor_command(os.environ)
            if self.app.is_headless:
                raise OpenClawError("there is no terminal that an editor could be given")
            with self.app.batch_update(), self.app.suspend():
                text = await asyncio.to_thread(edited, area.whole_text, command)
        except OpenClawError as error:
            self.acts.hint(str(error))
            return
        area.set_text(area.chips.folded(text))
        area.focus()

    @work(exclusive=True, group="clipboard")
    async def action_paste_picture(self) -> None:
        """The picture on the clipboard, where a program can read it; text is pasted by the terminal itself."""
        from openclaw_tui.ui.pictures import clipboard_picture, has_clipboard_reader

        area = self.prompt.area
        picture = await asyncio.to_thread(clipboard_picture, self.talk.composed.paths.scratch / "pictures")
        if picture is not None:
            self.prompt.insert(area.chips.picture(picture) + " ")
        elif self.app.clipboard:
            area.action_paste()
        elif has_clipboard_reader():
            self.acts.hint("there is no picture on the clipboard; the terminal pastes text with Ctrl+Shift+V")
        else:
            self.acts.hint("pictures: paste a file's path, or install wl-clipboard, xclip or pngpaste")

    # ── what is sent ───────────────────────────────────────────────────────────────────────────────────────────
    def content_of(self, text: str) -> str | tuple[UserContent, ...]:
        """The message with the lines and pictures it names; what cannot come along is told."""
        composed = self.talk.composed

        def refusal(path: Path) -> str:
            verdict = composed.permissions.judge(Act("read", "read", (path,)))
            return "; ".join(verdict.reasons) if verdict.decision == "deny" else ""

        attached = attach(text, composed.paths.project, refusal, pictures=self.talk.session.model.images)
        for problem in attached.problems:
            self.acts.say("warning", problem)
        return attached.content if len(attached.content) > 1 else text

    def run_typed_command(self, text: str) -> bool:
        """Run a text that begins with `!`; False for every other one."""
        act = parse_shell(text)
        if act is not None:
            self._run_typed(act)
        return act is not None

    @work(group="shell")
    async def _run_typed(self, act: ShellAct) -> None:
        try:
            line = await self.talk.session.shell.run(act)
        except OpenClawError as error:
            self.acts.say("error", str(error))
            return
        self.acts.say("info", f"{'!' if act.shared else '!!'} {line}")
        self.acts.measure()
        self.panels_changed()

    def action_to_background(self) -> None:
        """Ctrl+B: whoever waits for a command goes on without it."""
        registry = self.talk.processes()
        sent = registry.let_go() if registry is not None else []
        self.acts.hint("runs on in the background" if sent else "no command is being waited for")
