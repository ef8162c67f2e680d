"""The outbound address policy: which URLs and resolved addresses the instance may call (specification 9.4).

The same rules apply when a destination is saved and at every attempt.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import SplitResult, urlsplit

import idna

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

LONGEST_URL = 2_048
DEFAULT_PORTS = {"http": 80, "https": 443}


class UrlFault(StrEnum):
    """The reason why an address is refused. `AddressRefused` adds the sentence."""

    URL = "url"
    SCHEME = "scheme"
    CREDENTIALS = "credentials"
    HOST = "host"
    PORT = "port"
    FRAGMENT = "fragment"
    FORBIDDEN = "forbidden"
    DENIED = "denied"
    LOOPBACK = "loopback"
    PRIVATE = "private"
    PLAIN = "plain"
    OWN = "own"
    UNKNOWN = "unknown"


FAULT_MESSAGES = {
    UrlFault.URL: "must be a URL of at most 2048 characters without spaces, control characters and backslashes",
    UrlFault.SCHEME: "must begin with https:// or http://",
    UrlFault.CREDENTIALS: "must not contain a user name or password",
    UrlFault.HOST: "must have a host: a DNS name, or an IP address in its plain form",
    UrlFault.PORT: "must have a port from 1 to 65535, or none",
    UrlFault.FRAGMENT: "must not have a fragment",
    UrlFault.FORBIDDEN: "leads to an address that is never called",
    UrlFault.DENIED: "leads to an address that the operator of this instance has denied",
    UrlFault.LOOPBACK: "leads to a loopback address, which this instance does not allow",
    UrlFault.PRIVATE: "leads to a private address, which this instance does not allow",
    UrlFault.PLAIN: "must be https: plain http goes to private and loopback addresses only",
    UrlFault.OWN: "leads to this service itself or to its database",
    UrlFault.UNKNOWN: "has a host whose name is not found",
}


class AddressRefused(ValueError):
    """A URL that the instance does not call. The text names the rule, never the URL or an address."""

    def __init__(self, fault: UrlFault) -> None:
        super().__init__(FAULT_MESSAGES[fault])
        self.fault = fault


class AddressClass(StrEnum):
    """The class of an address."""

    PUBLIC = "public"
    """An address of the public internet."""

    PRIVATE = "private"
    """A local network or carrier-grade NAT. It is called only when the operator allows it."""

    LOOPBACK = "loopback"
    """This machine. It is called only when the operator allows it."""

    NEVER = "never"
    """Link-local, metadata services, multicast, reserved, documentation and translation ranges. Never called."""


def _networks(text: str) -> tuple[Network, ...]:
    return tuple(ip_network(item) for item in text.split())


NEVER = _networks(
    "0.0.0.0/8 169.254.0.0/16 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24"
    " 224.0.0.0/4 240.0.0.0/4 168.63.129.16/32 100.100.100.200/32 ::/128 ::/96 100::/64 2001:db8::/32 3fff::/20 5f00::/16"
    " fe80::/10 fec0::/10 ff00::/8 fd00:ec2::254/128 64:ff9b::/96 64:ff9b:1::/48 2002::/16 2001::/23"
)
PRIVATE = _networks("10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 100.64.0.0/10 fc00::/7")
LOOPBACK = _networks("127.0.0.0/8 ::1/128")
GLOBAL_UNICAST = _networks("2000::/3")
"""The only IPv6 range from which public addresses are assigned (RFC 4291, IANA)."""


def address_class(address: Address) -> AddressClass:
    """Returns the class of an address. An IPv4 address mapped into IPv6 has the class of the IPv4 address."""
    address = unmapped(address)
    if _is_in(address, LOOPBACK):  # before `NEVER`: ::1 lies inside ::/96
        return AddressClass.LOOPBACK
    if _is_in(address, NEVER):
        return AddressClass.NEVER
    if _is_in(address, PRIVATE):
        return AddressClass.PRIVATE
    if address.version == 6 and not _is_in(address, GLOBAL_UNICAST):
        return AddressClass.NEVER
    return AddressClass.PUBLIC if address.is_global else AddressClass.NEVER


def unmapped(address: Address) -> Address:
    """Returns the IPv4 address of an IPv4-mapped one (`::ffff:127.0.0.1` becomes 127.0.0.1); other addresses unchanged."""
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def _is_in(address: Address, networks: Iterable[Network]) -> bool:
    return any(address.version == network.version and address in network for network in networks)


@dataclass(frozen=True, slots=True)
class Deny:
    """The networks and names that the operator has denied. A name also covers all names below it."""

    networks: tuple[Network, ...] = ()
    names: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Deny:
        """Parses networks, addresses and host names separated by commas. Raises `ValueError` naming the wrong item."""
        networks, names = [], []
        for item in filter(None, (each.strip() for each in text.split(","))):
            try:
                networks.append(ip_network(item, strict=False))
            except ValueError:
                names.append(_denied_name(item))
        return cls(tuple(networks), tuple(names))

    def has_name(self, host: str) -> bool:
        """Returns whether the name of a host (ASCII, lower case) is denied."""
        return any(host == name or host.endswith(f".{name}") for name in self.names)

    def has(self, address: Address) -> bool:
        """Returns whether an address lies in a denied network."""
        return _is_in(unmapped(address), self.networks)


def _denied_name(item: str) -> str:
    fault = ValueError(f"must be networks and host names, separated by commas; {item!r} is neither")
    if _NO_NAME.search(item):
        raise fault
    try:
        url = parse(f"https://{item.removeprefix('.')}/")
    except AddressRefused:
        raise fault from None
    return url.host


IsOwn = Callable[[Address, int], bool]
"""Returns whether a server of this instance listens at the address and port."""

IsBuiltIn = Callable[["ParsedUrl"], bool]
"""Returns whether the URL is the built-in receiver of a workspace. The result for the same URL never changes."""


@dataclass(frozen=True, slots=True)
class OutboundPolicy:
    """The addresses that this instance may call. `is_own` names its own servers, which it never calls.

    `is_built_in` names the exception: the built-in receiver, which may also be at a private or loopback address.
    """

    allow_private: bool
    allow_loopback: bool
    deny: Deny = Deny()
    is_own: IsOwn = lambda address, port: False
    is_built_in: IsBuiltIn = lambda url: False


@dataclass(frozen=True, slots=True)
class ParsedUrl:
    """A parsed URL. `host` is in ASCII and lower case; `address` is set when the host is an IP address."""

    scheme: str
    host: str
    port: int
    path: str
    address: Address | None = None

    @property
    def authority(self) -> str:
        """The `Host` header: brackets around IPv6, and the port unless it is the default of the scheme."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"


