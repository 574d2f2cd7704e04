"""What is known about programs: which only look, which destroy, which variables run other code.

Tables and small functions on literal words; nothing is parsed here. Invariant: a command is read-only only where the
table says so. Long options are matched as getopt does: a unique beginning counts as the whole.
"""

import re
from collections.abc import Mapping, Sequence

import msgspec


def names(text: str) -> list[str]:
    """The tables are written as running text: one name after the other."""
    return text.split()


HARMLESS_VARIABLES = frozenset(
    names("LANG LANGUAGE TZ TERM NO_COLOR FORCE_COLOR CLICOLOR COLORTERM COLUMNS LINES CI DEBUG VERBOSE")
)
_RISKY_VARIABLE = re.compile(
    r"^(?:PATH|CDPATH|IFS|ENV|BASH_ENV|BASHOPTS|SHELLOPTS|SHELL|PS4|PROMPT_COMMAND|BASH_FUNC_.*|LD_.*|DYLD_.*|GIT_.*"
    r"|EDITOR|VISUAL|PAGER|MANPAGER|BROWSER|LESSOPEN|LESSCLOSE|GCONV_PATH|GLIBC_TUNABLES|PYTHON(?:PATH|HOME|STARTUP"
    r"|INSPECT|WARNINGS|BREAKPOINT)|NODE_OPTIONS|NODE_PATH|PERL5?(?:LIB|OPT|DB)|RUBY(?:LIB|OPT)|JAVA_TOOL_OPTIONS"
    r"|_JAVA_OPTIONS|CLASSPATH|NPM_CONFIG_.*|CARGO_.*|RUSTC.*|MAKEFLAGS|CC|CXX|SSH_ASKPASS|SUDO_ASKPASS"
    r"|RIPGREP_CONFIG_PATH|HOME|XDG_.*|TMPDIR|OPENCLAW_.*)$",
    re.IGNORECASE,
)
STANDARD_PROGRAM_FOLDERS = frozenset(
    ("/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/opt/homebrew/bin")
)


def is_risky_variable(name: str) -> bool:
    """Variables by which a harmless program loads or starts something else."""
    return _RISKY_VARIABLE.match(name) is not None


def is_harmless_variable(name: str) -> bool:
    return name in HARMLESS_VARIABLES or name.startswith("LC_")


class _Looks(msgspec.Struct, frozen=True):
    """A program that only looks, as long as none of these options is used. `operands` is the most it may get."""

    long: tuple[str, ...] = ()
    short: str = ""
    operands: int | None = None
    opens: bool = True

    def allows(self, words: Sequence[str]) -> bool:
        operands = 0
        for word in words:
            if word.startswith("--") and len(word) > 2:
                name = word.split("=", 1)[0]
                if any(banned.startswith(name) for banned in self.long):
                    return False
            elif word.startswith("-") and len(word) > 1:
                if any(char in word[1:] for char in self.short):
                    return False
            else:
                operands += 1
        return self.operands is None or operands <= self.operands


