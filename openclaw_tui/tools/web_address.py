"""Which web address may be asked, decided by where its name really leads.

The name is resolved first, every address is judged, and the connection then goes to a judged address: a name that
answers differently the next time gains nothing. Everything that is not public on the whole internet is refused:
loopback, private and shared nets, link-local with its metadata services, and IPv4 hidden in IPv6.
"""

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable
from typing import TypeAlias
from urllib.parse import urlsplit

import msgspec

from openclaw_tui.errors import ToolDenied, ToolError
from openclaw_tui.tools.terminal_text import one_line

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolver: TypeAlias = Callable[[str, int], Awaitable[list[str]]]
AddressRule: TypeAlias = Callable[[Address], bool]

_PORTS = {"http": 80, "https": 443}
_NAT64 = ipaddress.ip_network("64:ff9b::/96")


class WebTarget(msgspec.Struct, frozen=True):
    """`address` is what to connect to; `host` what to ask for there."""

    url: str
    scheme: str
    host: str
    port: int
    address: str


def check_url(url: str) -> tuple[str, str, int]:
    """(scheme, host, port) of an address that may be asked for at all. Raises ToolError for anything else."""
    shown = one_line(url)
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise ToolError(f"{shown} is no valid address: {error}") from error
    if parts.scheme not in _PORTS or not parts.hostname:
        raise ToolError(f"{shown} cannot be fetched; give a whole address that begins with http:// or https://")
    if parts.username is not None or parts.password is not None:
        raise ToolError(f"{parts.hostname}: addresses that hold a user name or password are not fetched")
    return parts.scheme, parts.hostname, port or _PORTS[parts.scheme]


async def resolve_target(url: str, resolve: Resolver, is_allowed: AddressRule) -> WebTarget:
    """Resolve and judge. Raises ToolDenied when any address of the name is not public."""
    scheme, host, port = check_url(url)
    try:
        addresses = await resolve(host, port)
    except (OSError, UnicodeError) as error:
        raise ToolError(f"the name {host} cannot be resolved: {error}") from error
    if not addresses:
        raise ToolError(f"the name {host} has no address")
    for text in addresses:
        if not is_allowed(ipaddress.ip_address(text.split("%")[0])):
            raise ToolDenied(f"{host} leads to {text}, which is not a public address; it is not fetched")
    return WebTarget(url, scheme, host, port, addresses[0])


def is_public(address: Address) -> bool:
    """True for an address of the open internet, also behind the ways IPv6 carries IPv4."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1]
        if inner is None and address in _NAT64:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(inner)
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


async def resolve_by_system(host: str, port: int) -> list[str]:
    """All addresses of a name, IPv4 first. Raises OSError."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    found.sort(key=lambda entry: entry[0] != socket.AF_INET)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))
