"""Configures the sample workspace by the use cases of people: each change is in the audit log, at its time."""

from __future__ import annotations

import base64
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

from inbox.domain.incidents.incident import Actor
from inbox.domain.routing.rule_action import RuleAction
from inbox.domain.values.severity import Severity
from inbox.domain.workspaces.roles import Role
from inbox.domain.workspaces.settings import DefaultRoute
from inbox.models.oncall.schedules import OnCallSchedule
from inbox.models.people.accounts import User
from inbox.models.senders.sources import SourceKey
from inbox.models.workspaces.tables import Workspace
from inbox.services.deliveries import built_in_receiver, destinations
from inbox.services.insight import views
from inbox.services.records import audit
from inbox.services.routing import profiles, rules, silences
from inbox.services.senders import keys, sources
from inbox.services.workspaces import invites, workspaces
from ops.demo import rota
from ops.demo.company import CHAT, PHONE, SETTINGS, SOURCES, TARGETS, VIEWS, Target
from ops.demo.rules import PROFILES, RULES, SILENCES, Profile, Rule, Silence
from ops.demo.script import Called

SYSTEM = Actor("system", "", "bin/inbox")


@dataclass
class Configuration:
    """The workspace with its records by name. `accounts` are people by short name, with the owner as `owner`."""

    workspace: Workspace
    accounts: Mapping[str, User]
    address: str
    source_keys: dict[str, tuple[UUID, str]] = field(default_factory=dict)
    destination_ids: dict[str, UUID] = field(default_factory=dict)
    profile_ids: dict[str, UUID] = field(default_factory=dict)
    rule_ids: dict[str, UUID] = field(default_factory=dict)
    schedule: OnCallSchedule | None = None

    @property
    def targets(self) -> dict[UUID, Target]:
        """The destinations by id."""
        return {self.destination_ids[target.name]: target for target in TARGETS}

    def create(self, now: datetime) -> None:
        """Creates the records that the workspace has from its first hour on."""
        with _as(self.accounts["owner"]):
            for source in SOURCES:
                fields = {"name": source.name, "group_by": list(source.group_by)}
                made = sources.create(self.workspace.id, fields, now=now)
                _, secret = keys.create(made, source.key, by=self.accounts["owner"].id, now=now)
                self.source_keys[source.name] = (made.id, secret)
            for target in TARGETS:
                self.destination_ids[target.name] = self._destination(target, now)
            for profile in PROFILES:
                self.profile_ids[profile.name] = self._profile(profile, now)
            for rule in RULES:
                self.rule_ids[rule.name] = self._rule(rule, now)
            settings = {**SETTINGS, "fallbackDestinationId": str(self.destination_ids[PHONE])}
            workspaces.change(self.workspace.id, {"settings": settings}, expected_rev=None, now=now)
            self.schedule = rota.create(self.workspace.id, self.workspace.timezone, self.accounts, now)
            route = DefaultRoute((self.destination_ids[CHAT],), None, {})
            workspaces.set_route(self.workspace.id, route, expected_rev=None, now=now)

    def changes(self, now: datetime) -> Iterator[Called]:
        """Yields the changes during the history that ends now."""
        for silence in SILENCES:
            yield Called(now - timedelta(days=silence.made), partial(self._silence, silence, now))
        yield Called(now - timedelta(days=12), self._share_views)
        yield Called(now - timedelta(days=9, hours=5), self._count_less)
        yield Called(now - timedelta(days=2), self._invite)
        yield Called(now - timedelta(hours=7), self._rotate_key)
        yield Called(now - timedelta(hours=5), self._cover)

    def _destination(self, target: Target, now: datetime) -> UUID:
        secret = "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()
        threshold = target.quiet_hours_threshold
        fields = {
            "name": target.name, "kind": "webhook", "config": {"url": self._url(target), "secret": secret},
            "quiet_hours_threshold": threshold and Severity(threshold), "send_notes": target.send_notes,
        }  # fmt: skip
        made: UUID = destinations.create(self.workspace.id, fields, now=now).id
        return made

    def _url(self, target: Target) -> str:
        """Returns the built-in receiver for healthy destinations, which then stay healthy; else the one of `--live`."""
        if target.behaviour == "healthy" and built_in_receiver.refusal(self.workspace.id) is None:
            return built_in_receiver.url(self.workspace.id)
        return self.address + target.path

    def _profile(self, profile: Profile, now: datetime) -> UUID:
        steps = [
            {"after_minutes": minutes, "min_severity": None, "destination_ids": self._destinations(names)}
            for minutes, names in profile.steps
        ]
        fields = {"name": profile.name, "steps": steps, **profile.more}
        made: UUID = profiles.create(self.workspace.id, fields, now=now).id
        return made

    def _rule(self, rule: Rule, now: datetime) -> UUID:
        then = dict(rule.then)
        if "disposition" in then:
            then["disposition"] = RuleAction(then["disposition"])
        if "severity" in then:
            then["severity"] = Severity(then["severity"])
        if "destinations" in then:
            then["destination_ids"] = self._destinations(then.pop("destinations"))
        if "profile" in then:
            then["routing_profile_id"] = self.profile_ids[then.pop("profile")]
        fields = {"name": rule.name, "match_text": rule.match, "then": then, **rule.more}
        made: UUID = rules.create(self.workspace.id, fields, now=now).id
        return made

    def _destinations(self, names: tuple[str, ...]) -> list[UUID]:
        return [self.destination_ids[name] for name in names]

    def _silence(self, silence: Silence, now: datetime, at: datetime) -> None:
        recurrence = silence.recurrence and {**silence.recurrence, "timezone": self.workspace.timezone}
        fields: dict[str, Any] = {
            "match_text": silence.match, "comment": silence.comment, "recurrence": recurrence,
            "starts_at": now - timedelta(days=silence.starts), "ends_at": now - timedelta(days=silence.ends),
        }  # fmt: skip
        with _as(self.accounts[silence.by]):
            silences.create(self.workspace.id, fields, by=self.accounts[silence.by].id, now=at)

    def _share_views(self, at: datetime) -> None:
        for order, (name, filters) in enumerate(VIEWS):
            fields = {"name": name, "list": "incidents", "filters": filters, "shared": True, "position": order}
            views.create(self.workspace.id, fields, person=self.accounts["mira"].id, role=Role.ADMIN, now=at)

    def _count_less(self, at: datetime) -> None:
        """Lowers the number of slow answers that open an incident, as Mira."""
        rule = rules.find(self.rule_ids["Slow answers count after three events"])
        if rule is not None:
            with _as(self.accounts["mira"]):
                fields = {"open_after": {"count": 3, "within": timedelta(minutes=15)}}
                rules.edit(rule, fields, expected_rev=None, now=at)

    def _invite(self, at: datetime) -> None:
        """Invites a viewer as the owner, by a link without an address."""
        with _as(self.accounts["owner"]):
            invites.create(self.workspace.id, Role.VIEWER, None, by=self.accounts["owner"].id, now=at)

    def _cover(self, at: datetime) -> None:
        if self.schedule is not None:
            rota.cover(self.schedule, self.accounts, at)

    def _rotate_key(self, at: datetime) -> None:
        """Rotates the key of the builds, as Mira. The history continues with the old key, which works for a day."""
        source_id, _ = self.source_keys["CI"]
        key: SourceKey = SourceKey.get(SourceKey.source == source_id)
        with _as(self.accounts["mira"]):
            keys.rotate(key, by=self.accounts["mira"].id, now=at)


@contextmanager
def _as(user: User) -> Iterator[None]:
    """Makes this person the actor of the audit log within the block."""
    audit.set_actor(audit.person(user))
    try:
        yield
    finally:
        audit.set_actor(SYSTEM)
