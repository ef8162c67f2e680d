"""One workspace twice: the service's own on a real database, and the model's. What is done is done to both, then compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import count
from typing import Any
from uuid import UUID

from inbox.database.base import db, new_id
from inbox.domain.incidents.alerts import ResolveWhen
from inbox.domain.incidents.incident import Act, Actor
from inbox.domain.values.refusals import Conflict, InvalidTransition
from inbox.domain.values.severity import Severity
from inbox.flow.notices import quiet_hours
from inbox.flow.people import incidents
from inbox.flow.people.incidents import Edit
from inbox.flow.routing.batch import SlowWorkspaces
from inbox.flow.routing.route import route
from inbox.flow.timers.run import run_due
from inbox.flow.unit_of_work import work
from inbox.models.deliveries import results as delivery_results
from inbox.models.deliveries.destinations import Destination
from inbox.models.events.queue import shard_of
from inbox.models.events.tables import EventQueueRow
from inbox.models.people.accounts import User
from inbox.models.routing import routing_config
from inbox.models.routing.silences import Silence
from inbox.models.workspaces.tables import Workspace
from inbox.services.workspaces import members
from tests.cast import join, make_source, make_user, make_workspace
from tests.flow.crash_injection import CrashInjector
from tests.flow.model import Model
from tests.flow.model_acts import Refused
from tests.flow.model_alerts import Report
from tests.flow.model_compared import (
    MORNING,
    NAMES,
    QUIET,
    _recipient,
    _terms,
    at,
    seconds,
)
from tests.flow.model_parts import MINUTE, ModelSilence
from tests.flow.model_people import a_phone, duty
from tests.flow.model_reading import Reading
from tests.flow.model_shapes import PHONE, RECIPIENTS, Shape
from tests.flow.plans import follow, step
from tests.flow.routing_fixtures import accept, listen, settle
from tests.flow.rulemaking import clause, rule
from tests.silences import change, make_silence

MIA = Actor("user", "", "Mia")


KEYS = ("disk", "net")


def of_alert(alert: str) -> tuple[str, str]:
    """The group and the name of an alert: `disk`, its sibling `disk/2`, or `disk+both`, whose name other groups have too."""
    key, _, shared = alert.partition("+")
    return key.split("/")[0], shared or key


_REVISIONS = count(1_000)


class Twin(Reading):
    """Both workspaces at one moment, `now`. `night` says whether they have quiet hours."""

    def __init__(self, shape: Shape, crash_injector: CrashInjector, *, night: bool = True, now: int = MORNING) -> None:
        self.now = now
        self._executioner = crash_injector
        db.execute_sql("DELETE FROM timers")
        db.execute_sql("DELETE FROM event_queue")
        self.workspace: Workspace = make_workspace(f"Acme{new_id().hex}")
        self.taker = self._member()
        self.source, _ = make_source(self.workspace, "Prometheus")
        self.model_recipients = {
            name: listen(self.workspace, name, routed=False, **values) for name, values in RECIPIENTS.items()
        }
        self.phones = {name: self._member() for name in sorted({name for *_, name in shape.on_call})}
        self.model_recipients |= {name: a_phone(self.workspace, user, name) for name, user in self.phones.items()}
        settle(self.workspace, **shape.settings, **({"quietHours": QUIET} if night else {}))
        self._route(shape)
        if shape.groups:
            rule(
                self.workspace,
                disposition=None,
                continue_matching=True,
                group_by=("type",),
                resolve_when=ResolveWhen(shape.groups),
            )
        self.groups_by_rule = shape.groups is not None
        rule(self.workspace, clause("tags", "contains", "later"), snooze=timedelta(minutes=20))
        self.alarms: dict[str, tuple[UUID, Report]] = {}
        """The newest alarm of each alert: what its sender would repeat."""
        self.silences: list[tuple[Silence, ModelSilence]] = []
        self.model = Model(
            _terms(shape, night=night),
            {name: _recipient(values) for name, values in {**RECIPIENTS, **dict.fromkeys(self.phones, PHONE)}.items()},
        )

    def _route(self, shape: Shape) -> None:
        if shape.profile is None:
            chosen = [str(self.model_recipients[name].id) for name in shape.step_groups[0][1].split()]
            Workspace.update(default_route={"destinationIds": chosen}).where(
                Workspace.id == self.workspace.id
            ).execute()
            routing_config.bump_revision(self.workspace.id)
            return
        steps = [
            step(after, *(self.model_recipients[name] for name in names.split() if name != "@"), least=least)
            | ({"people": duty(self.workspace, shape, self.phones)} if "@" in names else {})
            for after, names, least in shape.steps
        ]
        follow(self.workspace, *steps, **shape.profile)

    # What is done to both

    def events(
        self,
        events: Sequence[tuple[str, int | None, int] | tuple[str, int | None, int, int]],
        *,
        lag: int = 0,
        later: bool = False,
        tags: Sequence[str] = (),
        kill: int | None = None,
    ) -> None:
        """Events (alert, rank or None for a recovery, seconds since the one before) that are routed together.

        With a fourth value the sender says how many seconds ago it was. `later`: what they open a rule puts off for
        twenty minutes.
        """
        tags = ["later", *tags] if later else list(tags)
        put_off = 20 * MINUTE if later else 0
        received = []
        for alert, rank, gap, *ago in events:
            self.now += gap
            key, name = of_alert(alert)
            sent = self.now - ago[0] if ago and ago[0] else None
            report = Report(key, name, rank, self.now, sent, frozenset(tags), put_off)
            id = self._accept(report)
            if rank is not None:
                self.alarms[alert] = (id, report)
            received.append(report)
        self.now += lag
        self._route_batch(kill)
        self.model.batch(received, self.now)

    def _accept(self, report: Report) -> UUID:
        about: dict[str, Any] = {"action": "resolve"} if report.rank is None else {"severity": NAMES[report.rank]}
        by = "" if self.groups_by_rule else report.key
        when = at(report.at if report.sent is None else report.sent)
        about |= {"type": report.key, "tags": sorted(report.tags), "occurred_at": when}
        return accept(self.source, at(report.at), key=report.name, by=by, **about)

    def repeats(self, alert: str, kill: int | None = None) -> None:
        """The sender reports the newest alarm of this alert again, with the same beginning."""
        if alert not in self.alarms:
            return
        id, report = self.alarms[alert]
        EventQueueRow.insert(
            shard=shard_of(self.source.id), workspace_id=self.workspace.id, event_id=id, repeated_at=at(self.now)
        ).execute()
        self._route_batch(kill)
        self.model.batch([replace(report, at=self.now, again=True)], self.now)

    def _route_batch(self, kill: int | None) -> None:
        """Route what waits in one batch. A slow machine would divide it, and people hear of joined alerts per batch."""
        self._do(lambda: route(lambda: at(self.now), slow=SlowWorkspaces(lambda: 0)), kill)

    def person(
        self,
        place: int,
        act: str,
        *,
        minutes: int = 30,
        rank: int | None = None,
        tags: tuple[str, ...] = (),
        kill: int | None = None,
    ) -> None:
        """An act on one of the incidents; `minutes` is how long it is snoozed, `rank` its new severity."""
        case, incident_id = self.model.cases[place], self.incidents()[place].id
        until = self.now + minutes * MINUTE
        try:
            self.model.person(case, act, self.now, until=until, rank=rank, tags=frozenset(tags))
        except Refused:
            refused = self._refused(lambda: self._act(incident_id, act, until, rank, tags))
            assert refused, f"{act} was not refused: {case}"
            return
        self._do(lambda: self._act(incident_id, act, until, rank, tags), kill)

    def _act(self, incident_id: UUID, act: str, until: int, rank: int | None, tags: tuple[str, ...]) -> None:
        with work() as done:
            if act in ("edit", "tag"):
                required = Edit(tags=tags) if act == "tag" else Edit(severity=Severity(NAMES[rank or 4]))
                incidents.edit(incident_id, required, at(self.now), done, by=MIA, expected_rev=None)
            elif act == "note":
                incidents.note(incident_id, "It is the cable.", at(self.now), done, by=MIA)
            else:
                end = at(until) if act == "snooze" else None
                person = self.taker.id
                incidents.act(
                    incident_id, incidents.ActRequest(Act(act), by=MIA, person=person, until=end), at(self.now), done
                )

    def _refused(self, act: Callable[[], None]) -> bool:
        try:
            act()
        except (InvalidTransition, Conflict):
            return True
        return False

    def silence(self, key: str | None, starts_in: int, lasts: int, *, tag: str | None = None) -> None:
        """A silence of one key or of all, and of one tag or of any."""
        start, end = self.now + starts_in, self.now + starts_in + lasts
        clauses = [clause(*each) for each in (("type", "eq", key), ("tags", "contains", tag)) if each[2] is not None]
        match = {"all": clauses}
        made = make_silence(self.workspace, start=at(start), ends_at=at(end), match=match)
        self._touch()
        self.silences.append((made, self.model.silence(key, tag, start, end)))

    def end_silence(self, place: int) -> None:
        """End one now, as its maker would."""
        silence, model_silence = self.silences[place]
        if model_silence.end <= self.now:
            return
        self.model.end_silence(model_silence, self.now)
        change(silence, at(self.now), starts_at=at(model_silence.start), ends_at=at(self.now))
        self._touch()

    def _touch(self) -> None:
        """The rules changed; no revision comes twice, though the change be undone."""
        routing_config.bump_revision(self.workspace.id)
        Workspace.update(config_rev=next(_REVISIONS)).where(Workspace.id == self.workspace.id).execute()

    def leave(self) -> None:
        """Who acted so far leaves the workspace; another person acts from now on."""
        members.leave(self.workspace.id, self.taker.id, now=at(self.now))
        self.taker = self._member()
        self.model.leave(self.now)

    def _member(self) -> User:
        user = make_user(f"mia{new_id().hex}")
        join(self.workspace, user, "member")
        return user

    def power(self, power: str) -> None:
        """Switch the boss `on` or `off`, or let its receiver refuse (`stopped`)."""
        self.model.model_recipients["Boss"].power = power
        stopped = {"stopped_at": at(self.now), "stopped_reason": "status_410"} if power == "stopped" else {}
        Destination.update(
            enabled=power != "off", **{"stopped_at": None, "stopped_reason": None, **stopped}
        ).where(Destination.id == self.model_recipients["Boss"].id).execute()  # fmt: skip

    def wait(self, length: int, kill: int | None = None) -> None:
        """Time passes, and each clock rings when it is due."""
        until = self.now + length
        for _ in range(2_000):
            moments = [moment for moment in self._moments() if moment <= until]
            if not moments:
                self.now = until
                return
            self.now = max(self.now, min(moments))
            self.catch_up(kill)
        raise AssertionError("the clocks never rest")

    def sleep(self, length: int, kill: int | None = None) -> None:
        """Time passes, nobody works, and then somebody does again."""
        self.now += length
        self.catch_up(kill)

    def catch_up(self, kill: int | None = None) -> None:
        """All that is due is done, late or not."""
        self._do(lambda: run_due(lambda: at(self.now)), kill)
        self._do(self._morning, kill)
        self.model.ring(self.now)
        self.model.morning(self.now)

    def _morning(self) -> None:
        awake = [model_recipient.id for name, model_recipient in self.model_recipients.items() if name != "Boss"]
        with work() as done:
            quiet_hours.release_due(list(delivery_results.lock(awake).values()), done, now=at(self.now))

    def _moments(self) -> list[int]:
        own = [when for when, _, _ in self.model.due()]
        held = [one.until for case in self.model.cases for line in case.sent.values() for one in line if one.until]
        rows = db.execute_sql(
            "SELECT due_at FROM timers UNION ALL SELECT due_at FROM deliveries"
            " WHERE workspace_id = %s AND status = 'held' AND cause = 'quiet_hours'",
            (self.workspace.id,),
        )
        return [*own, *held, *(seconds(row[0]) or 0 for row in rows.fetchall())]

    def _do(self, act: Callable[[], Any], kill: int | None) -> None:
        self._executioner.survive(act, kill)
