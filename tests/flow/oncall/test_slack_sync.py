"""A user group and the topic of a channel of Slack show who is on call (specification 23.23, acceptance case 27)."""

from __future__ import annotations

from datetime import datetime, timedelta
from urllib.parse import parse_qs

import orjson
import pytest

from inbox.destinations.base import Config
from inbox.domain.oncall.problems import ProblemKind
from inbox.flow.oncall import problem_watch
from inbox.flow.oncall.slack_sync import FIRST_PAUSE, LONGEST_PAUSE, NO_DESTINATION, sync_due, topic
from inbox.flow.timers.run import run_due
from inbox.flow.upkeep.sweep import sweep
from inbox.models.deliveries.destinations import Destination
from inbox.models.oncall.schedules import OnCallOverride, OnCallSchedule
from inbox.models.oncall.slack import OnCallSlack
from inbox.runtime.queue import QueueName
from inbox.services.oncall import schedules
from tests.cast import NOW, Cast
from tests.oncall import HOUR, make_override, make_schedule
from tests.stand_ins.outgoing_posts import store_destination
from tests.stand_ins.receivers import Answer, Receiver, Request

MONDAY = datetime.fromisoformat("2026-11-23T09:00:00+00:00")
"""The next handoff after `NOW`, from Mia to Olga."""


class SlackTeam:
    """A team of Slack with a user group and a channel. Methods that read take forms only, as Slack's do."""

    def __init__(self, *emails: str) -> None:
        self.ids = {email: f"U{number:09}" for number, email in enumerate(emails)}
        self.group: list[str] = ["U_FORMER"]
        self.topic = "Welcome"
        self.changes: list[str] = []
        self.status = 200

    def __call__(self, request: Request) -> Answer:
        method = request.path.rsplit("/", 1)[1]
        assert request.headers["content-type"] == "application/x-www-form-urlencoded"
        assert request.headers["authorization"] == "Bearer xoxb-1-secret"
        if self.status != 200:
            return Answer(self.status)
        fields = {name: value for name, [value] in parse_qs(request.body.decode()).items()}
        return Answer(200, orjson.dumps(self.answer(method, fields)))

    def answer(self, method: str, fields: dict[str, str]) -> dict[str, object]:
        match method:
            case "users.lookupByEmail" if fields["email"] in self.ids:
                return {"ok": True, "user": {"id": self.ids[fields["email"]]}}
            case "users.lookupByEmail":
                return {"ok": False, "error": "users_not_found"}
            case "usergroups.users.list":
                return {"ok": True, "users": self.group}
            case "usergroups.users.update":
                assert fields["users"], "Slack refuses an empty group"
                self.group = fields["users"].split(",")
            case "conversations.info":
                return {"ok": True, "channel": {"topic": {"value": self.topic}}}
            case "conversations.setTopic":
                self.topic = fields["topic"]
        self.changes.append(method)
        return {"ok": True}


@pytest.fixture
def team(cast: Cast, receiver: Receiver) -> SlackTeam:
    found = SlackTeam(*(cast.users[name].email for name in ("olga", "mia")))
    receiver.answer = found
    return found


@pytest.fixture
def chat(cast: Cast, receiver: Receiver) -> Destination:
    config = Config({"channel": "C0123456789", "server": receiver.url}, {"token": "xoxb-1-secret"})
    return store_destination(cast.workspace, "slack", config)


@pytest.fixture
def schedule(cast: Cast, chat: Destination) -> OnCallSchedule:
    """Olga and Mia take weekly turns, Mia is on call, and Slack follows the schedule."""
    made = make_schedule(cast.workspace, cast.users["olga"], cast.users["mia"], name="Backend", logged_until=NOW)
    given = {"destination_id": chat.id, "user_group_id": "S0123456789", "sets_topic": True}
    return schedules.edit(made, {"slack": given}, expected_rev=None, now=NOW)


def run(at: datetime) -> OnCallSlack:
    run_due(lambda: at)
    sync_due(lambda: at)
    found: OnCallSlack = OnCallSlack.get()
    return found


def test_slack_shows_who_is_on_call_after_each_handoff(cast: Cast, schedule: OnCallSchedule, team: SlackTeam) -> None:
    found = run(NOW)
    assert (team.group, team.topic) == ([team.ids[cast.users["mia"].email]], "On call for Backend: Mia")
    assert (found.due_at, found.failure) == (None, None)

    run(MONDAY)
    assert (team.group, team.topic) == ([team.ids[cast.users["olga"].email]], "On call for Backend: Olga")
    assert len(team.changes) == 4


