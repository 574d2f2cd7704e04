"""What was noted is found: at once, by parts of names, in any script, whatever happened to the index."""

import sqlite3
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from openclaw_tui.errors import MemoryFailed
from openclaw_tui.memory.places import MemoryPlaces
from openclaw_tui.memory.search import MemorySearch, query_terms
from tests.memory.support import found, note, places_at


def test_keyword_hits_come_with_path_lines_and_score(tmp_path: Path) -> None:
    note(tmp_path, "MEMORY.md", "# Facts\n\n- The database is PostgreSQL 17.\n- Tabs, never spaces.\n")
    note(tmp_path, "memory/2026-01-02.md", "- Talked about lunch.\n")
    hit = MemorySearch(places_at(tmp_path)).search("which database do we use?").hits[0]
    assert (hit.path, hit.start, hit.end) == ("MEMORY.md", 1, 5)
    assert "PostgreSQL" in hit.snippet
    assert 0 < hit.score <= 1
    assert hit.citation == "MEMORY.md#L1-L5"


def test_a_line_added_by_hand_is_found_at_once(tmp_path: Path) -> None:
    file = note(tmp_path, "memory/2026-01-02.md", "- Nothing much.\n")
    search = MemorySearch(places_at(tmp_path, index=tmp_path / "i" / "x.sqlite"))
    assert found(search, "ZEBRA") == []
    file.write_text("- codename: ZEBRA-7\n", encoding="utf-8")
    assert found(search, "ZEBRA") == ["memory/2026-01-02.md"]
    assert found(search, "nothing much") == []
    file.unlink()
    assert found(search, "ZEBRA") == []


def test_the_same_size_and_another_content_is_seen(tmp_path: Path) -> None:
    file = note(tmp_path, "MEMORY.md", "colour: green")
    search = MemorySearch(places_at(tmp_path))
    assert found(search, "green") == ["MEMORY.md"]
    file.write_text("colour: black", encoding="utf-8")
    assert found(search, "black") == ["MEMORY.md"]
    assert found(search, "green") == []


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("我们决定使用蓝色主题,端口是八千零八十。", "蓝色主题"),
        ("我们决定使用蓝色主题。", "主题"),
        ("我们决定使用蓝色主题。", "请问主题颜色是蓝色吗"),
        ("キャッシュの有効期限は五分です。", "有効期限"),
        ("캐시 수명은 5분입니다", "수명은"),
        ("call get_user_by_email first", "user_by"),
        ("see HttpRetryPolicyFactory", "RetryPolicy"),
        ("deploy with kubectl-neat", "kubectl"),
        ("naïve café", "cafe"),
    ],
)
def test_other_scripts_and_parts_of_identifiers(tmp_path: Path, text: str, query: str) -> None:
    note(tmp_path, "MEMORY.md", "Some other line.\n")
    note(tmp_path, "memory/2026-01-02.md", text)
    assert found(MemorySearch(places_at(tmp_path)), query)[0] == "memory/2026-01-02.md"


def test_more_of_the_words_ranks_higher(tmp_path: Path) -> None:
    note(tmp_path, "memory/2026-01-01.md", "The retry limit.\n")
    note(tmp_path, "memory/2026-01-02.md", "The gateway has a retry limit of six.\n")
    note(tmp_path, "memory/2026-01-03.md", "The gateway.\n")
    assert found(MemorySearch(places_at(tmp_path)), "gateway retry limit")[0] == "memory/2026-01-02.md"


@pytest.mark.parametrize("damage", [b"", b"not a database at all, just text" * 50, None])
def test_a_damaged_index_is_built_anew(tmp_path: Path, damage: bytes | None) -> None:
    index = tmp_path / "i" / "x.sqlite"
    note(tmp_path, "MEMORY.md", "codename ZEBRA")
    first = MemorySearch(places_at(tmp_path, index=index))
    assert found(first, "zebra")
    first.close()
    if damage is None:
        data = bytearray(index.read_bytes())
        data[4096:] = b"\xaa" * len(data[4096:])
        index.write_bytes(data)
    else:
        index.write_bytes(damage)
    assert found(MemorySearch(places_at(tmp_path, index=index)), "zebra") == ["MEMORY.md"]


