"""What the user asked for on the command line, as a plain record.

It stands apart from the parser so that the composition root and the slash commands can read and change it without
knowing how a command line is taken apart.
"""

from dataclasses import dataclass, field, replace
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Options:
    """What the user asked for. `resume` is None without the flag and "" for the picker.

    `read_only` and `take_over` say what to do with a session that another process has open.
    `fork_at` is the entry where a fork ends; None is the end.
    `cwd_given` tells that the directory was asked for: it then wins over an agent's own.
    """

    prompt: str | None = None
    print_mode: bool = False
    line_mode: bool = False
    continue_last: bool = False
    resume: str | None = None
    fork: bool = False
    fork_at: str | None = None
    read_only: bool = False
    take_over: bool = False
    session_id: str | None = None
    no_session: bool = False
    model: str | None = None
    agent: str | None = None
    output_format: str = "text"
    input_format: str = "text"
    permission_mode: str | None = None
    allowed_tools: tuple[str, ...] = ()
    disallowed_tools: tuple[str, ...] = ()
    add_dirs: tuple[str, ...] = ()
    max_turns: int | None = None
    max_budget_usd: float | None = None
    max_tokens: int | None = None
    context_tokens: int | None = None
    engine: str | None = None
    system_prompt: str | None = None
    append_system_prompt: str | None = None
    config: tuple[str, ...] = ()
    cwd: Path = field(default_factory=Path.cwd)
    cwd_given: bool = False
    verbose: bool = False
    debug: bool = False
    version: bool = False
    command: str | None = None
    arguments: tuple[str, ...] = ()

    def settled(self) -> "Options":
        """For what comes after the session was opened: how it was opened does not hold for the next one."""
        return replace(self, read_only=False, take_over=False)
