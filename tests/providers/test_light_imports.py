"""Nothing in the package's providers brings an SDK along by being imported."""

import subprocess
import sys

CHECK = """
import importlib, pkgutil, sys
import openclaw_tui.providers
names = [found.name for found in pkgutil.walk_packages(openclaw_tui.providers.__path__, "openclaw_tui.providers.")]
for name in names:
    importlib.import_module(name)
assert "openclaw_tui.providers.openai_chat" in names
from openclaw_tui.providers.catalog import find_model
from openclaw_tui.providers.pricing import cost_usd
from openclaw_tui.messages import Usage
assert cost_usd(find_model("offline/guide"), Usage(input=5)) == 0
heavy = {"anthropic", "openai", "google.genai", "httpx2", "pydantic", "keyring", "genai_prices", "textual"}
assert not heavy & set(sys.modules), heavy & set(sys.modules)
"""


def test_no_provider_module_loads_an_sdk() -> None:
    done = subprocess.run([sys.executable, "-c", CHECK], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
