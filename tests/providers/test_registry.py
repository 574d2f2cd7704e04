"""Adapters are found by API name and bring their SDK only at first use."""

import subprocess
import sys
from typing import Any, cast

import pytest

from openclaw_tui.errors import ConfigError
from openclaw_tui.models import ApiName, ModelInfo
from openclaw_tui.providers.registry import create_provider, warm

CHECK = """
import sys
import openclaw_tui.providers.registry, openclaw_tui.providers.credentials, openclaw_tui.providers.failures
import openclaw_tui.providers.accumulator, openclaw_tui.providers.idle, openclaw_tui.providers.retry
from openclaw_tui.models import ModelInfo
from openclaw_tui.providers.credentials import ApiKey, Credentials
from openclaw_tui.providers.registry import create_provider
for api in ("anthropic", "google"):
    create_provider(ModelInfo(api, "m", api, context_window=9, max_output=9), Credentials(ApiKey("k")))
heavy = {"anthropic", "openai", "google.genai", "httpx2", "pydantic", "keyring"} & set(sys.modules)
assert not heavy, heavy
"""


def test_creating_a_provider_imports_no_sdk() -> None:
    done = subprocess.run([sys.executable, "-c", CHECK], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_unknown_api_is_named() -> None:
    model = ModelInfo("p", "m", cast(Any, "smoke"), context_window=9, max_output=9)
    with pytest.raises(ConfigError, match="smoke"):
        create_provider(model)


@pytest.mark.parametrize("api", ["offline", "scripted"])
def test_nothing_is_warmed_where_there_is_no_sdk(api: ApiName) -> None:
    assert warm(api) is None


def test_warming_imports_the_sdk_in_a_thread() -> None:
    thread = warm("openai-chat")
    assert thread is not None
    thread.join()
    assert "openai" in sys.modules
