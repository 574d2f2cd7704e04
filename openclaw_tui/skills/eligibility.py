"""Whether a skill can work here: platform, programs, variables and settings it asks for."""

import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, field

from openclaw_tui.skills.record import SkillHead

_SYSTEMS = {"macos": "darwin", "mac": "darwin", "osx": "darwin", "windows": "win32"}


@dataclass(slots=True)
class Surroundings:
    """What there is. `setting` tells whether a configuration key has a true value; programs are looked up once."""

    setting: Callable[[str], bool] = lambda key: False
    system: str = sys.platform
    _programs: dict[str, bool] = field(default_factory=dict)

    def has_program(self, name: str) -> bool:
        if name not in self._programs:
            self._programs[name] = shutil.which(name) is not None
        return self._programs[name]


def missing_for(head: SkillHead, here: Surroundings) -> str:
    """What a skill lacks, as one phrase; empty when it can be used."""
    systems = [_SYSTEMS.get(name.lower(), name.lower()) for name in head.systems]
    if systems and not any(here.system.startswith(name) for name in systems):
        return f"is for {', '.join(head.systems)} only"
    if head.always:
        return ""
    lacking = [name for name in head.bins if not here.has_program(name)]
    if lacking:
        return f"needs the program {', '.join(lacking)}"
    if head.any_bins and not any(here.has_program(name) for name in head.any_bins):
        return f"needs one of the programs {', '.join(head.any_bins)}"
    lacking = [name for name in head.env if not os.environ.get(name)]
    if lacking:
        return f"needs the variable {', '.join(lacking)}"
    lacking = [key for key in head.config if not here.setting(key)]
    return f"needs the setting {', '.join(lacking)}" if lacking else ""
