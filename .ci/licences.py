"""Licences of everything the project brings in: none under GPL, AGPL or LGPL, neither at run time nor in its extras.

A package that offers several licences is judged by its most permissive one. Exit 1 names what is in the way.
"""

import importlib.metadata as metadata
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

COPYLEFT = re.compile(r"\b(A|L)?GPL|General Public License", re.IGNORECASE)
UNKNOWN = re.compile(r"^\s*(unknown)?\s*$", re.IGNORECASE)


def closure(requirements: list[str]) -> set[str]:
    """Names of the installed packages that these requirements bring in, themselves included."""
    found: set[tuple[str, str]] = set()
    waiting = [
        (requirement.name, extra) for requirement in map(Requirement, requirements) for extra in extras(requirement)
    ]
    while waiting:
        name, extra = waiting.pop()
        key = (canonicalize_name(name), extra)
        if key in found or not installed(name):
            continue
        found.add(key)
        for requirement in map(Requirement, metadata.requires(name) or []):
            if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
                waiting += [(requirement.name, wanted) for wanted in extras(requirement)]
    return {name for name, _ in found}


def extras(requirement: Requirement) -> list[str]:
    return ["", *sorted(requirement.extras)]


def installed(name: str) -> bool:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def is_allowed(licence: str) -> bool:
    """True when at least one of the licences on offer is none of the GPL family."""
    if UNKNOWN.match(licence):
        return False
    return any(not COPYLEFT.search(offer) for offer in re.split(r"\bOR\b|;", licence) if offer.strip())


def main() -> int:
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
    runtime = closure(project["dependencies"])
    whole = closure(project["dependencies"] + [r for group in project["optional-dependencies"].values() for r in group])
    listing = subprocess.run(
        [sys.executable, "-m", "piplicenses", "--format=json", "--from=mixed", "--with-system"],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    licences: dict[str, tuple[str, str]] = {
        canonicalize_name(row["Name"]): (row["Version"], row["License"]) for row in json.loads(listing.stdout)
    }
    refused = []
    for name in sorted(whole):
        version, licence = licences.get(name, (metadata.version(name), ""))
        line = f"{name:28} {version:18} {'run' if name in runtime else 'extra':6} {' '.join(licence.split())[:70]}"
        print(line)
        if not is_allowed(licence):
            refused.append(line)
    print(f"{len(runtime)} packages at run time, {len(whole)} with all extras, {len(refused)} in the way")
    for line in refused:
        print(f"not allowed: {line}", file=sys.stderr)
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
