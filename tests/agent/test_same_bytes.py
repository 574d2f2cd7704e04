"""What was sent once is sent again byte for byte: over steps, turns, resumes, other days and other directories."""

import json
import os
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from openclaw_tui.models import ApiName
from openclaw_tui.providers.scripted import Answer, Step
from tests.agent.harness import APIS, agent, agent_on
from tests.strict_fake import Call, Reply, StrictFake

_MESSAGES = {"anthropic": "messages", "openai-responses": "input", "openai-chat": "messages", "google": "contents"}


def _replies() -> list[Reply]:
    look = [Call("read", {"path": "a.txt"}), Call("ls", {})]
    return [
        Reply("First a look.", thinking="Hm.", calls=look),
        Reply("", thinking="And again.", calls=[Call("grep", {"pattern": "alpha"})]),
        Reply("It says alpha.", thinking="Clear."),
        Reply("", calls=[Call("read", {"path": "missing.txt"})]),
        Reply("There is no such file."),
    ]


def _bare(body: Any) -> Any:
    """Without the marks that move with the end of the talk."""
    if isinstance(body, dict):
        return {
            key: _bare(value) for key, value in body.items() if key not in ("cache_control", "prompt_cache_breakpoint")
        }
    return [_bare(item) for item in body] if isinstance(body, list) else body


def _marked(body: Any, at: str = "") -> set[str]:
    """Where the cache marks of a request stand."""
    if isinstance(body, list):
        return set().union(*(_marked(item, f"{at}/{number}") for number, item in enumerate(body)))
    if not isinstance(body, dict):
        return set()
    inside = set().union(*(_marked(item, f"{at}/{key}") for key, item in body.items()))
    return inside | ({at} if "cache_control" in body else set())


