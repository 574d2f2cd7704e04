"""What left the context is one call away, in answers that stay small."""

import random
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from openclaw_tui.artifacts.recall import Recall, RecallText
from openclaw_tui.artifacts.store import ArtifactStore
from openclaw_tui.constants import RECALL_MAX_CHARS
from openclaw_tui.errors import ToolArgumentsInvalid, ToolError
from openclaw_tui.tools.recall import RecallTool
from tests.tools.support import call, call_text

TALK = (
    RecallText("e1", "user", "Always use tabs.\nThe ticket is ABC-4711."),
    RecallText("e2", "assistant", "I will use tabs."),
    RecallText("e3", "exec", "[... cut ...]", "t1"),
    RecallText("e4", "read", "def small(): ...", "t2"),
)


@pytest.fixture
def store(tmp_path: Path) -> ArtifactStore:
    kept = ArtifactStore(tmp_path / "artifacts")
    kept.put("t1", "\n".join(f"line {n}" for n in range(1, 20_001)).encode(), tool="exec", title="make test")
    return kept


@pytest.fixture
def recall(store: ArtifactStore) -> RecallTool:
    return RecallTool(Recall(store, lambda: TALK))


async def test_lines_of_a_stored_output(recall: RecallTool, tmp_path: Path) -> None:
    text = await call_text(recall, tmp_path, id="t1", lines="9000-9002")
    assert text == (
        't1 exec make test\nline 9000\nline 9001\nline 9002\n[Lines 9000-9002 of 20000. recall(lines="9003-") goes on.]'
    )
    assert (await call_text(recall, tmp_path, id="t1", lines="20000")).endswith(
        "line 20000\n[Lines 20000-20000 of 20000.]"
    )


async def test_the_whole_is_paged(recall: RecallTool, tmp_path: Path) -> None:
    seen: list[str] = []
    lines = "1-"
    while lines:
        text = await call_text(recall, tmp_path, id="t1", lines=lines)
        assert len(text) < RECALL_MAX_CHARS + 200
        _, *body, notice = text.split("\n")
        seen += body
        lines = notice.split('"')[1] if "goes on" in notice else ""
    assert seen == [f"line {n}" for n in range(1, 20_001)]


async def test_a_text_within_one_output(recall: RecallTool, tmp_path: Path) -> None:
    text = await call_text(recall, tmp_path, id="t1", pattern="LINE 777")
    assert text.split("\n")[:2] == ["t1 exec make test: 11 lines with 'LINE 777'", "  777: line 777"]
    assert "no line holds" in await call_text(recall, tmp_path, id="t1", pattern="absent")


async def test_a_search_over_everything_names_each_place(recall: RecallTool, tmp_path: Path) -> None:
    text = await call_text(recall, tmp_path, pattern="abc-4711|line 19999")
    assert text == (
        "2 lines with 'abc-4711|line 19999'; recall(id, lines) shows more around one.\n"
        "t1 exec make test:\n  19999: line 19999\ne1 user:\n  2: The ticket is ABC-4711."
    )
    many = await call_text(recall, tmp_path, pattern="line")
    assert many.startswith("20,000 lines with 'line', 30 shown")


async def test_short_results_and_messages_have_ids_too(recall: RecallTool, tmp_path: Path) -> None:
    assert "def small(): ..." in await call_text(recall, tmp_path, id="t2")
    assert "Always use tabs." in await call_text(recall, tmp_path, id="e1")


async def test_one_needle_in_one_line_of_megabytes(store: ArtifactStore, recall: RecallTool, tmp_path: Path) -> None:
    letters = random.Random(5)
    half = "".join(letters.choices("abc", k=3_000_000))
    store.put("t3", f"{half}NEEDLE{half}".encode(), tool="exec")
    text = await call_text(recall, tmp_path, id="t3", pattern="needle")
    assert "1 line with 'needle'" in text
    assert "NEEDLE" in text
    assert len(text) < 700
    assert len(await call_text(recall, tmp_path, id="t3")) < RECALL_MAX_CHARS + 300


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"id": "t9"}, "no stored output or message 't9'; the newest are t1"),
        ({"id": "t1", "lines": "20001-"}, "has 20,000 lines; line 20,001 is past the end"),
        ({"id": "t1", "lines": "9-3"}, "must look like 120-180"),
        ({"id": "t1", "lines": "all"}, "must look like 120-180"),
        ({"pattern": " | "}, "the pattern is empty"),
    ],
)
async def test_wrong_questions_get_a_clear_line(
    recall: RecallTool, tmp_path: Path, arguments: dict[str, str], match: str
) -> None:
    with pytest.raises(ToolError, match=match):
        await call(recall, tmp_path, **arguments)


async def test_nothing_asked_and_nothing_found(recall: RecallTool, tmp_path: Path) -> None:
    with pytest.raises(ToolArgumentsInvalid):
        await call(recall, tmp_path)
    assert (await call_text(recall, tmp_path, pattern="nowhere")).startswith("Nothing in stored outputs")


async def test_an_output_the_quota_took_falls_back_to_what_the_session_holds(tmp_path: Path) -> None:
    store = ArtifactStore(tmp_path / "artifacts", quota_bytes=10)
    noise = random.Random(1)
    for name in ("t1", "t9", "t10"):
        store.put(name, noise.randbytes(1_000), tool="exec")
    tool = RecallTool(Recall(store, lambda: TALK))
    assert "[... cut ...]" in await call_text(tool, tmp_path, id="t1")
    with pytest.raises(ToolError, match="no longer kept"):
        await call(tool, tmp_path, id="t9")


async def test_stored_terminal_commands_do_not_come_back(store: ArtifactStore, tmp_path: Path) -> None:
    store.put("t5", b"red \x1b[31malert\x1b]52;c;eA==\x07 \xe2\x80\xaehidden", tool="exec")
    tool = RecallTool(Recall(store, _no_talk))
    assert "red alert \\u{202E}hidden" in await call_text(tool, tmp_path, id="t5")


_no_talk: Callable[[], Iterable[RecallText]] = tuple
