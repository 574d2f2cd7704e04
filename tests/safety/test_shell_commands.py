"""What the parser finds in a command line: every command, however it is hidden."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openclaw_tui.safety.shell_commands import ParsedCommand, parse_command


def _names(parsed: ParsedCommand) -> list[str]:
    return [part.text for part in parsed.parts]


def _is_seen(command: str, hidden: str = "rm") -> bool:
    """True when nothing could run unasked: the hidden program is a part of its own, or the line is not vouched for."""
    parsed = parse_command(command)
    if not parsed.parseable:
        return True
    return any(part.program == hidden or (part.unclear and not part.transparent) for part in parsed.parts)


CHAINS = [
    "git status && rm -rf build",
    "git status ; rm -rf build",
    "git status | rm -rf build",
    "git status || rm -rf build",
    "git status & rm -rf build",
    "git status |& rm -rf build",
    "git status\nrm -rf build",
    "git status $(rm -rf build)",
    "git status `rm -rf build`",
    'git status "$(rm -rf build)"',
    'git status "a `rm -rf build` b"',
    "git status <(rm -rf build)",
    "git status >(rm -rf build)",
    "git status > $(rm -rf build)",
    "git status ${x:-$(rm -rf build)}",
    "git status $((1 + $(rm -rf build)))",
    "(rm -rf build)",
    "{ rm -rf build; }",
    "if git status; then rm -rf build; fi",
    "for i in a; do rm -rf build; done",
    "for i in $(rm -rf build); do git status; done",
    "while rm -rf build; do git status; done",
    "until rm -rf build; do git status; done",
    "case x in x) rm -rf build;; esac",
    "case $(rm -rf build) in x) git status;; esac",
    "f() { rm -rf build; }; f",
    "function f { rm -rf build; }; f",
    "! rm -rf build",
    "A=$(rm -rf build) git status",
    "A=$(rm -rf build)",
    "export A=$(rm -rf build)",
    "a=(1 $(rm -rf build))",
    "[[ -n $(rm -rf build) ]]",
    "[ -n $(rm -rf build) ]",
    "git status <<< $(rm -rf build)",
    "git status <<EOF\n$(rm -rf build)\nEOF",
    "git status <<EOF\na `rm -rf build`\nEOF",
    "git status <<'EOF'\nhello\nEOF\nrm -rf build",
    "git status <<-EOF\n\thello\n\tEOF\nrm -rf build",
    "git status <<EOF && rm -rf build\nhello\nEOF",
    "git status # it's\nrm -rf build",
    'git log --format="%s" && rm -rf "build"',
]

WRAPPED = [
    "env rm x",
    "env A=1 rm x",
    "env -i -u B A=1 rm x",
    "env -S 'rm x'",
    "sudo rm x",
    "sudo -u root -- rm x",
    "doas rm x",
    "nohup rm x",
    "timeout 5 rm x",
    "timeout -k 3 -s KILL 5 rm x",
    "timeout --signal=KILL 5s rm x",
    "nice rm x",
    "nice -n 5 rm x",
    "nice -5 rm x",
    "ionice -c 3 rm x",
    "stdbuf -oL rm x",
    "setsid -w rm x",
    "time rm x",
    "time -p rm x",
    "command rm x",
    "command -p rm x",
    "builtin rm x",
    "exec rm x",
    "exec -a ls rm x",
    "coproc rm x",
    "xargs rm",
    "ls | xargs -I{} -n 1 rm {}",
    "ls | xargs -0 sh -c 'rm x'",
    "sh -c 'rm x'",
    "bash -c 'rm x'",
    "bash -lc 'rm x'",
    "bash -euo pipefail -c 'rm x'",
    "bash -c -- 'rm x'",
    "/bin/sh -c \"sh -c 'rm x'\"",
    "zsh -ic 'rm x'",
    "eval rm x",
    "eval 'rm x'",
    "eval \"rm\" 'x'",
    "trap 'rm x' EXIT",
    "find . -exec rm {} ;",
    "find . -exec rm {} \\;",
    "find . -exec rm {} +",
    "find . -execdir rm {} \\;",
    "find . -name x -ok rm {} \\;",
    "find . -exec sh -c 'rm $1' _ {} \\;",
    "busybox rm x",
    "chroot / rm x",
    "flock /tmp/l rm x",
    "env sudo nohup timeout 3 rm x",
]

DISGUISED = [
    "r''m x",
    'r""m x',
    "r\\m x",
    "'rm' x",
    '"rm" x',
    "\\rm x",
    "/bin/rm x",
    "../../bin/rm x",
    "r\\\nm x",
    "\\\nrm x",
    "$'rm' x",
    "$'\\x72m' x",
    "{rm,x}",
    "/bin/r? x",
    "r[m] x",
    "$(echo rm) x",
    "`echo rm` x",
    "X=rm; $X x",
    "X=rm; ${X} x",
    "X=m; r$X x",
    "${0/x/rm} x",
    "alias ls=rm; ls x; $BASH_ALIASES x",
    "sh <<< 'rm x'",
    "echo rm x | sh",
    "echo cm0gLXJm | base64 -d | bash",
    "bash < script",
    "bash -s < script",
    "sh <<'EOF'\nrm x\nEOF",
    'bash -c "$X"',
    "eval $X",
    "ls\rrm x",
    "ls \x00rm x",
    "echo $'a\\\\' ; rm x ; echo '",
    'echo "a\\\\" ; rm x ; echo "b"',
    "echo `echo \\`rm x\\``",
    "a[$(rm x)]=1",
    "declare -i y='a[$(rm x)]'",
    "[[ 'a[$(rm x)]' -eq 1 ]]",
    "test -v 'a[$(rm x)]'",
    "PATH=/tmp/evil:$PATH git status",
    "export PATH=/tmp/evil; git status",
    "LD_PRELOAD=./evil.so git status",
    "BASH_ENV=./evil bash -c 'git status'",
    "GIT_SSH_COMMAND='rm x' git fetch",
    "GIT_PAGER='rm x' git log",
    "env PATH=/tmp/evil git status",
    "git -c core.pager='rm x' log",
    "git -c alias.st='!rm x' st",
    "git --exec-path=/tmp/evil status",
    "git --git-dir=/tmp/evil status",
    "git $X",
    "xargs <f rm x",
    "xargs >f rm x",
    "exec -a l >| s rm x",
    "eval 2>/dev/null rm x",
    "sh >f -c 'rm x'",
    "xargs <<EOF rm x\nz\nEOF",
    "ls | xargs 2>f rm x",
    "env =a rm x",
    "ls > f $(rm x)",
    "a=$ rm x",
    "a=b +\n\\\n\\\nrm x",
    "declare -i y='a[ $(rm x)]'",
    "cat <<'a\nrm x",
    "timeout -k 3 --s KILL 5 rm x",
    "find . -ex*ec rm {} +",
    "a=(1 2)5 rm x",
    "y=if {rm,x}",
    "cat <<'EOF'x\na\nEOFx\nrm x\nEOF\n",
    "cat <<EOF'x'\na\nEOFx\nrm x\nEOF\n",
    'cat <<E"OF"\na\nEOF\nrm x\nE"OF"\n',
    "cat <<E\\OF\na\nEOF\nrm x\nE\\OF\n",
    "cat <<EOF; cat <<END\nEOF\nrm x\nEND\n",
    "cat <<EOF <<END\nEOF\nx\nEND\nrm x\n",
    "cat <<-EOF\n\tEOF\nrm x\nEOF\n",
    "cat <<EOF\n\tEOF\nEOF\nrm x\n",
    'ls "$\\\n(rm x)"',
]


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
        'a=1; ((a++)); echo $((a+1)) ${x%%.*} ${#arr[@]} "${arr[0]}"',
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
