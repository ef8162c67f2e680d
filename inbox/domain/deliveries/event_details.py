"""The details of a notice: the members that the newest event adds to the body of a webhook (specification 10.2)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from inbox.domain.deliveries.notices import body_text
from inbox.domain.events.fields import URL_LIMIT
from inbox.domain.values.text import is_web_link
from inbox.domain.values.times import rfc3339

LARGEST_METADATA = 8 * 1024
"""The maximum bytes of `data.metadata` as compact JSON in UTF-8."""

NEWS = timedelta(minutes=5)
"""A sender that waits, groups or retries reports a new problem within this time."""


class EventDetails(NamedTuple):
    """What an event says, as it is stored: redacted, and None or empty where it says nothing.

    `began_at` is the time that the sender gave for a problem; None for a recovery.
    """

    body: str | None
    tags: Sequence[str]
    type: str | None
    dedup_key: str | None
    url: str | None
    metadata: Mapping[str, Any] | None
    began_at: datetime | None = None


def added(body: str, details: EventDetails) -> str:
    """Returns the JSON of the notice with the details in its `data`. A member that `data` already has goes first."""
    notice = json.loads(body)
    data = notice["data"]
    found = _members(details)
    if details.began_at is not None and _is_old(details.began_at, data):
        found["beganAt"] = rfc3339(details.began_at)
    notice["data"] = {**data, **{name: value for name, value in found.items() if name not in data}}
    return body_text(notice)


def _is_old(began_at: datetime, data: Mapping[str, Any]) -> bool:
    """Returns whether the problem began well before its incident was opened."""
    return bool(data.get("incidentId")) and datetime.fromisoformat(data["firstSeenAt"]) - began_at > NEWS


def _members(details: EventDetails) -> dict[str, Any]:
    """Returns the members with a value."""
    metadata = details.metadata or {}
    kept = _fitting(metadata)
    found = {
        "body": details.body,
        "tags": list(details.tags),
        "type": details.type,
        "dedupKey": details.dedup_key,
        "sourceUrl": details.url,
        "runbookUrl": _runbook_url(metadata),
        "metadata": kept,
        "metadataOmitted": len(kept) < len(metadata),
    }
    return {name: value for name, value in found.items() if value}


def _runbook_url(metadata: Mapping[str, Any]) -> str | None:
    """Returns the link of the annotation `runbook_url`, which Alertmanager and Grafana send."""
    annotations = metadata.get("annotations")
    url = annotations.get("runbook_url") if isinstance(annotations, dict) else None
    return url if isinstance(url, str) and len(url) <= URL_LIMIT and is_web_link(url) else None


def _fitting(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the metadata without its largest members, so that the others fit."""
    sizes = {name: _bytes_of({name: value}) for name, value in metadata.items()}
    kept, total = dict(metadata), sum(sizes.values())
    for name in sorted(sizes, key=sizes.__getitem__, reverse=True):
        if total <= LARGEST_METADATA:
            break
        total -= sizes[name]
        del kept[name]
    return kept


def _bytes_of(value: Mapping[str, Any]) -> int:
    return len(body_text(value).encode())
