"""Request examples that can succeed: which fields exclude each other, and times that lie in the future.

Decision 0029.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from inbox.domain import times

_DAY = re.compile(rb"@day([+-]\d{1,2})")

OMITTED: Mapping[str, tuple[str, ...]] = {
    "auth.login_second_factor": ("credential",),
    "auth.step_up": ("code", "challenge", "credential"),
    "destinations.create": ("digest", "template"),
    "destinations.edit": ("digest", "template"),
    "heartbeat_monitors.create": ("schedule.periodSeconds",),
    "heartbeat_monitors.edit": ("schedule.periodSeconds",),
    "heartbeat_monitors.preview_schedule": ("schedule.periodSeconds",),
    "incidents.bulk": ("filter", "expectedCount", "until", "forMinutes", "assigneeId", "tags"),
    "incidents.snooze": ("forMinutes",),
    "imports.create": ("file", "address", "token"),
    "imports.preview": ("file", "address", "token"),
    "keys.create": ("tool", "secret"),
    "previews.create": ("rules", "rule.matchText"),
    "previews.create_of_event": ("rules", "rule.matchText", "event", "sourceId"),
    "rules.create": ("matchText",),
    "rules.edit": ("matchText",),
    "rules.parse": ("matchText",),
    "silences.create": ("matchText",),
    "silences.edit": ("matchText",),
    "silences.preview": ("matchText",),
}
"""Fields, by their dotted path, that are alternatives to others of the same example."""

VALUES: Mapping[str, Mapping[str, Any]] = {
    "destinations.replay": {"since": "@day-2", "until": "@day-1"},
    "incidents.snooze": {"until": "@day+1"},
    "me.change_password": {"newPassword": "another-phrase-of-your-own"},
    "previews.create": {"since": "@day-7", "until": "@day-1"},
    "silences.create": {"startsAt": "@day+1", "endsAt": "@day+30"},
    "silences.edit": {"startsAt": "@day+1", "endsAt": "@day+30"},
    "silences.extend": {"endsAt": "@day+30"},
    "workspaces.change": {"settings.requireMfa": False},
}
"""Values, by their dotted path. `@day+1` becomes tomorrow at noon when the document is served (`dated`)."""


def corrected(endpoint: str, example: Any) -> Any:
    """The example of an operation's body without what excludes each other, and with what must be a value of its own."""
    for path in OMITTED.get(endpoint, ()):
        holder, name = _place(example, path)
        del holder[name]
    for path, value in VALUES.get(endpoint, {}).items():
        holder, name = _place(example, path)
        holder[name] = value
    return example


def dated(document: bytes, now: datetime) -> bytes:
    """The document with the days of its examples counted from this one. It changes once a day, alike in all processes."""
    return _dated(document, now.replace(hour=12, minute=0, second=0, microsecond=0))


@lru_cache(maxsize=2)
def _dated(document: bytes, noon: datetime) -> bytes:
    return _DAY.sub(lambda found: times.rfc3339(noon + timedelta(days=int(found[1]))).encode(), document)


def _place(example: Any, path: str) -> tuple[dict[str, Any], str]:
    *outer, name = path.split(".")
    for step in outer:
        example = example[step]
    if name not in example:
        raise KeyError(f"an example without {path}")
    return example, name
