"""A key ring is rotated while the service runs, and the old key can be removed afterwards (specification 9.3)."""

from __future__ import annotations

import base64
import threading
from collections.abc import Iterator

import peewee
import pytest

from inbox.database.base import db, new_id
from inbox.flow.delivery.senders import decrypted_config
from inbox.models.deliveries import results as delivery_results
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.mail_outbox import Mail
from inbox.models.instance.sealed import COLUMNS
from inbox.models.people.factors import TotpFactor
from inbox.models.records.audit import AuditEntry
from inbox.runtime import sealing
from inbox.runtime.sealing import CannotUnseal, KeyRing
from inbox.services.deliveries import destinations
from inbox.services.instance.resealing import reseal
from tests.cast import NOW, Cast, make_user, present
from tests.database.tables import columns_of_bytes
from tests.stand_ins.outgoing_posts import make_destination

OLD = "k1:" + base64.b64encode(b"1" * 32).decode()
NEW = "k2:" + base64.b64encode(b"2" * 32).decode()
SECRET = "whsec_" + base64.b64encode(b"s" * 32).decode()
OTHER = "whsec_" + base64.b64encode(b"o" * 32).decode()


@pytest.fixture(autouse=True)
def ring(ground: peewee.Database) -> Iterator[None]:
    sealing.bind(KeyRing.parse(OLD))
    yield
    sealing.bind(KeyRing.parse(OLD))


def fill(cast: Cast, count: int = 3) -> list[Destination]:
    """Something sealed in every column that holds it."""
    seal = sealing.current().seal
    for number in range(count):
        user, mail = make_user(f"person-{number}"), new_id()
        place = sealing.associated_data("totp_factors", user.id, user.id, "sealed")
        TotpFactor.create(user=user, sealed=seal(b"totp", place), created_at=present())
        value = seal(b"mail", sealing.associated_data("mail_outbox", mail, mail, "sealed"))
        Mail.create(id=mail, address="x@example.org", template="x", sealed=value, created_at=present())
    return [make_destination(cast.workspace, "http://127.0.0.1:9/", SECRET) for _ in range(count)]


def everything() -> list[bytes]:
    """All that is sealed, opened."""
    found = []
    for table, key, scope in (
        ("destinations", "id", "workspace_id"), ("totp_factors", "user_id", "user_id"), ("mail_outbox", "id", "id"),
    ):  # fmt: skip
        for row_id, scope_id, value in db.execute_sql(f"SELECT {key}, {scope}, sealed FROM {table}").fetchall():
            found.append(
                sealing.current().open(
                    value,
                    sealing.associated_data(table, row_id, scope_id, "sealed"),
                )
            )
    return found


def test_a_key_ring_is_rotated_from_the_old_key_to_the_new_one(cast: Cast) -> None:
    made = fill(cast)
    before = sorted(everything())
    sealing.bind(KeyRing.parse(f"{NEW},{OLD}"))
    assert sorted(everything()) == before

    found = reseal(NOW)

    assert found.resealed == {
        "destinations": 3,
        "totp_factors": 3,
        "mail_outbox": 3,
        "key_checks": 0,
        "push_keys": 0,
        "source_keys": 0,
        "oncall_calendars": 0,
    }
    assert found.is_complete
    sealing.bind(KeyRing.parse(NEW))
    assert sorted(everything()) == before
    assert decrypted_config(delivery_results.read(made[0].id)).secrets["secret"] == SECRET
    (entry,) = AuditEntry.select().where(AuditEntry.action == "secrets.rotated")
    assert entry.details["key"] == "k2"


def test_a_dry_run_counts_the_secrets_that_still_need_the_old_key(cast: Cast) -> None:
    fill(cast)
    sealing.bind(KeyRing.parse(f"{NEW},{OLD}"))

    reported = reseal(NOW, dry_run=True)

    assert (sum(reported.resealed.values()), sum(reported.remaining.values()), reported.is_complete) == (0, 9, False)
    sealing.bind(KeyRing.parse(NEW))
    with pytest.raises(CannotUnseal):
        everything()


def test_a_second_resealing_changes_nothing(cast: Cast) -> None:
    fill(cast)
    sealing.bind(KeyRing.parse(f"{NEW},{OLD}"))
    reseal(NOW)

    assert sum(reseal(NOW).resealed.values()) == 0
    assert AuditEntry.select().where(AuditEntry.action == "secrets.rotated").count() == 1


def test_a_secret_that_no_key_opens_is_left_unchanged_and_reported(cast: Cast) -> None:
    fill(cast, 1)
    Mail.update(sealed=b"\x01\x02k1" + b"x" * 40).execute()
    TotpFactor.update(sealed=b"never sealed").execute()
    sealing.bind(KeyRing.parse(f"{NEW},{OLD}"))

    found = reseal(NOW)

    assert found.unreadable == {
        "destinations": 0,
        "totp_factors": 1,
        "mail_outbox": 1,
        "key_checks": 0,
        "push_keys": 0,
        "source_keys": 0,
        "oncall_calendars": 0,
    }
    assert not found.is_complete
    assert bytes(TotpFactor.get().sealed) == b"never sealed"


def test_an_edit_during_resealing_is_kept(cast: Cast) -> None:
    made = fill(cast, 20)
    sealing.bind(KeyRing.parse(f"{NEW},{OLD}"))
    stop = threading.Event()
    edits: dict[int, str] = {}

    def edit() -> None:
        number = 0
        with db.connection_context():
            while not stop.is_set() or number < len(made):
                place, secret = number % len(made), (OTHER, SECRET)[number % 2]
                config = {"url": f"http://127.0.0.1:9/{number}", "secret": secret}
                destinations.edit(made[place], {"config": config}, expected_rev=None, now=present())
                edits[place] = secret
                number += 1

    thread = threading.Thread(target=edit)
    thread.start()
    for _ in range(5):
        reseal(NOW)
    stop.set()
    thread.join(60)

    assert reseal(NOW).is_complete
    sealing.bind(KeyRing.parse(NEW))
    for place, secret in edits.items():
        assert decrypted_config(delivery_results.read(made[place].id)).secrets["secret"] == secret


def test_every_column_of_sealed_bytes_is_known(ground: peewee.Database) -> None:
    found = {(table, column) for table, column in columns_of_bytes() if "sealed" in column}

    assert found == {(column.table, column.column) for column in COLUMNS}
