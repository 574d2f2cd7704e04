"""ripgrep: where it is, and what to ask it.

The one on the path first, else the one its wheel puts beside the interpreter. Results come sorted by path, so the
same question gives the same answer; ignore files are honoured with or without a git repository; no personal settings.
"""

import shutil
import sys
import sysconfig
from pathlib import Path

import msgspec

_INVALID_PATTERN = (
    "regex parse error",
    "not allowed in a regex",
    "error parsing regex",
    "exceeds size limit",
    "look-around",
    "backreferences",
)


class SearchRequest(msgspec.Struct, frozen=True):
    """One search below `target`. `glob` limits file names, `everything` also looks at ignored files.

    `at` is another name of the target that nobody can swap for something else, where there is one.

    `in_order` sorts by path; counting does without, which is faster.
    """

    target: Path
    pattern: str = ""
    glob: str | None = None
    ignore_case: bool = False
    literal: bool = False
    context: int = 0
    everything: bool = False
    in_order: bool = True
    at: Path | None = None

    @property
    def place(self) -> str:
        """The target as the search program gets it."""
        if self.at is None:
            return str(self.target)
        return "." if self.at.is_dir() else str(self.at)

    @property
    def start(self) -> Path | None:
        """The folder it has to start in, for a pinned one."""
        return self.at if self.at is not None and self.at.is_dir() else None

    def real(self, found: str) -> str:
        """The real path of what the search program found."""
        if self.at is None:
            return found
        return str(self.target) if found == str(self.at) else f"{self.target}/{found.removeprefix('./')}"


def find_ripgrep() -> Path | None:
    """The program, or None. A relative entry of the path is never used: it would mean the project's own file."""
    found = shutil.which("rg")
    candidates = [Path(found)] if found and Path(found).is_absolute() else []
    candidates += [Path(sysconfig.get_path("scripts")) / "rg", Path(sys.executable).parent / "rg"]
    return next((path for path in candidates if path.is_file()), None)


def list_command(program: Path, request: SearchRequest) -> list[str]:
    """Every file below the target, separated by NUL characters."""
    return [str(program), "--files", "--null", *_walk_options(request), "--", request.place]


def match_command(program: Path, request: SearchRequest) -> list[str]:
    """Matches and their context as JSON records, one a line."""
    options = ["--json", *_walk_options(request)]
    if request.ignore_case:
        options.append("--ignore-case")
    if request.literal:
        options.append("--fixed-strings")
    elif "\n" in request.pattern or "\\n" in request.pattern:
        options.append("--multiline")
    if request.context:
        options.append(f"--context={request.context}")
    return [str(program), *options, f"--regexp={request.pattern}", "--", request.place]


def says_invalid_pattern(error_text: str) -> bool:
    """True when the program refused the pattern, rather than failing on a file."""
    return any(sign in error_text.lower() for sign in _INVALID_PATTERN)


def _walk_options(request: SearchRequest) -> list[str]:
    options = ["--no-config", "--hidden", "--no-require-git", "--no-messages", "--glob=!.git"]
    if request.in_order:
        options.append("--sort=path")
    if request.everything:
        options.append("--no-ignore")
    if request.glob is not None and request.glob.startswith("!"):
        options.append(f"--glob={request.glob}")
    elif request.glob is not None and "/" not in request.glob:
        options += [f"--type-add=wanted:{request.glob}", "--type=wanted"]  # --glob would bring ignored files back
    return options
