"""Sentences for the effect of an event, and for the rules and routes that caused it (specification 7.7)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from inbox.domain.explaining.formatting import sentence
from inbox.domain.explaining.notice_text import FLAPPING
from inbox.domain.incidents.event_transition import Disposition
from inbox.domain.incidents.state_machine import Act, Reason

_OF_EVENT: Mapping[Disposition, str] = MappingProxyType(
    {
        Disposition.PENDING: "Event accepted, waiting to be routed.",
        Disposition.LOGGED: "Event logged only.",
        Disposition.OPENED: "Event opened the incident.",
        Disposition.UPDATED: "Repeat, counted. No notification: only open incidents notify of repeats.",
        Disposition.RESOLVED: "Event resolved the incident.",
        Disposition.UNMATCHED: "Recovery without an alert that fires: nothing to resolve.",
        Disposition.WAITING: "Event counted. No incident yet: a rule waits for more events.",
        Disposition.NOTIFIED: "Event sent as information only, no incident.",
        Disposition.DROPPED: "Event dropped: it is stored, and nobody is notified.",
    }
)

_OF_ACT: Mapping[str | None, str] = MappingProxyType(
    {
        Act.TRIGGER_SNOOZED: "Event opened the incident, and a rule snoozed it: no notification yet.",
        Act.JOIN: (
            "Event added an alert to the incident. Notification: sent soon for all that joined, unless nobody was notified"
            " before, the incident flaps, or a silence covers it."
        ),
        Act.ALERT_ENDS: "Recovery ended an alert. The incident stays, because others still fire.",
    }
)
"""Sentences for acts that say all."""

_EVERY = "any event"

_FLAPPING = f"{FLAPPING}. Open/resolve notifications pause until it is stable for 30 minutes."


def of_event(disposition: str, act: str | None, reason: str | None, quiet_minutes: int = 0) -> str:
    """Returns the effect of an event on its incident, and whether it caused a notice.

    `quiet_minutes` is `reoccurQuietMinutes`.
    """
    disposition_kind = Disposition(disposition)
    if act == Act.TRIGGER_SILENCED:
        verb = "reopened" if reason == Reason.REOPENED else "opened"
        return f"Event {verb} the incident under a silence: no notification."
    if act in _OF_ACT:
        return _OF_ACT[act]
    if reason == Reason.FLAPPING:
        return _FLAPPING
    if disposition_kind is Disposition.OPENED and reason == Reason.REOPENED:
        return "Event reopened the incident within the reopen window."
    if disposition_kind is Disposition.UPDATED and act == Act.TRIGGER_HIGHER:
        return "Event raised the severity of the incident."
    if disposition_kind is Disposition.UPDATED and reason == Reason.REOCCURRED:
        return "Repeat after a quiet period. Notification: sent, unless the routing profile still waits or the incident flaps."
    if disposition_kind is Disposition.UPDATED and quiet_minutes:
        period = "a minute" if quiet_minutes == 1 else f"{quiet_minutes} minutes"
        return f"Repeat, counted. No notification: only repeats of open incidents notify, after {period} without one."
    return _OF_EVENT[disposition_kind]


def reasons(routing: Mapping[str, Any] | None, profile: str | None = None) -> list[str]:
    """Returns the reasons from the event's `routing`: each matched rule with its clauses, then the other reasons.

    `profile` is the name of the routing profile, if the record names one.
    """
    if routing is None:
        return []
    sentences = [_of_rule(rule) for rule in routing.get("rules") or ()]
    sentences += [sentence(words) for words in routing["trace"]]
    if profile is not None:
        sentences.append(f'Notified by routing profile "{profile}".')
    return sentences


def _of_rule(rule: Mapping[str, Any]) -> str:
    if "error" in rule:
        return f'Rule "{rule["name"]}" could not be evaluated: {rule["error"]}.'
    return f'Matched rule "{rule["name"]}": {", ".join(clauses(rule["clauses"]))}.'


def clauses(found: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yields the texts of clauses with the compared values.

    Examples: `severity >= ERROR (value: "CRITICAL")`, `tags ["prod"] include "x"`.
    """
    for each in found:
        clause, value = each["clause"], each["value"]
        tags = _TAGS.fullmatch(clause)
        if clause == _EVERY or _OMITTED.fullmatch(clause):
            yield clause
        elif value is None:
            yield f"{clause} (no value)"
        elif tags and isinstance(value, str):
            has = (tags["op"] == "=") != bool(tags["not"])
            yield f"tags {value} {'include' if has is each['matched'] else 'do not include'} {tags['value']}"
        else:
            yield f"{clause} (value: {json.dumps(value, ensure_ascii=False)})"


_OMITTED = re.compile(r"\d+ more clauses")
_TAGS = re.compile(r'(?P<not>not )?tags (?P<op>=|!=) (?P<value>".*")', re.DOTALL)
