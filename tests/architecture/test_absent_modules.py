"""What must not be loaded at start: measured in a child process, because imports can hide anywhere."""

import subprocess
import sys
from pathlib import Path

import pytest

SDKS = ("anthropic", "openai", "google.genai", "pydantic")


def loaded_after(code: str, *names: str, cwd: Path | None = None) -> set[str]:
    """Which of the named modules are loaded in a fresh interpreter after `code`."""
    probe = f"{code}\nimport sys\nprint('LOADED', *[n for n in {names!r} if n in sys.modules])"
    run = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, encoding="utf-8", check=True, cwd=cwd
    )
    last = [line for line in run.stdout.splitlines() if line.startswith("LOADED")][-1]
    return set(last.split()[1:])


@pytest.mark.parametrize("flag", ["--version", "--help"])
def test_version_and_help_load_no_toolkit(flag: str) -> None:
    code = f"from openclaw_tui.cli import main\ntry:\n    main([{flag!r}])\nexcept SystemExit:\n    pass"
    names = (*SDKS, "textual", "prompt_toolkit", "httpx2", "asyncio", "msgspec", "openclaw_tui.app")
    assert loaded_after(code, *names) == set()


def test_print_mode_on_the_offline_model_loads_neither_screen_nor_sdk(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# Demo\n", encoding="utf-8")
    code = "from openclaw_tui.cli import main\nassert main(['-p', 'list the files', '--no-session']) == 0"
    assert loaded_after(code, *SDKS, "textual", "prompt_toolkit", cwd=tmp_path) == set()


def test_importing_the_adapters_loads_no_sdk() -> None:
    code = (
        "import importlib, pkgutil, openclaw_tui.providers as p\n"
        "for m in pkgutil.walk_packages(p.__path__, 'openclaw_tui.providers.'):\n"
        "    importlib.import_module(m.name)"
    )
    assert loaded_after(code, *SDKS) == set()


def test_the_full_screen_module_loads_no_sdk() -> None:
    code = "import openclaw_tui.ui.textual.app"
    assert loaded_after(code, *SDKS) == set()
