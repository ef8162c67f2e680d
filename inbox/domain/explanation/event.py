"""What an event did and what led to it, in words a person reads without knowing the code (decision 8)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from inbox.domain.explanation.spoken import sentence
from inbox.domain.moves import Act, Reason
from inbox.domain.occurrence import Disposition

_OF_EVENT: Mapping[Disposition, str] = MappingProxyType(
    {
        Disposition.PENDING: "It is accepted and waits to be routed.",
        Disposition.LOGGED: "It was kept and nothing more.",
        Disposition.OPENED: "It opened the incident.",
        Disposition.UPDATED: "It was counted; a repeat is told only of an open incident, after a quiet while.",
        Disposition.RESOLVED: "It resolved the incident.",
        Disposition.UNMATCHED: "It was to resolve an incident, and none was unresolved.",
        Disposition.SUPPRESSED: "A rule waits for more events like it before an incident opens.",
        Disposition.NOTIFIED: "It became a notice of its own, without an incident.",
        Disposition.DROPPED: "It was dropped: kept as a record, and nobody is told.",
    }
)

_EVERY = "any event"


def of_event(disposition: str, act: str | None, reason: str | None) -> str:
    """What an event did to its incident, and whether that was told."""
    known = Disposition(disposition)
    if act == Act.TRIGGER_SILENCED:
        again = " again" if reason == Reason.REOPENED else ""
        return f"It opened the incident{again} under a silence, so nobody was told."
    if act == Act.TRIGGER_SNOOZED:
        return "It opened the incident, which a rule puts off for a while, so nobody was told yet."
    if reason == Reason.FLAPPING:
        return "It made the incident open or resolve once too often: it flaps, and from now on not every time is told."
    if known is Disposition.OPENED and reason == Reason.REOPENED:
        return "It opened the incident again: it came within the reopen window."
    if known is Disposition.UPDATED and act == Act.TRIGGER_HIGHER:
        return "It is more severe than the incident had been."
    if known is Disposition.UPDATED and reason == Reason.REOCCURRED:
        return "It came after the incident had been quiet for a while: that is told, unless its routing profile still waits."
    return _OF_EVENT[known]


def whys(routing: Mapping[str, Any] | None, profile: str | None = None) -> list[str]:
    """What led to it, from the event's `routing`: each rule that had a say with the clauses that held, then the rest.

    `profile` is the name of the routing profile by which it is told, if the record names one.
    """
    if routing is None:
        return []
    said = [_of_rule(rule) for rule in routing.get("rules") or ()]
    said += [sentence(words) for words in routing["trace"]]
    if profile is not None:
        whose = "the source's" if routing["by"] == "profile" else "the"
        said.append(f'Who is told says {whose} routing profile "{profile}".')
    return said


def _of_rule(rule: Mapping[str, Any]) -> str:
    if "fault" in rule:
        return f'Rule "{rule["name"]}" could not be asked: {rule["fault"]}.'
    return f'Matched rule "{rule["name"]}": {", ".join(_clauses(rule))}.'


def _clauses(rule: Mapping[str, Any]) -> Iterator[str]:
    for each in rule["clauses"]:
        if each["clause"] == _EVERY:
            yield _EVERY
        elif each["value"] is None:
            yield f"{each['clause']} (there is none)"
        else:
            yield f"{each['clause']} (it is {json.dumps(each['value'], ensure_ascii=False)})"
