"""Programs that run other programs: where the inner command begins.

`inner_command` answers with the words of the inner command, with a text that is itself a command line, or with the
reason why it cannot be known. A wrapper not listed here is an ordinary, unknown program and is asked about as such.
"""

import itertools
import re
from collections.abc import Mapping, Sequence

import msgspec

from openclaw_tui.safety.command_tables import names
from openclaw_tui.safety.shell_words import Word


class Inner(msgspec.Struct, frozen=True):
    """One command inside another: its `words`, or a command line in `script`; `unclear` says why neither is known.

    `assignments` are variables set for it, as `NAME=value`.
    """

    words: tuple[Word, ...] = ()
    script: str | None = None
    unclear: str | None = None
    assignments: tuple[str, ...] = ()


class _Shape(msgspec.Struct, frozen=True):
    """Options of a wrapper: `valued` take the next word; `operands` words stand before the command."""

    valued: frozenset[str] = frozenset()
    operands: int = 0
    assignments: bool = False


_SHAPES: Mapping[str, _Shape] = {
    "env": _Shape(frozenset(("-u", "--unset", "-C", "--chdir")), assignments=True),
    "sudo": _Shape(
        frozenset(("-u", "-g", "-h", "-p", "-C", "-r", "-t", "-T", "-U", "-D", "-R", "--user", "--group", "--host")),
        assignments=True,
    ),
    "doas": _Shape(frozenset(("-u", "-C"))),
    "nohup": _Shape(),
    "setsid": _Shape(),
    "builtin": _Shape(),
    "time": _Shape(frozenset(("-o", "-f", "--output", "--format")), assignments=True),
    "command": _Shape(),
    "exec": _Shape(frozenset(("-a",))),
    "nice": _Shape(frozenset(("-n", "--adjustment"))),
    "ionice": _Shape(frozenset(("-c", "-n", "-p", "--class", "--classdata"))),
    "timeout": _Shape(frozenset(("-k", "-s", "--kill-after", "--signal")), operands=1),
    "stdbuf": _Shape(frozenset(("-i", "-o", "-e", "--input", "--output", "--error"))),
    "chroot": _Shape(frozenset(("--userspec", "--groups")), operands=1),
    "flock": _Shape(frozenset(("-w", "-E", "--timeout", "--conflict-exit-code")), operands=1),
    "taskset": _Shape(operands=1),
    "busybox": _Shape(),
    "xargs": _Shape(
        frozenset(
            names("-I -n -P -d -a -E -L -s --max-args --max-procs --delimiter --arg-file --max-lines --max-chars")
        )
    ),
}
WRAPPERS_OF_THEIR_OWN = frozenset(("sudo", "doas", "chroot", "busybox"))
"""Wrappers that are judged as well as what they run."""

SHELLS = frozenset(("sh", "bash", "dash", "zsh", "ksh", "ash", "fish"))
MAY_RUN_ANYTHING = frozenset(
    names(
        "unshare nsenter script watch parallel strace ltrace gdb perf ssh docker podman npx pnpx bunx uvx uv poetry"
        " pipenv pipx entr fd rlwrap expect systemd-run su runuser pkexec dbus-run-session xvfb-run chrt numactl cgexec"
        " setarch prlimit gosu setpriv su-exec dtach tmux screen"
        " firejail proot fakeroot faketime unbuffer catchsegv valgrind direnv"
    )
)
"""Programs whose later words may be a command: deny and ask rules look at those too."""


def inner_command(program: str, words: Sequence[Word]) -> list[Inner]:
    """Every command that `words` (with the program as first word) starts; empty where it starts none."""
    if program in SHELLS:
        return _shell(words)
    if program == "eval":
        return [_script(words[1:], "eval gets text that is made while it runs")] if len(words) > 1 else []
    if program == "trap":
        return [_script(words[1:2], "trap gets text that is made while it runs")] if len(words) > 2 else []
    if program == "find":
        return _find(words)
    if program == "command" and len(words) > 1 and words[1].text in ("-v", "-V"):
        return []
    if program in _SHAPES:
        return _wrapped(program, _SHAPES[program], words)
    return []


def is_transparent(program: str) -> bool:
    """True for wrappers that add nothing of their own to what they run."""
    return (program in _SHAPES or program in SHELLS or program == "eval") and program not in WRAPPERS_OF_THEIR_OWN


