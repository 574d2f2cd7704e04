"""Which agent answers: the eight tiers of the article, in order."""

import json
from pathlib import Path
from typing import Any

import pytest

from openclaw_tui.cli import main
from openclaw_tui.routing.bindings import Peer, read_agents, read_bindings
from openclaw_tui.routing.resolve import TIERS, RouteQuery, resolve_agent_route

TABLES: list[dict[str, Any]] = [
    {"agentId": "by-channel", "match": {"channel": "discord", "accountId": "*"}},
    {"agentId": "by-account", "match": {"channel": "discord", "accountId": "work"}},
    {"agentId": "by-team", "match": {"channel": "slack", "accountId": "*", "teamId": "T1"}},
    {"agentId": "by-guild", "match": {"channel": "discord", "accountId": "*", "guildId": "G"}},
    {"agentId": "by-roles", "match": {"channel": "discord", "accountId": "*", "guildId": "G", "roles": ["admin"]}},
    {"agentId": "by-any", "match": {"channel": "discord", "accountId": "*", "peer": {"kind": "dm", "id": "*"}}},
    {"agentId": "by-peer", "match": {"channel": "discord", "accountId": "*", "peer": {"kind": "dm", "id": "Ann"}}},
    {"agentId": "by-parent", "match": {"channel": "discord", "accountId": "*", "peer": {"kind": "group", "id": "ops"}}},
]
NAMES = [table["agentId"] for table in TABLES]
BINDINGS, _ = read_bindings(TABLES)
ANN = Peer("dm", "ann")
EVERYTHING = RouteQuery("discord", "work", ANN, Peer("channel", "ops"), "g", frozenset({"admin"}), "t1")


def agent_of(query: RouteQuery) -> tuple[str, str]:
    route = resolve_agent_route(query, BINDINGS, agents=NAMES)
    return route.agent_id, route.matched_by


def test_the_tiers_stand_in_the_order_of_the_article() -> None:
    assert [tier.name for tier in TIERS] == [
        "binding.peer",
        "binding.peer.parent",
        "binding.guild+roles",
        "binding.guild",
        "binding.team",
        "binding.account",
        "binding.channel",
        "default",
    ]


@pytest.mark.parametrize(
    ("query", "agent", "tier"),
    [
        (EVERYTHING, "by-peer", "binding.peer"),
        (RouteQuery("discord", "x", Peer("dm", "bob")), "by-any", "binding.peer"),
        (
            RouteQuery("discord", "x", Peer("channel", "thread-1"), Peer("channel", "ops"), guild="G"),
            "by-parent",
            "binding.peer.parent",
        ),
        (RouteQuery("discord", "x", guild="G", roles=frozenset({"Admin"})), "by-roles", "binding.guild+roles"),
        (RouteQuery("discord", "x", guild="G", roles=frozenset({"guest"})), "by-guild", "binding.guild"),
        (RouteQuery("slack", "x", team="t1"), "by-team", "binding.team"),
        (RouteQuery("discord", "Work"), "by-account", "binding.account"),
        (RouteQuery("discord", "other"), "by-channel", "binding.channel"),
        (RouteQuery("telegram"), "main", "default"),
    ],
)
def test_each_tier_decides_where_no_earlier_one_does(query: RouteQuery, agent: str, tier: str) -> None:
    assert agent_of(query) == (agent, tier)


def test_a_binding_without_account_is_for_the_default_account_only() -> None:
    bindings, _ = read_bindings([{"agentId": "a", "match": {"channel": "telegram"}}])
    assert resolve_agent_route(RouteQuery("telegram"), bindings, agents=["a"]).agent_id == "a"
    assert resolve_agent_route(RouteQuery("telegram", "second"), bindings, agents=["a"]).agent_id == "main"


def test_group_and_channel_are_the_same_to_a_binding() -> None:
    bindings, _ = read_bindings([{"agentId": "a", "match": {"channel": "x", "peer": {"kind": "group", "id": "7"}}}])
    assert resolve_agent_route(RouteQuery("x", peer=Peer("channel", "7")), bindings, agents=["a"]).agent_id == "a"


def test_an_agent_that_does_not_exist_is_replaced_and_said_so() -> None:
    route = resolve_agent_route(EVERYTHING, BINDINGS, agents=["someone"], default_agent="someone")
    assert (route.agent_id, route.matched_by) == ("someone", "binding.peer")
    assert "by-peer" in route.note


def test_bad_tables_are_named_and_the_others_count() -> None:
    bindings, problems = read_bindings(
        [{"match": {}}, {"agentId": "a"}, {"agentId": "a", "match": {"channel": "x", "peer": "ann"}}, TABLES[0]]
    )
    assert [b.agent_id for b in bindings] == ["by-channel"]
    assert [p.split(":")[0] for p in problems] == ["bindings[0]", "bindings[1]", "bindings[2]"]
    agents, problems = read_agents([{"id": "A"}, {"id": "a"}, {"name": "x"}])
    assert [agent.id for agent in agents] == ["a"]
    assert len(problems) == 2


def test_config_route_shows_who_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state = tmp_path / "state"
    state.mkdir()
    (state / "tui.toml").write_text(
        '[[bindings]]\nagentId = "work"\nmatch = { channel = "telegram", peer = { kind = "direct", id = "42" } }\n'
        '[[agents.list]]\nid = "work"\n',
        encoding="utf-8",
    )
    assert main(["config", "route", "--channel", "telegram", "--peer", "dm:42", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["agent_id"] == "work"
    assert data["session_key"] == "agent:work:telegram:dm:42"
    assert data["matched_by"] == data["tiers"][0] == "binding.peer"
    assert main(["config", "route", "--channel", "telegram", "--peer", "42"]) == 2
    assert "dm:ID" in capsys.readouterr().err
