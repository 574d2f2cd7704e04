"""Which prompt and tools a request carries, and what happens where the window is too small for them."""

from pathlib import Path

import msgspec

from openclaw_tui.agent.fitting import shortened
from openclaw_tui.messages import ToolResultMessage, Usage, text_of
from openclaw_tui.models import ModelInfo
from openclaw_tui.prompt.runtime_info import detect_runtime
from openclaw_tui.prompt.system_prompt import PromptInputs
from openclaw_tui.providers.scripted import Answer, Step
from openclaw_tui.tokens import estimate_text_tokens
from tests.agent.harness import SCRIPTED, agent


async def test_preview_seals_nothing(tmp_path: Path) -> None:
    async with agent(tmp_path, ["One."]) as it:
        requests = it.session.deps.requests
        first, tools = requests.preview_prompt()
        assert len(it.session.deps.manager.entries()) == 0
        await it.turn("Hi.")
        assert it.provider.requests[0].system_stable == first.stable
        assert it.provider.requests[0].tools == tools


async def test_change_enters_at_the_next_compaction(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("Be brief.", encoding="utf-8")
    script = ["word " * 9_000, "Two.", "A summary: nothing is open.", "Four."]
    async with agent(tmp_path, script, forever="A summary: nothing is open.") as it:
        await it.turn("Hi.")
        (tmp_path / "AGENTS.md").write_text("Be long.", encoding="utf-8")
        await it.turn("Go on.")
        assert "Be brief." in it.provider.requests[1].system_stable
        assert "Compacted" in await it.session.compact()
        await it.turn("Next.")
        assert "Be long." in it.provider.requests[-1].system_stable


async def test_small_window_shortens_the_farthest_file_first_and_says_so(tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    (project / "AGENTS.md").write_text("{[(1)]};\n" * 2_000, encoding="utf-8")
    inner = project / "inner"
    inner.mkdir()
    (inner / "AGENTS.md").write_text("near rule\n" * 300, encoding="utf-8")
    small = msgspec.structs.replace(SCRIPTED, context_window=20_000)
    async with agent(inner, ["One."], model=small) as it:
        assert (await it.turn("Hi.")).outcome == "done"
        stable = it.provider.requests[0].system_stable
        assert stable.count("near rule") >= 299
        assert 0 < stable.count("{[(1)]};") < 1_200
        assert any("small window" in text and "../AGENTS.md" in text for text in it.notices)


async def test_window_that_cannot_hold_the_fixed_parts_stops_before_any_call(tmp_path: Path) -> None:
    tiny = msgspec.structs.replace(SCRIPTED, context_window=8_000)
    async with agent(tmp_path, ["One."], model=tiny) as it:
        ended = await it.turn("Hi.")
        assert ended.outcome == "failed"
        assert "less than the 16,000 needed" in str(ended.error)
        assert it.provider.requests == []


async def test_switch_to_a_model_that_is_too_small_is_found_before_a_call(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("{[(1)]};\n" * 900, encoding="utf-8")
    async with agent(tmp_path, ["One.", "Two."]) as it:
        await it.turn("Hi.")
        small = msgspec.structs.replace(SCRIPTED, id="small", context_window=17_000)
        it.session.set_model(small)
        assert (await it.turn("Go on.")).outcome == "done"
        assert it.provider.requests[1].system_stable.count("{[(1)]};") < 800
        assert any("AGENTS.md is cut" in text for text in it.notices)


async def test_window_that_only_its_server_knows_is_asked_for_once(tmp_path: Path) -> None:
    asked: list[str] = []

    async def server(model: ModelInfo) -> ModelInfo:
        asked.append(model.ref)
        return msgspec.structs.replace(model, context_window=65_536, window_source="server")

    guessed = msgspec.structs.replace(SCRIPTED, window_source="assumed", context_window=32_000)
    async with agent(tmp_path, ["One.", "Two."], model=guessed) as it:
        requests = it.session.deps.requests
        requests.models = msgspec.structs.replace(requests.models, live_limits=server)
        await it.turn("Hi.")
        await it.turn("Go on.")
        assert asked == [guessed.ref]
        assert requests.budget.window_tokens == 65_536


def test_skills_go_before_files_and_far_files_before_near_ones() -> None:
    text = "a plain line of words\n" * 400
    files = (("/home/me/SOUL.md", text), ("../../AGENTS.md", text), ("../AGENTS.md", text), ("AGENTS.md", text))
    runtime = detect_runtime(agent="main", cwd="/p", model="m", thinking="off", channel="cli", engine="legacy")
    inputs = PromptInputs((), "/p", "", runtime, skills_index="- x", context_files=files)
    size = estimate_text_tokens(text)
    fitted, notes = shortened(inputs, estimate_text_tokens("- x") + size + size // 2)
    assert fitted.skills_index == ""
    assert [path for path, _ in fitted.context_files] == ["../../AGENTS.md", "../AGENTS.md", "AGENTS.md"]
    assert [len(content) == len(text) for _, content in fitted.context_files] == [False, True, True]
    assert [note.split(" ")[0] for note in notes] == ["the", "/home/me/SOUL.md", "../../AGENTS.md"]
    untouched, nothing = shortened(inputs, 0)
    assert (untouched, nothing) == (inputs, [])


async def test_old_results_shrink_only_where_the_user_wants_it_and_the_cache_is_old(tmp_path: Path) -> None:
    long = "x = 1  # plain code\n" * 2_000
    (tmp_path / "a.py").write_text(long, encoding="utf-8")
    usage = Usage(input=10, output=5, cache_write=9_000)
    script: list[Answer] = [Step(calls=[("read", {"path": "a.py"})], usage=usage), *["Seen."] * 5]
    settings = {"mode": "cache-ttl", "ttl": "0s", "softTrimRatio": "0.001"}
    config = tuple(f"agents.defaults.contextPruning.{name}={value}" for name, value in settings.items())
    wide = msgspec.structs.replace(SCRIPTED, context_window=400_000)
    async with agent(tmp_path, script, model=wide, config=config) as it:
        for _ in range(5):
            await it.turn("Look.")
        sent = [m for m in it.provider.requests[-1].messages if isinstance(m, ToolResultMessage)]
        rows = it.app.ledger.of_layer("guard")
        assert [row.data["kind"] for row in rows] == ["pruned"]
        assert rows[0].tokens_before is not None
        assert rows[0].tokens_after is not None
        assert rows[0].tokens_before > rows[0].tokens_after
        assert len(text_of(sent[0].content)) < 6_000
        assert rows[0].way_back == 'recall("t1")'