def test_nothing_is_changed_that_is_so_already(schedule: OnCallSchedule, team: SlackTeam) -> None:
    run(NOW)
    team.changes.clear()
    OnCallSlack.update(due_at=NOW).execute()

    run(NOW + HOUR)

    assert team.changes == []


def test_the_group_is_never_emptied(cast: Cast, schedule: OnCallSchedule, team: SlackTeam) -> None:
    make_override(schedule, cast.users["olga"], starts_at=NOW + HOUR, ends_at=NOW + 2 * HOUR, user_ids=[])
    run(NOW)
    before = team.group

    run(NOW + HOUR)

    assert (team.group, team.topic) == (before, "On call for Backend: nobody")


def test_after_an_outage_slack_gets_the_present_state_alone(
    cast: Cast, schedule: OnCallSchedule, team: SlackTeam
) -> None:
    team.status = 503
    pauses, at = [], NOW
    for _ in range(6):
        found = run(at)
        assert found.due_at is not None
        pauses.append(found.due_at - at)
        at = found.due_at
    minutes = [each / timedelta(minutes=1) for each in pauses]
    assert minutes == [1, 2, 4, 8, 15, 15] and FIRST_PAUSE * 15 == LONGEST_PAUSE
    assert found.failure == "Slack answered 503."
    make_override(schedule, cast.users["olga"], starts_at=at, ends_at=at + HOUR)
    found_kinds = {each.kind for each in problem_watch.of_schedules([schedule], at)[schedule.id]}
    assert ProblemKind.SLACK_FAILING in found_kinds

    team.status = 200
    found = run(at)

    assert team.topic == "On call for Backend: Olga"
    assert team.changes == ["conversations.setTopic", "usergroups.users.update"]
    assert (found.failure, found.failing_since, found.failures, found.due_at) == (None, None, 0, None)


def test_a_person_without_an_account_in_slack_is_said_and_the_others_are_shown(
    cast: Cast, schedule: OnCallSchedule, team: SlackTeam
) -> None:
    make_override(schedule, cast.users["adam"], kind="add", ends_at=NOW + HOUR, starts_at=NOW)

    found = run(NOW)

    assert found.failure == "Slack has no account with the address of Adam."
    assert team.group == [team.ids[cast.users["mia"].email]]
    assert team.topic == "On call for Backend: Adam and Mia"


def test_a_deleted_destination_is_a_problem(schedule: OnCallSchedule, chat: Destination, team: SlackTeam) -> None:
    Destination.update(enabled=False).where(Destination.id == chat.id).execute()

    assert run(NOW).failure == NO_DESTINATION


def test_a_change_during_the_calls_is_shown_afterwards(
    cast: Cast, schedule: OnCallSchedule, team: SlackTeam, receiver: Receiver
) -> None:
    changed: list[OnCallOverride] = []

    def clock() -> datetime:
        """The time. Once Slack was called, somebody covers before the result is recorded."""
        if receiver.requests and not changed:
            changed.append(make_override(schedule, cast.users["olga"], starts_at=NOW, ends_at=NOW + HOUR))
            schedules.edit(OnCallSchedule.get_by_id(schedule.id), {"name": "Backend"}, expected_rev=None, now=NOW)
            run_due(lambda: NOW)
        return NOW

    run_due(lambda: NOW)
    sync_due(clock)

    assert team.topic == "On call for Backend: Olga"
    assert OnCallSlack.get().due_at is None


def test_the_sweep_wakes_the_queue_while_slack_is_not_in_step(schedule: OnCallSchedule, team: SlackTeam) -> None:
    assert QueueName.ONCALL in sweep(NOW)
    run(NOW)
    assert QueueName.ONCALL not in sweep(NOW + HOUR)


@pytest.mark.parametrize(
    ("schedule_name", "names", "shown"),
    [
        ("Backend", ["Mia", "Adam"], "On call for Backend: Adam and Mia"),
        ("<!channel>", ["<@U1>"], "On call for !channel: @U1"),
        ("x" * 300, [], "On call for " + "x" * 237 + "…"),
    ],
)
def test_a_topic_is_short_and_mentions_nobody(schedule_name: str, names: list[str], shown: str) -> None:
    assert topic(schedule_name, names) == shown
