"""The retrieval engine: covered history comes back by relevance, within a budget, and stands still while it serves."""

from pathlib import Path

from openclaw_tui.constants import CHARS_PER_TOKEN_ESTIMATE, RETRIEVAL_MAX_TOKENS
from openclaw_tui.context.engine import AssembleRequest, CompactRequest, CompactResult, SessionRef
from openclaw_tui.context.engines.retrieval import RetrievalContextEngine
from openclaw_tui.context.engines.span_index import SpanIndex, pieces
from openclaw_tui.memory.vectors import Vectors
from openclaw_tui.messages import Message, user_text
from openclaw_tui.providers.credentials import NO_CREDENTIALS
from openclaw_tui.providers.embeddings import EndpointEmbedder
from openclaw_tui.session.truncation import truncate_session_after_compaction
from tests.compaction.talks import summary_in_front
from tests.context.engines_for_tests import SESSION, no_compaction
from tests.memory.embedding_server import embedding_server
from tests.session.talk import answer, result, session

TOPICS = {
    "parser": "the parser fails on nested quotes in lexer.py line 88",
    "database": "the migration of table invoices needs an index on customer_id",
    "deploy": "the staging host is db7.example.net, port 5433",
}


def request(
    prompt: str, *kept: Message, budget: int = 50_000, summary: str = "s", session: SessionRef = SESSION
) -> AssembleRequest:
    messages = (summary_in_front(summary), *kept, user_text(prompt))
    return AssembleRequest(session, messages, token_budget=budget, prompt=prompt)


async def told() -> RetrievalContextEngine:
    engine = RetrievalContextEngine(no_compaction)
    for number, text in enumerate(TOPICS.values()):
        await engine.ingest(SESSION, user_text(text, timestamp=number))
        await engine.ingest(SESSION, result(f"c{number}", f"output {number}\n" + "noise of a log\n" * 200))
    return engine


async def test_nothing_is_brought_back_while_nothing_is_covered() -> None:
    engine = await told()
    plain = AssembleRequest(SESSION, (user_text("the parser"),), token_budget=50_000, prompt="the parser")
    assert (await engine.assemble(plain)).system_prompt_addition == ""


async def test_what_bears_on_the_request_comes_back_word_for_word() -> None:
    engine = await told()
    addition = (await engine.assemble(request("Which port has the staging host?"))).system_prompt_addition
    assert TOPICS["deploy"] in addition
    assert TOPICS["database"] not in addition
    assert "no new requests" in addition


async def test_what_is_still_in_the_talk_is_not_brought_back() -> None:
    engine = await told()
    kept = user_text(TOPICS["deploy"], timestamp=2)
    addition = (await engine.assemble(request("Which port has the staging host?", kept))).system_prompt_addition
    assert TOPICS["deploy"] not in addition


async def test_pieces_stand_still_from_step_to_step_and_only_grow_from_turn_to_turn() -> None:
    engine = await told()
    first = (await engine.assemble(request("the staging host"))).system_prompt_addition
    assert (await engine.assemble(request("the staging host", answer("working")))).system_prompt_addition == first
    again = (await engine.assemble(request("staging host, again"))).system_prompt_addition
    assert again == first
    grown = (await engine.assemble(request("the migration of invoices"))).system_prompt_addition
    assert grown.startswith(first)
    assert TOPICS["database"] in grown
    fresh = (await engine.assemble(request("the migration of invoices", summary="another"))).system_prompt_addition
    assert TOPICS["deploy"] not in fresh


