"""Embeddings beside words: another word for the same thing is found, no text is sent twice, a failure costs nothing."""

import dataclasses
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from openclaw_tui.app.compose import load_settings
from openclaw_tui.app.memory import build_search, places_of
from openclaw_tui.errors import MemoryFailed
from openclaw_tui.memory.search import MemorySearch
from openclaw_tui.memory.vectors import Vectors
from openclaw_tui.options import Options
from openclaw_tui.providers.credentials import NO_CREDENTIALS, ApiKey, Credentials
from openclaw_tui.providers.embeddings import EndpointEmbedder, FolderEmbedder
from tests.memory.embedding_server import EmbeddingServer, embedding_server
from tests.memory.support import found, note, places_at

NOTES = "- The automobile of the team is blue.\n"
MORE = "- We keep lists of meals.\n"


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with embedding_server() as running:
        yield running


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def vectors_of(server: EmbeddingServer, path: Path | None = None, clock: Clock | None = None) -> Vectors:
    return Vectors(
        lambda: EndpointEmbedder("ollama", "nomic-embed-text", server.url, NO_CREDENTIALS), path, clock=clock or Clock()
    )


def searching(root: Path, vectors: Vectors) -> MemorySearch:
    note(root, "MEMORY.md", NOTES)
    note(root, "memory/2026-01-02.md", MORE)
    return MemorySearch(places_at(root), vectors=vectors)


def test_another_word_for_the_same_thing_is_found(tmp_path: Path, server: EmbeddingServer) -> None:
    search = searching(tmp_path, vectors_of(server))
    assert found(search, "which vehicle") == ["MEMORY.md"]
    note(tmp_path, "MEMORY.md", NOTES)
    assert found(MemorySearch(places_at(tmp_path)), "which vehicle") == []


def test_scores_are_seven_parts_meaning_and_three_parts_words(tmp_path: Path, server: EmbeddingServer) -> None:
    plain = MemorySearch(places_at(tmp_path))
    search = searching(tmp_path, vectors_of(server))
    words = plain.search("blue vehicle").hits[0].score
    mixed = search.search("blue vehicle").hits[0].score
    assert mixed == pytest.approx(0.7 * 1.0 + 0.3 * words, abs=0.002)
    by_meaning = search.search("vehicle").hits[0].score
    assert by_meaning == pytest.approx(0.7, abs=0.002)
    meal = search.search("lists").hits[0]
    assert meal.path == "memory/2026-01-02.md"


def test_a_word_that_matches_is_never_dropped_for_what_it_means(tmp_path: Path, server: EmbeddingServer) -> None:
    assert found(searching(tmp_path, vectors_of(server)), "blue dinner")[-1] == "MEMORY.md"


def test_each_text_is_sent_once_also_after_a_restart(tmp_path: Path, server: EmbeddingServer) -> None:
    store = tmp_path / "state" / "vectors.sqlite"
    search = searching(tmp_path / "notes", vectors_of(server, store))
    search.search("vehicle")
    search.search("vehicle")
    search.close()
    assert server.texts.count(NOTES) == 1
    again = MemorySearch(places_at(tmp_path / "notes"), vectors=vectors_of(server, store))
    assert found(again, "vehicle") == ["MEMORY.md"]
    note(tmp_path / "notes", "MEMORY.md", "- The lorry is red.\n")
    assert found(again, "vehicle") == ["MEMORY.md"]
    assert server.texts.count(NOTES) == 1
    assert server.texts.count("- The lorry is red.\n") == 1
    assert {path for path, _ in server.seen} == {"/v1/embeddings"}
    assert store.stat().st_mode & 0o777 == 0o600


def test_vectors_of_two_models_do_not_meet(tmp_path: Path, server: EmbeddingServer) -> None:
    store = tmp_path / "vectors.sqlite"
    vectors_of(server, store).likeness("vehicle", ["car"])
    other = Vectors(lambda: EndpointEmbedder("ollama", "another", server.url, NO_CREDENTIALS), store)
    other.likeness("vehicle", ["car"])
    assert server.texts.count("car") == 2


def test_a_failing_model_is_told_once_and_words_do_the_work(tmp_path: Path, server: EmbeddingServer) -> None:
    clock = Clock()
    search = searching(tmp_path, vectors_of(server, clock=clock))
    server.fault = 500
    first = search.search("the blue automobile")
    assert [hit.path for hit in first.hits] == ["MEMORY.md"]
    assert len(first.problems) == 1
    assert "by words only" in first.problems[0]
    asked = len(server.asked)
    second = search.search("the blue automobile")
    assert (second.problems, second.hits) == ((), first.hits)
    assert len(server.asked) == asked, "a server that failed is left alone for a while"
    clock.now = 10_000.0
    assert search.search("the blue automobile").problems == (), "the same line is not told again"
    server.fault = 0
    clock.now = 20_000.0
    assert found(search, "vehicle") == ["MEMORY.md"]


