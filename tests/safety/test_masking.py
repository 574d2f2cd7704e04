"""Marks of secrets: which values get one, that they are stable, and that they go back into their own file only."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_tui.errors import ToolDenied
from openclaw_tui.safety.masking import MASKS_FILE, Masks, carries_mark
from openclaw_tui.safety.secret_shapes import find_secrets
from openclaw_tui.safety.secrets import HIDDEN, mask_secrets

KEY = "sk-ant-api03-" + "Ab1" * 12
PASSWORD = "hunter2-and-more"
ENV = f"NAME=demo\nDB_PASSWORD={PASSWORD}\nANTHROPIC_API_KEY={KEY}\n"


@pytest.mark.parametrize(
    "text",
    [
        "token = get_token()",
        "def login(password: str, secret: bytes) -> None:",
        "TOKEN=${TOKEN}",
        'SECRET_KEY="config"',
        "password = os.environ['PASSWORD']",
        "http://user:pass@host and http://username:password@host",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "id: 0b1f6c1e-7d3a-4c5e-9a1b-2f3c4d5e6f70",
        "API_KEY=your-key-here",
        "tokens: 12345678901234",
    ],
)
def test_code_that_speaks_of_secrets_is_left_alone(text: str) -> None:
    assert find_secrets(text) == []


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (f"x {KEY} y", KEY),
        (f"DB_PASSWORD={PASSWORD}", PASSWORD),
        (f"src/.env:12:DB_PASSWORD={PASSWORD}", PASSWORD),
        ('{"apiKey": "a8Fk29dLq0ZxPw71"}', "a8Fk29dLq0ZxPw71"),
        ("postgres://app:s3cr3t-Pw@db/x", "s3cr3t-Pw"),
        ("Authorization: Bearer abcdefghijklmnopqrstuvwx", "abcdefghijklmnopqrstuvwx"),
        ("-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n", "MIIE"),
    ],
)
def test_no_part_of_a_secret_is_left(text: str, secret: str) -> None:
    masked, new = Masks(None).masked(text)
    assert new == 1
    assert carries_mark(masked)
    assert secret not in masked
    assert secret not in mask_secrets(text)
    assert HIDDEN in mask_secrets(text)


def test_the_same_value_has_the_same_mark_also_after_a_restart(tmp_path: Path) -> None:
    first = Masks(tmp_path)
    masked, _ = first.masked(ENV)
    again, new = Masks(tmp_path).masked(f"error: bad key {KEY}, password {PASSWORD}: DB_PASSWORD={PASSWORD}")
    assert "⟦secret:2⟧" in masked
    assert "bad key ⟦secret:2⟧" in again
    assert new == 0
    stored = tmp_path / MASKS_FILE
    assert stored.stat().st_mode & 0o777 == 0o600
    assert KEY not in stored.read_text(encoding="utf-8")


def test_a_mark_goes_back_into_its_own_file_only() -> None:
    masks = Masks(None)
    masked, _ = masks.masked(ENV)
    assert masks.put_back(masked, ENV, ".env") == ENV
    with pytest.raises(ToolDenied, match=r"not in other\.txt"):
        masks.put_back(masked, "nothing of the kind", "other.txt")


def test_switched_off_nothing_is_masked() -> None:
    assert Masks(None, on=False).masked(ENV) == (ENV, 0)


@given(
    st.lists(st.sampled_from(["a = 1\n", f"KEY={KEY}\n", f"DB_PASSWORD={PASSWORD}\r\n", "\ttext ⟦ ⟧\n"]), max_size=8)
)
def test_what_was_read_can_be_written_back_byte_for_byte(lines: list[str]) -> None:
    masks, text = Masks(None), "".join(lines)
    masked, _ = masks.masked(text)
    assert KEY not in masked
    assert masks.put_back(masked, text, "f") == text
    assert masks.masked(masked) == (masked, 0)


def test_a_known_secret_is_hidden_without_its_name_too() -> None:
    masks = Masks(None)
    mark = masks.masked(f"DB_PASSWORD={PASSWORD}\n")[0].removeprefix("DB_PASSWORD=").strip()
    assert masks.masked(f"note {PASSWORD}\n") == (f"note {mark}\n", 0)


def test_the_end_of_a_private_key_is_hidden_without_its_beginning() -> None:
    lines = [f"{n:02}" + "aB3+" * 15 for n in range(20)]
    text = "\n".join(["before", *lines, "-----END PRIVATE KEY-----", "after"])
    assert Masks(None).masked(text)[0] == "before\n⟦secret:1⟧\nafter"


def test_single_lines_of_a_key_that_was_seen_are_hidden() -> None:
    lines = [f"{n:02}" + "aB3+" * 15 for n in range(20)]
    masks = Masks(None)
    masks.masked("\n".join(["-----BEGIN PRIVATE KEY-----", *lines, "-----END PRIVATE KEY-----"]))
    assert lines[7] not in masks.masked(f"id.pem:9:{lines[7]}")[0]


def test_letters_that_grow_in_lower_case_do_not_move_a_secret() -> None:
    text = f"{'İ' * 40} password: c0rrect-horse-b4ttery"
    assert [text[start:end] for start, end in find_secrets(text)] == ["c0rrect-horse-b4ttery"]


@pytest.mark.parametrize("text", ["token" * 40_000, "PASSWORD_" * 20_000, "eyJ-" * 50_000, "token" + " " * 100_000])
def test_a_text_made_to_be_slow_comes_to_an_end(text: str) -> None:
    assert find_secrets(text) == []
