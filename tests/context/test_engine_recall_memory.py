"""The recall-memory engine: what one session agreed on is known in the next, in a bounded file."""

from pathlib import Path

import pytest

from openclaw_tui.constants import KNOWLEDGE_INJECTED_CHARS, KNOWLEDGE_MAX_BYTES
from openclaw_tui.context.engine import AfterTurnRequest, AssembleRequest
from openclaw_tui.context.engines.recall_memory import KNOWLEDGE_FILE, RecallMemoryContextEngine
from openclaw_tui.errors import EngineError
from openclaw_tui.messages import Message, user_text
from tests.context.engines_for_tests import SESSION, asks, no_compaction
from tests.session.talk import answer

DAY = 1_796_083_200.0


def engine(folder: Path) -> RecallMemoryContextEngine:
    return RecallMemoryContextEngine(no_compaction, folder, project="shop", clock=lambda: DAY)


async def turn(it: RecallMemoryContextEngine, *messages: Message) -> None:
    await it.after_turn(AfterTurnRequest(SESSION, messages, messages, 10_000))


async def added(it: RecallMemoryContextEngine, request: AssembleRequest | None = None) -> str:
    return (await it.assemble(request or asks())).system_prompt_addition


async def test_next_session_knows_rules_and_outcomes_of_the_last(tmp_path: Path) -> None:
    first = engine(tmp_path / "memory")
    assert await added(first) == ""
    await turn(first, user_text("Never push to main. Fix the login."), answer("The login works again."))
    assert await added(first) == "", "the prompt of the running session stands still"
    second = engine(tmp_path / "memory")
    assert (await second.bootstrap(SESSION)).imported_messages == 2
    text = await added(second)
    assert "[shop] rule: Never push to main." in text
    assert "asked: Never push to main. Fix the login. | answered: The login works again." in text
    assert "no" in text.splitlines()[1]
    assert (tmp_path / "memory" / KNOWLEDGE_FILE).stat().st_mode & 0o077 == 0


async def test_file_is_appended_to_and_bounded(tmp_path: Path) -> None:
    it = engine(tmp_path)
    sizes = []
    for number in range(400):
        await turn(it, user_text(f"request {number} " + "w" * 300), answer("done " * 60))
        sizes.append((tmp_path / KNOWLEDGE_FILE).stat().st_size)
    assert max(sizes) <= KNOWLEDGE_MAX_BYTES
    older = (tmp_path / KNOWLEDGE_FILE).with_suffix(".1.md")
    assert older.stat().st_size <= KNOWLEDGE_MAX_BYTES
    text = await added(engine(tmp_path))
    assert len(text) <= KNOWLEDGE_INJECTED_CHARS + 300
    assert "request 399" in text


async def test_same_note_is_written_once(tmp_path: Path) -> None:
    it = engine(tmp_path)
    for _ in range(3):
        await turn(it, user_text("Always use tabs."), answer("Yes."))
    assert len((tmp_path / KNOWLEDGE_FILE).read_text(encoding="utf-8").splitlines()) == 2


async def test_turn_that_was_stopped_leaves_only_rules(tmp_path: Path) -> None:
    it = engine(tmp_path)
    await turn(it, user_text("Never rebase. Do it."))
    assert (tmp_path / KNOWLEDGE_FILE).read_text(encoding="utf-8").count("\n") == 1


async def test_folder_that_can_not_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    it = engine(tmp_path / "file")
    with pytest.raises(EngineError, match="cannot be written"):
        await turn(it, user_text("Always."), answer("Yes."))
