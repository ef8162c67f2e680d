"""The preferences of a person over the API."""

from __future__ import annotations

from tests.web.service import Service

PATH = "/v1/me/preferences"


def save(service: Service, **changes: object) -> None:
    """Change preferences as another browser would."""
    service.session.patch(service.address + PATH, json=changes, timeout=60).raise_for_status()


def restore(service: Service) -> None:
    """Olga's preferences are the default ones."""
    save(service, theme="system", density="comfortable", times="local", defaultSnoozeMinutes=60)
