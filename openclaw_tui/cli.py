"""The command line: parse, choose a front end, import it late.

`--version` and `--help` touch nothing but this file, so they answer at once.
"""

import gc
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import openclaw_tui
from openclaw_tui.cli_options import parse_options
from openclaw_tui.errors import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_USAGE, ConfigError, OpenClawError
from openclaw_tui.options import Options


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; returns the exit code of interface.md section 5."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments[:1] in (["-v"], ["--version"]):
        print(f"openclaw-tui {openclaw_tui.__version__}")
        return 0
    _prepare_streams()
    try:
        code = _run(parse_options(arguments))
        sys.stdout.flush()
        return code
    except OpenClawError as error:
        print(f"openclaw-tui: {' '.join(str(error).split())}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return EXIT_FAILED
    except Exception as error:
        return _crashed(error)


def _crashed(error: Exception) -> int:
    """A defect: the user gets one line, the report what is needed to find it."""
    from openclaw_tui.app.crashes import crash_line, write_report
    from openclaw_tui.config.paths import resolve_paths

    report = write_report(resolve_paths(Path.cwd()), error)
    print(f"openclaw-tui: a defect ended the program {crash_line(error, report)}", file=sys.stderr)
    return EXIT_FAILED


def _prepare_streams() -> None:
    """Any text can be written: pipes get UTF-8, a terminal its own encoding with a mark for what it cannot show.

    A stream that was closed before the start becomes the null device, so that nothing fails over a line of output.
    """
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors="replace")


def _run(options: Options) -> int:
    if options.version:
        print(f"openclaw-tui {openclaw_tui.__version__}")
        return 0
    _check_directory(options)
    if options.command is not None:
        from openclaw_tui.subcommands import run_subcommand

        return run_subcommand(options)
    if options.print_mode:
        gc.disable()  # until the first answer: nothing that is imported can be let go, and looking takes its time
        from openclaw_tui.ui.oneshot import run_oneshot

        return run_oneshot(options)
    if options.line_mode:
        from openclaw_tui.ui.line.repl import run_line

        return run_line(options)
    if not (sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()):
        print(
            "openclaw-tui: the full screen needs a terminal on standard input and output; "
            "use -p PROMPT for one answer, or --line.",
            file=sys.stderr,
        )
        return EXIT_USAGE
    from openclaw_tui.ui.start import run_full_screen

    return run_full_screen(options)


def _check_directory(options: Options) -> None:
    folder = options.cwd
    if not os.path.isdir(folder):
        raise ConfigError(f"{folder}: there is no such directory; choose another with --cwd")
    if not os.access(folder, os.R_OK | os.X_OK):
        raise ConfigError(f"{folder}: this directory cannot be read; choose another with --cwd")
    for extra in options.add_dirs:
        if not Path(extra).is_dir():
            raise ConfigError(f"--add-dir {extra}: there is no such directory")