_NO_NAME = re.compile(r"[/:?#@\[\]]")
_UNSAFE = re.compile(r"[\x00-\x20\x7f-\x9f\\]")
_AUTHORITY = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[^\[\]:]+)(?::(\d{1,5}))?", re.ASCII)
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_ENDS_IN_NUMBER = re.compile(r"\d+|0x[0-9a-f]*")


def parse(url: str) -> ParsedUrl:
    """Parses a URL. Raises `AddressRefused`.

    Unsafe characters are refused before the split, because `urlsplit` drops tabs and line ends.
    """
    if len(url) > LONGEST_URL or _UNSAFE.search(url):
        raise AddressRefused(UrlFault.URL)
    try:
        parts = urlsplit(url)
    except ValueError:
        raise AddressRefused(UrlFault.HOST) from None
    if parts.scheme not in DEFAULT_PORTS:
        raise AddressRefused(UrlFault.SCHEME)
    if "@" in parts.netloc:
        raise AddressRefused(UrlFault.CREDENTIALS)
    if "#" in url:
        raise AddressRefused(UrlFault.FRAGMENT)
    port = _port(parts)
    host, address = _host(parts)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return ParsedUrl(parts.scheme, host, port, path, address)


def _port(parts: SplitResult) -> int:
    authority = _AUTHORITY.fullmatch(parts.netloc)
    if authority is None:
        raise AddressRefused(UrlFault.HOST if ":" not in parts.netloc.rpartition("]")[2] else UrlFault.PORT)
    port = int(authority[1] or DEFAULT_PORTS[parts.scheme])
    if not 1 <= port <= 65_535:
        raise AddressRefused(UrlFault.PORT)
    return port


def _host(parts: SplitResult) -> tuple[str, Address | None]:
    name = parts.hostname or ""
    try:
        address = ip_address(name)
    except ValueError:
        if "[" in parts.netloc:
            raise AddressRefused(UrlFault.HOST) from None
    else:
        return str(address), address
    try:
        # `idna` would refuse the underscore, which names of hosts in local networks contain.
        host = (name if name.isascii() else idna.encode(name, uts46=True).decode()).lower().removesuffix(".")
    except (idna.IDNAError, UnicodeError):
        raise AddressRefused(UrlFault.HOST) from None
    labels = host.split(".")
    if len(host) > 253 or not all(_LABEL.fullmatch(label) for label in labels) or _ENDS_IN_NUMBER.fullmatch(labels[-1]):
        raise AddressRefused(UrlFault.HOST)
    return host, None


def check_addresses(url: ParsedUrl, resolved: Iterable[str], policy: OutboundPolicy) -> list[Address]:
    """Returns the addresses that may be called, in their order. Raises `AddressRefused` when any of them is forbidden.

    `resolved` is the result of one look-up of the host's name. It is ignored when the URL has an IP address.
    """
    found = check_resolved(url, resolved, policy)
    refuse_own_listeners(url, found, policy)
    return found


def check_resolved(url: ParsedUrl, resolved: Iterable[str], policy: OutboundPolicy) -> list[Address]:
    """Does the same as `check_addresses`, without the check for the instance's own servers.

    The result for the same arguments never changes.
    """
    found = [url.address] if url.address is not None else [ip_address(text) for text in resolved]
    if not found:
        raise AddressRefused(UrlFault.UNKNOWN)
    address_classes = {address_class(address) for address in found}
    if AddressClass.NEVER in address_classes:
        raise AddressRefused(UrlFault.FORBIDDEN)
    if policy.deny.has_name(url.host) or any(policy.deny.has(address) for address in found):
        raise AddressRefused(UrlFault.DENIED)
    is_built_in = policy.is_built_in(url)
    if AddressClass.LOOPBACK in address_classes and not (policy.allow_loopback or is_built_in):
        raise AddressRefused(UrlFault.LOOPBACK)
    if AddressClass.PRIVATE in address_classes and not (policy.allow_private or is_built_in):
        raise AddressRefused(UrlFault.PRIVATE)
    if AddressClass.PUBLIC in address_classes and url.scheme == "http":
        raise AddressRefused(UrlFault.PLAIN)
    return found


def refuse_own_listeners(url: ParsedUrl, found: Iterable[Address], policy: OutboundPolicy) -> None:
    """Raises `AddressRefused` when a server of this instance listens at one of these addresses."""
    if not policy.is_built_in(url) and any(policy.is_own(unmapped(address), url.port) for address in found):
        raise AddressRefused(UrlFault.OWN)
