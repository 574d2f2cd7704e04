"""Summaries without a model: what can be read off a labelled conversation, and nothing that is not in it."""

import pytest

from openclaw_tui.messages import user_text
from openclaw_tui.models import ModelInfo
from openclaw_tui.providers.base import ProviderRequest
from openclaw_tui.providers.offline_guide.summary import is_summary_request, write_summary
from openclaw_tui.providers.offline_guide.test_commands import from_prose, runnable

TALK = (
    "<conversation>\n[User]: Port the parser in src/parse.py to asyncio.\n\n"
    '[Assistant calls edit]: {"path":"src/parse.py"}\n\n[Tool result]: ok\n\n'
    "[Assistant]: We decided to keep the old API. Next: update docs/usage.md.\n\n"
    "[User]: Never touch ticket ABC-123. What is left?\n</conversation>\n\nSummarise."
)


def request_for(text: str) -> ProviderRequest:
    return ProviderRequest(
        model=ModelInfo("offline", "guide", "offline", context_window=32_000, max_output=4_000),
        system_stable="",
        system_dynamic="",
        messages=(user_text(text),),
        tools=(),
        max_output_tokens=1_000,
        thinking="off",
        cache_retention="short",
        session_id="s",
    )


def test_goal_decisions_rules_open_work_and_identifiers_are_kept() -> None:
    request = request_for(TALK)
    assert is_summary_request(request)
    summary = write_summary(request)
    assert "Goal: Port the parser in src/parse.py to asyncio." in summary
    assert "Latest request: Never touch ticket ABC-123. What is left?" in summary
    assert "- edit: path=src/parse.py" in summary
    assert "We decided to keep the old API." in summary.split("## Decisions")[1].split("##")[0]
    assert "Next: update docs/usage.md." in summary.split("## Open TODOs")[1].split("##")[0]
    assert "Never touch ticket ABC-123." in summary.split("## Constraints")[1].split("##")[0]
    identifiers = summary.split("## Exact identifiers")[1]
    assert all(name in identifiers for name in ("src/parse.py", "docs/usage.md", "ABC-123"))


def test_several_summaries_become_one_with_each_line_once() -> None:
    part = "Goal: x\n\n## Decisions\n- keep it\n\n## Exact identifiers\n- a/b.py"
    joined = write_summary(request_for(f"<part number=1>\n{part}\n</part>\n<part number=2>\n{part}\n</part>"))
    assert joined.count("- keep it") == 1
    assert joined.count("## Decisions") == 1
    assert "- a/b.py" in joined


def test_an_ordinary_request_is_no_summary_request() -> None:
    assert not is_summary_request(request_for("what is a <conversation> tag?"))


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("```sh\npip install -e .[test]\npytest\n```", ["pytest"]),
        ("```\n$ make test   # all of it\n```", ["make test"]),
        ("Use `npm test` to test.", ["npm test"]),
        ("```\nuv run pytest -x\n```", ["uv run pytest -x"]),
        (
            "```sh\npython3 -m venv .venv && .venv/bin/python -m pytest\n```",
            ["python3 -m venv .venv && .venv/bin/python -m pytest"],
        ),
        ("```\npytest path/to/test.py\npytest <file>\n```", []),
        ("We like pytest and tox, and pip install pytest.", []),
        ("Testing::\n\n    tox -e py311\n", ["tox -e py311"]),
        ("```\nimport pytest\npytest.raises(ValueError)\n```", []),
    ],
)
def test_test_commands_of_a_document(text: str, commands: list[str]) -> None:
    assert [known.command for known in from_prose("README.md", text)] == commands


def test_the_projects_own_environment_goes_first() -> None:
    known = from_prose("README.md", "```\npython -m pytest -q\nmake test\n```")
    assert runnable(known, [".venv/"]) == [".venv/bin/python -m pytest -q", "python3 -m pytest -q", "make test"]
    assert runnable(known, []) == ["python3 -m pytest -q", "make test"]
