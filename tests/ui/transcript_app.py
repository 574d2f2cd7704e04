"""An app with nothing but the transcript (and an input), and ways to read its screen."""

from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.widgets import Input

from openclaw_tui.ui.textual.widgets.transcript import Transcript
from openclaw_tui.ui.textual.widgets.transcript_items import AssistantItem, Item, ToolItem, UserItem


class TranscriptApp(App[None]):
    """Counts what the transcript tells its screen."""

    CSS = "Transcript { height: 1fr; } Input { dock: bottom; height: 1; border: none; }"

    def __init__(self, *, with_input: bool = False) -> None:
        super().__init__()
        self.with_input = with_input
        self.follow_messages: list[tuple[bool, bool]] = []
        self.selected_separators: list[str] = []

    def compose(self) -> ComposeResult:
        yield Transcript()
        if self.with_input:
            yield Input()

    @property
    def transcript(self) -> Transcript:
        return self.query_one(Transcript)

    def on_transcript_follow_changed(self, message: Transcript.FollowChanged) -> None:
        self.follow_messages.append((message.following, message.unseen))

    def on_transcript_separator_selected(self, message: Transcript.SeparatorSelected) -> None:
        self.selected_separators.append(message.item_id)


async def drawn(pilot: Pilot[None]) -> None:
    """Lay out what changed and let the screen paint it."""
    transcript = pilot.app.query_one(Transcript)
    transcript.flush()
    await pilot.pause()


def screen_lines(transcript: Transcript) -> list[str]:
    """What the rows of the widget show, padding left out."""
    return [transcript.render_line(y).text.rstrip() for y in range(transcript.size.height)]


def screen_text(transcript: Transcript) -> str:
    return "\n".join(screen_lines(transcript))


def long_history(messages: int) -> list[Item]:
    """User, answer, tool, answer, … with texts of different lengths and kinds."""
    items: list[Item] = []
    for number in range(0, messages, 4):
        body = (
            f"Answer {number}.\n\n"
            + "some words to wrap " * (number % 17)
            + "\n\n- one\n- two\n\n```python\nx = 1\n```\n" * (number % 3)
        )
        items += [
            UserItem(id=f"u{number}", text=f"Question {number}"),
            AssistantItem.whole(f"a{number}", body),
            ToolItem(id=f"t{number}", name="read", summary=f"file{number}.py", state="done", seconds=0.2, size=900),
            AssistantItem.whole(f"b{number}", f"Closing {number}"),
        ]
    return items
