"""What the parser finds in a command line: every command, however it is hidden."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openclaw_tui.safety.shell_commands import ParsedCommand, parse_command
from tests.safety.evasions import CHAINS, DISGUISED, WRAPPED


def _names(parsed: ParsedCommand) -> list[str]:
    return [part.text for part in parsed.parts]


def _is_seen(command: str, hidden: str = "rm") -> bool:
    """True when nothing could run unasked: the hidden program is a part of its own, or the line is not vouched for."""
    parsed = parse_command(command)
    if not parsed.parseable:
        return True
    return any(part.program == hidden or (part.unclear and not part.transparent) for part in parsed.parts)


@pytest.mark.parametrize("command", CHAINS)
def test_every_part_of_a_chain_is_found(command: str) -> None:
    assert _is_seen(command)
    assert not _all_read_only(command)


@pytest.mark.parametrize("command", WRAPPED)
def test_the_command_inside_a_wrapper_is_found(command: str) -> None:
    assert _is_seen(command)
    assert not _all_read_only(command)


@pytest.mark.parametrize("command", DISGUISED)
def test_a_disguised_command_is_found_or_not_vouched_for(command: str) -> None:
    assert _is_seen(command)
    assert not _all_read_only(command)


def _all_read_only(command: str) -> bool:
    parsed = parse_command(command)
    return parsed.parseable and all(part.read_only or part.transparent for part in parsed.parts)


@pytest.mark.parametrize(
    "command",
    [
        "git commit -m x",
        "git -C sub commit",
        "git --no-pager commit",
        "/usr/bin/git commit",
        "FOO=1 git commit",
        "env git commit",
        "env -u X FOO=1 git -C a --no-pager commit",
        "sh -c 'git commit'",
        'g"i"t commit',
        "git -c user.name=x commit",
        "xargs git commit",
    ],
)
def test_one_command_has_one_normal_form(command: str) -> None:
    """Case 236: global options, full paths and prefixes do not hide the subcommand."""
    parsed = parse_command(command)
    assert parsed.parseable
    assert any(part.words[:2] == ("git", "commit") for part in parsed.parts)


@pytest.mark.parametrize(
    "command",
    [
        "ls -la src | head -5",
        "cat README.md && git status",
        "git log --oneline -5; git diff HEAD~1 -- a.py",
        "grep -rn 'def f' . | sort | uniq -c",
        "find . -name '*.py' | wc -l",
        "sed -n 10,20p a.py",
        "cd sub && ls",
        "rg -n pattern src",
        "git -C sub --no-pager show HEAD",
        "timeout 5 cat a.py",
        "LC_ALL=C sort a.txt",
        'echo "$HOME" && pwd',
        "python3 --version",
        "git branch -a && git remote -v && git stash list",
        "[ -f a.py ] && cat a.py",
        "sh -c 'ls && cat a.py'",
        "cat a.py 2>&1",
        "wc -l < a.py",
    ],
)
def test_commands_that_only_look_are_known(command: str) -> None:
    assert _all_read_only(command)


@pytest.mark.parametrize(
    "command",
    [
        "sort -o a.txt b.txt",
        "sort --out=a.txt b.txt",
        "git diff --output=x",
        "git diff --outp x",
        "git log --ext-diff",
        "git grep -O x",
        "git branch -D x",
        "git branch new",
        "git tag v1",
        "git remote add x y",
        "git stash",
        "git config user.name x",
        "git reflog expire --all",
        "find . -delete",
        "find . -fprint x",
        "rg --pre=sh x",
        "rg --pr sh x",
        "fd -x rm",
        "uniq a b",
        "xxd -r a b",
        "date -s now",
        "tree -o x",
        "sed -i s/a/b/ x",
        "sed -n 'w x' y",
        "sed -n '1e id' y",
        "awk 'BEGIN{system(\"id\")}'",
        "cat a > b",
        "cat a >> b",
        "cat a &> b",
        "cat a >| b",
        "cat a 2> b",
        "cat a >& b",
        "./ls",
        "bin/cat x",
        "rg *",
        "sort *",
        "env",
        "tee x",
    ],
)
def test_looking_commands_with_a_writing_option_are_not_taken_for_read_only(command: str) -> None:
    assert not _all_read_only(command)


@pytest.mark.parametrize(
    "command",
    [
        "rm -r x",
        "rm -fR x",
        "rm --rec x",
        "rm *",
        "find . -delete",
        "find . -exec rm {} +",
        "git reset --hard",
        "git reset -q --hard HEAD~1",
        "git push --force",
        "git push -f origin main",
        "git push origin +main",
        "git push origin :main",
        "git push --force-with-lease",
        "git clean -fdx",
        "git checkout -- .",
        "git checkout .",
        "git restore a.py",
        "git branch -D x",
        "git stash drop",
        "dd if=a of=b",
        "mkfs.ext4 /dev/sda",
        "shred x",
        "truncate -s 0 x",
        "chmod -R 777 .",
        "chown -R me .",
        "sudo ls",
        "rsync -a --delete a b",
        "npm publish",
    ],
)
def test_destructive_commands_are_named(command: str) -> None:
    assert any(part.dangerous_reasons for part in parse_command(command).parts)


@pytest.mark.parametrize(
    "command", ["git push", "rm a.txt", "git reset a.py", "chmod +x a", "git checkout -b x", "git add ."]
)
def test_ordinary_commands_are_not_called_destructive(command: str) -> None:
    assert not any(part.dangerous_reasons for part in parse_command(command).parts)


@pytest.mark.parametrize(
    "command", ["ls (", "echo 'a", "if true", "a && ", "cat <<EOF\nno end", "\ud800", "x" * 200_000]
)
def test_what_is_no_whole_command_is_not_parseable(command: str) -> None:
    assert not parse_command(command).parseable


@pytest.mark.parametrize(
    "command",
    [
        'for f in *.py; do echo "$f"; wc -l "$f"; done',
        "x=$(git rev-parse HEAD); echo $x",
        "pytest -q 2>&1 | tee out.log | tail -5",
        '[[ $x == *.py ]] && echo "a" >&2; exit 1',
        "python - <<'EOF'\nprint(\"a; rm x\")\nEOF",
        'git commit -m "$(cat <<EOF\nmsg (x)\nEOF\n)"',
        "awk '{print $1}' f | sort -u",
        'a=1; echo $((1+1)) ${x:0:3} ${x%%.*} ${#arr[@]} "${arr[0]}"',
        "set -euo pipefail; cd x && make -j$(nproc)",
        "find . -type f \\( -name '*.a' -o -name '*.b' \\) -print0 | xargs -0 grep -l foo",
        "diff <(sort a) <(sort b)",
        'case "$1" in a|b) ls;; *) pwd;; esac',
        "make all \\\n  -j 4 \\\n  && ls",
        "echo done # it's fine",
        'echo "first \\\n second"',
    ],
)
def test_ordinary_command_lines_are_understood(command: str) -> None:
    assert parse_command(command).parseable


def test_redirections_are_writes_and_reads() -> None:
    parsed = parse_command("sort < in.txt > out.txt 2>> err.txt")
    assert [part.writes for part in parsed.parts if part.writes] == [("out.txt",), ("err.txt",)]
    assert [part.reads for part in parsed.parts if part.reads] == [("in.txt",)]


_PAYLOAD = st.sampled_from(["rm x", "rm -rf y z", "r''m x", "/bin/rm x", "A=1 rm x", "env rm x"])
_HARMLESS = st.sampled_from(["ls", "git status", "echo 'a;b'", 'echo "x && y"', "cat a\\ b", "true", "echo '$(no)'"])
_LINK = st.sampled_from([" && ", " || ", "; ", " | ", " & ", "\n", " |& "])
_AROUND = st.sampled_from(
    [
        "time {}",
        "{}",
        "( {} )",
        "{{ {}; }}",
        "echo $( {} )",
        'echo "$( {} )"',
        "cat <( {} )",
        "if true; then {}; fi",
        "! {}",
        "for i in 1 2; do {}; done",
        "f() {{ {}; }}",
        "x=$( {} )",
        "echo `{}`",
        "while {}; do true; done",
    ]
)


@st.composite
def _command_lines(draw: st.DrawFn) -> str:
    text = draw(_PAYLOAD)
    for _ in range(draw(st.integers(1, 4))):
        around = draw(_AROUND)
        text = around.format(text) if "`" not in around or "`" not in text else text
        if draw(st.booleans()):
            text = draw(_HARMLESS) + draw(_LINK) + text
        if draw(st.booleans()):
            text = text + draw(_LINK) + draw(_HARMLESS)
    return text


@given(_command_lines())
@settings(max_examples=300, deadline=None)
def test_no_generated_nesting_hides_a_command(command: str) -> None:
    assert _is_seen(command)


@given(st.text(max_size=80))
@settings(max_examples=300, deadline=None)
def test_any_text_is_answered(text: str) -> None:
    assert isinstance(parse_command(text), ParsedCommand)