def _script(words: Sequence[Word], otherwise: str) -> Inner:
    if not words or not all(word.literal and not word.pattern for word in words):
        return Inner(unclear=otherwise)
    return Inner(script=" ".join(word.text for word in words))


def _wrapped(program: str, shape: _Shape, words: Sequence[Word]) -> list[Inner]:
    index, assignments, left = 1, [], shape.operands
    while index < len(words):
        word = words[index]
        if not word.literal or word.pattern:
            return [Inner(unclear=f"what {program} runs is not known before it runs")]
        if program == "env" and (word.text.startswith("-S") or word.text.startswith("--split-string")):
            return [Inner(unclear="env splits a text into a command")]
        if word.text.startswith("-") and len(word.text) > 1:
            index += 2 if _takes_value(word.text, shape) else 1
        elif shape.assignments and "=" in word.text:
            assignments.append(word.text)
            index += 1
        elif left:
            left -= 1
            index += 1
        else:
            break
    inner = tuple(words[index:])
    if program == "xargs":
        replaced = _replaced_by_xargs([word.text for word in words[1:index]])
        inner = tuple(Word(w.text, literal=w.literal and not any(r in w.text for r in replaced)) for w in inner)
        inner = (*(inner or (Word("echo"),)), Word("{}", literal=False))
    return [Inner(words=inner, assignments=tuple(assignments))] if inner else []


def _replaced_by_xargs(options: Sequence[str]) -> list[str]:
    """Texts for which xargs puts what it reads, anywhere in the command."""
    found = ["{}"] if any(re.match(r"-\w*[iI]|--rep", option) for option in options) else []
    for option, following in itertools.pairwise((*options, "")):
        if match := re.match(r"-\w*?[iI](.*)|--rep\w*=?(.*)", option, re.DOTALL):
            found += [text for text in (match[1], match[2], following) if text]
    return found


def _takes_value(option: str, shape: _Shape) -> bool:
    """Long options may be shortened, as getopt allows."""
    if option.startswith("--") and len(option) > 2:
        return any(valued.startswith(option) for valued in shape.valued)
    return option in shape.valued


def _shell(words: Sequence[Word]) -> list[Inner]:
    """`sh -c text` is its text; `sh file` an ordinary command; a shell with neither reads commands from its input."""
    index = 1
    while index < len(words):
        text = words[index].text
        if not words[index].literal:
            return [Inner(unclear="the shell's script is not known before it runs")]
        if text in ("-O", "+O", "--rcfile", "--init-file") or _ends_with_option_name(text):
            index += 2
        elif text.startswith("-") and not text.startswith("--") and "c" in text[1:]:
            return [_shell_script(words[index + 1 :])]
        elif text.startswith(("-", "+")) and text not in ("-", "--", "-s"):
            index += 1
        else:
            break
    operands = [word for word in words[index:] if word.text not in ("-", "--", "-s")]
    if operands and words[index].text != "-s":
        return []
    return [Inner(unclear="a shell reads its commands from its input")]


def _ends_with_option_name(text: str) -> bool:
    """`-o name`, also at the end of a cluster as in `-euo pipefail`."""
    return text[:1] in "-+" and text[1:2] not in ("", "-") and text.endswith("o") and "c" not in text


def _shell_script(words: Sequence[Word]) -> Inner:
    while words and words[0].literal and words[0].text.startswith(("-", "+")):
        words = words[1:]
    return _script(words[:1], "the shell's script is not known before it runs")


def _find(words: Sequence[Word]) -> list[Inner]:
    found: list[Inner] = []
    index = 1
    while index < len(words):
        if words[index].text in ("-exec", "-execdir", "-ok", "-okdir"):
            start = index + 1
            while index < len(words) and words[index].text not in (";", "+"):
                index += 1
            inner = [Word(w.text, literal=w.literal and "{}" not in w.text) for w in words[start:index]]
            found.append(Inner(words=tuple(inner)) if inner else Inner(unclear="find runs something unclear"))
        elif not words[index].literal or (words[index].pattern and words[index].text.startswith("-")):
            found.append(Inner(unclear="find gets options that are not known before it runs"))
        index += 1
    return found