async def test_pieces_stay_within_their_budget() -> None:
    engine = RetrievalContextEngine(no_compaction)
    for number in range(60):
        await engine.ingest(SESSION, result(f"c{number}", f"needle {number} " + "hay " * 290))
    for budget in (4_000, 20_000, 1_000_000):
        addition = (await engine.assemble(request(f"needle {budget}", budget=budget))).system_prompt_addition
        limit = min(RETRIEVAL_MAX_TOKENS, budget // 20) * CHARS_PER_TOKEN_ESTIMATE
        assert len(addition) <= limit + 1_500


async def test_history_from_before_is_read_from_the_file_and_its_archive(tmp_path: Path) -> None:
    manager = session(tmp_path, *TOPICS.values(), "newest")
    manager.append_compaction(summary="s", first_kept_entry_id=manager.branch()[-2].id, tokens_before=1)
    assert truncate_session_after_compaction(manager).truncated
    manager.close()
    ref = SessionRef(manager.session_id, "key", manager.path)
    engine = RetrievalContextEngine(no_compaction)
    assert (await engine.bootstrap(ref)).imported_messages == 8
    assert (await engine.bootstrap(ref)).imported_messages == 0
    addition = (await engine.assemble(request("Which port?", session=ref))).system_prompt_addition
    assert TOPICS["deploy"] in addition
    await engine.dispose()


async def test_words_of_the_program_are_not_brought_back() -> None:
    engine = RetrievalContextEngine(no_compaction)
    assert await engine.ingest(SESSION, user_text("the staging host", origin="custom")) is False
    assert (await engine.assemble(request("the staging host"))).system_prompt_addition == ""


async def test_compaction_is_told_what_the_talk_is_about() -> None:
    seen: list[CompactRequest] = []

    async def compactor(asked: CompactRequest) -> CompactResult:
        seen.append(asked)
        return CompactResult(ok=True, compacted=True)

    engine = RetrievalContextEngine(compactor)
    await engine.assemble(request("port the parser to Rust"))
    plain = CompactRequest(SESSION, 10_000, 9_000, "threshold")
    await engine.compact(plain)
    assert "port the parser to Rust" in seen[0].instructions
    await engine.compact(CompactRequest(SESSION, 10_000, 9_000, "manual", instructions="my focus"))
    assert seen[1].instructions == "my focus"


def test_search_takes_any_text_without_breaking() -> None:
    index = SpanIndex()
    index.add("a", "user", '数据库迁移需要索引 and "quoted" AND (brackets) NEAR col:umn *')
    for query in ('"', "AND OR NOT", "col:umn*", "(((", "", "数据库", "x" * 10_000, "NEAR(a b)"):
        index.search(query, ())
    assert index.search("数据库", ())[0].text.startswith("数据库迁移")
    assert index.search("quoted", ("a",)) == []


def test_pieces_cover_the_text_exactly_and_prefer_line_ends() -> None:
    text = "".join(f"line {n} with words\n" for n in range(300)) + "x" * 3_000
    parts = list(pieces(text, 500))
    assert "".join(parts) == text
    assert all(len(part) <= 500 for part in parts)
    assert parts[0].endswith("\n")


async def test_meaning_brings_back_what_shares_no_word_and_a_failure_is_told_once() -> None:
    notices: list[str] = []
    with embedding_server() as server:
        vectors = Vectors(lambda: EndpointEmbedder("ollama", "m", server.url, NO_CREDENTIALS), None)
        engine = RetrievalContextEngine(no_compaction, vectors, notices.append)
        for number, text in enumerate(("the automobile is parked at gate 4", "lunch is at noon, in the yard")):
            await engine.ingest(SESSION, user_text(text, timestamp=number))
        addition = (await engine.assemble(request("Where did I leave my vehicle?"))).system_prompt_addition
        assert "gate 4" in addition
        assert "noon" not in addition
        server.fault = 500
        broken = Vectors(lambda: EndpointEmbedder("ollama", "other", server.url, NO_CREDENTIALS), None)
        engine = RetrievalContextEngine(no_compaction, broken, notices.append)
        await engine.ingest(SESSION, user_text("the automobile is parked at gate 4"))
        for prompt in ("parked where?", "and parked at which gate?"):
            assert "gate 4" in (await engine.assemble(request(prompt))).system_prompt_addition
    assert len(notices) == 1
    assert "by words only" in notices[0]
