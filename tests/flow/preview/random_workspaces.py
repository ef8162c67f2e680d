"""Workspaces by chance for tests of previews, without a database: rules, profiles, silences, destinations, events."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from inbox.domain.events import grouping
from inbox.domain.routing import matchers
from inbox.domain.routing.active_periods import ActivePeriods
from inbox.domain.routing.matchers.index import CompiledMatch
from inbox.domain.routing.profiles import Profile, Step
from inbox.domain.routing.rule_action import RuleAction
from inbox.domain.routing.rules import OpenAfter, Rule, RuleActions, RuleSet
from inbox.domain.routing.silences import CompiledSilence
from inbox.domain.values.severity import Severity
from inbox.domain.values.windows import QuietHours, Schedule
from inbox.domain.workspaces.settings import effective_route, effective_settings
from inbox.flow.routing.routing_config import RoutingConfig
from inbox.models.deliveries.recipients import Recipient
from inbox.models.events.preview_events import StoredEvent
from inbox.models.events.queue import SourceContext
from tests.cast import NOW
from tests.flow.rulemaking import ANY, clause

MINUTE = timedelta(minutes=1)
WORKSPACE = UUID(int=1)
PLACES = [UUID(int=10 + n) for n in range(3)]
PROFILES = [UUID(int=20 + n) for n in range(2)]
SOURCES = [UUID(int=30 + n) for n in range(2)]
EVENING = Schedule.of({"timezone": "UTC", "windows": [{"days": ["sat"], "start": "12:20", "end": "23:00"}]}, "UTC")
QUIET = QuietHours(
    True, Schedule.of({"timezone": "UTC", "windows": [{"days": ["sat"], "start": "12:40", "end": "14:00"}]}, "UTC")
)

RECIPIENTS = {
    id: Recipient(
        id,
        WORKSPACE,
        f"Place {n}",
        n != 2,
        False,
        n == 0,
        (None, Severity.ERROR)[n % 2],
        (None, Severity.CRITICAL)[n % 2],
    )
    for n, id in enumerate(PLACES)
}


class Groupable:
    """The part of an event by which it is grouped."""

    url = None

    def __init__(self, event: StoredEvent) -> None:
        self.title, self.type, self.resource, self.dedup_key = event.title, event.type, event.resource, event.dedup_key
        self.metadata = event.metadata


CLAUSES = [
    clause("severity", "gte", "ERROR"), clause("tags", "contains", "db"), clause("title", "contains", "disk"),
    clause("dedupKey", "eq", "k1"), clause("resource.name", "eq", "a"), clause("metadata.team", "eq", "x"),
    clause("source", "eq", "Source 1"), {"not": clause("type", "exists", True)}, clause("body", "contains", "swap"),
]  # fmt: skip


def books(dice: random.Random) -> tuple[RoutingConfig, RoutingConfig]:
    """A workspace by two sets of rules, of which most are in both."""
    rules = [_rule(number, dice) for number in range(dice.randint(1, 5))]
    place, another = dice.randrange(len(rules)), _rule(9, dice)
    changed = {
        "other": [*rules[:place], another, *rules[place + 1 :]],
        "fewer": [*rules[:place], *rules[place + 1 :]],
        "more": [*rules[:place], another, *rules[place:]],
        "order": rules[::-1],
        "none": rules,
    }
    route = {
        "destinationIds": [str(id) for id in PLACES[:2]],
        "routingProfileId": dice.choice([None, str(PROFILES[0])]),
    }
    given = {"reopenWindowMinutes": dice.choice([0, 10, 60]), "renotifyMinutes": {"ERROR": 25}, "renotifyMax": 2}
    budget = dice.choice([None, None, 1_500, 3_000, 6_000])
    before = book(
        RuleSet(rules, budget),
        profiles={id: _profile(id, dice) for id in PROFILES},
        silences=tuple(_silence(number, dice) for number in range(dice.randint(0, 2))),
        settings=effective_settings(given),
        route=effective_route(route),
        quiet=dice.choice([QUIET, QuietHours(False, QUIET.schedule)]),
    )
    return before, replace(before, rules=RuleSet(changed[dice.choice(["other", *changed])], budget))


def book(rules: RuleSet, **more: Any) -> RoutingConfig:
    """By these rules, as shipped where nothing else is said."""
    usual: dict[str, Any] = {
        "profiles": {}, "silences": (), "settings": effective_settings({}), "route": effective_route({}),
        "quiet": QuietHours(False, QUIET.schedule),
    }  # fmt: skip
    return RoutingConfig(rev=0, rules=rules, timezone="UTC", needs=frozenset(), **{**usual, **more})


def rule(number: int, match: Any, then: RuleActions, **more: Any) -> Rule:
    """A rule that says so of what matches."""
    compiled = CompiledMatch(match)
    tests = {"compiled": compiled, "matches": compiled.test, "record": matchers.recorder(match)}
    return Rule(
        UUID(int=100 + number),
        f"Rule {number}",
        match=match,
        actions=then,
        **{"source_ids": frozenset(), **tests, **more},
    )


def _match(dice: random.Random) -> Any:
    first, second = dice.sample(CLAUSES, 2)
    return dice.choice([ANY, first, {"not": first}, {"all": [first, second]}, {"any": [first, second]}])


def _rule(number: int, dice: random.Random) -> Rule:
    target = dice.choice([RuleAction.INCIDENT] * 4 + [RuleAction.LOG, RuleAction.NOTIFY, RuleAction.DROP, None])
    opens = target is RuleAction.INCIDENT
    waits = OpenAfter(dice.randint(2, 3), dice.choice([5, 60]) * MINUTE)
    return rule(
        number,
        _match(dice),
        RuleActions(
            disposition=target,
            severity=dice.choice([None, None, Severity.CRITICAL, Severity.WARNING]),
            add_tags=dice.choice([(), (), ("late",), ("db",)]),
            group_by=dice.choice([(), ("resource.kind",), ("type", "title"), ("metadata.team",)]),
            destination_ids=dice.choice([(), (), (PLACES[1],)]),
            routing_profile_id=dice.choice([None, None, *PROFILES]),
            snooze=dice.choice([None, None, 15 * MINUTE]) if opens else None,
        ),
        source_ids=frozenset(dice.choice([(), (), SOURCES[:1]])),
        active_during=dice.choice([None, None, EVENING]),
        open_after=dice.choice([None, waits]) if opens else None,
        continues=target is None or dice.random() < 0.2,
    )


def _profile(id: UUID, dice: random.Random) -> Profile:
    steps = [
        Step(after * MINUTE, dice.choice([None, Severity.ERROR]), (dice.choice(PLACES),), number)
        for number, after in enumerate(sorted(dice.choices([0, 5, 30], k=dice.randint(1, 3))), 1)
    ]
    return Profile(
        id=id,
        name="Profile",
        delay=dice.choice([timedelta(), 2 * MINUTE]),
        steps=tuple(steps),
        repeat=dice.randint(0, 1),
        auto_resolve=dice.choice([None, 45 * MINUTE]),
        reopen_window=dice.choice([None, timedelta(), 10 * MINUTE]),
        obeys_quiet_hours=dice.random() < 0.5,
    )


def _silence(number: int, dice: random.Random) -> CompiledSilence:
    start = NOW + dice.randint(-30, 200) * MINUTE
    pieces = [(start + n * 90 * MINUTE, start + (n * 90 + dice.randint(5, 80)) * MINUTE) for n in range(4)]
    sources = dice.choice([(), (), SOURCES[1:]])
    return CompiledSilence(
        UUID(int=200 + number), ActivePeriods(tuple(pieces)), frozenset(sources), matchers.compile_match(_match(dice))
    )


def origins(dice: random.Random) -> list[SourceContext]:
    """The sources, each with how a recovery finds its incident, and with a profile or none."""
    return [
        SourceContext(
            id, f"Source {n}", dice.choice(["dedupKey", "fingerprint"]), dice.choice([None, PROFILES[1]]),
            WORKSPACE, "W", "w", {}, {}, False, 0,
        )
        for n, id in enumerate(SOURCES)
    ]  # fmt: skip


def events(dice: random.Random, count: int) -> list[StoredEvent]:
    """So many events of few things, in the order of time."""
    at, made = NOW, []
    for number in range(count):
        at += dice.choice([timedelta(), timedelta(seconds=20), MINUTE, 3 * MINUTE, 11 * MINUTE, 70 * MINUTE])
        key = dice.choice([None, "k1", "k2"])
        made.append(
            event(
                number,
                at,
                source_id=dice.choice(SOURCES),
                severity=dice.choice([Severity.INFO, Severity.SUCCESS, *list(Severity)[3:]]),
                action="resolve" if key and dice.random() < 0.3 else "trigger",
                title=dice.choice(["Disk full", "CPU busy"]),
                type=dice.choice([None, "cpu"]),
                resource=dice.choice(["host:a", "host:b"]),
                dedup_key=key,
                tags=dice.choice([[], ["db"], ["prod"]]),
                body=dice.choice([None, "swap is used"]),
                metadata={"team": dice.choice(["x", "y"])},
            )
        )
    return made


def event(number: int, at: datetime, **more: Any) -> StoredEvent:
    """An error of the first source, where nothing else is said."""
    usual: dict[str, Any] = {
        "source_id": SOURCES[0], "severity": Severity.ERROR, "action": "trigger", "title": "Disk full", "type": None,
        "resource": "host:a", "dedup_key": None, "tags": [], "body": None, "url": None, "external_id": None, "metadata": None,
    }  # fmt: skip
    made = StoredEvent(UUID(int=1000 + number), WORKSPACE, received_at=at, fingerprint="", **{**usual, **more})
    return made._replace(fingerprint=grouping.fingerprint(made.source_id, Groupable(made)))
