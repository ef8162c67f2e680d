"""Readers, filters and pages of the audit log."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask

from inbox.database.base import db, new_id
from inbox.flow.unit_of_work import work
from inbox.models.records.audit import AuditEntry
from inbox.models.senders.sources import Source
from inbox.services.records import audit
from tests.api.audit.audit_steps import (
    Browsers,
    note,
    path,  # noqa: F401
    workspace,  # noqa: F401
)
from tests.browser import Browser
from tests.cast import NOW, Cast, typeid


@pytest.mark.parametrize(("name", "status"), [("vic", 403), ("mia", 403), ("adam", 200), ("olga", 200), ("eve", 404)])
def test_administrators_read_the_audit_log(browser: Browsers, cast: Cast, path: str, name: str, status: int) -> None:
    note(cast, "source.changed")

    answer = browser(name).get(path)

    assert answer.status_code == status
    if status == 200:
        [item] = answer.json["items"]
        assert item == {
            "id": item["id"], "at": "2026-11-21T09:00:00.000Z", "actor": {"type": "system", "id": "", "name": ""},
            "action": "source.changed",
            "target": {"type": "source", "id": typeid("src", cast.source.id), "name": "Prometheus"},
            "workspaceId": typeid("wsp", cast.workspace.id), "ip": "", "requestId": "", "details": {},
        }  # fmt: skip
    if status == 403:
        assert answer.json["requiredRole"] == "admin"


def test_the_audit_log_requires_a_session(anonymous: Browser, cast: Cast, path: str) -> None:
    assert anonymous.get(path).status_code == 401
    assert anonymous.get(path, headers={"Authorization": f"Bearer {cast.key}"}).status_code == 401


def test_a_workspace_reads_its_own_entries_only(browser: Browsers, cast: Cast) -> None:
    note(cast, "source.changed")
    foreign = f"/v1/workspaces/{typeid('wsp', cast.foreign.id)}/audit-log"

    assert browser("eve").get(foreign).json["items"] == []


def test_the_audit_log_is_filtered_by_action_actor_and_time(browser: Browsers, cast: Cast, path: str) -> None:
    for minutes, action in enumerate(("source.created", "source.changed", "key.created", "source_x.made")):
        note(cast, action, minutes)
    olga = browser("olga")
    olga.patch(f"/v1/sources/{typeid('src', cast.source.id)}", {"name": "By Olga"})

    def found(query: str) -> list[str]:
        return [item["action"] for item in olga.get(f"{path}?order=asc&{query}").json["items"]]

    assert found("action=source.created") == ["source.created"]
    assert sorted(found("action=source")) == ["source.changed", "source.changed", "source.created"]
    assert found(f"actorId={typeid('usr', cast.users['olga'].id)}") == ["source.changed"]
    assert found(f"actorId={typeid('usr', cast.users['eve'].id)}") == []
    assert found("since=2026-11-21T09:01:00Z&until=2026-11-21T09:03:00Z") == ["source.changed", "key.created"]
    for bad in ("action=%25", "action=a.b.c", "actorId=olga", "since=now", "sort=action"):
        assert olga.get(f"{path}?{bad}").status_code == 422


def test_the_audit_log_is_paged_newest_first(browser: Browsers, cast: Cast, path: str) -> None:
    for minutes in range(5):
        note(cast, f"source.made_{'abcde'[minutes]}", minutes)
    adam, found, cursor = browser("adam"), [], ""
    while True:
        page = adam.get(f"{path}?limit=2{cursor}").json
        found += [item["action"][-1] for item in page["items"]]
        if page["nextCursor"] is None:
            break
        cursor = f"&cursor={page['nextCursor']}"

    assert found == list("edcba")
    assert adam.get(f"{path}?offset=4").json["total"] == 5


def test_pages_of_rare_entries_are_short_and_the_last_one_is_not_partial(
    browser: Browsers, cast: Cast, path: str
) -> None:
    """Four thousand entries, of which three have the action. A page examines fewer than that."""
    AuditEntry.insert_many(
        {
            "id": new_id(NOW + timedelta(seconds=place)), "workspace_id": cast.workspace.id, "actor": {"type": "system"}, "target": {},
            "action": "rule.changed" if place in (5, 2_000, 3_990) else "source.changed", "at": NOW + timedelta(seconds=place),
        }
        for place in range(4_000)
    ).execute()  # fmt: skip

    pages = list(_pages(browser("olga"), f"{path}?action=rule&limit=2"))

    assert sum(len(page["items"]) for page in pages) == 3
    assert len(pages) > 2
    assert [page["partial"] for page in pages] == [True] * (len(pages) - 1) + [False]
    assert next(_pages(browser("olga"), f"{path}?action=nothing.like_it&limit=2&until=2026-11-20T00:00:00Z")) == {
        "items": [], "nextCursor": None, "partial": False, "total": None,
    }  # fmt: skip


def _pages(browser: Browser, path: str) -> Iterator[dict[str, Any]]:
    cursor: str | None = ""
    while cursor is not None:
        page = browser.get(path + (f"&cursor={cursor}" if cursor else "")).json
        yield page
        cursor = page["nextCursor"]


def test_entries_of_one_act_are_in_the_order_in_which_they_were_written(cast: Cast) -> None:
    with work():
        for number in range(40):
            about = audit.target("source", cast.source.id, str(number))
            audit.record("source.changed", target=about, now=NOW + timedelta(microseconds=number // 4))

    by_id = AuditEntry.select().order_by(AuditEntry.id)
    assert [entry.target["name"] for entry in by_id] == [str(number) for number in range(40)]


def test_an_audit_entry_outlives_its_record(browser: Browsers, cast: Cast, path: str) -> None:
    note(cast, "source.changed")
    Source.delete().where(Source.id == cast.source.id).execute()

    assert [item["target"]["name"] for item in browser("olga").get(path).json["items"]] == ["Prometheus"]


def test_the_log_only_grows(app: Flask, cast: Cast) -> None:
    import peewee

    note(cast, "source.changed")
    for statement in ("UPDATE audit_log SET action = 'x'", "DELETE FROM audit_log", "TRUNCATE audit_log"):
        with pytest.raises(peewee.ProgrammingError), db.atomic():
            db.execute_sql(statement)