@pytest.mark.parametrize("answer", [{"data": []}, {"object": "list"}, {"data": [{"index": 0, "embedding": []}]}])
def test_an_answer_without_embeddings_is_a_failure(
    tmp_path: Path, server: EmbeddingServer, answer: dict[str, object]
) -> None:
    server.answer = answer
    result = searching(tmp_path, vectors_of(server)).search("blue")
    assert len(result.hits) == 1
    assert "by words only" in result.problems[0]


def test_nobody_there_is_one_line(tmp_path: Path) -> None:
    with embedding_server() as gone:
        vectors = vectors_of(gone)
    result = searching(tmp_path, vectors).search("blue")
    assert [hit.path for hit in result.hits] == ["MEMORY.md"]
    assert len(result.problems) == 1


def test_a_key_never_goes_over_plain_http_to_another_machine(tmp_path: Path) -> None:
    far = Vectors(
        lambda: EndpointEmbedder("own", "m", "http://embeddings.example.net/v1", Credentials(ApiKey("secret"))), None
    )
    result = searching(tmp_path, far).search("blue")
    assert "the key was not sent" in result.problems[0]
    assert len(result.hits) == 1


def test_a_damaged_store_is_made_anew(tmp_path: Path, server: EmbeddingServer) -> None:
    store = tmp_path / "vectors.sqlite"
    store.write_bytes(b"no database at all" * 400)
    assert vectors_of(server, store).likeness("vehicle", ["car", "lunch"]).scores == pytest.approx((1.0, 0.0), abs=0.01)
    fresh = vectors_of(server, store)
    fresh.likeness("vehicle", ["car"])
    fresh.close()
    assert sqlite3.connect(store).execute("select count(*) from vectors").fetchone() == (1,)


def test_without_the_extra_there_is_one_line(
    tmp_path: Path, server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    result = searching(tmp_path, vectors_of(server)).search("blue")
    assert "openclaw-tui[embeddings]" in result.problems[0]
    assert len(result.hits) == 1


def test_a_model_folder_needs_no_network(tmp_path: Path) -> None:
    folder = model_folder(tmp_path / "tiny")
    search = searching(tmp_path / "notes", Vectors(lambda: FolderEmbedder(folder), None))
    assert found(search, "vehicle") == ["MEMORY.md"]
    assert search.search("vehicle").problems == ()


@pytest.mark.parametrize("spoiled", ["tokenizer.json", "model.safetensors", "config.json"])
def test_a_damaged_model_folder_is_named(tmp_path: Path, spoiled: str) -> None:
    folder = model_folder(tmp_path / "tiny")
    (folder / spoiled).write_bytes(b"{")
    with pytest.raises(MemoryFailed, match="tiny"):
        FolderEmbedder(folder)
    (folder / spoiled).unlink()
    with pytest.raises(MemoryFailed, match=spoiled):
        FolderEmbedder(folder)


def test_settings_turn_it_on_and_a_project_cannot(tmp_path: Path, server: EmbeddingServer) -> None:
    project, state = tmp_path / "project", tmp_path / "state"
    note(project, "MEMORY.md", NOTES)
    lines = (
        "[agents.defaults.memorySearch]",
        'provider = "ollama"',
        'model = "nomic-embed-text"',
        f'remote.baseUrl = "{server.url}"',
    )
    own = note(project, ".openclaw/tui.toml", "\n".join(lines))
    assert hits(project) == []
    assert server.asked == []
    own.unlink()
    note(state, "tui.toml", "\n".join(lines))
    assert hits(project) == ["MEMORY.md"]
    note(state, "tui.toml", 'agents.defaults.memorySearch = {provider = "nobody", model = "m"}')
    assert hits(project) == []


def hits(project: Path) -> list[str]:
    paths, config = load_settings(dataclasses.replace(Options(), cwd=project, cwd_given=True), remember=False)
    search = build_search(config, paths, places_of(config, paths))
    try:
        return found(search, "vehicle")
    finally:
        search.close()


def model_folder(folder: Path) -> Path:
    """A static model of four words in the form Model2Vec writes."""
    import numpy
    from model2vec import StaticModel
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace

    words = {"[UNK]": 0, "vehicle": 1, "automobile": 2, "meals": 3, "lists": 4}
    tokenizer = Tokenizer(WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    table = numpy.array([[0, 0], [1, 0.1], [1, 0], [0, 1], [0, 1]], dtype="float32")
    StaticModel(table, tokenizer).save_pretrained(str(folder))
    return folder
