"""One rule, stored and compiled: its match, its active hours and its actions (specification 6.2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Protocol
from uuid import UUID

from inbox.domain.incidents.alerts import ResolveWhen
from inbox.domain.routing import matchers
from inbox.domain.routing.matchers import BadMatch, MatchSubject
from inbox.domain.routing.matchers.index import CompiledMatch
from inbox.domain.routing.people import PageTarget, targets_of
from inbox.domain.routing.rule_action import RuleAction
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.domain.values.refusals import Fault
from inbox.domain.values.severity import Severity
from inbox.domain.values.windows import Schedule

MAX_RULES = 200
"""The limit of rules in a workspace."""


class StoredRule(Protocol):
    """A row of the table of rules."""

    id: UUID
    name: str
    source_ids: list[UUID]
    match: dict[str, Any]
    active_during: dict[str, Any] | None
    open_after: dict[str, Any] | None
    actions: dict[str, Any]
    continue_matching: bool


@dataclass(frozen=True, slots=True)
class OpenAfter:
    """The threshold of a rule: the incident opens at the `count`th event of a fingerprint `within` the period."""

    count: int
    within: timedelta

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> OpenAfter:
        """Creates a threshold from the API's format: `{count, withinMinutes}`."""
        return cls(stored["count"], timedelta(minutes=stored["withinMinutes"]))

    def record(self) -> dict[str, Any]:
        """Serializes the threshold in the API's format."""
        return {"count": self.count, "withinMinutes": _minutes(self.within)}


@dataclass(frozen=True, slots=True)
class RuleActions:
    """The actions of a rule for the events that it matches.

    `disposition` is `None` only if the rule continues to later rules. Without destinations, people and profile, the
    recipients come from a later rule. Else they come from the source's profile or from the default route.
    """

    disposition: RuleAction | None = None
    severity: Severity | None = None
    add_tags: tuple[str, ...] = ()
    group_by: tuple[str, ...] = ()
    destination_ids: tuple[UUID, ...] = ()
    routing_profile_id: UUID | None = None
    snooze: timedelta | None = None
    people: tuple[PageTarget, ...] = ()
    runbook_url: str | None = None
    resolve_when: ResolveWhen = ResolveWhen.ALL

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> RuleActions:
        """Creates the actions from the API's format, with all members present."""
        profile, snooze = stored["routingProfileId"], stored["snoozeMinutes"]
        return cls(
            disposition=RuleAction(stored["disposition"]) if stored["disposition"] else None,
            severity=Severity(stored["severity"]) if stored["severity"] else None,
            add_tags=tuple(stored["addTags"]),
            group_by=tuple(stored["groupBy"]),
            destination_ids=tuple(_uuid(Prefix.DESTINATION, each) for each in stored["destinationIds"]),
            people=targets_of(stored.get("people") or ()),
            routing_profile_id=_uuid(Prefix.PROFILE, profile) if profile else None,
            snooze=timedelta(minutes=snooze) if snooze else None,
            runbook_url=stored.get("runbookUrl"),
            resolve_when=ResolveWhen(stored["resolveWhen"]),
        )

    def record(self) -> dict[str, Any]:
        """Serializes the actions in the API's format, with ids as TypeIDs."""
        profile = self.routing_profile_id
        return {
            "disposition": None if self.disposition is None else str(self.disposition),
            "severity": None if self.severity is None else str(self.severity),
            "addTags": list(self.add_tags),
            "groupBy": list(self.group_by),
            "resolveWhen": str(self.resolve_when),
            "destinationIds": [ids.encode(Prefix.DESTINATION, each) for each in self.destination_ids],
            "people": [each.record() for each in self.people],
            "routingProfileId": None if profile is None else ids.encode(Prefix.PROFILE, profile),
            "snoozeMinutes": None if self.snooze is None else _minutes(self.snooze),
            "runbookUrl": self.runbook_url,
        }


def conflicts(actions: RuleActions, *, has_open_after: bool, continues: bool) -> list[Fault]:
    """Returns the actions that can have no effect, with pointers into the rule; `has_open_after`: it has an `openAfter`.

    A rule that continues to later rules can name destinations for any disposition that they decide. A rule that ends
    the evaluation with a disposition without notices cannot name destinations.
    """
    disposition = actions.disposition
    faults = []
    if disposition is None and not continues:
        faults.append(Fault("/then/disposition", "Set an action for the events, or set continue."))
    if has_open_after and disposition is not RuleAction.INCIDENT:
        faults.append(Fault("/openAfter", "Only a rule whose disposition is incident can wait for more events."))
    if actions.runbook_url and disposition is not RuleAction.INCIDENT:
        faults.append(Fault("/then/runbookUrl", "Has no effect unless the disposition is incident."))
    if continues or disposition in (RuleAction.INCIDENT, None):
        return faults
    notice_actions = {"destinationIds": actions.destination_ids} if disposition is not RuleAction.NOTIFY else {}
    incident_actions = {
        "people": actions.people,
        "routingProfileId": actions.routing_profile_id,
        "snoozeMinutes": actions.snooze,
    }
    for name, given in {**notice_actions, **incident_actions}.items():
        if given:
            faults.append(Fault(f"/then/{name}", f"Has no effect where the disposition is {disposition}."))
    return faults


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """A compiled rule. `source_ids` empty means every source; `error` is the cause if it can match nothing.

    `compiled` is the match, None if it is invalid. `record` returns the satisfied clauses of a matched event,
    `[{"clause", "matched", "value"}]` as JSON text.
    """

    id: UUID
    name: str
    source_ids: frozenset[UUID]
    match: Mapping[str, Any]
    compiled: CompiledMatch | None
    matches: Callable[[MatchSubject], bool]
    record: Callable[[MatchSubject], str]
    active_during: Schedule | None = None
    open_after: OpenAfter | None = None
    actions: RuleActions = RuleActions()
    continues: bool = False
    error: str | None = None

    @classmethod
    def of(cls, row: StoredRule, timezone: str) -> Rule:
        """Compiles a stored rule; `timezone` is the workspace's, for active hours without a time zone.

        A rule that cannot be compiled gets an `error`. Routing continues without it.
        """
        common: dict[str, Any] = {
            "id": row.id,
            "name": row.name,
            "source_ids": frozenset(row.source_ids),
            "match": row.match,
        }
        try:
            compiled = CompiledMatch.of_stored(row.match)
            return cls(
                **common,
                compiled=compiled,
                matches=compiled.test,
                record=matchers.recorder(row.match),
                active_during=Schedule.of(row.active_during, timezone) if row.active_during is not None else None,
                open_after=OpenAfter.of(row.open_after) if row.open_after is not None else None,
                actions=RuleActions.of(row.actions),
                continues=row.continue_matching,
            )
        except (BadMatch, LookupError, ValueError, TypeError) as error:
            text = f"{type(error).__name__}: {error}"
            return cls(**common, compiled=None, matches=_matches_nothing, record=_no_record, error=text)


def _matches_nothing(_: MatchSubject) -> bool:
    return False


def _no_record(_: MatchSubject) -> str:
    raise LookupError("of a rule that matches nothing there is no record")


def _minutes(span: timedelta) -> int:
    return span // timedelta(minutes=1)


def _uuid(prefix: Prefix, text: str) -> UUID:
    found = ids.decode(prefix, text)
    if found is None:
        raise ValueError(f"{text} is no id of a {prefix}")
    return found
