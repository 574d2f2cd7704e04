"""Tests marked `pi` drive the real program: they are left out, with a printed reason, where it is not to be had."""

import os
import shutil
from pathlib import Path

import pytest

PI_PACKAGE = os.environ.get("OPENCLAW_TEST_PI", "")
PI_NODE = os.environ.get("OPENCLAW_TEST_NODE") or shutil.which("node") or ""


def why_pi_is_missing() -> str | None:
    if not PI_PACKAGE:
        return "OPENCLAW_TEST_PI does not name the folder of the npm package @earendil-works/pi-coding-agent"
    if not (Path(PI_PACKAGE) / "package.json").is_file():
        return f"OPENCLAW_TEST_PI names {PI_PACKAGE}, which holds no package"
    return None if PI_NODE else "there is no node on the path (OPENCLAW_TEST_NODE may name one)"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    reason = why_pi_is_missing()
    driven = [item for item in items if item.get_closest_marker("pi")]
    if reason is None or not driven:
        return
    items[:] = [item for item in items if not item.get_closest_marker("pi")]
    config.hook.pytest_deselected(items=driven)
    config.stash[_LEFT_OUT] = f"{len(driven)} tests that drive pi left out: {reason}"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    said = config.stash.get(_LEFT_OUT, None)
    if said is not None:
        terminalreporter.write_line(said)


_LEFT_OUT = pytest.StashKey[str]()


@pytest.fixture
def pi_package() -> Path:
    return Path(PI_PACKAGE)


@pytest.fixture
def pi_node() -> str:
    return PI_NODE
