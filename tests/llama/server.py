"""Starts the real server as a child process and asks it what only it knows."""

import json
import os
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_PROGRAM = Path(__file__).with_name("serve.py")


@dataclass(frozen=True)
class LlamaServer:
    """A running server; `address` is where it listens, `context` the tokens of its one slot."""

    address: str
    context: int

    def count(self, text: str) -> int:
        """Tokens of a text by the model's own tokenizer."""
        body = json.dumps({"content": text}).encode("utf-8")
        request = urllib.request.Request(f"{self.address}/tokenize", body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return len(json.load(answer)["tokens"])


@contextmanager
def llama_server(context: int) -> Iterator[LlamaServer]:
    """It listens when its first line is there, and ends when its standard input is closed."""
    command = [sys.executable, str(_PROGRAM), "--context", str(context)]
    environment = dict(os.environ, OMP_WAIT_POLICY="passive")
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8") as log,
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, env=environment
        ) as process,
    ):
        try:
            assert process.stdout is not None
            first = process.stdout.readline()
            if not first:
                process.wait(30)
                log.seek(0)
                raise RuntimeError(f"the server did not start ({process.returncode}): {log.read()[-2000:]}")
            yield LlamaServer(json.loads(first)["address"], context)
        finally:
            process.communicate(timeout=30)
