"""Purge of expired sessions, links, tokens and mails."""

from __future__ import annotations

from datetime import datetime, timedelta

from inbox.database.base import new_id
from inbox.flow.upkeep.purge import purge
from inbox.models.deliveries.mail_outbox import Mail
from inbox.models.people.accounts import Session
from inbox.models.people.devices import Device, DevicePairing, DeviceToken
from inbox.models.people.factors import UsedTicket
from inbox.models.people.links import Link
from tests.cast import NOW, Cast

DAY = timedelta(days=1)


def mail(created_at: datetime, **more: datetime | None) -> Mail:
    return Mail.create(id=new_id(), address="mia@example.org", template="verify_email", created_at=created_at, **more)


def test_expired_sessions_links_tokens_and_pairings_are_removed(cast: Cast) -> None:
    mia = cast.users["mia"]
    cast.cookie("mia")
    session, device = Session.get(), Device.create(id=new_id(), user=mia, name="Phone", created_at=NOW)
    for number, ends in enumerate((NOW - DAY, NOW + DAY)):
        digest = bytes([number]) * 32
        UsedTicket.consume(digest, ends)
        Link.create(id=new_id(), purpose="verify_email", token_hash=digest, user=mia, created_at=NOW, expires_at=ends)
        DeviceToken.create(
            hash=digest, device=device, kind="refresh", generation=number, created_at=NOW, expires_at=ends
        )
        DevicePairing.create(
            id=new_id(), user=mia, session=session, selector="ABCD", code_hash=digest, created_at=NOW, expires_at=ends
        )

    removed = purge(NOW)

    for model, column in ((UsedTicket, UsedTicket.expires_at), (Link, Link.expires_at)):
        assert [row.expires_at for row in model.select(column)] == [NOW + DAY]
    assert [row.generation for row in DeviceToken.select()] == [1]
    assert DevicePairing.select().count() == 1
    assert {removed[table] for table in ("consumed_tokens", "links", "device_tokens", "device_pairings")} == {1}


def test_sent_mails_are_kept_for_thirty_days_and_unsent_ones_until_sent(cast: Cast) -> None:
    long_ago = NOW - 40 * DAY
    mail(long_ago, sent_at=NOW - 31 * DAY)
    mail(long_ago, failed_at=NOW - 31 * DAY)
    retained = [mail(long_ago, sent_at=NOW - 29 * DAY), mail(long_ago, due_at=long_ago)]

    assert purge(NOW)["mail_outbox"] == 2

    assert {row.id for row in Mail.select()} == {row.id for row in retained}
