"""The capabilities of this instance as configured, for `GET /v1/info` (specification 1.5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from inbox.config.settings import Settings, current
from inbox.domain.values.refusals import NotFound
from inbox.identity.passkeys import Site

CAPABILITIES: Mapping[str, Callable[[Settings], bool]] = {
    "auth.oidc": lambda chosen: bool(chosen.oidc_providers),
    "auth.passkey": lambda chosen: Site.of(chosen.base_url, chosen.name).can_have_passkeys,
    "auth.password_reset": lambda chosen: chosen.can_send_mail,
    "auth.signup": lambda chosen: chosen.is_hosted and chosen.can_send_mail,
    "auth.totp": lambda chosen: True,
    "export": lambda chosen: True,
    "ingest.alertmanager": lambda chosen: True,
    "ingest.cloudevents": lambda chosen: True,
    "ingest.legacy": lambda chosen: True,
    "ingest.mail": lambda chosen: chosen.can_receive_mail,
    "ingest.opsgenie": lambda chosen: True,
    "ingest.pagerduty": lambda chosen: True,
    "mail": lambda chosen: chosen.can_send_mail,
    "push.web": lambda chosen: True,
}
"""Each capability by its name in specification 1.5, with the check whether it is configured."""


def names() -> list[str]:
    """Return the names of the available capabilities."""
    return [name for name, works in CAPABILITIES.items() if works(current())]


def require(*names: str) -> None:
    """Check that the instance has all these capabilities (specification 1.5). Raises `NotFound`."""
    if not all(CAPABILITIES[name](current()) for name in names):
        raise NotFound()
