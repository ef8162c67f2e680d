"""Constraints of the tables of people: single use, immutable rows, no duplicates."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from uuid import UUID

import peewee
import pytest

from inbox.database.base import db, new_id
from inbox.models.people.factors import Identity, Passkey, RecoveryCode, TotpFactor, UsedTicket
from inbox.models.people.links import Link, Purpose
from inbox.models.records.audit import AuditEntry, ExportRun
from tests.cast import NOW, Cast

HOUR = timedelta(hours=1)


def digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def at_once(act: Callable[[], object], times: int = 8) -> list[object]:
    """What `act` answers to many who try at the same moment."""
    answers: list[object] = []
    start = threading.Barrier(times)

    def one() -> None:
        with db.connection_context():
            start.wait()
            answers.append(act())

    threads = [threading.Thread(target=one) for _ in range(times)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def entry(workspace_id: UUID | None = None, at: datetime = NOW) -> AuditEntry:
    return AuditEntry.create(
        id=new_id(at), at=at, workspace_id=workspace_id, actor={"type": "system"}, action="sign_in", target={}
    )


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit_log SET action = 'nothing'",
        "UPDATE audit_log SET details = details",
        "DELETE FROM audit_log",
        "DELETE FROM audit_log WHERE at < now()",
        "SET LOCAL inbox.purging = 'on'; UPDATE audit_log SET action = 'nothing'",
        "TRUNCATE audit_log",
        "SET LOCAL inbox.purging = 'on'; TRUNCATE audit_log",
    ],
)
def test_an_audit_entry_is_neither_changed_nor_removed(ground: peewee.Database, statement: str) -> None:
    written = entry()

    with pytest.raises(peewee.ProgrammingError, match="the audit log only grows"), db.atomic():
        db.execute_sql(statement)

    assert AuditEntry.get_by_id(written.id).action == "sign_in"


LAST = UUID(int=2**128 - 1)


def test_the_purge_removes_old_audit_entries_and_leaves_the_table_append_only(cast: Cast) -> None:
    long_ago = NOW - timedelta(days=3)
    old = [entry(cast.workspace.id, long_ago).id for _ in range(2)]
    retained = {entry(cast.foreign.id, long_ago).id, entry(None, long_ago).id}
    young = entry(cast.workspace.id, datetime.now(UTC)).id

    with db.atomic():
        removal = "SELECT purge_audit_log(%s, %s, 500)"
        assert db.execute_sql(removal, (cast.workspace.id, min(old))).fetchone()[0] == 0
        assert db.execute_sql(removal, (cast.workspace.id, LAST)).fetchone()[0] == 2

    assert {row.id for row in AuditEntry.select()} == retained | {young}
    with pytest.raises(peewee.ProgrammingError), db.atomic():
        db.execute_sql("DELETE FROM audit_log")


def test_an_audit_entry_outlives_its_workspace(cast: Cast) -> None:
    written = entry(cast.foreign.id)

    db.execute_sql("DELETE FROM workspaces WHERE id = %s", (cast.foreign.id,))

    assert AuditEntry.get_by_id(written.id).workspace_id == cast.foreign.id


def test_a_link_is_good_once_for_its_purpose_until_it_expires(cast: Cast) -> None:
    user = cast.users["mia"]
    Link.create(id=new_id(), purpose="password_reset", token_hash=digest("t"), user=user, payload={"a": "b"},
                created_at=NOW, expires_at=NOW + HOUR)  # fmt: skip

    assert Link.consume(Purpose.EMAIL_CHANGE, digest("t"), NOW) is None
    assert Link.consume(Purpose.PASSWORD_RESET, digest("u"), NOW) is None
    assert Link.consume(Purpose.PASSWORD_RESET, digest("t"), NOW + HOUR) is None
    assert Link.consume(Purpose.PASSWORD_RESET, digest("t"), NOW) == (user.id, {"a": "b"})
    assert Link.consume(Purpose.PASSWORD_RESET, digest("t"), NOW) is None


def test_a_link_used_by_many_at_once_is_consumed_once(cast: Cast) -> None:
    Link.create(id=new_id(), purpose="verify_email", token_hash=digest("t"), user=cast.users["mia"],
                created_at=NOW, expires_at=NOW + HOUR)  # fmt: skip

    answers = at_once(lambda: Link.consume(Purpose.VERIFY_EMAIL, digest("t"), NOW))

    assert len([answer for answer in answers if answer is not None]) == 1


def test_a_new_link_ends_the_earlier_ones_of_its_purpose_only(cast: Cast) -> None:
    for purpose in ("password_reset", "verify_email"):
        Link.create(id=new_id(), purpose=purpose, token_hash=digest(purpose), user=cast.users["mia"],
                    created_at=NOW, expires_at=NOW + HOUR)  # fmt: skip

    Link.revoke(cast.users["mia"].id, Purpose.PASSWORD_RESET, NOW)

    assert Link.consume(Purpose.PASSWORD_RESET, digest("password_reset"), NOW) is None
    assert Link.consume(Purpose.VERIFY_EMAIL, digest("verify_email"), NOW) is not None


def test_a_code_used_by_many_at_once_is_consumed_once(cast: Cast) -> None:
    mia = cast.users["mia"].id
    TotpFactor.create(user=mia, sealed=b"s", created_at=NOW)
    RecoveryCode.replace_all(mia, [digest("one"), digest("two")])

    assert sorted(map(bool, at_once(lambda: TotpFactor.consume_code(mia, 100)))) == [False] * 7 + [True]
    assert sorted(map(bool, at_once(lambda: RecoveryCode.consume(mia, digest("one"), NOW)))) == [False] * 7 + [True]
    assert sorted(map(bool, at_once(lambda: UsedTicket.consume(digest("t"), NOW)))) == [False] * 7 + [True]


def test_a_code_of_an_earlier_step_is_refused_once_a_later_one_was_taken(cast: Cast) -> None:
    mia = cast.users["mia"].id
    TotpFactor.create(user=mia, sealed=b"s", created_at=NOW)

    assert [TotpFactor.consume_code(mia, step) for step in (100, 99, 100, 101)] == [True, False, False, True]


def test_new_recovery_codes_replace_the_old_ones_and_belong_to_one_person(cast: Cast) -> None:
    mia, vic = cast.users["mia"].id, cast.users["vic"].id
    RecoveryCode.replace_all(mia, [digest("old")])
    RecoveryCode.replace_all(mia, [digest("new")])

    assert not RecoveryCode.consume(mia, digest("old"), NOW)
    assert not RecoveryCode.consume(vic, digest("new"), NOW)
    assert RecoveryCode.consume(mia, digest("new"), NOW)


@pytest.mark.parametrize(
    ("had", "reported", "counts"),
    [(0, 0, True), (0, 1, True), (5, 6, True), (5, 5, False), (5, 4, False), (5, 0, False)],
)
def test_a_passkey_whose_count_does_not_grow_is_a_copy(cast: Cast, had: int, reported: int, counts: bool) -> None:
    key = Passkey.create(id=new_id(), user=cast.users["mia"], credential_id=b"c", public_key=b"p", sign_count=had,
                         name="Key", created_at=NOW)  # fmt: skip

    assert Passkey.record_use(key.id, reported, NOW) is counts


def test_a_subject_of_a_provider_belongs_to_one_person(cast: Cast) -> None:
    Identity.create(id=new_id(), user=cast.users["mia"], provider="acme", subject="1", created_at=NOW)
    Identity.create(id=new_id(), user=cast.users["vic"], provider="other", subject="1", created_at=NOW)

    with pytest.raises(peewee.IntegrityError), db.atomic():
        Identity.create(id=new_id(), user=cast.users["eve"], provider="acme", subject="1", created_at=NOW)


def test_concurrent_exports_begin_once_and_the_next_a_minute_later(cast: Cast) -> None:
    workspace, olga = cast.workspace.id, cast.users["olga"].id
    minute = timedelta(minutes=1)

    begun = at_once(lambda: ExportRun.start(workspace, olga, NOW, NOW - minute))

    assert sorted(map(bool, begun)) == [False] * 7 + [True]
    assert ExportRun.start(cast.foreign.id, olga, NOW, NOW - minute)
    assert not ExportRun.start(workspace, olga, NOW + minute / 2, NOW - minute / 2)
    assert ExportRun.start(workspace, olga, NOW + minute, NOW)
