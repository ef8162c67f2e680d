"""The end of a silence: whether people know the incident that it covered (specification 3.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inbox.domain.incidents.incident import Incident


def is_known(incident: Incident) -> bool:
    """Returns whether an alert was sent since the incident last opened, of its present severity or a higher one."""
    notified_at, severity = incident.notified_at, incident.notified_severity
    if notified_at is None or severity is None or notified_at < incident.opened_at:
        return False
    return severity.rank >= incident.severity.rank
