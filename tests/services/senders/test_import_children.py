"""Set-ups of other tools are read by child processes, which end at their limits (specification 22.1)."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import orjson
import pytest
import yaml

from inbox.domain.values import times
from inbox.domain.values.refusals import Unavailable
from inbox.intake.importers.import_kind import Options
from inbox.intake.importers.plan import Plan, Unreadable
from inbox.intake.importers.registry import KINDS
from inbox.services.senders.import_children import Limits, Readers, ReadingFailed
from tests.cast import present
from tests.intake.importers.test_servers import database

CRONTAB = "CRON_TZ=Europe/Berlin\n0 3 * * * a=1 /usr/bin/backup --all 50% # nightly\n@reboot x\n0 0 61 * * y"
ROUTES = {"receiver": "ops", "routes": [{"matchers": ['team="db"', "host=~a.*"], "receiver": "x", "continue": "true"}]}
SILENCE = {
    "id": "s1", "comment": "Work", "status": {"state": "active"}, "startsAt": "2026-01-01T00:00:00Z",
    "endsAt": times.rfc3339(present() + timedelta(days=30)), "matchers": [{"name": "team", "value": "db", "isRegex": False, "isEqual": True}],
}  # fmt: skip
CHECK = {"uuid": "u1", "name": "Backup", "slug": "backup", "timeout": 3600, "tags": "a b", "status": "paused"}
DOCUMENTS = {
    "crontab": CRONTAB,
    "alertmanager": yaml.safe_dump({"route": ROUTES, "receivers": [{"name": "ops"}]}),
    "alertmanager_silences": json.dumps([SILENCE]),
    "healthchecks": json.dumps({"checks": [CHECK]}),
    "uptime_kuma": json.dumps({"monitorList": [{"id": 1, "name": "Push", "type": "push", "interval": 60}]}),
    "gotify": json.dumps([{"id": 1, "name": "Disks", "token": "A" + "b" * 14}]),
}
MANY = json.dumps([
    {**SILENCE, "id": f"s{n}", "matchers": [
        {"name": name, "value": f"(?s){name}{n}.{{1,900}}", "isRegex": True} for name in ("a", "b")
    ]}
    for n in range(900)
])  # fmt: skip
"""Patterns that are expensive to compile."""


def order(kind: str, form: str = "document") -> dict[str, Any]:
    return {"kind": kind, "form": form, "timezone": "UTC", "hasUser": False}


def facts_of(plan: Plan) -> tuple[Any, ...]:
    return plan.items, plan.left_out, plan.warnings


@pytest.mark.parametrize("kind", sorted(DOCUMENTS))
def test_a_child_process_reads_an_import_like_its_reader(kind: str) -> None:
    read_text, document = KINDS[kind].read_text, DOCUMENTS[kind]
    assert read_text is not None
    direct = read_text(document, Options())

    by_child = Readers(Limits()).read(order(kind), document.encode())

    assert facts_of(_without_now(by_child)) == facts_of(_without_now(direct))
    assert len(by_child.items) >= 1


def _without_now(plan: Plan) -> Plan:
    """The plan without the beginning of a silence, which is the time of the reading."""
    for item in plan.items:
        if "starts_at" in item.fields:
            assert item.fields["starts_at"].tzinfo is not None
            item.fields.update(starts_at=None)  # type: ignore[attr-defined]
    return plan


def test_a_child_reads_a_database_and_its_maintenance() -> None:
    found = Readers(Limits()).read(order("uptime_kuma", "file"), database())

    assert [item.source for item in found.items[1:]] == ["uptime_kuma"] * (len(found.items) - 1)
    assert len(found.items) > 1


def test_a_child_reads_the_answers_of_a_server_one_by_one() -> None:
    paths = KINDS["opsgenie"].paths
    answers = [
        orjson.dumps({"data": [{"id": "i", "name": "Nagios", "type": "API", "enabled": True}]}),
        orjson.dumps({"data": {"heartbeats": [{"name": "Night", "interval": 5, "intervalUnit": "minutes"}]}}),
    ]
    sizes = {path: len(answer) for path, answer in zip(paths, answers, strict=True)}

    found = Readers(Limits()).read(
        {**order("opsgenie", "address"), "at": times.rfc3339(present()), "answers": sizes}, b"".join(answers)
    )

    assert [item.name for item in found.items] == ["Nagios", "Opsgenie heartbeats", "Night"]


def test_an_answer_that_is_no_json_is_named_and_not_repeated() -> None:
    sizes = {"/v2/integrations": 2, "/v2/heartbeats": 8}

    with pytest.raises(Unreadable, match=r"^The answer to /v2/heartbeats is no JSON\.$"):
        Readers(Limits()).read(
            {**order("opsgenie", "address"), "at": times.rfc3339(present()), "answers": sizes}, b"{}a-canary"
        )


@pytest.mark.parametrize(
    ("limits", "document", "sentence"),
    [
        (Limits(600, cpu_seconds=1), MANY, "Reading it takes more than 1 s of computing. Import a part of it."),
        (Limits(0.5), MANY, "Reading it takes more than 0.5 s. Import a part of it."),
        (Limits(memory_bytes=2**20), MANY, "Reading it takes more than 1 MiB of memory. Import a part of it."),
        (Limits(plan_bytes=100), "[]", "Its plan has more than 100 bytes."),
    ],
    ids=["computing", "time", "memory", "plan"],
)
def test_a_child_that_reaches_a_limit_names_it(limits: Limits, document: str, sentence: str) -> None:
    with pytest.raises(Unreadable) as refused:
        Readers(limits).read(order("alertmanager_silences"), document.encode())

    assert str(refused.value) == sentence


def test_a_mistake_of_a_reader_is_named_without_the_set_up() -> None:
    with pytest.raises(ReadingFailed, match=r"^UnicodeDecodeError in .*child\.py:\d+$"):
        Readers(Limits()).read(order("crontab"), b"\xff a-canary")


def test_an_import_that_waits_too_long_for_its_turn_is_refused_with_a_time() -> None:
    with pytest.raises(Unavailable) as refused:
        Readers(Limits(), most=0, wait_seconds=0.01).read(order("crontab"), b"@daily x")

    assert refused.value.retry_after == 10


def test_each_turn_of_an_import_ends_with_its_child() -> None:
    readers = Readers(Limits(), most=1, wait_seconds=0.01)

    with pytest.raises(Unreadable):
        readers.read(order("gotify"), b"{")

    assert len(readers.read(order("crontab"), b"@daily x").items) == 2
