"""git's options before the subcommand: taken off, so that a rule for `git commit` meets every way to write it."""

import re
from collections.abc import Sequence

from openclaw_tui.safety.shell_words import Word

_VALUED = frozenset(
    ("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--super-prefix", "--config-env")
)
_RUNNING_PAIRS = frozenset((("submodule", "foreach"), ("bisect", "run"), ("hook", "run"), ("credential", "fill")))
_RUNNING = frozenset(("filter-branch", "for-each-repo", "mergetool", "difftool", "instaweb", "daemon", "send-email"))
_RUNNING_OPTIONS = (
    *("--exec", "--upload-p", "--receive-p", "--ext-d", "--textc", "--extc", "--open-files", "--tree-filter"),
    *("--index-filter", "--msg-filter", "--env-filter", "--config", "--template"),
)
_SHORT_RUNNING = {"rebase": r"-\w*x", "grep": r"-\w*O", "clone": r"-\w*[uc]", "ls-remote": r"-\w*u"}
_OBEYED_SETTINGS = (
    *(
        "alias.",
        "core.",
        "credential",
        "diff.",
        "difftool",
        "filter.",
        "gpg",
        "include",
        "merge.",
        "mergetool",
        "pager",
    ),
    *("sequence.", "ssh.", "submodule.", "transfer.", "uploadpack", "url.", "protocol.", "remote.", "browser.", "man."),
)
_HARMLESS_SETTINGS = (
    "color.",
    "core.quotepath",
    "user.",
    "advice.",
    "init.defaultbranch",
    "commit.gpgsign",
    "log.",
    "diff.renames",
)


def canonical_git(words: Sequence[Word]) -> tuple[list[Word], list[str], tuple[str, ...]]:
    """`git <subcommand> …` without global options, why the call is more than that, and folders it is sent to."""
    problems: list[str] = []
    folders: list[str] = []
    index = 1
    while index < len(words) and (words[index].text.startswith("-") or not words[index].literal):
        word = words[index]
        if not word.literal:
            problems.append("git's subcommand is not known before it runs")
            break
        name, has_value, value = word.text.partition("=")
        if name in ("--version", "--help"):
            break
        takes_next = name in _VALUED and not has_value
        if takes_next:
            following = words[index + 1] if index + 1 < len(words) else Word("", literal=False)
            value = following.text if following.literal else "?"
        problems += _problems(name, value)
        if name in ("-C", "--git-dir", "--work-tree"):
            folders.append(value)
        index += 2 if takes_next else 1
    return [words[0], *words[index:]], [*problems, *_runs_others(words[index:])], tuple(folders)


def _runs_others(words: Sequence[Word]) -> list[str]:
    """Subcommands and options by which git starts a program of the caller's choice, or will do so later."""
    texts = [word.text if word.literal else "?" for word in words]
    command, rest = (texts[0] if texts else ""), texts[1:]
    starts = (command, *rest[:1]) in _RUNNING_PAIRS or command in _RUNNING
    starts = starts or any(word.startswith(_RUNNING_OPTIONS) for word in rest)
    starts = starts or (command in _SHORT_RUNNING and any(re.match(_SHORT_RUNNING[command], word) for word in rest))
    starts = starts or any(word.startswith("ext::") for word in rest)
    later = command == "config" and any(word.lower().startswith(_OBEYED_SETTINGS) for word in rest)
    return [f"git {command} starts a program that is named in it"] if starts or later else []


def _problems(name: str, value: str) -> list[str]:
    if name == "-c" and not value.lower().startswith(_HARMLESS_SETTINGS):
        return [f"git gets the setting {value.split('=', 1)[0]} for this call, which can run other programs"]
    if name in ("--exec-path", "--config-env", "--git-dir", "--work-tree") and value:
        return [f"git is pointed elsewhere by {name}"]
    if name == "-C" and value == "?":
        return ["git works in a folder that is not known before it runs"]
    return []
