"""Starts the fake as a child process, for tests of whole programs."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.strict_fake.refusal import Json

_ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class FakeProcess:
    port: int
    log: Path

    @property
    def url_anthropic(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def url_openai(self) -> str:
        return f"{self.url_anthropic}/v1"

    @property
    def url_gemini(self) -> str:
        return self.url_anthropic

    def records(self) -> list[Json]:
        """The log so far; a record is written when its answer ends."""
        return [json.loads(line) for line in self.log.read_text(encoding="utf-8").splitlines()]


@contextmanager
def strict_fake_process(scenario: str, log: Path, *arguments: str) -> Iterator[FakeProcess]:
    """`arguments`: more options of `serve`, as on a command line."""
    command = [
        sys.executable,
        "-m",
        "tests.strict_fake",
        "serve",
        "--scenario",
        scenario,
        "--log",
        str(log),
        *arguments,
    ]
    environment = dict(os.environ, PYTHONPATH=str(_ROOT))
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment, cwd=_ROOT) as process:
        try:
            assert process.stdout is not None
            first = process.stdout.readline()
            if not first:
                raise RuntimeError(f"the fake did not start: exit code {process.wait(5)}")
            yield FakeProcess(int(json.loads(first)["port"]), log)
        finally:
            process.terminate()
            process.wait(10)
