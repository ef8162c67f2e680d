"""Addresses of a Redis that sentinels watch: `redis+sentinel://user:password@host1,host2,host3/name/0`.

No client library reads such an address, so its form is defined here (configuration, Redis with sentinels).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, unquote

SCHEMES = ("redis+sentinel://", "rediss+sentinel://")
SENTINEL_PORT = 26_379

CREDENTIALS = ("sentinel_username", "sentinel_password")
TLS_FILES = ("ssl_ca_certs", "ssl_certfile", "ssl_keyfile")

MUST_BE = "cannot be read: it must be redis+sentinel://user:password@host1:port,host2:port/name/0"
PERCENT = "percent-encode special characters of the password"
OPTIONS = f"has an option that is none of {', '.join((*CREDENTIALS, *TLS_FILES))}, or is given twice"

_FORM = re.compile(
    r"(?P<scheme>rediss?)\+sentinel://"
    r"(?:(?P<user>[^@:/?#]*):(?P<password>[^@/?#]*)@)?"
    r"(?P<hosts>[^@/?#]+)"
    r"/(?P<name>[^/?#]+)"
    r"(?:/(?P<database>[0-9]{1,4})?)?"
    r"(?:\?(?P<options>[^#]*))?"
)
_HOST = re.compile(r"(?:\[(?P<ipv6>[0-9A-Fa-f:.]+)\]|(?P<host>[A-Za-z0-9._-]+))(?::(?P<port>[0-9]{1,5}))?")


@dataclass(frozen=True, slots=True)
class SentinelAddress:
    """The sentinels as pairs of host and port, and how they and the watched servers are called.

    `name` is the name of the master in the configuration of the sentinels. The credentials are those of the servers.
    `tls` is None without TLS, else the options of redis-py for it, which count for sentinels and servers.
    """

    sentinels: tuple[tuple[str, int], ...]
    name: str
    database: int
    credentials: dict[str, str] = field(repr=False)
    sentinel_credentials: dict[str, str] = field(repr=False)
    tls: dict[str, str] | None


def is_sentinel(url: str) -> bool:
    """Returns whether a Redis URL names sentinels."""
    return url.startswith(SCHEMES)


def parse(url: str) -> SentinelAddress:
    """Returns the parts of the URL. Raises `ValueError` without a quote of the URL."""
    found = _FORM.fullmatch(url)
    if found is None:
        raise ValueError(f"{MUST_BE}; {PERCENT}")
    options = _options(found["options"] or "")
    tls = {name: options[name] for name in TLS_FILES if name in options}
    if tls and found["scheme"] == "redis":
        raise ValueError("has options of TLS, which need rediss+sentinel://")
    return SentinelAddress(
        sentinels=_hosts(found["hosts"]),
        name=unquote(found["name"]),
        database=int(found["database"] or 0),
        credentials=_credentials(found["user"], found["password"]),
        sentinel_credentials={name.removeprefix("sentinel_"): options[name] for name in CREDENTIALS if name in options},
        tls=tls if found["scheme"] == "rediss" else None,
    )


def _hosts(text: str) -> tuple[tuple[str, int], ...]:
    hosts = []
    for each in text.split(","):
        found = _HOST.fullmatch(each)
        if found is None:
            raise ValueError(f"{MUST_BE}; {PERCENT}")
        port = int(found["port"] or SENTINEL_PORT)
        if not 1 <= port <= 65_535:
            raise ValueError("has a port that is not 1 to 65535")
        hosts.append((found["ipv6"] or found["host"], port))
    if len(set(hosts)) < len(hosts):
        raise ValueError("names a sentinel twice")
    return tuple(hosts)


def _credentials(user: str | None, password: str | None) -> dict[str, str]:
    """Returns the arguments of redis-py. A user needs a password; a password alone is that of the user `default`."""
    if user and not password:
        raise ValueError("has a user without a password")
    given = {"username": user, "password": password}
    return {name: unquote(value) for name, value in given.items() if value}


def _options(text: str) -> dict[str, str]:
    try:
        pairs = parse_qsl(text, keep_blank_values=True, strict_parsing=True) if text else []
    except ValueError:
        raise ValueError(OPTIONS) from None
    options = dict(pairs)
    if len(options) < len(pairs) or not set(options) <= {*CREDENTIALS, *TLS_FILES} or not all(options.values()):
        raise ValueError(OPTIONS)
    if "sentinel_username" in options and "sentinel_password" not in options:
        raise ValueError("has a sentinel_username without a sentinel_password")
    return options
