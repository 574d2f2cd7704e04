"""Command lines an agent runs all day to look at a project: none of them needs a question.

Written as running text: `⏵` stands between two lines, `⏎` for a line end within one. Not among them, because they are
asked about on purpose: `find -exec` and `xargs` with programs that open what they get (a name may be a link that leads
out), and patterns that could turn into an option (`grep x *`).
"""


def lines_of(text: str) -> tuple[str, ...]:
    return tuple(line.strip(" \n").replace("⏎", "\n") for line in text.replace("\n", "⏵").split("⏵") if line.strip())


ORDINARY = lines_of(
    r"""
ls ⏵ ls -la ⏵ ls -la src ⏵ ls src build ⏵ ls *.md ⏵ pwd ⏵ cat a ⏵ cat a notes.txt ⏵ cat src/b.py ⏵ head a
head -n 20 README.md ⏵ tail -n 5 a ⏵ tail -20 a ⏵ wc -l a ⏵ wc -l src/*.py ⏵ nl -ba a ⏵ cat -n a ⏵ stat a ⏵ grep x a
grep -rn x . ⏵ grep -rn 'def ' src ⏵ grep -rnE 'a|b' --include='*.py' . ⏵ grep -c x a ⏵ rg x ⏵ rg -n x src
rg -n 'class ' -g '*.py' ⏵ rg --files ⏵ rg -l x | head ⏵ rg -uu x ⏵ rg -C 3 x a ⏵ find . -name '*.py'
find . -type f ⏵ find src -maxdepth 2 -name b.py ⏵ find . -type f | head -20 ⏵ find . -newer a
find . -name '*.py' | wc -l ⏵ ls | wc -l ⏵ git status ⏵ git status --short ⏵ git diff ⏵ git diff HEAD
git diff --stat ⏵ git diff --cached ⏵ git log ⏵ git log --oneline -5 ⏵ git log --oneline | head ⏵ git log -p -1
git log --format='%h %s' -10 ⏵ git show HEAD ⏵ git show HEAD:a ⏵ git branch ⏵ git branch -a
git branch --show-current ⏵ git remote -v ⏵ git rev-parse HEAD ⏵ git ls-files ⏵ git ls-files | head ⏵ git blame a
git describe --tags ⏵ git stash list ⏵ git tag ⏵ git tag -l ⏵ git -C src status ⏵ git --no-pager log -3
git rev-parse --show-toplevel ⏵ git shortlog -sn ⏵ git grep x ⏵ git diff HEAD~1 -- a ⏵ git log --since=yesterday
git config --get user.name ⏵ git merge-base HEAD main ⏵ git reflog ⏵ git worktree list ⏵ git check-ignore a
git cat-file -p HEAD ⏵ git diff --name-only main...HEAD ⏵ cd src && ls ⏵ cd src && cat b.py ⏵ cd src; grep -n x b.py
(cd src && ls) ⏵ ls && pwd ⏵ ls; pwd; date ⏵ cd . && git log ⏵ cat a | head -5 ⏵ cat a | sort | uniq -c
cat a | sort | uniq -c | sort -rn | head ⏵ sort a ⏵ sort -u a ⏵ cut -d: -f1 a ⏵ sed -n 1,20p a ⏵ sed -n '5p' a
cat a | tr a-z A-Z ⏵ diff a notes.txt ⏵ diff -u a notes.txt ⏵ diff -r src build ⏵ comm a notes.txt ⏵ du -sh .
df -h ⏵ file a ⏵ tree ⏵ tree -L 2 ⏵ date ⏵ date +%s ⏵ uname -a ⏵ whoami ⏵ id ⏵ hostname ⏵ uptime ⏵ nproc
which python ⏵ which git node ⏵ type ls ⏵ command -v git ⏵ echo hello ⏵ echo $HOME ⏵ echo "$PATH" ⏵ echo a b c
printf '%s\n' a ⏵ test -f a && echo yes ⏵ [ -f a ] && echo yes ⏵ true ⏵ [ -d src ] || echo no ⏵ python --version
python3 --version ⏵ node --version ⏵ npm --version ⏵ git --version ⏵ cargo --version ⏵ go version ⏵ java -version
gcc --version ⏵ ls 2>/dev/null ⏵ cat a 2>&1 ⏵ ls missing 2>/dev/null ⏵ grep x a || true ⏵ grep -q x a && echo found
ls > /dev/null ⏵ cat a > /dev/null 2>&1 ⏵ basename a ⏵ dirname src/b.py ⏵ realpath a ⏵ readlink -f a ⏵ md5sum a
sha256sum a ⏵ xxd a | head ⏵ od -c a | head ⏵ strings a ⏵ jq . a ⏵ jq -r .x a ⏵ timeout 5 ls ⏵ time ls ⏵ nice ls
env LC_ALL=C sort a ⏵ LC_ALL=C sort a ⏵ TZ=UTC date ⏵ bash -c 'ls' ⏵ sh -c 'cat a | head -1'
if [ -f a ]; then cat a; fi ⏵ echo $(git rev-parse HEAD) ⏵ echo "at $(pwd)" ⏵ seq 3 ⏵ sleep 1 ⏵ expr 1 + 1
cat <<'E'⏎hello⏎E ⏵ cat a && echo --- && cat notes.txt ⏵ paste a notes.txt ⏵ rev a ⏵ tac a
"""
)