_PLAIN = _Looks()
_SILENT = _Looks(opens=False)
_LOOKING: Mapping[str, _Looks] = {
    **dict.fromkeys(
        names("cat head tail nl tac rev paste comm cmp cut tr od hexdump strings stat readlink realpath"), _PLAIN
    ),
    **dict.fromkeys(names("ls cd df md5sum sha1sum sha256sum sha512sum cksum jq column"), _PLAIN),
    **dict.fromkeys(names("pwd echo true false : whoami id uname uptime nproc basename dirname sleep seq"), _SILENT),
    **dict.fromkeys(names("which type whereis test [ printf expr for"), _SILENT),
    "grep": _Looks(("--dereference-recursive",), "R"),
    "egrep": _Looks(("--dereference-recursive",), "R"),
    "fgrep": _Looks(("--dereference-recursive",), "R"),
    "rg": _Looks(("--pre", "--pre-glob", "--hostname-bin", "--search-zip", "--follow"), "zL"),
    "fd": _Looks(("--exec", "--exec-batch", "--follow"), "xXL"),
    "sort": _Looks(("--output", "--compress-program", "--files0-from", "--temporary-directory"), "oT"),
    "wc": _Looks(("--files0-from",)),
    "du": _Looks(("--files0-from",), "L"),
    "uniq": _Looks(operands=1),
    "xxd": _Looks(short="r", operands=1),
    "date": _Looks(("--set", "--file"), "sf"),
    "diff": _Looks(("--output",)),
    "file": _Looks(("--compile", "--files-from"), "Cf"),
    "tree": _Looks(("--output",), "oRl"),
    "hostname": _Looks(operands=0),
}
_VERSION_ONLY = frozenset(
    names(
        "python python3 node npm pnpm yarn bun deno go cargo rustc ruby java javac gcc g++ clang cmake make pip pip3 uv"
        " git docker bash gh"
    )
)
_GIT_LOOKING = frozenset(
    names(
        "status log diff show blame ls-files ls-tree rev-parse rev-list describe shortlog cat-file count-objects"
        " name-rev merge-base show-ref for-each-ref diff-tree diff-index check-ignore grep whatchanged"
    )
)
_GIT_WRITING = _Looks(("--output", "--ext-diff", "--open-files-in-pager", "--textconv", "--filters", "--no-index"), "O")
_GIT_CONFIG_LOOKING = frozenset(
    names("--get --get-all --list -l --global --local --system --show-origin --show-scope --name-only -z --null --bool")
)
_FIND_WRITING = re.compile(r"^-(?:delete|exec|execdir|ok|okdir|fls|fprint0?|fprintf|L|follow|files0-from)$")
_SED_PRINT = re.compile(r"^\d+(?:,(?:\d+|\$))?p(?:;\d+(?:,(?:\d+|\$))?p)*$|^\$p$")


def is_read_only(words: Sequence[str]) -> bool:
    """True where the table knows that this command, with these words, changes nothing."""
    program, rest = words[0], words[1:]
    if program in _VERSION_ONLY and list(rest) in (["--version"], ["-V"] if program.startswith("python") else []):
        return bool(rest)
    if (program, *rest) in (("go", "version"), ("java", "-version")):
        return True
    if program == "git":
        return bool(rest) and _git_looks(rest[0], rest[1:])
    if program == "find":
        return not any(_FIND_WRITING.match(word) for word in rest)
    if program == "sed":
        return len(rest) >= 2 and rest[0] == "-n" and bool(_SED_PRINT.match(rest[1])) and not _options(rest[2:])
    if program == "cd":
        return "-" not in rest and len(rest) <= 1
    if program == "command":
        return rest[:1] in (["-v"], ["-V"], ("-v",), ("-V",))
    if program == "printf":
        return not (rest and rest[0].startswith("-v"))
    return program in _LOOKING and _LOOKING[program].allows(rest)


def is_read_only_whatever(program: str) -> bool:
    """Programs that change nothing with any words at all, also words not known before the shell runs."""
    return program in ("echo", "true", "false", ":")


def has_harmful_options(program: str) -> bool:
    """A file name that begins with a dash, brought in by a pattern, could become such an option."""
    return program not in _LOOKING or _LOOKING[program].long != () or _LOOKING[program].short != ""


def opens_files(program: str) -> bool:
    """False for programs whose words are not names of files to open (`echo`, `test`, …)."""
    return program not in _LOOKING or _LOOKING[program].opens


def _options(words: Sequence[str]) -> list[str]:
    return [word for word in words if word.startswith("-") and word != "-"]


def _git_looks(command: str, rest: Sequence[str]) -> bool:
    options, operands = _options(rest), [word for word in rest if not word.startswith("-")]
    match command:
        case "branch" | "tag":
            listing = {"-a", "-r", "-v", "-vv", "--list", "-l", "--all", "--remotes", "--show-current", "--verbose"}
            return set(options) <= listing and (not operands or "--list" in options or "-l" in options)
        case "remote":
            return not operands and set(options) <= {"-v", "--verbose"}
        case "stash" | "worktree":
            return operands[:1] == ["list"]
        case "reflog":
            return operands[:1] in ([], ["show"])
        case "config":
            return bool({"--get", "--list", "-l", "--get-all"} & set(options)) and set(options) <= _GIT_CONFIG_LOOKING
        case _:
            return command in _GIT_LOOKING and _GIT_WRITING.allows(rest)