def test_an_index_of_another_version_is_built_anew(tmp_path: Path) -> None:
    index = tmp_path / "i" / "x.sqlite"
    note(tmp_path, "MEMORY.md", "codename ZEBRA")
    search = MemorySearch(places_at(tmp_path, index=index))
    assert found(search, "zebra")
    search.close()
    base = sqlite3.connect(index)
    base.execute("update meta set value = 'of the future'")
    base.execute("delete from files")
    base.commit()
    base.close()
    assert found(MemorySearch(places_at(tmp_path, index=index)), "zebra") == ["MEMORY.md"]


def test_no_place_for_the_index_is_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    note(tmp_path / "n", "MEMORY.md", "codename ZEBRA")
    search = MemorySearch(places_at(tmp_path / "n", index=tmp_path / "file" / "x.sqlite"))
    assert found(search, "zebra") == ["MEMORY.md"]


def test_files_that_cannot_be_searched_are_named(tmp_path: Path) -> None:
    note(tmp_path, "MEMORY.md", "x" * 10_000_000)
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "binary.md").write_bytes(b"\x00\x01\x02" * 100)
    (tmp_path / "memory" / "out.md").symlink_to("/etc/hostname")
    note(tmp_path, "memory/good.md", "codename ZEBRA")
    result = MemorySearch(places_at(tmp_path)).search("zebra")
    assert [hit.path for hit in result.hits] == ["memory/good.md"]
    text = "\n".join(result.problems)
    for name in ("MEMORY.md", "binary.md", "out.md"):
        assert name in text
    assert len(result.problems) == 3


def test_a_long_note_gives_a_bounded_snippet_with_its_own_lines(tmp_path: Path) -> None:
    lines = [f"line {number} of ordinary talk that goes on a while" for number in range(1, 200)]
    lines[120] = "the codename is ZEBRA"
    note(tmp_path, "MEMORY.md", "\n".join(lines))
    hit = MemorySearch(places_at(tmp_path)).search("zebra").hits[0]
    assert len(hit.snippet) <= 700
    assert hit.snippet.split("\n") == lines[hit.start - 1 : hit.end]
    assert hit.start <= 121 <= hit.end


def test_get_reads_ranges_and_refuses_everything_else(tmp_path: Path) -> None:
    note(tmp_path, "MEMORY.md", "one\ntwo\nthree\nfour")
    note(tmp_path, "secret.md", "no")
    note(tmp_path, "memory/data.txt", "no")
    search = MemorySearch(places_at(tmp_path))
    assert search.get("MEMORY.md") == "one\ntwo\nthree\nfour"
    assert search.get("MEMORY.md", 2, 2) == "two\nthree"
    assert search.get("memory/2020-01-01.md") == ""
    for name in ("secret.md", "../x.md", "memory/../secret.md", "memory/data.txt", "/etc/passwd", "~/x.md", ""):
        with pytest.raises(MemoryFailed):
            search.get(name)
    (tmp_path / "memory" / "link.md").symlink_to(tmp_path / "secret.md")
    search.get("memory/link.md")
    (tmp_path / "memory" / "out.md").symlink_to("/etc/hostname")
    with pytest.raises(MemoryFailed, match="leads out"):
        search.get("memory/out.md")


def test_extra_places_are_searched_and_read(tmp_path: Path) -> None:
    note(tmp_path / "extra", "deep/a.md", "codename ZEBRA")
    places = MemoryPlaces(tmp_path / "n", True, None, (tmp_path / "extra",))
    search = MemorySearch(places)
    assert found(search, "zebra") == [str(tmp_path / "extra" / "deep" / "a.md")]
    assert search.get(str(tmp_path / "extra" / "deep" / "a.md")) == "codename ZEBRA"


def test_query_terms() -> None:
    assert query_terms("What is the codename of ZEBRA-7?") == ["codename", "zebra-7"]
    assert query_terms("what is it") == ["what", "is", "it"]
    assert query_terms('"; drop table * OR NEAR(') == ["drop", "table", "near"]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=st.text(max_size=40))
def test_no_query_breaks_the_search(tmp_path: Path, query: str) -> None:
    note(tmp_path, "MEMORY.md", "codename ZEBRA 蓝色")
    search = MemorySearch(places_at(tmp_path))
    search.search(query)
    assert found(search, "zebra") == ["MEMORY.md"]
