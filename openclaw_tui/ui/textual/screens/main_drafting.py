"""Keys of the main screen about the text being written: put it aside, open it in an editor, bring pictures into it.

Also what a sent text may be beside a message: a command of the user's own, behind `!`.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from textual import on, work

from openclaw_tui.errors import OpenClawError
from openclaw_tui.messages import UserContent
from openclaw_tui.ui.key_hint import key_hint
from openclaw_tui.ui.prompt_history import PromptHistory, Stash, StoredDraft
from openclaw_tui.ui.textual.keymap import actions_of, rebind, use_keys
from openclaw_tui.ui.textual.screens.main_looking import WithLooking
from openclaw_tui.ui.textual.widgets.prompt_input import PromptInput

if TYPE_CHECKING:
    from openclaw_tui.agent.user_shell import ShellAct
    from openclaw_tui.config.paths import Paths
    from openclaw_tui.ui.first_frame import Handover
    from openclaw_tui.ui.textual.widgets.queue_line import QueueLine


class WithDrafting(WithLooking):
    """A screen with a prompt. `stash` is that of the project on the screen."""

    queue: QueueLine

    def __init__(self) -> None:
        super().__init__()
        self.stash = Stash()
        self._early: list[str] = []
        self.has_planned = False
        """Whether this turn has changed the plan."""

    # ── before there is a conversation ─────────────────────────────────────────────────────────────────────────
    def restore_typed(self, handover: Handover) -> None:
        """What was typed before this screen stood; keys that came since are in the prompt already."""
        if handover.draft:
            later = self.prompt.text
            self.prompt.set_text(handover.draft + later, handover.cursor + len(later))
        for text in handover.submitted:
            self.keep_for_later(text)

    def keep_for_later(self, text: str) -> None:
        """A message for the conversation that is being opened."""
        self._early.append(text)
        self.queue.show_messages((), tuple(self._early))

    def take_early(self) -> str | None:
        text = self._early.pop() if self._early else None
        self.queue.show_messages((), tuple(self._early))
        return text

    def send_early(self, first: str | None) -> None:
        """Send the first message of the command line, then what was sent while the conversation was being opened."""
        early, self._early = self._early, []
        if first and self.submit(first):
            self.prompt.area.prompts.add(first)
        for text in early:
            self.acts.run_line(text)

    def use_drafts(self, paths: Paths) -> None:
        """History, draft and stash of a project. An unsent text of before comes back; it never replaces a new one."""
        history, project = paths.history, paths.project
        self.stash = Stash.of_project(history, project)
        draft = StoredDraft.of_project(history, project)
        self.prompt.use_project(project, PromptHistory.of_project(history, project), draft)

    def bring_draft_back(self) -> None:
        """The text that was being typed when the program ended last; aside, where something else is typed already."""
        if self.prompt.restore_draft():
            self.acts.hint("your unsent text is back")
        elif (text := self.prompt.stored_draft()) and text != self.prompt.area.whole_text:
            self.stash.put(text)
            self.acts.hint("your unsent text of before is put aside · Ctrl+S on the empty prompt brings it back")

    def keep_typed(self, paths: Paths | None) -> None:
        """The program ends: what is in the prompt stays, and what was sent to nobody yet.

        `paths` say where, when no conversation was shown so far.
        """
        if paths is None:
            self.prompt.save_draft()
            return
        text = "\n".join([*self._early, self.prompt.area.whole_text]).rstrip("\n")
        draft = StoredDraft.of_project(paths.history, paths.project)
        if text and (old := draft.load()):
            Stash.of_project(paths.history, paths.project).put(old)
        if text:
            draft.save(text)

    def submit(self, text: str, *, follow_up: bool = False) -> bool:
        """Send a message. False when it could not be stored."""
        raise RuntimeError("no conversation is attached")

    @on(PromptInput.KeyTyped)
    def _warn_of_key(self) -> None:
        """Before it is sent; where no conversation is attached yet, nothing can go out either."""
        if self.acts.talk is not None:
            self.acts.say("warning", key_hint(self.acts.talk.session.model))

    # ── keys ───────────────────────────────────────────────────────────────────────────────────────────────────
    def take_keys(self) -> None:
        """The keys as the keymap has them now, for the screen and its prompt."""
        rebind(self, "main")
        self.prompt.area.take_keys()
        self.prompt_actions = actions_of("prompt") | {"backspace": "delete_left"}

    def use_own_keys(self, wanted: Mapping[str, object]) -> None:
        """Keys of the user's settings, in force at once; a line for each that cannot be used."""
        for problem in use_keys(wanted):
            self.acts.say("warning", problem)
        self.take_keys()

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
        from openclaw_tui.ui.attachments import message_content

        content, problems = message_content(self.talk.composed, text)
        for problem in problems:
            self.acts.say("warning", problem)
        return content

    def run_typed_command(self, text: str) -> bool:
        """Run a text that begins with `!`; False for every other one."""
        from openclaw_tui.agent.user_shell import parse_shell

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

    # ── the end of planning ────────────────────────────────────────────────────────────────────────────────────
    @work(exclusive=True, group="plan")
    async def ask_about_plan(self) -> None:
        """The plan stands: go on with it, or keep planning. Whoever is writing is not disturbed."""
        from openclaw_tui.ui.plan_answer import GO_ON, mode_after
        from openclaw_tui.ui.textual.screens.plan_question import PlanQuestion

        talk = self.talk
        await talk.session.wait_idle()
        if not self.is_current or self.prompt.text.strip():
            self.acts.hint("the plan stands · Shift+Tab leaves plan mode")
            return
        answer = await self.app.push_screen_wait(PlanQuestion(self.plan.steps))
        if answer == "keep" or self.talk is not talk:
            return
        talk.composed.permissions.mode = mode_after(answer)
        self.acts.measure()
        self.submit(GO_ON)
