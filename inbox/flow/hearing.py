"""What rules, profiles and the default route make of an event, before it meets anything: no incident, no database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

from inbox.domain import grouping, ids
from inbox.domain.ids import Prefix
from inbox.domain.occurrence import Policy
from inbox.domain.routing import Decision, Terms, Way, decide, targets_of
from inbox.domain.rules import OpenAfter, Verdict
from inbox.domain.severity import Severity
from inbox.domain.target import Target
from inbox.flow.rulebook import Rulebook
from inbox.models.routing import Origin


class Event(Protocol):
    """An event as it is stored."""

    @property
    def id(self) -> UUID: ...
    @property
    def workspace_id(self) -> UUID: ...
    @property
    def source_id(self) -> UUID: ...
    @property
    def received_at(self) -> datetime: ...
    @property
    def severity(self) -> Severity: ...
    @property
    def action(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def type(self) -> str | None: ...
    @property
    def resource(self) -> str | None: ...
    @property
    def dedup_key(self) -> str | None: ...
    @property
    def tags(self) -> list[str]: ...
    @property
    def fingerprint(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Subject:
    """An event as rules and silences see it (`matchers.Subject`); what none of them asks for need not be loaded."""

    severity: Severity
    action: str
    title: str
    type: str | None
    resource: str | None
    dedup_key: str | None
    tags: Sequence[str]
    source_id: str
    source_name: str
    body: str | None = None
    url: str | None = None
    external_id: str | None = None
    metadata: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Court:
    """By what the events of one source are judged: its workspace's rulebook, and its own terms."""

    book: Rulebook
    terms: Terms
    source_id: str
    source_name: str
    policies: dict[UUID | None, Policy]

    @classmethod
    def of(cls, book: Rulebook, origin: Origin) -> Court:
        """Of a source in its workspace."""
        route = book.route
        terms = Terms(
            targets=targets_of(route.dispositions),
            resolve_by=origin.resolve_by,
            profile_id=origin.routing_profile_id,
            default=Way(route.routing_profile_id, route.destination_ids),
            profile_ids=book.profiles.keys(),
        )
        return cls(book, terms, ids.encode(Prefix.SOURCE, origin.source_id), origin.source_name, {})

    @property
    def looks(self) -> bool:
        """Whether anything in the workspace looks at events more closely than the default route."""
        return bool(self.book.rules.rules or self.book.hushes)

    def policy(self, profile_id: UUID | None) -> Policy:
        """What holds for incidents of this profile, or of none."""
        if profile_id not in self.policies:
            settings, profile = self.book.settings, self.book.profiles.get(profile_id) if profile_id else None
            policy = Policy.of_minutes(settings.reoccur_quiet_minutes, settings.reopen_window_minutes)
            if profile is not None and profile.reopen_window is not None:
                policy = replace(policy, reopen_window=profile.reopen_window)
            self.policies[profile_id] = policy
        return self.policies[profile_id]


@dataclass(frozen=True, slots=True)
class Case:
    """An event with what was decided of it, before it meets anything; `fingerprint` is the one it is grouped by."""

    event: Event
    subject: Subject | None
    court: Court
    decision: Decision
    fingerprint: str

    @property
    def waits(self) -> OpenAfter | None:
        """What the rule that decided waits for before an incident opens."""
        opens = self.decision.target is Target.INCIDENT and not self.decision.recovers
        return self.decision.verdict.open_after if opens else None


def hear(event: Event, subject: Subject | None, court: Court, verdict: Verdict | None = None) -> Case:
    """What rules, profile and default route say of the event. `subject` is there where the court `looks`; `verdict` where
    it is known what the rules say."""
    if subject is None:
        return Case(event, None, court, decide(event, court.terms), event.fingerprint)
    if verdict is None:
        verdict = court.book.rules.verdict(subject, event.source_id, event.received_at)
    decision = decide(event, court.terms, verdict)
    grouped = grouping.regrouped(event.source_id, subject, verdict.group_by) if verdict.group_by else None
    return Case(event, subject, court, decision, grouped or event.fingerprint)