@pytest.mark.parametrize("api", list(APIS))
async def test_request_after_a_resume_is_the_one_that_would_have_been_sent(
    tmp_path: Path, api: ApiName, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.txt").write_text("alpha\n", encoding="utf-8")
    async with StrictFake([*_replies(), Reply("Live."), Reply("Live.")], repeat_identical=False) as fake:
        async with agent_on(fake, APIS[api], tmp_path) as it:
            await it.turn("What is in a.txt?")
            await it.turn("And in missing.txt?")
            at_exit = it.path.read_bytes()
            await it.turn("Go on.")
            live = fake.requests[-1].raw
        it.path.write_bytes(at_exit)
        monkeypatch.setattr(time, "time", lambda: 2_000_000_000.0)
        async with agent_on(fake, APIS[api], tmp_path, continue_last=True) as it:
            await it.turn("Go on.")
        assert fake.refused == []
        resumed = fake.requests[-1].raw
        if api == "anthropic":  # a new process may mark one more old block; marks change nothing that is cached
            assert json.dumps(_bare(json.loads(resumed))) == json.dumps(_bare(json.loads(live)))
            assert _marked(json.loads(live)) <= _marked(json.loads(resumed))
        else:
            assert resumed == live


@pytest.mark.parametrize("api", list(APIS))
async def test_every_request_extends_the_one_before(tmp_path: Path, api: ApiName) -> None:
    (tmp_path / "a.txt").write_text("alpha\n", encoding="utf-8")
    async with StrictFake(_replies()) as fake:
        for number, prompt in enumerate(["What is in a.txt?", "And in missing.txt?"]):
            async with agent_on(fake, APIS[api], tmp_path, continue_last=number > 0) as it:
                await it.turn(prompt)
        bodies = [_bare(json.loads(record.raw)) for record in fake.main]
        assert len(bodies) == 5
        key = _MESSAGES[api]
        for before, after in pairwise(bodies):
            old, new = before.pop(key), after[key]
            assert json.dumps(new[: len(old)]) == json.dumps(old)
            assert _prefix_part(before, key) == _prefix_part(after, key)


def _prefix_part(body: dict[str, Any], messages: str) -> dict[str, Any]:
    """Without the messages, what names the last answer, and what is left of the window."""
    names = (messages, "max_tokens", "max_output_tokens", "max_completion_tokens", "generationConfig")
    return {name: value for name, value in body.items() if name not in (*names, "diagnostics", "prompt_cache_options")}


async def test_newest_cache_mark_moves_with_a_long_loop(tmp_path: Path) -> None:
    rounds = [Reply("", calls=[Call("exec", {"command": f"echo {n} {'word ' * 300}"})]) for n in range(40)]
    async with StrictFake([*rounds, Reply("Done.")]) as fake, agent_on(fake, APIS["anthropic"], tmp_path) as it:
        assert (await it.turn("Go.")).outcome == "done"
        for before, record in pairwise(fake.main[1:]):
            assert record.cache_read >= before.tokens - 1
            assert len(record.breakpoints) <= 4


async def test_stable_prompt_knows_no_day_and_no_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two sessions in one project, days apart, and the first one resumed from elsewhere in another time zone."""
    project, other = tmp_path / "project", tmp_path / "other"
    other.mkdir()
    script: list[Answer] = ["Hello.", "Again."]
    monkeypatch.setattr(time, "time", lambda: 1_790_000_000.0)
    async with agent(project, script) as first:
        await first.turn("Hi.")
        key = first.session.session_id
    monkeypatch.setattr(time, "time", lambda: 1_790_000_000.0 + 86_400 * 3)
    async with agent(project, script) as second:
        await second.turn("Hi.")
    monkeypatch.setenv("TZ", "Pacific/Auckland")
    monkeypatch.chdir(other)
    async with agent(other, script, resume=key) as resumed:
        await resumed.turn("Hi again.")
    requests = [it.provider.requests[0] for it in (first, second, resumed)]
    assert len({request.system_stable for request in requests}) == 1
    assert requests[0].tools == requests[1].tools == requests[2].tools
    stable = requests[0].system_stable + repr(requests[0].tools)
    for changing in (key, second.session.session_id, str(other), "Auckland", os.environ["HOME"]):
        assert changing not in stable
    assert str(other) in requests[2].system_dynamic


async def test_file_changed_in_mid_session_waits_below_the_seal(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("Be brief.", encoding="utf-8")
    async with agent(tmp_path, [Step(calls=[("ls", {})]), "One.", "Two."]) as it:
        await it.turn("Hi.")
        (tmp_path / "AGENTS.md").write_text("Be long.", encoding="utf-8")
        await it.turn("Hi again.")
        prompts = {request.system_stable for request in it.provider.requests}
        assert len(prompts) == 1
        assert it.session.deps.requests.reload_prompt()


@pytest.mark.parametrize("api", list(APIS))
async def test_prompt_that_names_other_things_now_meets_no_refusal(tmp_path: Path, api: ApiName) -> None:
    """Another thinking level, another directory: reasoning that is tied to the old words is left out beforehand."""
    other = tmp_path / "other"
    other.mkdir()
    look = Reply("Looking.", thinking="Hm.", calls=[Call("ls", {})])
    replies = [look, Reply("One.", thinking="So."), look, Reply("Two."), look, Reply("Three.")]
    async with StrictFake(replies) as fake:
        async with agent_on(fake, APIS[api], tmp_path / "here") as it:
            await it.turn("Begin.")
            it.session.set_thinking("high")
            assert (await it.turn("Harder.")).outcome == "done"
        async with agent_on(fake, APIS[api], other, resume=it.session.session_id) as it:
            assert (await it.turn("From elsewhere.")).outcome == "done"
        assert [record.error for record in fake.refused] == []


async def test_thinking_level_survives_a_model_that_cannot_think(tmp_path: Path) -> None:
    async with agent(tmp_path, ["One."]) as it:
        it.session.set_model(APIS["anthropic"], "high")
        levels = []
        for model in (APIS["openai-chat"], APIS["anthropic"]):
            it.session.set_model(model)
            levels.append(it.session.thinking)
        assert levels == ["off", "high"]
