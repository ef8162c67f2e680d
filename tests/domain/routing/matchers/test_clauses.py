"""Clauses: their meaning for each field, present and missing, and their valid values."""

from __future__ import annotations

from typing import Any

import pytest

from inbox.domain.routing import matchers
from inbox.domain.routing.matchers.fields import FIELDS, OPS, Op
from inbox.domain.values.severity import ALIASES, Severity
from tests.domain.routing.matchers.matching import SOURCE, Seen, clause

FULL = Seen(
    severity=Severity.WARNING,
    type="disk.full",
    resource="host:db-1",
    title="Disk FULL on Straße 7",
    body="first line\nsecond line",
    tags=["prod", "Team:DB"],
    action="trigger",
    dedup_key="Disk-1",
    external_id="REF-9",
    url="https://example.net/d/1",
    source_name="Prometheus EU",
    metadata={
        "team": "Platform",
        "count": 5,
        "ratio": 0.5,
        "ok": True,
        "empty": "",
        "nothing": None,
        "hosts": ["db-1", "DB-2", 7],
        "labels": {"a.b": {"c": "deep"}, "env": "prod"},
        "x.y": "dotted",
        "/": {"@id": "sign"},
    },
)

HOLDS = [
    ("type", "eq", "DISK.full"),
    ("type", "ne", "disk"),
    ("type", "in", ["cpu", "Disk.Full"]),
    ("type", "notIn", ["cpu", "disk"]),
    ("type", "contains", "K.F"),
    ("type", "startsWith", "DISK"),
    ("type", "endsWith", ".Full"),
    ("type", "matches", "^disk"),
    ("type", "exists", True),
    ("title", "contains", "disk full"),
    ("title", "contains", "STRASSE"),
    ("title", "matches", "(?i)disk full"),
    ("body", "contains", "LINE\nsecond"),
    ("body", "matches", "(?m)^second"),
    ("body", "matches", "(?s)first.*second"),
    ("resource", "eq", "HOST:db-1"),
    ("resource.kind", "eq", "Host"),
    ("resource.name", "eq", "db-1"),
    ("url", "startsWith", "HTTPS://example.net"),
    ("action", "eq", "trigger"),
    ("action", "in", ["trigger", "resolve"]),
    ("action", "ne", "resolve"),
    ("dedupKey", "eq", "Disk-1"),
    ("dedupKey", "contains", "isk-"),
    ("externalId", "in", ["REF-9"]),
    ("source", "eq", "prometheus eu"),
    ("source", "eq", SOURCE),
    ("source", "in", ["other", SOURCE]),
    ("source", "in", ["PROMETHEUS EU", "src_01h455vb4pex5vsknk084sn0zz"]),
    ("source", "ne", "src_01h455vb4pex5vsknk084sn0zz"),
    ("source", "contains", "eu"),
    ("source", "matches", "EU$"),
    ("tags", "eq", "PROD"),
    ("tags", "in", ["qa", "team:db"]),
    ("tags", "contains", "team:"),
    ("tags", "startsWith", "pr"),
    ("tags", "endsWith", ":db"),
    ("tags", "matches", "^Team:(DB|Web)$"),
    ("tags", "ne", "qa"),
    ("tags", "notIn", ["qa", "dev"]),
    ("tags", "exists", True),
    ("metadata.team", "eq", "platform"),
    ("metadata.team", "ne", "qa"),
    ("metadata.team", "matches", "^Plat"),
    ("metadata.count", "eq", 5),
    ("metadata.count", "eq", 5.0),
    ("metadata.count", "in", ["5", 5]),
    ("metadata.count", "gte", 5),
    ("metadata.count", "lte", 5.5),
    ("metadata.count", "ne", "5"),
    ("metadata.ratio", "lte", 0.5),
    ("metadata.ok", "eq", True),
    ("metadata.ok", "ne", 1),
    ("metadata.empty", "eq", ""),
    ("metadata.empty", "exists", True),
    ("metadata.nothing", "exists", False),
    ("metadata.nothing", "ne", "x"),
    ("metadata.hosts", "eq", "db-2"),
    ("metadata.hosts", "gte", 7),
    ("metadata.hosts", "startsWith", "db"),
    ("metadata.hosts", "ne", "db-3"),
    ("metadata.hosts.1", "eq", "DB-2"),
    ("metadata.labels", "exists", True),
    ("metadata.labels.env", "eq", "prod"),
    ('metadata.labels."a.b".c', "eq", "deep"),
    ('metadata."x.y"', "eq", "dotted"),
    ("metadata.x.y", "eq", "dotted"),
    ('metadata."hosts"."0"', "eq", "db-1"),
    ("metadata./.@id", "eq", "sign"),
]

