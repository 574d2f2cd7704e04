"""Where the tools work: the project directory, added directories, and folders that may be read.

Every path is resolved through its deepest existing ancestor before it is judged, so a link cannot lead out through a
target that does not exist yet. A root that is itself a link works.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from openclaw_tui.errors import ToolError


@dataclass(slots=True)
class Workspace:
    """`root` is the working directory; `added` further roots, to which `/add-dir` adds; `readable` folders are open for
    reading only (skills)."""

    root: Path
    added: tuple[Path, ...] = ()
    readable: tuple[Path, ...] = ()
    approved: frozenset[Path] | None = None
    """The real paths one call was judged by, while it runs: no other comes out of `resolve`."""
    resolved: list[Path] | None = None
    """Where given, takes down what was resolved."""

    def resolve(self, path: str) -> Path:
        """The real absolute path for what the model wrote: `~` and a leading `@` are understood, links followed."""
        if "\x00" in path:
            raise ToolError("the path holds a NUL character; give a plain path")
        text = path.removeprefix("@") if path.startswith("@") and not (self.root / path).exists() else path
        expanded = os.path.expanduser(text) if text.startswith("~") else text
        try:
            found = real_path(self.root / expanded)
        except OSError as error:  # a link that goes away while it is followed
            raise ToolError(f"{path}: {error.strerror or error}") from error
        if not self.root.is_dir() and _inside(found, self.root):
            raise ToolError(f"the folder {self.root} is not there any more (deleted or renamed); nothing was done")
        if self.resolved is not None:
            self.resolved.append(found)
        if self.approved is not None and found not in self.approved:
            raise ToolError(f"{self.display(found)} is not the path this call was judged by: a link changed meanwhile")
        return found

    def contains(self, path: Path) -> bool:
        """True when a real path lies in the working directory or an added one."""
        return any(_inside(path, root) for root in (self.root, *self.added))

    def may_read(self, path: Path) -> bool:
        return self.contains(path) or any(_inside(path, root) for root in self.readable)

    def display(self, path: Path) -> str:
        """Short form for people and models: relative inside the root, `~` for the home directory, else absolute."""
        root = real_path(self.root)
        if path == root:
            return "."
        if path.is_relative_to(root):
            return str(path.relative_to(root))
        home = Path.home()
        return f"~/{path.relative_to(home)}" if path.is_relative_to(home) and path != home else str(path)


def real_path(path: Path) -> Path:
    """Resolve all links of the deepest existing ancestor; the rest of the path is added as it stands."""
    return Path(os.path.realpath(path))


def _inside(path: Path, root: Path) -> bool:
    return path.is_relative_to(real_path(root))
