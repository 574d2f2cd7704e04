"""What a typed message brings along, the same in every face: ranges, pictures, and a line for all that cannot come."""

from pathlib import Path

import pytest

from openclaw_tui.constants import ATTACHED_FILE_MAX_BYTES, ATTACHED_LINES_MAX_CHARS
from openclaw_tui.messages import ImageBlock, TextBlock
from openclaw_tui.ui.attachments import attach, parted

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text("".join(f"line {n}\n" for n in range(1, 31)), encoding="utf-8")
    (tmp_path / "name with blank.txt").write_text("one\ntwo\n", encoding="utf-8")
    (tmp_path / "日本.md").write_text("一\n二\n", encoding="utf-8")
    (tmp_path / "shot.png").write_bytes(PNG)
    (tmp_path / "false.png").write_bytes(b"no picture")
    (tmp_path / "bin.dat").write_bytes(b"ab\0cd\nef\n")
    (tmp_path / "folder").mkdir()
    return tmp_path


def texts(project: Path, text: str) -> list[str]:
    return [block.text for block in attach(text, project).content[1:] if isinstance(block, TextBlock)]


@pytest.mark.parametrize(
    ("mention", "head", "body"),
    [
        ("@a.py:10-12", "[attached: a.py, lines 10-12 of 30]", ["line 10", "line 12"]),
        ("@a.py:3", "[attached: a.py, line 3 of 30]", ["line 3"]),
        ("@a.py:12-10", "[attached: a.py, lines 10-12 of 30]", ["line 11"]),
        ("@a.py:29-99", "[attached: a.py, lines 29-30 of 30]", ["line 30"]),
        ('@"name with blank.txt":2', "[attached: name with blank.txt, line 2 of 2]", ["two"]),
        ("@日本.md:1-2", "[attached: 日本.md, lines 1-2 of 2]", ["一", "二"]),
    ],
)
def test_lines_come_along_with_their_numbers(project: Path, mention: str, head: str, body: list[str]) -> None:
    (text,) = texts(project, f"look at {mention}, please")
    assert text.startswith(head + "\n")
    assert all(words in text for words in body)


@pytest.mark.parametrize("text", ["@a.py is fine", "mail me@a.py:3", "@missing.py:3", "@folder:2", "no mention", ""])
def test_what_is_only_a_mention_brings_nothing(project: Path, text: str) -> None:
    attached = attach(text, project)
    assert attached.content == (TextBlock(text),)
    assert attached.problems == ()


def test_a_picture_comes_as_an_image_and_only_where_the_model_sees_any(project: Path) -> None:
    seen = attach("@shot.png what is it?", project)
    assert isinstance(seen.content[1], ImageBlock)
    assert seen.content[1].mime_type == "image/png"
    blind = attach("@shot.png what is it?", project, pictures=False)
    assert len(blind.content) == 1
    assert "sees no pictures" in blind.problems[0]


@pytest.mark.parametrize(
    ("mention", "why"),
    [
        ("@a.py:40", "the file has 30 lines"),
        ("@false.png", "no PNG, JPEG, GIF or WebP"),
        ("@bin.dat:1-2", "it is no text"),
    ],
)
def test_what_cannot_come_is_told_in_a_line(project: Path, mention: str, why: str) -> None:
    attached = attach(f"see {mention}", project)
    assert len(attached.content) == 1
    assert why in attached.problems[0]
    assert "\n" not in attached.problems[0]


def test_too_much_is_refused_before_it_is_read(project: Path) -> None:
    (project / "long.txt").write_text("x" * (ATTACHED_LINES_MAX_CHARS + 10) + "\n", encoding="utf-8")
    assert "limit" in attach("@long.txt:1", project).problems[0]
    with (project / "huge.txt").open("wb") as file:
        file.truncate(ATTACHED_FILE_MAX_BYTES + 1)
    assert "a file of" in attach("@huge.txt:1", project).problems[0]


def test_a_refused_file_is_not_read(project: Path) -> None:
    attached = attach("@a.py:1-2", project, lambda _path: "the rule read(a.py) refuses it")
    assert len(attached.content) == 1
    assert "refuses it" in attached.problems[0]


def test_the_text_and_the_chips_are_told_apart_again(project: Path) -> None:
    said, chips = parted(attach("look at @a.py:10-12", project).content)
    assert said == "look at @a.py:10-12"
    assert chips == ("a.py:10-12",)
