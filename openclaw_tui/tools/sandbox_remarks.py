"""What the result of a command says where the sandbox may have been in its way."""

import re

from openclaw_tui.tools.processes import Launch

_NO_NETWORK = re.compile(
    r"could not resolve host|name resolution|name or service not known|network is unreachable|ENETUNREACH|EAI_AGAIN|"
    r"ENOTFOUND|ECONNREFUSED|getaddrinfo|connection refused|failed to connect|no address associated|dns error|"
    r"proxyerror|newconnectionerror|no route to host|error sending request|dial tcp|failed to establish a new|"
    r"unable to access 'https?://|could not fetch url",
    re.IGNORECASE,
)
_NO_WRITE = re.compile(
    r"read-only file system|EROFS|device or resource busy|^bwrap: |operation not permitted|could not lock config|"
    r"permission denied \(publickey|cannot open display|ssh_auth_sock|host key verification failed|/var/run/docker",
    re.IGNORECASE | re.MULTILINE,
)
_GOES_ON = re.compile(r"(?<![&<>|\\])&(?![&>])|\b(?:nohup|setsid|disown)\b")


def sandbox_remarks(launch: Launch, code: int, output: str) -> list[str]:
    """Lines for the model; none for a command that ran outside, or whose failure looks like its own."""
    if not launch.sandbox:
        return []
    remarks = []
    if code and launch.sandbox == "on" and _NO_NETWORK.search(output):
        remarks.append(
            "The sandbox may be the cause: commands have no network in it. If this one needs it, call exec with"
            ' sandbox: "network"; the user is asked.'
        )
    if code and _NO_WRITE.search(output):
        remarks.append(
            "The sandbox may be the cause: only the project, added folders and /tmp (its own) can be written, not git"
            ' hooks, git config or agent settings; keys and sockets are hidden. sandbox: "off" asks the user to run it'
            " outside."
        )
    if code and "/tmp/" in launch.command and "no such file" in output.lower():
        remarks.append('In the sandbox /tmp is a folder of its own; sandbox: "off" asks for the machine\'s.')
    if _GOES_ON.search(launch.command) and "wait" not in launch.command and not remarks:
        remarks.append("(What a sandboxed command starts with & has ended with it; background: true keeps it.)")
    return remarks
