"""Words for an act: how it is listed, what "for this session" stands for, and the ordinary reason to ask."""

from openclaw_tui.safety.act_findings import Act, Findings
from openclaw_tui.safety.permission_rules import WRITING_TOOLS, host_of


def shown(act: Act) -> str:
    return f"{act.tool}: {act.command or act.url or ', '.join(map(str, act.paths)) or act.tool}"


def keys_of(act: Act) -> list[tuple[str, ...]]:
    """What "for this session" stands for: this command in this folder, this host, these files."""
    if act.command is not None:
        return [(act.tool, act.command, act.reach, *(str(path) for path in act.paths))]
    if act.url is not None:
        return [(act.tool, host_of(act.url) or act.url)]
    kind = "write" if act.tool in WRITING_TOOLS else act.tool
    return [(kind, str(path)) for path in act.paths] or [(kind,)]


def ordinary_reason(act: Act) -> str:
    return {
        "read": "it reads",
        "write": "it changes files",
        "execute": "it runs a command that may change things",
        "network": "it sends a request over the network",
    }[act.risk]


def plan_reason(act: Act, found: Findings) -> str:
    return f"plan mode only looks: {'; '.join(found.warnings) or ordinary_reason(act)}"
