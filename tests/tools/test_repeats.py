"""Going in circles is seen, warned about and ended, also across compaction and resume."""

from pathlib import Path

from openclaw_tui.constants import REPEAT_STOP_COUNT, REPEAT_WARN_COUNT
from openclaw_tui.messages import AssistantMessage, Message, user_text
from openclaw_tui.tools.repeats import WARNING_LEAD
from tests.tools.runner_bench import FakeTool, call_of, make_bench, texts_of


async def test_the_same_call_again_and_again_is_warned_about_and_stopped(tmp_path: Path) -> None:
    """Case 23."""
    bench = make_bench(tmp_path, [FakeTool("look")])
    reasons: list[str | None] = []
    for n in range(REPEAT_STOP_COUNT):
        reasons.append((await bench.run(call_of(str(n), "look"))).stop_reason)
    warned = [WARNING_LEAD in text for text in texts_of(bench.stored)]
    assert warned.index(True) == REPEAT_WARN_COUNT - 1
    assert reasons[:-1] == [None] * (REPEAT_STOP_COUNT - 1)
    assert "repeated the same call of look" in str(reasons[-1])


async def test_a_streak_outlives_compaction_and_resume(tmp_path: Path) -> None:
    """Case 23: a new process reads it from the session; a summary in between is no new word of the user."""
    history: list[Message] = [user_text("go")]
    first = make_bench(tmp_path, [FakeTool("look")])
    for n in range(6):
        call = call_of(str(n), "look")
        history.append(AssistantMessage((call,)))
        await first.run(call)
        history.append(first.stored[-1])
        if n == 3:
            history.append(user_text("summary", origin="compaction_summary"))
    resumed = make_bench(tmp_path, [FakeTool("look")])
    resumed.runner.start_turn(history)
    outcomes = [await resumed.run(call_of(f"r{n}", "look")) for n in range(4)]
    assert [outcome.stop_reason is not None for outcome in outcomes] == [False, False, False, True]
    fresh = make_bench(tmp_path, [FakeTool("look")])
    fresh.runner.start_turn([*history, user_text("try once more")])
    assert WARNING_LEAD not in texts_of((await fresh.run(call_of("f", "look"))).results)[0]


async def test_going_round_in_a_short_circle_is_seen_too(tmp_path: Path) -> None:
    bench = make_bench(tmp_path, [FakeTool("look")])
    stops = [
        (await bench.run(call_of(f"a{n}", "look", "a"), call_of(f"b{n}", "look", "b"))).stop_reason
        for n in range(REPEAT_STOP_COUNT)
    ]
    assert stops[-1] is not None
    assert stops[:-1] == [None] * (REPEAT_STOP_COUNT - 1)


async def test_a_call_whose_result_changes_is_no_circle(tmp_path: Path) -> None:
    numbers = iter(range(100))
    bench = make_bench(tmp_path, [FakeTool("look", action=lambda text, context: next(numbers))])
    for n in range(REPEAT_STOP_COUNT + 2):
        assert (await bench.run(call_of(str(n), "look"))).stop_reason is None
    assert not any(WARNING_LEAD in text for text in texts_of(bench.stored))


async def test_calls_after_a_stop_get_a_result_but_do_not_run(tmp_path: Path) -> None:
    tool = FakeTool("change", "write", parallel_safe=False)
    bench = make_bench(tmp_path, [tool], mode="acceptEdits")
    outcome = await bench.run(*[call_of(str(n), "change") for n in range(REPEAT_STOP_COUNT + 2)])
    assert len(outcome.results) == REPEAT_STOP_COUNT + 2
    assert len(tool.ran) == REPEAT_STOP_COUNT
    assert "not run" in texts_of(outcome.results)[-1]
