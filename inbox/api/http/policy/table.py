"""The table of endpoints. It is filled when modules with routes are imported."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from inbox.api.http.policy.columns import EndpointPolicy, declared

POLICY: dict[str, EndpointPolicy] = {}
"""The declaration of each endpoint by its name, such as `sources.create`."""


class PolicyIncomplete(Exception):
    """A route has no declaration."""


def register(endpoint: str, view: Callable[..., Any] | None) -> None:
    """Adds an endpoint to `POLICY`. Raises `PolicyIncomplete` for a view without an `EndpointPolicy`."""
    found = declared(view)
    if found is None:
        raise PolicyIncomplete(f"{endpoint} has no EndpointPolicy between its route and its view")
    POLICY[endpoint] = found


def verify(endpoints: Iterable[str]) -> None:
    """Raises `PolicyIncomplete` when an endpoint is not in `POLICY`."""
    missing = sorted(set(endpoints) - POLICY.keys())
    if missing:
        raise PolicyIncomplete(f"routes without an EndpointPolicy: {', '.join(missing)}")
