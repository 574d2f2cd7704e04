"""What the guide makes of plain requests, in English and Chinese."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_tui.providers.offline_guide.intents import Intent, understand
from openclaw_tui.providers.offline_guide.quoting import first_path, split_clauses

ONE = {
    "what is this project and how do I run its tests?": Intent("explain"),
    "What does this repository do?": Intent("explain"),
    "explain the codebase": Intent("explain"),
    "how do I run the tests?": Intent("explain"),
    "这个项目是做什么的，怎么运行测试？": Intent("explain"),
    "介绍一下这个项目": Intent("explain"),
    "find where parse_config is defined": Intent("definition", "parse_config"),
    "where is the function `parse_config` defined?": Intent("definition", "parse_config"),
    "find where Config.from_object is declared": Intent("definition", "Config.from_object"),
    "Where do they define the class Blueprint?": Intent("definition", "Blueprint"),
    "which file defines ClientTimeout?": Intent("definition", "ClientTimeout"),
    "find the function parse_config": Intent("definition", "parse_config"),
    "find where parse_config is defined and show it": Intent("definition", "parse_config", show=True),
    "show me the definition of Config.load": Intent("definition", "Config.load", show=True),
    "parse_config 在哪里定义？": Intent("definition", "parse_config"),
    "查找 parse_config 的定义": Intent("definition", "parse_config"),
    'search for "where is foo defined"': Intent("search", "where is foo defined"),
    "search for retry_after in src/": Intent("search", "retry_after", extra="src/"),
    "grep TODO": Intent("search", "TODO"),
    "find all uses of parse_config": Intent("search", "parse_config"),
    "where is parse_config used?": Intent("search", "parse_config"),
    "搜索 retry_after": Intent("search", "retry_after"),
    "Which port did we decide on?": Intent("notes", "port"),
    "what do you remember about the deploy key?": Intent("notes", "deploy key"),
    "search the notes for ZEBRA": Intent("notes", "ZEBRA"),
    "搜索笔记 端口": Intent("notes", "搜索笔记 端口"),
    "find files *.toml": Intent("find", "*.toml"),
    "find all .md files": Intent("find", "*.md"),
    "find config.py": Intent("find", "config.py"),
    "find the file settings.json": Intent("find", "settings.json"),
    "list the files": Intent("list", "."),
    "list src/": Intent("list", "src/"),
    "ls": Intent("list", "."),
    "what files are in src?": Intent("list", "src"),
    "列出文件": Intent("list", "."),
    "read README.md": Intent("read", "README.md"),
    "read README.md lines 3-5": Intent("read", "README.md", first=3, last=5),
    "show me line 7 of src/app.py": Intent("read", "src/app.py", first=7, last=7),
    "show the first 20 lines of src/app.py": Intent("read", "src/app.py", first=1, last=20),
    "read `my notes.txt`": Intent("read", "notes.txt"),
    "src/app.py": Intent("read", "src/app.py"),
    "读取 README.md 第 3 到 5 行": Intent("read", "README.md", first=3, last=5),
    "run the tests": Intent("run_tests"),
    "please run all unit tests": Intent("run_tests"),
    "run the project's test suite": Intent("run_tests"),
    "run the tests in tests/test_config.py": Intent("run_tests", "tests/test_config.py"),
    "运行测试": Intent("run_tests"),
    "run git status": Intent("run", "git status"),
    "run `git log --oneline -3`": Intent("run", "git log --oneline -3"),
    "please run git status for me": Intent("run", "git status"),
    "run pytest -q tests/unit": Intent("run", "pytest -q tests/unit"),
    "run npm test": Intent("run", "npm test"),
    "run make test; echo done": Intent("run", "make test; echo done"),
    "运行 git status": Intent("run", "git status"),
    'write notes.txt with "remember the milk"': Intent("write", "notes.txt", extra="remember the milk\n"),
    "create a file called notes.txt containing hello world": Intent("write", "notes.txt", extra="hello world\n"),
    "write a.py:\n```python\nprint(1)\nprint(2)\n```": Intent("write", "a.py", extra="print(1)\nprint(2)\n"),
    "创建文件 notes.txt 内容为 你好": Intent("write", "notes.txt", extra="你好\n"),
    'in app.py replace "old name" with "new name"': Intent("edit", "app.py", extra="old name", other="new name"),
    'replace "a" with "" in src/b.c': Intent("edit", "src/b.c", extra="a", other=""),
    "把 app.py 里的内容改一下": Intent("read", "app.py"),
    "把 “旧” 改成 “新” 在 app.py": Intent("edit", "app.py", extra="旧", other="新"),
}


@pytest.mark.parametrize("request_text", list(ONE), ids=lambda text: text[:50])
def test_one_request_is_one_intent(request_text: str) -> None:
    assert understand(request_text) == [ONE[request_text]]


@pytest.mark.parametrize(
    ("request_text", "kinds"),
    [
        ("find where foo is defined, then run the tests", ["definition", "run_tests"]),
        ("read a.txt and then read b.txt", ["read", "read"]),
        ("list src/ and show README.md", ["list", "read"]),
        ('replace "x" with "y" in a.py and run `python3 a.py`', ["edit", "run"]),
        ("run git status and show me the output", ["run"]),
        ("找到 foo 的定义，然后运行测试", ["definition", "run_tests"]),
        ("write a.txt with 'list this and then read that'", ["write"]),
        ("run sh -c 'echo a and then read b'", ["run"]),
    ],
)
def test_several_things_in_a_row(request_text: str, kinds: list[str]) -> None:
    assert [intent.kind for intent in understand(request_text)] == kinds


@pytest.mark.parametrize(
    "text", ["", "hello there", "make me a sandwich", "你好", "???", "run it for me", "write a poem"]
)
def test_what_is_not_understood_gets_help_and_nothing_is_done(text: str) -> None:
    assert [intent.kind for intent in understand(text)] == ["help"]


@given(st.text(max_size=200))
def test_any_text_has_an_intent(text: str) -> None:
    assert understand(text)


def test_joints_inside_quotes_and_fences_join_nothing() -> None:
    assert split_clauses('say "one and then run two" and then list src/') == ['say "one and then run two"', "list src/"]
    assert len(split_clauses("write a.sh\n```sh\nls and then read x\n```")) == 1


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("read src/app.py now", "src/app.py"),
        ("read ./a.b/c.d.txt.", "./a.b/c.d.txt"),
        ("look into ~/notes.md", "~/notes.md"),
        ("open `dir with/odd.name`", "with/odd.name"),
        ("show the Makefile", "Makefile"),
        ("version 1.2 of it", ""),
        ("读README.md", "README.md"),
    ],
)
def test_paths_in_sentences(text: str, path: str) -> None:
    assert first_path(text) == path
