"""Mails while the database is unreachable: only committed mails are accepted (specification 19.16)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import psycopg2

from inbox.config.settings import Settings
from inbox.database.base import connection_released
from inbox.models.events.tables import Event
from tests.mail_in.conftest import MAIL, MailIn
from tests.runtime.metrics.counted import Counted


@contextmanager
def database_away(settings: Settings, server: str) -> Iterator[None]:
    """The database of the test takes no connections, and those that it has are ended."""
    name = urlsplit(settings.database_url).path.removeprefix("/")
    connection = psycopg2.connect(server)
    connection.autocommit = True
    with connection_released(), connection.cursor() as cursor:
        cursor.execute(f"ALTER DATABASE {name} WITH ALLOW_CONNECTIONS false")
        cursor.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name,))
        try:
            yield
        finally:
            cursor.execute(f"ALTER DATABASE {name} WITH ALLOW_CONNECTIONS true")
    connection.close()


def test_a_mail_is_repeated_by_its_sender_until_the_database_is_back(
    mail_in: MailIn, settings: Settings, addresses: tuple[str, str]
) -> None:
    counted = Counted()
    with mail_in.client() as client:
        client.mail("nas@example.org")
        assert client.rcpt(mail_in.address)[0] == 250
        with database_away(settings, addresses[0]):
            assert client.data(MAIL)[0] == 451

    assert Event.select().count() == 0
    assert mail_in.send()[0] == 250
    assert Event.select().count() == 1
    assert counted.of("inbox_mail_in_messages_total", outcome="deferred") == 1


def test_a_recipient_is_not_refused_for_good_while_the_database_is_away(
    mail_in: MailIn, settings: Settings, addresses: tuple[str, str]
) -> None:
    counted = Counted()
    with database_away(settings, addresses[0]):
        assert mail_in.send()[0] == 451

    assert counted.of("inbox_mail_in_recipients_refused_total", reason="unavailable") == 1
