"""Questions to the user, one after the other: each opens a dialog, its answer goes back to the session that asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.screen import Screen

from openclaw_tui.events import ApprovalRequested

if TYPE_CHECKING:
    from openclaw_tui.tools.approval import Decision
    from openclaw_tui.ui.textual.screens.approval import ApprovalScreen


class ApprovalDesk:
    """`answer` takes the id and the decision; `is_typing` says whether the user is in the middle of writing, and
    `keep_typing` takes what is typed into a dialog that opened right then."""

    def __init__(
        self,
        screen: Screen[None],
        answer: Callable[[str, Decision], None],
        is_typing: Callable[[], bool],
        keep_typing: Callable[[str], None],
    ) -> None:
        self._screen = screen
        self._answer = answer
        self._is_typing = is_typing
        self._keep_typing = keep_typing
        self._waiting: list[ApprovalRequested] = []
        self._open: ApprovalScreen | None = None

    def ask(self, request: ApprovalRequested) -> None:
        self._waiting.append(request)
        self._next()

    def settled(self, approval_id: str) -> None:
        """The question has an answer, from here or because the turn was stopped."""
        self._waiting = [request for request in self._waiting if request.approval_id != approval_id]
        if self._open is not None and self._open.request.approval_id == approval_id:
            dialog, self._open = self._open, None
            if dialog.is_current:
                dialog.dismiss(None)
            self._next()

    def close(self) -> None:
        """Another session takes the screen."""
        self._waiting.clear()
        if self._open is not None:
            self.settled(self._open.request.approval_id)

    def _next(self) -> None:
        if self._open is not None or not self._waiting:
            return
        from openclaw_tui.ui.textual.screens.approval import ApprovalScreen

        request = self._waiting.pop(0)
        self._open = dialog = ApprovalScreen(request, self._keep_typing if self._is_typing() else None)

        def decided(decision: Decision | None) -> None:
            if self._open is dialog:
                self._open = None
            if decision is not None:
                self._answer(request.approval_id, decision)
            self._next()

        self._screen.app.push_screen(dialog, decided)
