"""Pages: a step pages whoever is on call when it is due, by their notification rules (specification 23.13)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from inbox.domain.incidents.incident import Act
from inbox.flow.delivery.deliver import deliver
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import DeliveryAttempt
from inbox.models.oncall.schedules import OnCallOverride, OnCallSchedule
from inbox.models.people.accounts import User
from inbox.services.explaining.explanations import explained
from tests.cast import NOW, Cast, present, typeid
from tests.flow.notices.paging_steps import mail_of, mailing, paging, rule_by, schedule, sent_to  # noqa: F401
from tests.flow.notices.test_never_notified import act
from tests.flow.notices.test_phones import phone_of
from tests.flow.plans import MINUTE, be_quiet, follow, pass_to, step
from tests.flow.routing_fixtures import decisions, incident, listen, notices, reasons, reported, routed
from tests.oncall import make_contact_method, make_override
from tests.silences import make_silence
from tests.stand_ins.push_service import Subscription, service  # noqa: F401
from tests.stand_ins.receivers import Receiver

pytestmark = pytest.mark.usefixtures("mailing")


def override(schedule: OnCallSchedule, person: User, minute: float, minutes: float = 600) -> OnCallOverride:
    """This person is on call in place of everybody from a minute after `NOW` on."""
    starts_at = NOW + minute * MINUTE
    times = {"starts_at": starts_at, "ends_at": starts_at + minutes * MINUTE, "created_at": NOW - MINUTE}
    return make_override(schedule, person, **times)


def gap(schedule: OnCallSchedule, minute: float, minutes: float = 600) -> None:
    """Nobody is on call from a minute after `NOW` on."""
    made = override(schedule, User.get(), minute, minutes)
    OnCallOverride.update(user_ids=[]).where(OnCallOverride.id == made.id).execute()


def test_a_step_pages_whoever_is_on_call_by_push_and_mail_at_once(
    cast: Cast, schedule: OnCallSchedule, service: Receiver
) -> None:
    phone = phone_of(cast.users["mia"], cast, Subscription(service))
    follow(cast.workspace, step(0, listen(cast.workspace, routed=False)), paging(5, schedule))
    opened = incident(routed(cast.source).id)
    assert sent_to(cast.users["mia"]) == []

    pass_to(5)

    assert sent_to(cast.users["mia"]) == [("escalated", "pending", None)]
    assert [each[0] for each in reported(phone)] == ["opened", "escalated"]
    assert decisions(notices(opened.id)[-1]) == {"Mia (mail)": "notify", "Phone": "notify"}


def test_a_handoff_does_not_move_a_page_and_later_steps_page_the_next_person(
    cast: Cast, schedule: OnCallSchedule
) -> None:
    follow(cast.workspace, paging(0, schedule), paging(10, schedule))
    override(schedule, cast.users["adam"], 5)
    routed(cast.source)
    assert [sent_to(cast.users[name]) for name in ("mia", "adam")] == [[("opened", "pending", None)], []]

    pass_to(10)
    assert sent_to(cast.users["mia"]) == [("opened", "pending", None)]
    assert sent_to(cast.users["adam"]) == [("escalated", "pending", None)]

    routed(cast.source, NOW + 11 * MINUTE, action="resolve")
    assert [each[0] for each in sent_to(cast.users["mia"])] == ["opened", "resolved"]
    assert [each[0] for each in sent_to(cast.users["adam"])] == ["escalated", "resolved"]


def test_a_reminder_goes_to_whoever_was_paged(cast: Cast, schedule: OnCallSchedule) -> None:
    follow(cast.workspace, paging(0, schedule), renotify_minutes={"ERROR": 30})
    override(schedule, cast.users["adam"], 5)
    opened = incident(routed(cast.source).id)

    pass_to(30)

    assert reasons(opened.id) == ["opened", "renotify"]
    assert [each[0] for each in sent_to(cast.users["mia"])] == ["opened", "renotify"]
    assert sent_to(cast.users["adam"]) == []


def test_a_reopened_incident_pages_whoever_is_on_call_then(cast: Cast, schedule: OnCallSchedule) -> None:
    follow(cast.workspace, paging(0, schedule), reopen_window_minutes=60)
    override(schedule, cast.users["adam"], 5)
    routed(cast.source)
    routed(cast.source, NOW + MINUTE, action="resolve")

    routed(cast.source, NOW + 6 * MINUTE)

    assert [each[0] for each in sent_to(cast.users["mia"])] == ["opened", "resolved"]
    assert [each[0] for each in sent_to(cast.users["adam"])] == ["reopened"]


def test_each_round_of_the_steps_pages_anew(cast: Cast, schedule: OnCallSchedule) -> None:
    follow(cast.workspace, paging(0, schedule), repeat=1)
    override(schedule, cast.users["adam"], 2)
    routed(cast.source)

    pass_to(5)

    assert [each[0] for each in sent_to(cast.users["adam"])] == ["escalated"]
    assert [each[0] for each in sent_to(cast.users["mia"])] == ["opened"]


def test_a_person_who_is_named_twice_is_paged_once(cast: Cast, schedule: OnCallSchedule) -> None:
    follow(cast.workspace, paging(0, schedule, cast.users["mia"], cast.users["adam"]))
    routed(cast.source)

    assert [len(sent_to(cast.users[name])) for name in ("mia", "adam", "olga")] == [1, 1, 0]


def test_notification_rules_page_by_their_methods_at_their_times(cast: Cast) -> None:
    mia = cast.users["mia"]
    further = make_contact_method(mia, confirmed_at=present())
    rule_by(mia, (0, typeid("cme", further.id)), (10, "email"))
    follow(cast.workspace, paging(0, mia))
    routed(cast.source)

    assert reported(mail_of(mia, typeid("cme", further.id))) == [("opened", "pending", None)]
    assert mail_of(mia).config["to"] == "mia@example.org"
    assert sent_to(mia) == [("opened", "pending", "notification_rule")]


def test_the_critical_list_pages_for_critical_incidents(cast: Cast) -> None:
    mia = cast.users["mia"]
    rule_by(mia, (10, "email"), critical=((0, "email"),))
    follow(cast.workspace, paging(0, mia))
    routed(cast.source, severity="CRITICAL")

    assert sent_to(mia) == [("opened", "pending", None)]


@pytest.mark.parametrize("ended", ["acknowledge", "snooze", "resolve"])
def test_what_waits_for_a_rule_ends_when_somebody_acts(cast: Cast, ended: str) -> None:
    mia = cast.users["mia"]
    rule_by(mia, (10, "email"))
    follow(cast.workspace, paging(0, mia))
    opened = incident(routed(cast.source).id)

    act(opened, Act(ended), 1, NOW + 60 * MINUTE if ended == "snooze" else None)

    assert sent_to(mia) == [("opened", "skipped", "acknowledged")]


def test_a_silence_ends_what_waits_for_a_rule(cast: Cast) -> None:
    mia = cast.users["mia"]
    rule_by(mia, (0, "push"), (10, "email"))
    follow(cast.workspace, paging(0, mia))
    routed(cast.source)
    make_silence(cast.workspace, starts_at=NOW, ends_at=NOW + 60 * MINUTE)

    routed(cast.source, NOW + MINUTE)

    assert sent_to(mia) == [("opened", "skipped", "silenced")]


def test_a_later_page_of_the_same_person_leaves_the_waiting_list_as_it_is(cast: Cast) -> None:
    mia = cast.users["mia"]
    rule_by(mia, (10, "email"))
    follow(cast.workspace, paging(0, mia), paging(5, mia))
    routed(cast.source)

    pass_to(5)

    assert sent_to(mia) == [("opened", "pending", "notification_rule")]


def test_quiet_hours_and_minimum_severities_do_not_hold_pages(
    cast: Cast, schedule: OnCallSchedule, service: Receiver
) -> None:
    phone = phone_of(cast.users["mia"], cast, Subscription(service), "CRITICAL")
    be_quiet(cast.workspace)
    follow(cast.workspace, paging(0, schedule))
    routed(cast.source, severity="WARNING")

    assert reported(phone) == [("opened", "pending", None)]
    assert sent_to(cast.users["mia"]) == [("opened", "pending", None)]


def test_a_contact_is_one_destination_whose_address_follows_the_account(cast: Cast) -> None:
    mia = cast.users["mia"]
    follow(cast.workspace, paging(0, mia))
    routed(cast.source)
    User.update(email="new@example.org").where(User.id == mia.id).execute()
    Destination.update(stopped_at=NOW, stopped_reason="http_550").execute()

    routed(cast.source, key="other")

    mail = mail_of(mia)
    assert (mail.config["to"], mail.stopped_at) == ("new@example.org", None)
    assert [each[0] for each in sent_to(mia)] == ["opened", "opened"]


def test_the_request_of_a_page_is_not_recorded_because_it_has_the_address(cast: Cast) -> None:
    follow(cast.workspace, paging(0, cast.users["mia"]))
    routed(cast.source)

    deliver(lambda: NOW + timedelta(seconds=1))

    assert [each.requests for each in DeliveryAttempt.select()] == [None]


def test_an_explanation_names_whom_a_step_paged_and_why_it_paged_nobody(cast: Cast, schedule: OnCallSchedule) -> None:
    rule_by(cast.users["adam"], (10, "email"))
    follow(cast.workspace, paging(0, schedule), paging(5, cast.users["adam"]))
    gap(schedule, 0)
    opened = incident(routed(cast.source).id)
    pass_to(0)

    first, second = (explained(cast.workspace.id, [each.id])[0]["decisions"] for each in notices(opened.id))

    assert [each["text"] for each in first] == ["Nobody is on call by Backend, so nobody was paged."]
    assert [each["text"] for each in second] == [
        "Adam (mail) is paged at 2026-11-21T09:10:00Z, unless somebody acknowledges before."
    ]


def test_others_incidents_are_not_explained_with_the_contacts_of_people(cast: Cast) -> None:
    follow(cast.workspace, paging(0, cast.users["mia"]))
    routed(cast.source)
    follow(cast.workspace, step(0, listen(cast.workspace, routed=False)))
    other = incident(routed(cast.source, key="other").id)

    [explained_notice] = explained(cast.workspace.id, [each.id for each in notices(other.id)])

    assert [each["name"] for each in explained_notice["decisions"]] == ["Pager"]
