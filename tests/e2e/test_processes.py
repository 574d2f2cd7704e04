"""Real processes: one `openclaw-tui -p … -c` for each turn of a session, against the strict fake as a process."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.long_sessions import WINDOW
from tests.session.format_validator import assert_valid
from tests.strict_fake import scenarios
from tests.strict_fake.process import FakeProcess, strict_fake_process
from tests.strict_fake.scenario_repo import make_repo

_ROOT = Path(__file__).resolve().parents[2]
_MODELS = {
    "anthropic": "anthropic/claude-sonnet-5-5",
    "openai": "openai/gpt-6.2-sol",
    "google": "google/gemini-4-argon",
}


def _environment(fake: FakeProcess) -> dict[str, str]:
    return dict(
        os.environ,
        PYTHONPATH=str(_ROOT),
        ANTHROPIC_API_KEY="k",
        OPENAI_API_KEY="k",
        GEMINI_API_KEY="k",
        ANTHROPIC_BASE_URL=fake.url_anthropic,
        OPENAI_BASE_URL=fake.url_openai,
        GOOGLE_GEMINI_BASE_URL=fake.url_gemini,
    )


def _print_mode(fake: FakeProcess, project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "openclaw_tui", *arguments, "--context-tokens", str(WINDOW)]
    return subprocess.run(
        command,
        cwd=project,
        env=_environment(fake),
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=120,
    )


@pytest.mark.parametrize("provider", ["anthropic"])
def test_session_of_sixty_calls_in_processes_of_its_own(tmp_path: Path, provider: str) -> None:
    project = tmp_path / "project"
    scenario = scenarios.build("s2")
    make_repo(project, scenario.seed, scenario.needles)
    with strict_fake_process("s2", tmp_path / "log.jsonl", "--repo", str(project)) as fake:
        for number, prompt in enumerate(scenario.prompts, 1):
            again = ["-c"] if number > 1 else ["-m", _MODELS[provider]]
            done = _print_mode(fake, project, "-p", prompt, "--yolo", *again)
            assert done.returncode == 0, done.stderr
            assert f"BENCH-DONE-{number}" in done.stdout
        records = [record for record in fake.records() if record.get("kind") == "main"]
        refused = [record for record in fake.records() if record.get("what") == "invalid"]
        assert refused == []
        assert len(records) >= 45
    files = list((Path(os.environ["OPENCLAW_STATE_DIR"])).rglob("*.jsonl"))
    sessions = [
        file for file in files if json.loads(file.read_text(encoding="utf-8").splitlines()[0]).get("type") == "session"
    ]
    assert len(sessions) == 1
    assert_valid(sessions[0])
