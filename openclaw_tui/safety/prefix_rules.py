"""The rule that "always for this prefix" would add, where such a rule is narrow enough to offer."""

from collections.abc import Sequence

from openclaw_tui.safety.act_findings import Act, Findings
from openclaw_tui.safety.command_tables import names
from openclaw_tui.safety.permission_rules import host_of
from openclaw_tui.safety.shell_parts import Part

_WITH_SUBCOMMANDS = frozenset(
    names(
        "git npm pnpm yarn bun cargo go pip pip3 poetry gh brew dotnet mvn gradle rake bundle composer just make hatch"
        " tox nox deno"
    )
)
_RUNS_A_NAMED_TASK = frozenset((("npm", "run"), ("pnpm", "run"), ("yarn", "run"), ("bun", "run"), ("go", "run")))
_TOO_WIDE = frozenset(
    (
        "",
        *names(
            "python python3 node ruby perl php sh bash zsh dash fish osascript awk sed ssh scp rsync docker podman env"
        ),
        *names(
            "xargs sudo doas su eval source . exec rm mv cp ln chmod chown kill curl wget nc tee find npx uvx export"
        ),
    )
)
"""Programs for which a prefix would allow nearly anything."""


def prefix_rule_for(act: Act, found: Findings, uncovered: Sequence[Part]) -> str | None:
    """One rule that would cover all that is left to ask, or None where none can be offered."""
    if act.url is not None:
        host = host_of(act.url)
        return f"web_fetch(domain:{host})" if host else None
    if act.command is None or found.warnings or not uncovered:
        return None
    prefixes = {_prefix(part) for part in uncovered}
    prefix = prefixes.pop()
    return f"{act.reach or 'exec'}({prefix}:*)" if prefix and not prefixes else None


def _prefix(part: Part) -> str | None:
    program = part.own_path or part.program
    words = [word if known else "-" for word, known in zip(part.words, part.literal, strict=True)]
    if part.writes or part.unclear:
        return None
    if part.program.startswith("python") and words[1:2] == ["-m"] and len(words) > 2:
        return f"{program} -m {words[2]}"
    if part.program == "uv" and words[1:2] == ["run"] and len(words) > 2 and words[2] not in _TOO_WIDE:
        return None if words[2].startswith("-") else f"uv run {words[2]}"
    if part.program in _TOO_WIDE or any(mark in program for mark in "*()"):
        return None
    if part.program not in _WITH_SUBCOMMANDS:
        return program
    length = 3 if tuple(words[:2]) in _RUNS_A_NAMED_TASK else 2
    taken = words[1:length]
    plain = len(taken) == length - 1 and all(
        w and not w.startswith("-") and " " not in w and "*" not in w for w in taken
    )
    return " ".join([program, *taken]) if plain else None
