"""Exports of workspaces: rate limit, disconnected clients and permissions."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import timedelta
from typing import Any

import orjson
import psycopg2
import pytest
from flask import Flask

from inbox.config import settings as in_force
from inbox.config.settings import Settings
from inbox.database.base import db
from inbox.domain.values.refusals import RateLimited
from inbox.models.deliveries.tables import Delivery
from inbox.models.events.tables import ReceivedEvent
from inbox.models.records.audit import AuditEntry, ExportRun
from inbox.models.workspaces.tables import Workspace
from inbox.services.workspaces import export
from tests.api.workspaces.export_steps import (
    Browsers,
    events,
    path,  # noqa: F401
)
from tests.browser import Browser
from tests.cast import Cast, make_workspace, present, sign_in, typeid
from tests.database.pgbouncer import direct
from tests.ops.processes import until
from tests.stand_ins.outgoing_posts import make_destination, make_incident, owe


def connections() -> int:
    found = db.execute_sql(
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'inbox-export' AND datname = current_database()"
    )
    return int(found.fetchone()[0])


def test_a_second_one_within_a_minute_waits(browser: Browsers, cast: Cast, path: str) -> None:
    olga = browser("olga")
    assert olga.get(path).data.endswith(b"}\n")

    refused = olga.get(path)
    ExportRun.update(started_at=present() - timedelta(seconds=60)).execute()
    later = olga.get(path)

    assert (refused.status_code, refused.json["code"]) == (429, "rate_limited")
    assert 58 <= int(refused.headers["Retry-After"]) <= 60
    assert later.status_code == 200 and later.data
    assert AuditEntry.select().where(AuditEntry.action == "workspace.exported").count() == 2
    assert ExportRun.get().finished_at is not None


def test_head_begins_no_export(browser: Browsers, cast: Cast, path: str) -> None:
    olga = browser("olga")
    heads = [olga.call("HEAD", path) for _ in range(2)]

    assert [(head.status_code, head.mimetype, head.data) for head in heads] == [(200, "application/json", b"")] * 2
    assert ExportRun.select().count() == 0
    assert AuditEntry.select().where(AuditEntry.action == "workspace.exported").count() == 0
    assert olga.get(path).status_code == 200


def test_a_refused_export_never_asks_to_wait_longer_than_a_minute(browser: Browsers, cast: Cast, path: str) -> None:
    olga = browser("olga")
    assert olga.get(path).data
    ExportRun.update(started_at=present() + timedelta(seconds=5)).execute()  # by the clock of another machine

    assert olga.get(path).headers["Retry-After"] == "60"


def test_concurrent_exports_of_a_workspace_begin_once_without_blocking_others(cast: Cast) -> None:
    begun: list[Any] = []

    def go() -> None:
        with db.connection_context():
            try:
                begun.append(export.begin(cast.workspace.id, cast.users["olga"].id, now=present()))
            except RateLimited:
                pass

    threads = [threading.Thread(target=go) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    other = export.begin(cast.foreign.id, cast.users["eve"].id, now=present())

    assert len(begun) == 1
    for each in (*begun, other):
        each.close()
    until(lambda: connections() == 0, "the connection is free")


def test_an_export_is_a_snapshot_of_one_moment(cast: Cast) -> None:
    events(cast, 10)
    body = export.begin(cast.workspace.id, cast.users["olga"].id, now=present())
    pieces = [next(body), next(body)]

    ReceivedEvent.delete().execute()
    document = orjson.loads(b"".join([*pieces, *body]))
    body.close()

    assert len(document["events"]) == 10


def test_an_export_behind_a_pooler_reads_from_the_direct_address(cast: Cast, settings: Settings) -> None:
    events(cast, 10)
    nowhere = "postgresql://inbox@127.0.0.1:1/inbox"
    in_force.use(
        replace(settings, database_url=nowhere, database_pooler="transaction", direct_database_url=direct(settings))
    )
    try:
        document = orjson.loads(b"".join(export.begin(cast.workspace.id, cast.users["olga"].id, now=present())))
    finally:
        in_force.use(settings)

    assert len(document["events"]) == 10


def test_a_client_that_goes_away_frees_the_connection_and_its_place(cast: Cast) -> None:
    events(cast, 600)
    for _ in range(export.AT_ONCE + 1):
        ExportRun.delete().execute()
        body = export.begin(cast.workspace.id, cast.users["olga"].id, now=present())
        next(body)
        assert connections() == 1

        body.close()
        body.close()

        until(lambda: connections() == 0, "the connection is free")
    assert ExportRun.get().finished_at is None


def test_a_document_that_is_cut_is_no_json(cast: Cast) -> None:
    events(cast, 600)
    body = export.begin(cast.workspace.id, cast.users["olga"].id, now=present())
    got = [next(body) for _ in range(8)]

    db.execute_sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'inbox-export'")
    with pytest.raises(psycopg2.OperationalError):
        got.extend(body)
    body.close()

    with pytest.raises(orjson.JSONDecodeError):
        orjson.loads(b"".join(got))


@pytest.mark.parametrize("who", ["adam", "mia", "vic"])
def test_only_owners_export(browser: Browsers, path: str, who: str) -> None:
    refused = browser(who).get(path)

    assert (refused.status_code, refused.json["requiredRole"]) == (403, "owner")


def test_eve_learns_nothing_and_a_deleted_workspace_is_not_exported(browser: Browsers, cast: Cast, path: str) -> None:
    assert browser("eve").get(path).status_code == 404
    make_workspace("Second", olga=cast.users["olga"])
    Workspace.update(deleted_at=present()).where(Workspace.id == cast.workspace.id).execute()

    assert browser("olga").get(path).status_code == 404


def test_an_export_requires_a_step_up_within_five_minutes(
    app: Flask, settings: Settings, cast: Cast, path: str
) -> None:
    proved = present() - timedelta(minutes=5, seconds=1)
    olga = Browser(app, settings.base_url, cookie=sign_in(cast.users["olga"], proved_at=proved))

    refused = olga.get(path)

    assert (refused.status_code, refused.json["code"]) == (403, "reauth_required")
    assert ExportRun.select().count() == 0


def test_another_site_cannot_start_an_export(browser: Browsers, path: str) -> None:
    assert browser("olga").get(path, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403


def test_deliveries_keep_their_order_of_ids(browser: Browsers, cast: Cast, path: str) -> None:
    destination, incident = make_destination(cast.workspace, "https://example.org/hook"), make_incident(cast)
    for seq in range(3):
        owe(destination, incident, seq=seq, status="sent")

    reported = orjson.loads(browser("olga").get(path).data)["deliveries"]

    assert [row["id"] for row in reported] == [typeid("dlv", row.id) for row in Delivery.select().order_by(Delivery.id)]
