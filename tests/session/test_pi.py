"""The real pi reads what we write, and we read what it adds. Needs node and the package: see conftest."""

import base64
import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from openclaw_tui.session.manager import SessionManager
from tests.session.format_validator import assert_valid
from tests.session.talk import texts
from tests.session.test_family_files import write_ours

pytestmark = pytest.mark.pi

_READ = """
const { SessionManager } = await import(process.argv[1] + "/dist/index.js");
const session = SessionManager.open(process.argv[2]);
const context = session.buildSessionContext();
const before = session.getEntries().length;
session.appendMessage({ role: "user", content: [{ type: "text", text: "added by pi" }], timestamp: 1 });
console.log(JSON.stringify({
  id: session.getSessionId(), name: session.getSessionName(), cwd: session.getCwd(), entries: before,
  leaf: session.getLeafId(), roots: session.getTree().length, model: context.model, level: context.thinkingLevel,
  messages: context.messages, label: session.getEntries().map((entry) => session.getLabel(entry.id)).find(Boolean),
}));
"""


def _environment(home: Path) -> dict[str, str]:
    quiet = {"PI_OFFLINE": "1", "PI_TELEMETRY": "0", "PI_SKIP_VERSION_CHECK": "1", "PI_CODING_AGENT_DIR": str(home)}
    return {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8"} | quiet


def _run(command: list[str], home: Path) -> str:
    done = subprocess.run(command, env=_environment(home), cwd=home, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _read_with_pi(node: str, package: Path, path: Path, home: Path) -> dict[str, Any]:
    command = [node, "--input-type=module", "-e", _READ, str(package), str(path)]
    found = json.loads(_run(command, home).splitlines()[-1])
    assert isinstance(found, dict)
    return found


def test_pi_sees_the_same_talk_and_what_it_adds_is_seen_here(tmp_path: Path, pi_package: Path, pi_node: str) -> None:
    path = write_ours(tmp_path / "sessions")
    ours = SessionManager.open(path, read_only=True)
    theirs = _read_with_pi(pi_node, pi_package, path, tmp_path)
    assert theirs["id"] == ours.session_id
    assert theirs["name"] == "Ours for pi"
    assert theirs["cwd"] == "/home/dev/project"
    assert theirs["entries"] == len(ours.entries())
    assert theirs["roots"] == 1
    assert theirs["label"] == "kept"
    assert theirs["level"] == "medium"
    model = ours.project().model
    assert model is not None
    assert theirs["model"] == {"provider": model[0], "modelId": model[1]}
    roles = [message["role"] for message in theirs["messages"]]
    assert roles[0] == "compactionSummary"
    assert len(roles) == len(ours.project().messages)
    assert {"user", "assistant", "toolResult", "branchSummary", "custom"} < set(roles)
    again = SessionManager.open(path)
    assert again.damage is None
    assert texts(again) == [*texts(ours), "added by pi"]
    assert again.leaf_id == theirs["leaf"]
    assert_valid(path)


def test_pi_exports_our_session(tmp_path: Path, pi_package: Path, pi_node: str) -> None:
    path = write_ours(tmp_path / "sessions")
    before = path.read_bytes()
    program = json.loads((pi_package / "package.json").read_text(encoding="utf-8"))["bin"]["pi"]
    _run([pi_node, str(pi_package / program), "--export", str(path), str(tmp_path / "out.html")], tmp_path)
    page = (tmp_path / "out.html").read_text(encoding="utf-8")
    embedded = "".join(
        base64.b64decode(found).decode("utf-8", "replace") for found in re.findall(r">([A-Za-z0-9+/=]{200,})<", page)
    )
    assert "Mind the gap." in page + embedded
    assert path.read_bytes() == before
