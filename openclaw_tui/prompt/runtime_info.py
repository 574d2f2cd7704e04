"""Facts about the machine and the run for the dynamic part of the prompt. Never a clock: it would break the prefix."""

import os
import platform
import time
from pathlib import Path

import msgspec


class RuntimeInfo(msgspec.Struct, frozen=True):
    """What the runtime line says. Absent parts are empty and are left out of it."""

    agent: str = "main"
    cwd: str = ""
    model: str = ""
    thinking: str = "off"
    channel: str = "tui"
    os_name: str = ""
    shell: str = ""
    engine: str = "legacy"
    capabilities: tuple[str, ...] = ()


def detect_runtime(*, agent: str, cwd: str, model: str, thinking: str, channel: str, engine: str) -> RuntimeInfo:
    shell = os.path.basename(os.environ.get("SHELL", ""))
    return RuntimeInfo(
        agent=agent,
        cwd=cwd,
        model=model,
        thinking=thinking,
        channel=channel,
        os_name=f"{platform.system()} ({platform.machine()})",
        shell=shell,
        engine=engine,
    )


def time_zone_name() -> str:
    """The zone's IANA name where the system tells it, else its UTC offset as of now, else UTC."""
    named = os.environ.get("TZ", "").lstrip(":")
    if named:
        return named
    link = Path("/etc/localtime")
    if link.is_symlink():
        parts = Path(os.readlink(link)).parts
        if "zoneinfo" in parts:
            return "/".join(parts[parts.index("zoneinfo") + 1 :])
    zone_file = Path("/etc/timezone")
    if zone_file.is_file():
        return zone_file.read_text(encoding="utf-8", errors="replace").strip() or "UTC"
    return time.tzname[0] or "UTC"
