"""Session keys are built and read in one form, whatever wrote them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_tui.app.session import session_key_for
from openclaw_tui.routing.session_key import (
    build_session_key,
    classify_session_key,
    main_session_key,
    normalize_agent_id,
    parse_session_key,
    subagent_key,
)

WORD = st.from_regex(r"[a-z0-9][a-z0-9_-]{0,12}", fullmatch=True).filter(
    lambda word: word not in ("dm", "direct", "group", "channel", "thread", "subagent", "main", "cron")
)


def test_the_key_of_an_ordinary_session() -> None:
    assert session_key_for("main", "tui", "ABC-1") == "agent:main:tui:dm:abc-1"


def test_direct_is_read_as_dm() -> None:
    ours, theirs = parse_session_key("agent:main:telegram:dm:42"), parse_session_key("agent:main:telegram:direct:42")
    assert ours is not None
    assert theirs is not None
    assert (
        (ours.channel, ours.kind, ours.peer) == (theirs.channel, theirs.kind, theirs.peer) == ("telegram", "dm", "42")
    )


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        ("agent:main:main", "main"),
        ("agent:main:tui:dm:1", "dm"),
        ("agent:main:direct:42", "dm"),
        ("agent:work:telegram:acct:direct:42", "dm"),
        ("agent:work:discord:channel:general", "channel"),
        ("agent:work:telegram:group:-100", "group"),
        ("agent:work:telegram:group:-100:thread:7", "thread"),
        ("agent:work:subagent:f00", "subagent"),
        ("agent:work:cron:daily:run:1", "cron"),
        ("agent:work", "other"),
        ("tui:dm:1", "other"),
        ("", "other"),
    ],
)
def test_classification(key: str, kind: str) -> None:
    assert classify_session_key(key) == kind


def test_nested_sub_agents_count_their_depth() -> None:
    child = subagent_key("agent:work:tui:dm:1", "AA")
    grandchild = subagent_key(child, "bb")
    assert child == "agent:work:subagent:aa"
    assert grandchild == "agent:work:subagent:aa:subagent:bb"
    parsed = parse_session_key(grandchild)
    assert parsed is not None
    assert parsed.depth == 2


@given(agent=WORD, channel=WORD, peer=WORD, thread=st.one_of(st.just(""), WORD))
def test_what_was_built_is_read_back(agent: str, channel: str, peer: str, thread: str) -> None:
    text = build_session_key(agent, channel, "group", peer, thread=thread)
    key = parse_session_key(text)
    assert key is not None
    assert str(key) == text
    assert (key.agent_id, key.channel, key.kind, key.peer, key.thread) == (
        normalize_agent_id(agent),
        channel,
        "group",
        peer,
        thread,
    )


@given(st.text(max_size=90))
def test_any_text_becomes_an_agent_id(text: str) -> None:
    once = normalize_agent_id(text)
    assert once
    assert len(once) <= 64
    assert normalize_agent_id(once) == once
    assert main_session_key(text) == f"agent:{once}:main"
