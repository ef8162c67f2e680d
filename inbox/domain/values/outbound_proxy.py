"""The HTTP proxy through which the instance makes outgoing calls (specification 9.4)."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from inbox.domain.values.addresses import AddressRefused, ParsedUrl, parse


@dataclass(frozen=True, slots=True)
class OutboundProxy:
    """A proxy that opens connections to addresses by the method CONNECT. `headers` may contain a password."""

    url: ParsedUrl
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    @classmethod
    def parse(cls, text: str) -> OutboundProxy:
        """Parses `http://[user:password@]host:port`. Raises `ValueError`, whose text does not contain the password."""
        try:
            parts = urlsplit(text)
            user, password = unquote(parts.username or ""), unquote(parts.password or "")
            url = parse(f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path or '/'}")
            is_good = parts.scheme == "http" and parts.port is not None and url.path == "/" and not parts.query
        except (AddressRefused, ValueError):
            is_good = False
        if not is_good or bool(user) != bool(password):
            raise ValueError("must be http://, with user:password@ if wanted, host and port")
        if not user:
            return cls(url)
        return cls(url, {"Proxy-Authorization": f"Basic {b64encode(f'{user}:{password}'.encode()).decode()}"})
