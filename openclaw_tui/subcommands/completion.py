"""`completion bash|zsh|fish`: a script for the shell, made from the parser so that it never falls behind it."""

import argparse

from openclaw_tui.cli_options import SUBCOMMANDS, build_parser
from openclaw_tui.errors import EXIT_DONE
from openclaw_tui.options import Options
from openclaw_tui.subcommands.arguments import command_parser

_BASH = """\
_openclaw_tui() {{
    local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}"
    case "$before" in
{cases}
        --cwd|--add-dir) COMPREPLY=($(compgen -d -- "$word")); return ;;
    esac
    if [[ "$word" == -* ]]; then
        COMPREPLY=($(compgen -W "{flags}" -- "$word"))
    elif [[ $COMP_CWORD -eq 1 ]]; then
        COMPREPLY=($(compgen -W "{commands}" -- "$word"))
    else
        COMPREPLY=($(compgen -f -- "$word"))
    fi
}}
complete -F _openclaw_tui openclaw-tui
"""

_ZSH = """\
#compdef openclaw-tui
_openclaw_tui() {{
    _arguments -s \\
{flags}
        '1: :({commands})' \\
        '*:file:_files'
}}
compdef _openclaw_tui openclaw-tui
"""


def run(options: Options) -> int:
    parser = command_parser("completion", "Print a completion script: `openclaw-tui completion bash >> ~/.bashrc`.")
    parser.add_argument("shell", choices=("bash", "zsh", "fish"))
    given = parser.parse_args(options.arguments)
    scripts = {"bash": bash_script, "zsh": zsh_script, "fish": fish_script}
    print(scripts[given.shell](), end="")
    return EXIT_DONE


def bash_script() -> str:
    actions = _actions()
    flags = " ".join(flag for action in actions for flag in _shown(action))
    cases = "\n".join(_bash_case(action) for action in actions if action.choices)
    return _BASH.format(flags=flags, cases=cases, commands=" ".join(SUBCOMMANDS))


def _bash_case(action: argparse.Action) -> str:
    words = " ".join(map(str, action.choices or ()))
    return f'        {"|".join(_shown(action))}) COMPREPLY=($(compgen -W "{words}" -- "$word")); return ;;'


def zsh_script() -> str:
    lines = [f"        '{spec}' \\" for action in _actions() for spec in _zsh_specs(action)]
    return _ZSH.format(flags="\n".join(lines), commands=" ".join(SUBCOMMANDS))


def fish_script() -> str:
    lines = [f"complete -c openclaw-tui -n __fish_use_subcommand -a {name}" for name in SUBCOMMANDS]
    for action in _actions():
        parts = ["complete -c openclaw-tui"]
        parts += [f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}" for flag in _shown(action)]
        parts += ["-x", f"-a '{' '.join(map(str, action.choices))}'"] if action.choices else []
        parts += ["-r"] if action.nargs != 0 and not action.choices else []
        lines.append(" ".join([*parts, f"-d '{_quoted(action)}'"]))
    return "\n".join(lines) + "\n"


def _actions() -> list[argparse.Action]:
    return [action for action in build_parser(words=False)._actions if action.option_strings]


def _shown(action: argparse.Action) -> list[str]:
    """The main spellings; camelCase ones are accepted but not offered."""
    return [flag for flag in action.option_strings if flag == flag.lower()]


def _zsh_specs(action: argparse.Action) -> list[str]:
    value = ""
    if action.choices:
        value = f":value:({' '.join(map(str, action.choices))})"
    elif action.nargs != 0:
        value = ":value:_files -/" if set(action.option_strings) & {"--cwd", "--add-dir"} else ":value:"
    return [f"{flag}[{_quoted(action)}]{value}" for flag in _shown(action)]


def _quoted(action: argparse.Action) -> str:
    return (action.help or "").replace("'", "").replace("[", "(").replace("]", ")").replace(":", " -")