FAILS = [
    ("type", "matches", "^DISK"),
    ("type", "ne", "Disk.FULL"),
    ("type", "notIn", ["disk.full"]),
    ("body", "matches", "^second"),
    ("body", "matches", "first.*second"),
    ("dedupKey", "eq", "disk-1"),
    ("dedupKey", "contains", "disk"),
    ("externalId", "startsWith", "ref"),
    ("resource.kind", "eq", "host:db-1"),
    ("source", "eq", "src_01h455vb4pex5vsknk084sn0zz"),
    ("source", "ne", SOURCE),
    ("source", "startsWith", "src_"),
    ("tags", "eq", "pro"),
    ("tags", "ne", "prod"),
    ("tags", "notIn", ["qa", "prod"]),
    ("metadata.count", "eq", "5"),
    ("metadata.count", "contains", "5"),
    ("metadata.count", "gte", 5.1),
    ("metadata.ok", "eq", 1),
    ("metadata.ok", "gte", 0),
    ("metadata.ok", "eq", "true"),
    ("metadata.nothing", "eq", ""),
    ("metadata.team", "gte", 0),
    ("metadata.hosts", "ne", "DB-1"),
    ("metadata.hosts", "notIn", ["x", 7]),
    ("metadata.hosts.9", "exists", True),
    ('metadata."labels.env"', "exists", True),
    ('metadata."x"."y"', "exists", True),
    ('metadata."team".name', "exists", True),
    ("metadata.labels", "eq", "prod"),
]


@pytest.mark.parametrize(("name", "op", "value"), HOLDS)
def test_a_clause_matches_the_event(name: str, op: str, value: Any) -> None:
    assert matchers.compile_match(clause(name, op, value))(FULL) is True
    assert matchers.compile_match({"not": clause(name, op, value)})(FULL) is False


@pytest.mark.parametrize(("name", "op", "value"), FAILS)
def test_a_clause_does_not_match_the_event(name: str, op: str, value: Any) -> None:
    assert matchers.compile_match(clause(name, op, value))(FULL) is False


MISSING = ["type", "resource", "resource.kind", "resource.name", "body", "tags", "dedupKey", "externalId", "url",
           "metadata.team", "metadata.a.b", 'metadata."a"."b"']  # fmt: skip


@pytest.mark.parametrize("name", MISSING)
@pytest.mark.parametrize("op", ["eq", "in", "contains", "startsWith", "endsWith", "matches"])
def test_a_missing_field_fails_every_clause_that_requires_a_value(name: str, op: str) -> None:
    value: Any = ["x"] if op == "in" else "x"
    assert not matchers.compile_match(clause(name, op, value))(Seen())
    assert not matchers.compile_match(clause(name, op, value))(Seen(metadata={"a": "b", "hosts": []}))


@pytest.mark.parametrize("name", MISSING)
def test_a_missing_field_passes_ne_and_not_in_and_does_not_exist(name: str) -> None:
    for op, value in (("ne", "x"), ("notIn", ["x"]), ("exists", False)):
        assert matchers.compile_match(clause(name, op, value))(Seen())
    assert not matchers.compile_match(clause(name, "exists", True))(Seen())


@pytest.mark.parametrize("op", ["gte", "lte"])
def test_a_missing_number_is_neither_more_nor_less(op: str) -> None:
    assert not matchers.compile_match(clause("metadata.count", op, 0))(Seen())


def test_an_empty_list_is_missing() -> None:
    assert matchers.compile_match(clause("metadata.hosts", "exists", False))(Seen(metadata={"hosts": []}))


@pytest.mark.parametrize(
    ("resource", "kind", "name"), [("host:db:1", "host", "db:1"), ("db", None, "db"), (":db", None, "db")]
)
def test_a_resource_falls_into_kind_and_name(resource: str, kind: str | None, name: str) -> None:
    seen = Seen(resource=resource)
    assert matchers.compile_match(clause("resource.kind", "exists", True))(seen) is (kind is not None)
    assert matchers.compile_match(clause("resource.name", "eq", name))(seen)


def test_an_id_names_a_source_by_its_id_alone() -> None:
    impostor = Seen(source_id="src_01h455vb4pex5vsknk084sn0zz", source_name=SOURCE)
    assert not matchers.compile_match(clause("source", "eq", SOURCE))(impostor)


