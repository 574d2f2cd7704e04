"""The guide in the real loop: it calls the real tools, and answers with what they returned."""

import os
from pathlib import Path

import pytest

from openclaw_tui.messages import text_of
from tests.agent.harness import Agent, compose, running


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    files = {
        "README.md": "# Fruit press\n\nPresses fruit into juice, one kind at a time, without a motor.\n\n"
        "## Tests\n\n```sh\nsh tests/all.sh\nmake test\n```\n",
        "Makefile": "test:\n\t@echo '3 passed, 0 failed'\n",
        "src/press.py": "import os\n\n\nclass Press:\n    def squeeze(self, fruit):\n"
        "        return squeeze(fruit)\n\n\n"
        "def squeeze(fruit):\n    return f'{fruit} juice'\n",
        "src/other.py": "from press import squeeze\n\nprint(squeeze('apple'), squeeze=True,)\n",
        "tests/test_press.py": "def squeeze(x):\n    return x\n",
        "notes.txt": "".join(f"line {n}\n" for n in range(1, 31)),
    }
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


async def said(it: Agent, text: str) -> str:
    await it.turn(text)
    return text_of(it.answers[-1].content)


def called(it: Agent) -> list[str]:
    return [message.tool_name for message in it.results]


@pytest.mark.parametrize("text", ["what is this project and how do I run its tests?", "这个项目是什么？怎么运行测试？"])
async def test_explains_the_project_from_its_papers(project: Path, text: str) -> None:
    async with running(compose(project, mode="default")) as it:
        answer = await said(it, text)
        assert called(it) == ["ls", "read", "read"]
    assert "Fruit press" in answer
    assert "Presses fruit into juice, one kind at a time, without a motor." in answer
    assert "`make test` (from README.md)" in answer
    assert "Read for this: README.md, Makefile." in answer


async def test_finds_the_definition_and_not_a_method_test_or_import(project: Path) -> None:
    async with running(compose(project)) as it:
        answer = await said(it, "find where squeeze is defined")
    assert "`squeeze` is defined in **src/press.py:9**" in answer
    assert "src/press.py:5" in answer.split("Other places")[1]
    assert "import" not in answer
    assert "squeeze=True" not in answer


async def test_a_dotted_name_is_the_member(project: Path) -> None:
    async with running(compose(project)) as it:
        answer = await said(it, "where is Press.squeeze defined and show it")
        assert called(it) == ["grep", "grep", "read"]
    assert "`Press.squeeze` is defined in **src/press.py:5**" in answer
    assert "    def squeeze(self, fruit):" in answer


async def test_a_name_that_is_nowhere_is_said_to_be_nowhere(project: Path) -> None:
    async with running(compose(project)) as it:
        assert "`no_such_name` does not occur" in await said(it, "find where no_such_name is defined")
        assert "no definition of `motor`" in await said(it, "find where motor is defined")


async def test_reads_ranges_lists_searches_and_finds(project: Path) -> None:
    async with running(compose(project)) as it:
        part = await said(it, "read notes.txt lines 3-5")
        assert "line 3\nline 4\nline 5\n```" in part
        assert "line 6" not in part
        assert "lines 3-5 of 30" in part
        assert "press.py" in await said(it, "list src/")
        assert "src/other.py:1" in await said(it, 'search for "from press"')
        assert "tests/test_press.py" in await said(it, "find files test_*.py")
        assert "did not work" in await said(it, "read missing.txt")


async def test_writes_edits_and_says_what_became_of_it(project: Path) -> None:
    async with running(compose(project)) as it:
        await said(it, 'write new/plan.txt with "press pears"')
        assert (project / "new/plan.txt").read_text(encoding="utf-8") == "press pears\n"
        await said(it, 'write notes.txt with "short"')
        assert (project / "notes.txt").read_text(encoding="utf-8") == "short\n"
        await said(it, 'in src/press.py replace "juice" with "must"')
        assert "fruit} must" in (project / "src/press.py").read_text(encoding="utf-8")
        assert "did not work" in await said(it, 'in src/press.py replace "nowhere" with "x"')