_DESTROYERS = {
    **dict.fromkeys(names("dd shred wipefs fdisk sfdisk parted truncate mkswap"), "overwrites data for good"),
    **dict.fromkeys(names("shutdown reboot halt poweroff init"), "stops the machine"),
    **dict.fromkeys(names("pkill killall killall5"), "ends processes by name"),
    **dict.fromkeys(names("sudo doas su runuser pkexec"), "runs with another user's rights"),
}
_DANGEROUS_SHAPES: tuple[tuple[str, re.Pattern[str], str], ...] = tuple(
    (program, re.compile(shape), reason)
    for program, shape, reason in (
        ("rm", r" -(?!-)\w*[rR]| --r\w*", "removes folders with all they hold"),
        ("chmod", r" -(?!-)\w*R| --rec", "changes rights of a whole tree"),
        ("chown", r" -(?!-)\w*R| --rec", "changes the owner of a whole tree"),
        ("chgrp", r" -(?!-)\w*R| --rec", "changes the group of a whole tree"),
        ("kill", r" -1$| -- -", "ends many processes at once"),
        ("find", r" -delete\b", "deletes what it finds"),
        ("rsync", r" --del| --remove-source", "deletes files at the target"),
        ("crontab", r" -r\b", "removes the user's table of jobs"),
        ("git", r"^git reset(?= ).* --(?:h\w*|m(?:e|erge)?|k\w*)\b", "throws away changes that were not committed"),
        ("git", r"^git clean\b", "deletes files git does not know"),
        (
            "git",
            r"^git push.*(?:--forc|--mirror|--delete|--prune| -\w*[fd]| \+| :)",
            "rewrites or removes remote branches",
        ),
        ("git", r"^git push.*(?: --fo?r?$)", "rewrites remote branches"),
        ("git", r"^git branch.*(?: -\w*[DdMC]|--delete|--force)", "removes or overwrites branches"),
        ("git", r"^git tag.*(?: -\w*[df]|--delete|--force)", "removes or moves tags"),
        ("git", r"^git checkout.*(?: -f\b|--force| -- | \.)", "throws away changes that were not committed"),
        ("git", r"^git switch.*(?: -f\b|--force|--discard-changes| -C\b)", "throws away changes"),
        ("git", r"^git restore\b", "throws away changes that were not committed"),
        ("git", r"^git stash (?:drop|clear)\b", "removes stashed changes"),
        (
            "git",
            r"^git (?:filter-branch|filter-repo|update-ref|replace|gc|prune)\b",
            "rewrites history or drops objects",
        ),
        ("git", r"^git reflog (?:expire|delete)\b", "removes the way back to lost commits"),
        ("git", r"^git worktree remove\b", "removes a working tree"),
        ("docker", r"\b(?:prune|rm|rmi|kill)\b", "removes containers, images or volumes"),
        ("kubectl", r"\b(?:delete|drain)\b", "removes things from a cluster"),
        ("terraform", r"\b(?:destroy|apply)\b", "changes infrastructure"),
        ("npm", r"^npm (?:publish|unpublish|deprecate)\b", "publishes to everyone"),
        ("cargo", r"^cargo (?:publish|yank)\b", "publishes to everyone"),
        ("twine", r"^twine upload\b", "publishes to everyone"),
    )
)


def dangers(words: Sequence[str], *, has_pattern: bool, all_literal: bool) -> list[str]:
    """Why a command cannot be taken back, one short reason each; empty for ordinary ones."""
    program = words[0]
    found = [f"{program} {_DESTROYERS[program]}"] if program in _DESTROYERS else []
    if program.startswith("mkfs"):
        found.append(f"{program} formats a disk")
    text = " ".join(words)
    found += [f"{program} {why}" for name, shape, why in _DANGEROUS_SHAPES if name == program and shape.search(text)]
    if program == "rm" and not found and (has_pattern or not all_literal):
        found.append("rm removes files whose names are not known before it runs")
    return found
