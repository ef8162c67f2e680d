"""Web push: the allowed push services and the endpoints of subscriptions (specification 9.13)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple
from urllib.parse import urlsplit

from inbox.domain.values.severity import Severity


class PhoneAlerts(StrEnum):
    """Which alerts of a chosen workspace a phone gets besides pages."""

    ALL = "all"
    """Each alert that is severe enough."""

    ON_CALL = "on_call"
    """The same, while the person is on call by a schedule of the workspace. Otherwise only pages."""


class PhoneChoice(NamedTuple):
    """What a phone gets of a workspace. Without `alerts` it is as before, or the default."""

    min_severity: Severity | None = None
    alerts: PhoneAlerts | None = None


SERVICES = (
    "fcm.googleapis.com",
    "jmt17.google.com",
    "*.push.services.mozilla.com",
    "*.push.apple.com",
    "*.notify.windows.com",
)
"""The push services of browsers. The endpoint of a subscription comes from a client, so others are refused."""

LONGEST_ENDPOINT = 2_048

LOST = frozenset({"http_404", "http_410"})
"""The statuses by which a push service reports that a subscription has ended."""

_HOST = re.compile(r"(\*\.)?[a-z0-9.-]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class PushHosts:
    """Hosts of additional push services, from the operator."""

    names: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> PushHosts:
        """Parses host names separated by commas. Raises `ValueError`."""
        names = tuple(name.strip().lower() for name in text.split(",") if name.strip())
        if not all(_HOST.fullmatch(name) for name in names):
            raise ValueError("must be host names separated by commas, such as push.example.org, *.example.net")
        return cls(names)


class EndpointRefused(ValueError):
    """The endpoint belongs to no known push service. The text gives the reason and never contains the endpoint."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An accepted endpoint. `is_added`: the operator added its host, so the general policy of addresses applies."""

    url: str
    origin: str
    is_added: bool


def endpoint(url: str, added: PushHosts) -> Endpoint:
    """Checks the endpoint of a subscription; `added` are hosts of the operator. Raises `EndpointRefused`.

    A known push service is called by https at port 443. An added host may have a port, and may use http if the policy
    of addresses allows it.
    """
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError:
        raise EndpointRefused("must be a URL") from None
    if len(url) > LONGEST_ENDPOINT or not url.isascii() or not url.isprintable() or parts.username is not None:
        raise EndpointRefused("must be a URL of at most 2,048 ASCII characters without a user name")
    if parts.scheme not in ("https", "http") or not host:
        raise EndpointRefused("must be an https URL")
    origin = f"{parts.scheme}://{parts.netloc.lower()}"
    if any(_matches(host, name) for name in added.names):
        return Endpoint(url, origin, is_added=True)
    if parts.scheme != "https" or port not in (None, 443):
        raise EndpointRefused("must be an https URL without a port")
    if not any(_matches(host, name) for name in SERVICES):
        raise EndpointRefused("is not at a known push service; the operator can add its host to INBOX_PUSH_HOSTS")
    return Endpoint(url, origin, is_added=False)


def _matches(host: str, name: str) -> bool:
    return host.endswith(name[1:]) if name.startswith("*.") else host == name