@pytest.mark.parametrize("bound", Severity)
@pytest.mark.parametrize("severity", Severity)
def test_severities_compare_by_rank_and_equal_by_name(severity: Severity, bound: Severity) -> None:
    seen = Seen(severity=severity)
    assert matchers.compile_match(clause("severity", "gte", bound.lower()))(seen) is (severity.rank >= bound.rank)
    assert matchers.compile_match(clause("severity", "lte", str(bound)))(seen) is (severity.rank <= bound.rank)
    assert matchers.compile_match(clause("severity", "eq", str(bound)))(seen) is (severity is bound)
    assert matchers.compile_match(clause("severity", "notIn", [str(bound)]))(seen) is (severity is not bound)


@pytest.mark.parametrize("alias", ALIASES)
def test_a_severity_may_be_named_by_its_aliases(alias: str) -> None:
    assert matchers.compile_match(clause("severity", "in", ["DEBUG", alias.upper()]))(Seen(severity=ALIASES[alias]))


def test_every_field_takes_the_operators_of_its_kind_and_no_other() -> None:
    for field in (*FIELDS.values(), None):
        name = field.name if field else "metadata.x"
        suiting = OPS[field.kind] if field else frozenset(Op)
        for op in Op:
            faults = matchers.check(clause(name, op, object()))
            assert [fault.pointer for fault in faults] == ["/value" if op in suiting else "/op"]


@pytest.mark.parametrize(
    "name",
    ["", "Severity", "colour", "metadata", "metadata.", "metadata..a", "metadata.a b", 'metadata."a', 'metadata."a"b',
     'metadata."\\n"', 'metadata."\n"', "metadata.a." + "b" * 1_014, 5, None, ["title"], {}],
)  # fmt: skip
def test_an_unknown_field_is_refused_with_the_list_of_fields(name: Any) -> None:
    (fault,) = matchers.check(clause(name, "exists", True))
    assert fault.pointer == "/field"
    assert "metadata.<path>" in fault.detail
    assert 'is in double quotes (`metadata."a b"`)' in fault.detail


@pytest.mark.parametrize("name", ["metadata.a." + "b" * 1_013, "metadata.übung", 'metadata."a \\"b\\" \\\\"'])
def test_a_path_may_be_long_foreign_and_quoted(name: str) -> None:
    assert matchers.check(clause(name, "exists", True)) == []


@pytest.mark.parametrize(
    ("name", "op", "good", "bad"),
    [
        ("title", "eq", ["x", "x" * 1_024], ["", "x" * 1_025, 5, None, True, ["x"], "a\x00b", "\ud800"]),
        ("title", "contains", ["x", "x" * 1_024], ["", "x" * 1_025, 5]),
        ("title", "in", [["x"], ["x"] * 100], [[], ["x"] * 101, "x", [""], [None], [["x"]]]),
        ("title", "exists", [True, False], [None, 1, "true"]),
        ("title", "matches", ["x", "x" * 512], ["", "x" * 513, 5, None, "(", "(?=x)", r"(x)\1", "a\x00", "\udfff"]),
        ("severity", "gte", ["ERROR", "warn"], ["", "bad", 5, None, ["ERROR"]]),
        ("severity", "in", [["ERROR", "crit"]], [["nope"], "ERROR", []]),
        ("action", "eq", ["trigger", "resolve"], ["Trigger", "close", None, []]),
        ("metadata.x", "eq", ["", "x" * 1_024, 5, -5.5, 2**63 - 1, -(2**63), True, False],
         ["x" * 1_025, None, [], {}, 2**63, -(2**63) - 1, float("nan"), float("inf")]),
        ("metadata.x", "in", [["", 1, True], [0] * 100], [[None], [0] * 101, [[1]]]),
        ("metadata.x", "gte", [0, -1.5], ["1", True, None, float("nan"), [1]]),
        ("metadata.x", "contains", ["x"], ["", 5, True]),
    ],
)  # fmt: skip
def test_values_are_taken_to_their_limits_and_not_beyond(name: str, op: str, good: list[Any], bad: list[Any]) -> None:
    for value in good:
        assert matchers.check(clause(name, op, value)) == []
    for value in bad:
        (fault,) = matchers.check(clause(name, op, value))
        assert fault.pointer in ("/value", "/value/0")
        assert fault.detail.startswith("must be")
