"""What lies between a reply's end and the next request: storing, the pipeline, the wire form, the cache's row.

    python -m tests.bench.bench_prepare [--sizes 200,500,1000,2000,5000] [--steps 40]

For each length of history it prints the median of one more step (an answer with a call, its result) in ms of CPU:
storing, preparing, wire form, observing; beside it what encoding only the new messages as JSON takes in the same run.
The last line is the exponent of the growth of a step (1.0 would be linear; nearly flat is what is wanted) and of a
whole history sent step by step.
"""

import argparse
import asyncio
import math
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from openclaw_tui.context.pipeline import PreparedRequest
from openclaw_tui.messages import AssistantMessage, TextBlock, ToolCallBlock, ToolResultMessage, Usage, UserMessage
from openclaw_tui.models import ModelInfo
from openclaw_tui.providers.anthropic_request import build_request, new_fold
from openclaw_tui.providers.catalog import find_model
from tests.agent.harness import Agent, compose

PARTS = ("store", "prepare", "wire", "observe")


class Talk:
    """One growing session on disk and the requests made of it."""

    def __init__(self, folder: Path, model: ModelInfo) -> None:
        self.agent: Agent = compose(folder / "project", context_tokens=4_000_000)
        self.deps = self.agent.session.deps
        self.deps.requests.use_model(model)
        self.fold = new_fold()
        self.random = random.Random(7)
        self.count = 0

    def answer(self) -> AssistantMessage:
        self.count += 1
        call = ToolCallBlock(f"toolu_{self.count:08d}", "read", {"path": f"src/module_{self.count}.py"})
        return AssistantMessage(
            (TextBlock(f"Looking at module {self.count}."), call),
            api="anthropic",
            provider=self.deps.requests.model.provider,
            model=self.deps.requests.model.id,
            usage=Usage(input=300, output=60, cache_read=20 + 300 * self.count, cache_write=300),
            stop_reason="tool_use",
            response_id=f"msg_{self.count}",
            timestamp=1_790_000_000_000 + self.count,
        )

    def result(self) -> ToolResultMessage:
        words = " ".join(self.random.choice(("alpha", "beta", "gamma = 7", "delta()")) for _ in range(150))
        return ToolResultMessage(f"toolu_{self.count:08d}", "read", (TextBlock(words),), timestamp=1)

    async def step(self) -> dict[str, float]:
        """Milliseconds of each part of one more step."""
        answer = self.answer()
        took = {}
        took["store"] = _timed(lambda: self._store(answer))
        started = time.thread_time()
        prepared = await self.deps.requests.prepare()
        took["prepare"] = (time.thread_time() - started) * 1000
        took["wire"] = _timed(lambda: self._encode(prepared))
        took["observe"] = _timed(lambda: self.deps.requests.observe(prepared, answer))
        new = self.deps.manager.project().messages[-2:]
        took["baseline"] = _timed(lambda: msgspec.json.encode(new))
        return took

    def _store(self, answer: AssistantMessage) -> None:
        self.deps.manager.append_message(answer)
        self.deps.manager.append_message(self.deps.requests.result_ids.assign(self.result()))

    def _encode(self, prepared: PreparedRequest) -> bytes:
        return build_request(prepared.request, self.fold).encoded(self.fold)


def _timed(work: Callable[[], object]) -> float:
    started = time.thread_time()
    work()
    return (time.thread_time() - started) * 1000


async def measure(sizes: list[int], steps: int) -> dict[int, dict[str, float]]:
    """Medians by history length; one session grows through all of them."""
    found: dict[int, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        talk = Talk(Path(folder), find_model("anthropic/claude-sonnet-5-5"))
        talk.deps.manager.append_message(UserMessage((TextBlock("Go through all modules."),), timestamp=1))
        await talk.deps.requests.gather()
        for size in sizes:
            while len(talk.deps.manager.project().messages) < size:
                talk._store(talk.answer())
            await talk.step()
            rows = [await talk.step() for _ in range(steps)]
            found[size] = {name: statistics.median(row[name] for row in rows) for name in (*PARTS, "baseline")}
        await talk.agent.session.close()
    return found


def exponent(points: dict[int, float]) -> float:
    """Slope of a straight line through the logarithms."""
    xs, ys = [math.log(size) for size in points], [math.log(max(value, 1e-6)) for value in points.values()]
    middle_x, middle_y = statistics.mean(xs), statistics.mean(ys)
    return sum((x - middle_x) * (y - middle_y) for x, y in zip(xs, ys, strict=True)) / sum(
        (x - middle_x) ** 2 for x in xs
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="200,500,1000,2000,5000")
    parser.add_argument("--steps", type=int, default=40)
    given = parser.parse_args()
    found = asyncio.run(measure([int(size) for size in given.sizes.split(",")], given.steps))
    print(f"{'messages':>9} " + " ".join(f"{name:>9}" for name in (*PARTS, "sum", "baseline")))
    sums = {}
    for size, row in found.items():
        sums[size] = sum(row[name] for name in PARTS)
        print(
            f"{size:>9} "
            + " ".join(f"{value:>9.2f}" for value in [*(row[n] for n in PARTS), sums[size]])
            + f" {row['baseline']:>9.2f}"
        )
    print(
        f"exponent of one step {exponent({size: row['prepare'] for size, row in found.items()}):.2f} (prepare), "
        f"{exponent(sums):.2f} (all); of a whole history {1 + max(0.0, exponent(sums)):.2f}"
    )


if __name__ == "__main__":
    main()