async def test_several_things_in_a_row_on_results(project: Path) -> None:
    async with running(compose(project)) as it:
        answer = await said(it, 'write a.txt with "one" and then read a.txt and then run `cat a.txt a.txt`')
        assert called(it) == ["write", "read", "exec"]
    assert "one\none" in answer


async def test_runs_the_tests_as_the_readme_says(project: Path) -> None:
    async with running(compose(project)) as it:
        answer = await said(it, "run the tests")
    assert "`make test` ran" in answer
    assert "3 passed, 0 failed" in answer


async def test_failing_tests_are_said_to_fail_and_the_failures_are_shown(project: Path) -> None:
    (project / "Makefile").write_text("test:\n\t@echo 'FAILED a::b'; echo '1 failed, 2 passed'; exit 3\n", "utf-8")
    async with running(compose(project)) as it:
        answer = await said(it, "run the tests")
    assert "`make test` failed" in answer
    assert "FAILED a::b\n1 failed, 2 passed" in answer


async def test_a_runner_that_is_not_there_gives_way_to_the_next(project: Path) -> None:
    (project / "README.md").write_text("# X\n\nRun `bin/no-such-dir/pytest` or `make test`.\n", encoding="utf-8")
    async with running(compose(project)) as it:
        answer = await said(it, "run the tests")
    assert "`bin/no-such-dir/pytest` could not start here" in answer
    assert "`make test` ran" in answer


async def test_what_is_not_installed_is_told_with_its_cure(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "README.md").write_text("# X\n", encoding="utf-8")
    (project / "Makefile").unlink()
    script = '{"name": "x", "scripts": {"test": "no-such-runner"}}'
    (project / "package.json").write_text(script, encoding="utf-8")
    (project / "bin").mkdir()
    npm = project / "bin" / "npm"
    npm.write_text("#!/bin/sh\necho 'sh: 1: no-such-runner: not found'; exit 127\n", encoding="utf-8")
    npm.chmod(0o755)
    monkeypatch.setenv("PATH", f"{npm.parent}:{os.environ['PATH']}")
    async with running(compose(project)) as it:
        answer = await said(it, "run the tests")
    assert "could not start here" in answer
    assert "installed with `npm install`" in answer


async def test_python_is_called_by_the_name_it_has(project: Path) -> None:
    (project / "README.md").write_text("# X\n\n```\n$ python -m unittest discover -s tests\n```\n", encoding="utf-8")
    async with running(compose(project)) as it:
        answer = await said(it, "run the tests")
    assert "`python3 -m unittest discover -s tests`" in answer
    assert "Ran 0 tests" in answer


async def test_a_project_without_a_word_about_tests_is_not_guessed_at(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    async with running(compose(empty)) as it:
        assert "I found no test command" in await said(it, "run the tests")
        assert called(it) == ["ls"]


async def test_a_refusal_is_told_with_the_command_it_would_have_run(project: Path) -> None:
    async with running(compose(project, mode="default")) as it:
        answer = await said(it, "run the tests")
        assert "would be run with `make test`" in answer
        assert "not allowed" in answer
        denied = await said(it, "run touch made.txt")
        assert "`touch made.txt` was not run" in denied
    assert not (project / "made.txt").exists()


async def test_a_long_command_is_followed_to_its_end(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("openclaw_tui.tools.exec.EXEC_MAX_YIELD_SECONDS", 0.2)
    monkeypatch.setattr("openclaw_tui.providers.offline_guide.provider.GUIDE_POLL_SECONDS", 0.2)
    async with running(compose(project)) as it:
        answer = await said(it, "run `echo begin; sleep 1; echo end; exit 4`")
        assert called(it)[0] == "exec"
        assert set(called(it)[1:]) == {"process"}
    assert "failed" in answer
    assert "begin" in answer
    assert "end" in answer


async def test_it_says_what_it_is_only_where_a_screen_shows_it(project: Path) -> None:
    async with running(compose(project)) as it:
        assert "not an AI model" not in await said(it, "list the files")
        assert "I only follow plain requests" in await said(it, "hello")


async def test_the_same_talk_gives_the_same_answers(project: Path) -> None:
    answers = []
    for _ in range(2):
        async with running(compose(project)) as it:
            answers.append([await said(it, text) for text in ("list the files", "find where squeeze is defined")])
    assert answers[0] == answers[1]
