"""What this instance can do as it is configured: the capabilities of `GET /v1/info` (specification 1.5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from inbox.domain.refusals import NotFound
from inbox.identity.passkeys import Site
from inbox.settings import Settings, current

CAPABILITIES: Mapping[str, Callable[[Settings], bool]] = {
    "auth.oidc": lambda chosen: bool(chosen.oidc_providers),
    "auth.passkey": lambda chosen: Site.of(chosen.base_url, chosen.name).can_have_passkeys,
    "auth.password_reset": lambda chosen: chosen.mails,
    "auth.signup": lambda chosen: chosen.hosted and chosen.mails,
    "auth.totp": lambda chosen: True,
    "export": lambda chosen: True,
    "mail": lambda chosen: chosen.mails,
}
"""Each by its name in specification 1.5, and whether it is configured and works."""


def names() -> list[str]:
    """The names of what this instance can do."""
    return [name for name, works in CAPABILITIES.items() if works(current())]


def require(*names: str) -> None:
    """Raises `NotFound` unless this instance can do all of it: what is not listed is not there (specification 1.5)."""
    if not all(CAPABILITIES[name](current()) for name in names):
        raise NotFound()
