"""Commands that need neither a model nor the network: one module each, imported when it is called.

Invariants: a usage error is one line on standard error and exit 2; `--json` prints one JSON value and nothing else;
text from sessions and files is cleaned before it reaches the terminal.
"""

from importlib import import_module

from openclaw_tui.cli_options import SUBCOMMANDS
from openclaw_tui.errors import ConfigError
from openclaw_tui.options import Options

_MODULES = {
    "init": "init",
    "context": "context",
    "sessions": "sessions",
    "skills": "skills",
    "memory": "memory",
    "models": "models",
    "config": "config",
    "doctor": "doctor",
    "completion": "completion",
}


def run_subcommand(options: Options) -> int:
    """Run the command of the options; returns the exit code."""
    name = options.command or ""
    if name not in _MODULES:
        raise ConfigError(f"there is no command {name!r}; commands: {', '.join(SUBCOMMANDS)}")
    code: int = import_module(f"openclaw_tui.subcommands.{_MODULES[name]}").run(options)
    return code
