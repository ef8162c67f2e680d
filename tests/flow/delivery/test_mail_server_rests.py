"""A mail server that answers 421 delays all mails for a moderate time, and none is lost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import pytest

from inbox.config.settings import Settings
from inbox.destinations import Config
from inbox.domain.deliveries.delivery import MAX_SHARED_PAUSE
from inbox.domain.values import ids
from inbox.flow.delivery.deliver import deliver
from inbox.models.deliveries.destinations import Destination
from inbox.models.workspaces.tables import Workspace
from tests.cast import Cast, present
from tests.destinations.kinds.notice_bodies import body
from tests.flow.concurrent_connections import other_connection
from tests.mail.servers import MailServer, mail_server_in_force
from tests.stand_ins.outgoing_posts import fresh, make_destination, make_incident, owe, statuses, store_destination
from tests.stand_ins.receivers import Receiver

UNAVAILABLE = "421 4.7.0 too many mails, try again later"
SECOND = timedelta(seconds=1)


@dataclass
class Clock:
    """The time of the worker, which a test moves."""

    now: datetime = field(default_factory=present)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def server(settings: Settings, ground: Any) -> Iterator[MailServer]:
    with mail_server_in_force(settings) as running:
        yield running


def mail_destination(workspace: Workspace, to: str) -> Destination:
    return store_destination(workspace, "email", Config({"to": f"{to}@example.org"}), name=to)


def owe_mail(destination: Destination, incident: Any, seq: int, at: datetime, **more: Any) -> str:
    """A mail that is due; returns the id that the mail will have."""
    at += timedelta(milliseconds=seq)
    made = owe(destination, incident, seq, body=body().decode(), created_at=at, **{"due_at": at, **more})
    return ids.encode("dlv", made.id)


def received(server: MailServer, to: str) -> list[str]:
    """The ids of the mails to somebody, in the order of their arrival."""
    found = [mail.message["Message-ID"] for mail in server.mails if mail.to == [f"{to}@example.org"]]
    return [id.strip("<>").partition("@")[0] for id in found]


@pytest.mark.parametrize("command", ["rcpt", "data"])
def test_all_mails_wait_while_the_mail_server_is_unavailable(
    cast: Cast, server: MailServer, receiver: Receiver, command: str
) -> None:
    clock = Clock()
    day, night = (mail_destination(cast.workspace, name) for name in ("day", "night"))
    hook, incident = make_destination(cast.workspace, receiver), make_incident(cast)
    setattr(server, command, UNAVAILABLE)
    of_day = [owe_mail(day, incident, 1, clock.now - SECOND)]
    deliver(clock)
    of_night = [owe_mail(night, incident, seq, clock.now) for seq in (1, 2)]
    of_day.append(owe_mail(day, incident, 2, clock.now))
    owe(hook, created_at=clock.now)

    clock.now += 4 * SECOND
    deliver(clock)
    during = server.connections, statuses(day.id), statuses(night.id), statuses(hook.id)
    setattr(server, command, "")
    for _ in range(4):
        clock.now += 3 * SECOND
        deliver(clock)

    assert during == (1, ["retrying", "pending"], ["pending"] * 2, ["sent"])
    assert statuses(day.id) == statuses(night.id) == ["sent"] * 2
    assert (received(server, "day"), received(server, "night")) == (of_day, of_night)


def test_the_others_wait_at_most_a_minute(cast: Cast, server: MailServer) -> None:
    clock = Clock()
    day, night = (mail_destination(cast.workspace, name) for name in ("day", "night"))
    server.rcpt = UNAVAILABLE
    owe_mail(day, make_incident(cast), 1, clock.now - SECOND, attempt=5, status="retrying")

    deliver(clock)

    assert fresh(day).next_call_at == clock.now + timedelta(minutes=2)
    assert MAX_SHARED_PAUSE <= fresh(night).next_call_at - clock.now < 2 * MAX_SHARED_PAUSE


def test_a_mail_destination_refused_again_does_not_delay_resting_ones(cast: Cast, server: MailServer) -> None:
    clock = Clock()
    day, night = (mail_destination(cast.workspace, name) for name in ("day", "night"))
    turn = clock.now + SECOND
    Destination.update(next_call_at=turn).where(Destination.id == night.id).execute()
    server.rcpt = UNAVAILABLE
    owe_mail(day, make_incident(cast), 1, clock.now - SECOND)

    deliver(clock)

    assert (statuses(day.id), fresh(night).next_call_at) == (["retrying"], turn)


def test_a_refusal_of_one_mailbox_does_not_delay_mails_to_others(cast: Cast, server: MailServer) -> None:
    clock = Clock()
    day, night = (mail_destination(cast.workspace, name) for name in ("day", "night"))
    server.rcpt = "450 4.2.1 greylisted"
    owe_mail(day, make_incident(cast), 1, clock.now - SECOND)
    deliver(clock)
    server.rcpt = ""
    owe_mail(night, make_incident(cast), 1, clock.now - SECOND)

    deliver(clock)

    assert (statuses(day.id), statuses(night.id)) == (["retrying"], ["sent"])


def test_a_destination_being_edited_is_left_out(cast: Cast, server: MailServer) -> None:
    clock = Clock()
    day, night = (mail_destination(cast.workspace, name) for name in ("day", "night"))
    server.rcpt = UNAVAILABLE
    owe_mail(day, make_incident(cast), 1, clock.now - SECOND)
    with other_connection() as other, other.cursor() as cursor:
        cursor.execute("SELECT FROM destinations WHERE id = %s FOR UPDATE", (str(night.id),))

        deliver(clock)

    assert (statuses(day.id), fresh(night).next_call_at) == (["retrying"], None)
